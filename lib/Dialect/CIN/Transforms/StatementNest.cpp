//===- StatementNest.cpp - Where expressions of a nest are computed -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementNest.h"
#include "Statement.h"

#include "ConditionOrder.h"
#include "LoopOrder.h"
#include "ScheduledStatement.h"

using namespace mlir;
using namespace ember::cin;

StatementNest::StatementNest(OpBuilder &builder, ForallOp statement,
                             VariableUses &uses)
    : builder(builder), location(statement.getLoc()),
      evaluate(statement->getParentOfType<EvaluateOp>()), uses(uses) {
  builder.setInsertionPoint(statement);
  scopes.emplace_back().end = builder.saveInsertionPoint();
}

ImplicitLocOpBuilder StatementNest::at(size_t depth) {
  builder.restoreInsertionPoint(scopes[depth].end);
  return ImplicitLocOpBuilder(location, builder);
}

void StatementNest::inside(Operation *op, Block &block, Body body) {
  // What moves out of the new scope is needed before it.
  scopes.back().end = OpBuilder::InsertPoint(op->getBlock(), op->getIterator());
  scopes.emplace_back().end = OpBuilder::InsertPoint(&block, block.end());
  body();
  scopes.pop_back();
  scopes.back().end =
      OpBuilder::InsertPoint(op->getBlock(), std::next(op->getIterator()));
}

/// The part of a binding that is about one variable.
template <typename OpT>
static std::optional<ArrayAttr> nameOf(OpT op, unsigned position) {
  std::optional<ArrayAttr> names = op.getNames();
  if (!names)
    return std::nullopt;
  return ArrayAttr::get(op.getContext(), (*names)[position]);
}

void StatementNest::loop(Operation *binding, unsigned position, Body body) {
  Value lower, upper, variable;
  ArrayAttr name;
  auto take = [&](auto op) {
    lower = op.getLower(position);
    upper = op.getUpper(position);
    variable = op.getVariables()[position];
    name = nameOf(op, position).value_or(nullptr);
  };
  if (auto forall = dyn_cast<ForallOp>(binding))
    take(forall);
  else
    take(cast<ReduceOp>(binding));
  SmallVector<Value> lowers, uppers;
  if (lower) {
    lowers.push_back(get(lower));
    uppers.push_back(get(upper));
  }
  ImplicitLocOpBuilder here = at(scopes.size() - 1);
  auto forall = ForallOp::create(here, lowers, uppers,
                                 here.getDenseBoolArrayAttr({!!lower}), name,
                                 IterationAttr());
  Block &block = forall.getRegion().emplaceBlock();
  Value mine = block.addArgument(here.getIndexType(), location);
  inside(forall, block, [&] {
    scopes.back().values[variable] = mine;
    body();
  });
}

/// Whether nothing says any more how many values a variable takes, as
/// `original` did: it is no index, or it is one of `x` that `x[i + 1]` beside
/// it made longer than that.
static bool hasLostSize(BlockArgument variable, BlockArgument original) {
  SmallVector<ArrayDimension> before = getIndexedDimensions(original);
  SmallVector<ArrayDimension> now = getIndexedDimensions(variable);
  return now.empty() || llvm::any_of(now, [&](ArrayDimension dimension) {
           bool isWorkspace =
               isa<WhereOp>(dimension.array.getParentBlock()->getParentOp());
           return !isWorkspace && !llvm::is_contained(before, dimension);
         });
}

/// Has a digit of an index be as large as any array says that it is an index
/// of: which of these the radix is a size of, the others do not tell.
static void askForSizes(Operation *binding, BlockArgument variable,
                        ArrayRef<ArrayDimension> dimensions) {
  if (!llvm::any_of(variable.getUsers(), llvm::IsaPred<CallOp>))
    return;
  Operation *statement = binding;
  while (!isa<EvaluateOp>(statement->getParentOp()))
    statement = statement->getParentOp();
  OpBuilder before(statement);
  for (ArrayDimension other : dimensions.drop_front())
    if (!isa<WhereOp>(other.array.getParentBlock()->getParentOp()))
      requireSameSize(before, variable, dimensions.front(), other);
}

/// What is computed may depend on fewer indices than the variables `like` are:
/// of the others the sizes are said here.
static void giveRanges(Operation *binding, ArrayRef<BlockArgument> variables,
                       ArrayRef<BlockArgument> like) {
  ImplicitLocOpBuilder here(binding->getLoc(), binding);
  for (auto [variable, original] : llvm::zip_equal(variables, like)) {
    SmallVector<ArrayDimension> dimensions = getIndexedDimensions(original);
    if (getRange(variable).first || dimensions.empty() ||
        !hasLostSize(variable, original))
      continue;
    ArrayDimension dimension = dimensions.front();
    askForSizes(binding, variable, dimensions);
    Type index = here.getIndexType();
    Value zero = LiteralOp::create(here, index, here.getIndexAttr(0));
    Value size =
        ExtentOp::create(here, index, dimension.array, dimension.dimension);
    setRange(variable, zero, size);
  }
}

void StatementNest::forall(ArrayRef<BlockArgument> variables, Body body) {
  SmallVector<StringAttr> names =
      llvm::map_to_vector(variables, [&](BlockArgument variable) {
        return builder.getStringAttr(getVariableName(variable));
      });
  ScheduleAttr schedule;
  if (names.size() > 1)
    schedule = ScheduleAttr::get(
        builder.getContext(),
        RelationAttr::get(builder.getContext(), RelationKind::reorder, names,
                          /*factor=*/0, /*expression=*/nullptr));
  forall(variables, schedule, body);
}

void StatementNest::forall(ArrayRef<BlockArgument> variables,
                           ScheduleAttr schedule, Body body) {
  if (variables.empty()) {
    body();
    return;
  }
  SmallVector<Value> lowers, uppers;
  SmallVector<bool> ranged;
  SmallVector<Attribute> names;
  for (BlockArgument variable : variables) {
    Operation *binding = variable.getOwner()->getParentOp();
    unsigned position = variable.getArgNumber();
    auto getBound = [&](auto op) {
      return std::pair(op.getLower(position), op.getUpper(position));
    };
    auto [lower, upper] = isa<ForallOp>(binding)
                              ? getBound(cast<ForallOp>(binding))
                              : getBound(cast<ReduceOp>(binding));
    auto isBoundHere = [&](Value bound) {
      return llvm::any_of(
          variables.take_front(ranged.size()),
          [&](BlockArgument outer) { return uses.depends(bound, outer); });
    };
    if (lower && (isBoundHere(lower) || isBoundHere(upper)))
      break;
    ranged.push_back(!!lower);
    names.push_back(builder.getStringAttr(getVariableName(variable)));
    if (lower) {
      lowers.push_back(get(lower));
      uppers.push_back(get(upper));
    }
  }
  ImplicitLocOpBuilder here = at(scopes.size() - 1);
  auto forall =
      ForallOp::create(here, lowers, uppers, here.getDenseBoolArrayAttr(ranged),
                       here.getArrayAttr(names), IterationAttr(), schedule);
  Block &block = forall.getRegion().emplaceBlock();
  inside(forall, block, [&] {
    for (BlockArgument variable : variables.take_front(ranged.size()))
      scopes.back().values[variable] =
          block.addArgument(variable.getType(), location);
    this->forall(variables.drop_front(ranged.size()), ScheduleAttr(), body);
  });
  giveRanges(forall, forall.getVariables(),
             variables.take_front(ranged.size()));
}

void StatementNest::once(Body body) {
  ImplicitLocOpBuilder here = at(scopes.size() - 1);
  auto forall =
      ForallOp::create(here, ValueRange(), ValueRange(), ArrayRef<bool>(),
                       ArrayAttr(), IterationAttr());
  inside(forall, forall.getRegion().emplaceBlock(), body);
}

void StatementNest::guardAll(ArrayRef<Value> conditions, Body body) {
  if (conditions.empty())
    body();
  else
    guard(conditions.front(), [&] { guardAll(conditions.drop_front(), body); });
}

void StatementNest::guard(Value condition, Body body) {
  if (!condition) {
    body();
    return;
  }
  // What is behind an `and` is looked up where what is before it holds.
  SmallVector<Value> conditions;
  addConjuncts(condition, conditions);
  if (conditions.size() > 1) {
    guardAll(conditions, body);
    return;
  }
  guardBuilt(get(condition), body);
}

void StatementNest::guardStored(Value workspace,
                                ArrayRef<BlockArgument> variables,
                                bool isStored, Body body) {
  SmallVector<Value> indices = getAll(llvm::to_vector_of<Value>(variables));
  ImplicitLocOpBuilder here = at(scopes.size() - 1);
  Value element = AccessOp::create(here, workspace, indices);
  Value holds = StoredOp::create(here, here.getI1Type(), element);
  if (!isStored)
    holds = CallOp::create(
        here, here.getI1Type(),
        BuiltinAttr::get(here.getContext(), findBuiltin("not")), holds);
  guardBuilt(holds, body);
}

void StatementNest::guardBuilt(Value holds, Body body) {
  ImplicitLocOpBuilder here = at(scopes.size() - 1);
  auto branch = IfOp::create(here, holds);
  size_t before = floor;
  inside(branch, branch.getRegion().emplaceBlock(), [&] {
    floor = scopes.size() - 1;
    body();
  });
  floor = before;
}

void StatementNest::fromHere(Body body) {
  size_t before = floor;
  floor = scopes.size() - 1;
  body();
  floor = before;
}

void StatementNest::where(Type element, ArrayRef<BlockArgument> variables,
                          std::optional<WorkspaceFormat> format,
                          llvm::function_ref<void(Value)> produce,
                          llvm::function_ref<void(Value)> consume) {
  ImplicitLocOpBuilder here = at(scopes.size() - 1);
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  bool onTensors = false;
  for (BlockArgument variable : variables) {
    // A dimension of an array is as long as any other that it is an index of.
    ArrayDimension like = getIndexedDimensions(variable).front();
    auto type = cast<ShapedType>(like.array.getType());
    onTensors |= isa<TensorType>(type);
    shape.push_back(type.getDimSize(like.dimension));
    if (ShapedType::isDynamic(shape.back()))
      sizes.push_back(ExtentOp::create(here, here.getIndexType(), like.array,
                                       like.dimension));
  }
  Type type;
  if (format) {
    SmallVector<Level> levels(shape.size());
    levels.back() = format->last;
    auto order = llvm::to_vector(llvm::seq<unsigned>(0, levels.size()));
    auto attribute = FormatAttr::get(here.getContext(), levels, order,
                                     format->fill, format->storesFill);
    type = ArrayType::get(here.getContext(), shape, element, attribute);
  } else if (onTensors) {
    type = RankedTensorType::get(shape, element);
  } else {
    type = MemRefType::get(shape, element);
  }
  auto op = WhereOp::create(here, sizes);
  Block &consumers = op.getConsumers().emplaceBlock();
  Block &producers = op.getProducers().emplaceBlock();
  consumers.addArgument(type, location);
  producers.addArgument(type, location);
  inside(op, producers, [&] { produce(producers.getArgument(0)); });
  inside(op, consumers,
         [&] { fromHere([&] { consume(consumers.getArgument(0)); }); });
}

void StatementNest::where(WhereOp given, Body produce, Body consume) {
  SmallVector<Value> sizes = getAll(given.getSizes());
  ImplicitLocOpBuilder here = at(scopes.size() - 1);
  auto op = WhereOp::create(here, sizes);
  auto whenConsumed = [&] { fromHere(consume); };
  auto build = [&](Region &region, Region &like, Body body) {
    Block &block = region.emplaceBlock();
    Value mine = block.addArgument(given.getWorkspaceType(), location);
    inside(op, block, [&] {
      scopes.back().values[like.getArgument(0)] = mine;
      body();
    });
  };
  build(op.getProducers(), given.getProducers(), produce);
  build(op.getConsumers(), given.getConsumers(), whenConsumed);
}

void StatementNest::replace(Value value, Value array, ValueRange indices) {
  replacements[value] = {array, llvm::to_vector(indices)};
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Value StatementNest::find(Value value) const {
  for (const Scope &scope : llvm::reverse(scopes)) {
    auto found = scope.values.find(value);
    if (found != scope.values.end())
      return found->second;
  }
  return {};
}

size_t StatementNest::reach(Value value, size_t depth) {
  for (Value variable : uses.of(value))
    while (depth + 1 < scopes.size()) {
      bool isBound = false;
      for (size_t i = 0; i <= depth; ++i)
        isBound |= scopes[i].values.contains(variable);
      if (isBound)
        break;
      ++depth;
    }
  return depth;
}

size_t StatementNest::depthOf(Value value) {
  // Expressions stand in statements, not beside them.
  size_t depth = reach(
      value, std::max<size_t>(floor, std::min<size_t>(1, scopes.size() - 1)));
  // What is computed from an element that stands for a reduction is there where
  // the element is.
  SetVector<Value> sources;
  if (!replacements.empty())
    sources.insert(value);
  for (size_t i = 0; i < sources.size(); ++i) {
    auto found = replacements.find(sources[i]);
    if (found != replacements.end()) {
      for (Value index : found->second.indices)
        depth = reach(index, depth);
    } else if (Operation *op = sources[i].getDefiningOp()) {
      op->walk([&](Operation *inner) {
        sources.insert_range(inner->getOperands());
      });
    }
  }
  return depth;
}

SmallVector<Value> StatementNest::getAll(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return get(value); });
}

Value StatementNest::get(Value value) {
  if (Value there = find(value))
    return there;
  // An array of the evaluation.
  if (isa<BlockArgument>(value) || isNamedArray(value))
    return value;
  size_t depth = depthOf(value);
  Value built = build(value);
  scopes[depth].values[value] = built;
  return built;
}

Value StatementNest::build(Value value) {
  size_t depth = depthOf(value);
  auto found = replacements.find(value);
  if (found != replacements.end()) {
    SmallVector<Value> indices = getAll(found->second.indices);
    ImplicitLocOpBuilder here = at(depth);
    return AccessOp::create(here, found->second.array, indices);
  }
  Operation *op = value.getDefiningOp();
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return buildReduction(reduce, getSteps(reduce), depth, Part::value);
  if (auto exists = dyn_cast<StoredOp>(op)) {
    auto reduce = exists.getValue().getDefiningOp<ReduceOp>();
    if (reduce && !replacements.contains(reduce))
      return buildReduction(reduce, getSteps(reduce), depth, Part::existence);
  }
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, get(operand));
  return at(depth).clone(*op, mapping)->getResult(0);
}

StatementNest::Steps StatementNest::getSteps(ReduceOp reduce) const {
  auto known = reductionSteps.find(reduce);
  if (known != reductionSteps.end())
    return known->second;
  return {
      llvm::to_vector(llvm::seq<unsigned>(0, reduce.getVariables().size()))};
}

Value StatementNest::getInner(ReduceOp reduce, const Steps &steps) {
  if (steps.empty())
    return getTerm(reduce, Part::value);
  return buildReduction(reduce, steps, scopes.size() - 1, Part::value);
}

Value StatementNest::getExistence(AccessOp access) {
  Value element = get(access);
  ImplicitLocOpBuilder here = at(scopes.size() - 1);
  return StoredOp::create(here, here.getI1Type(), element);
}

Value StatementNest::getExistence(ReduceOp reduce, const Steps &steps) {
  if (steps.empty())
    return getTerm(reduce, Part::existence);
  return buildReduction(reduce, steps, scopes.size() - 1, Part::existence);
}

Value StatementNest::allHold(ArrayRef<Value> conditions) {
  Value all;
  for (Value holds : getAll(conditions)) {
    if (!all) {
      all = holds;
      continue;
    }
    ImplicitLocOpBuilder here = at(scopes.size() - 1);
    auto both = BuiltinAttr::get(here.getContext(), findBuiltin("and"));
    all = CallOp::create(here, here.getI1Type(), both, ValueRange{all, holds});
  }
  return all;
}

Value StatementNest::getTerm(ReduceOp reduce, Part part) {
  return part == Part::value ? get(reduce.getYield().getValue())
                             : literal(builder.getBoolAttr(true));
}

SmallVector<BlockArgument> StatementNest::getVariables(ReduceOp reduce,
                                                       const Steps &steps) {
  SmallVector<BlockArgument> variables;
  for (ArrayRef<unsigned> positions : steps)
    for (unsigned position : positions)
      variables.push_back(reduce.getVariables()[position]);
  return variables;
}

Value StatementNest::buildReduction(ReduceOp reduce, const Steps &steps,
                                    size_t depth, Part part) {
  return buildReduction(reduce, steps,
                        getConjuncts(reduce.getYield().getCondition()), depth,
                        part);
}

Value StatementNest::buildReduction(ReduceOp reduce, const Steps &steps,
                                    SmallVector<Value> conditions, size_t depth,
                                    Part part) {
  ArrayRef<unsigned> positions = steps.front();
  SmallVector<Value> lowers, uppers;
  SmallVector<bool> ranged;
  SmallVector<Attribute> names;
  for (unsigned position : positions) {
    Value lower = reduce.getLower(position);
    ranged.push_back(!!lower);
    if (lower) {
      lowers.push_back(get(lower));
      uppers.push_back(get(reduce.getUpper(position)));
    }
    if (std::optional<ArrayAttr> known = reduce.getNames())
      names.push_back((*known)[position]);
  }
  ImplicitLocOpBuilder here = at(depth);
  bool isValue = part == Part::value;
  auto built = ReduceOp::create(
      here, isValue ? reduce.getType() : here.getI1Type(), lowers, uppers,
      here.getDenseBoolArrayAttr(ranged),
      names.empty() ? ArrayAttr() : here.getArrayAttr(names), IterationAttr(),
      isValue ? reduce.getCalleeAttr()
              : BuiltinAttr::get(here.getContext(), findBuiltin("or")),
      /*rest=*/TypedAttr(), isValue ? reduce.getOtherwiseAttr() : TypedAttr());
  Block &block = built.getRegion().emplaceBlock();
  // Its scope is inside of the one that it stands in, whatever is innermost.
  SmallVector<Scope> inner(std::make_move_iterator(scopes.begin() + depth + 1),
                           std::make_move_iterator(scopes.end()));
  scopes.resize(depth + 1);
  size_t before = floor;
  inside(built, block, [&] {
    for (unsigned position : positions) {
      BlockArgument variable = reduce.getVariables()[position];
      scopes.back().values[variable] =
          block.addArgument(variable.getType(), location);
    }
    Steps inner(llvm::drop_begin(steps));
    Value condition =
        allHold(takeOutside(conditions, getVariables(reduce, inner), uses));
    if (condition)
      floor = scopes.size() - 1;
    Value term = inner.empty() ? getTerm(reduce, part)
                               : buildReduction(reduce, inner, conditions,
                                                scopes.size() - 1, part);
    ImplicitLocOpBuilder end = at(scopes.size() - 1);
    YieldOp::create(end, term, condition);
  });
  if (!isValue)
    giveRanges(built, built.getVariables(),
               llvm::map_to_vector(positions, [&](unsigned position) {
                 return reduce.getVariables()[position];
               }));
  floor = before;
  scopes.append(std::make_move_iterator(inner.begin()),
                std::make_move_iterator(inner.end()));
  return built;
}

Value StatementNest::literal(TypedAttr value) {
  ImplicitLocOpBuilder here = at(scopes.size() - 1);
  return LiteralOp::create(here, value.getType(), value);
}

Value StatementNest::isFirst(ReduceOp reduce) {
  SmallVector<Value> begins;
  for (BlockArgument variable : reduce.getVariables()) {
    Value lower = reduce.getLower(variable.getArgNumber());
    begins.push_back(lower ? get(lower) : Value());
  }
  size_t depth = 0;
  for (BlockArgument variable : reduce.getVariables())
    depth = reach(variable, depth);
  ImplicitLocOpBuilder here = at(depth);
  auto call = [&](StringRef name, ValueRange operands, Type type) -> Value {
    auto callee = BuiltinAttr::get(here.getContext(), findBuiltin(name));
    return CallOp::create(here, type, callee, operands,
                          /*approximate=*/false);
  };
  Type index = here.getIndexType(), boolean = here.getI1Type();
  Value isFirst;
  for (auto [variable, begin] :
       llvm::zip_equal(reduce.getVariables(), begins)) {
    if (!begin)
      begin = LiteralOp::create(here, index, here.getIndexAttr(0));
    else if (!begin.getType().isIndex())
      begin = call("convert", begin, index);
    Value isLowest = call("eq", {find(variable), begin}, boolean);
    isFirst = isFirst ? call("and", {isFirst, isLowest}, boolean) : isLowest;
  }
  return isFirst;
}

void StatementNest::assign(Attribute callee, Value value, Value array,
                           ValueRange indices, TypedAttr fill, Value condition,
                           Value first) {
  SmallVector<Value> place = getAll(indices);
  Value target = get(array);
  Value holds = condition ? get(condition) : Value();
  ImplicitLocOpBuilder here = at(scopes.size() - 1);
  AssignOp::create(here, callee, value, target, place, holds, first, fill);
}
