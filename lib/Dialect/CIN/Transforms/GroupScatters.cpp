//===- GroupScatters.cpp - Scatters as reductions over groups -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   forall (e, f) { y[target[e], f] += w[e] * x[source[e], f] }
//     ->
//   forall (n, f) {
//     y[n, f] += sum (p in offsets[n] to offsets[n + 1])
//                    w[order[p]] * x[source'[p], f]
//   }
//
// Places may be a row of an array of several dimensions, `edges[1, e]`.
//
//===----------------------------------------------------------------------===//

#include "ScatterPlaces.h"
#include "Statement.h"
#include "WholeRanges.h"

#include "ember/Dialect/CIN/Transforms/Passes.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace ember::cin {
#define GEN_PASS_DEF_GROUPSCATTERS
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember;
using namespace ember::cin;

namespace {
/// A statement that combines elements at places that an array has.
struct Scatter {
  SmallVector<ForallOp> loops;
  AssignOp assign;
  /// The variable that the place depends on, and which index the place is.
  BlockArgument variable;
  unsigned dimension;
};

/// Groups the scatters of one function by one array of places, or a row of one.
class ScatterGrouping {
public:
  ScatterGrouping(func::FuncOp function, EvaluateOp evaluate, Places targets)
      : function(function), evaluate(evaluate), targets(std::move(targets)) {}

  void run();

private:
  /// The scatter that a statement is; none if it cannot be grouped.
  std::optional<Scatter> getScatter(ForallOp statement);
  bool isTarget(Value index, BlockArgument variable);
  /// The places that an access is of, as the variable's element has one; none
  /// if it is anything else than a place, too.
  std::optional<Places> getPlaces(AccessOp access, BlockArgument variable);
  /// A parameter of the function, and an array of the evaluation.
  Value getArray(const Twine &name);
  Value readArray(OpBuilder &builder, const Twine &name, Value position);

  void group(const Scatter &scatter);
  /// A loop like that of a level, but for the variable that is grouped. What
  /// depends on that is added to `terms`.
  ForallOp copyLoop(OpBuilder &builder, const Scatter &scatter, unsigned level,
                    IRMapping &mapping, SmallVectorImpl<Operation *> &terms);
  /// Asks that arrays have an element for each that is scattered.
  void askForSizes(const Scatter &scatter);
  /// Says how many offsets there are.
  void describeOffsets(const Scatter &scatter);
  /// What the elements of one group are combined to.
  Value reduce(OpBuilder &builder, const Scatter &scatter, Value node,
               ArrayRef<Operation *> terms, IRMapping &mapping);
  /// The parameter that an array is; null for others.
  BlockArgument getParameter(Value array);
  /// What an array holds before all statements, as far as it is known.
  TypedAttr getInitial(Value array);
  void removeInitial(Value array);
  /// Makes a combination an assignment where nothing else is there before.
  void dropBegin(AssignOp assign, TypedAttr identity);

  func::FuncOp function;
  EvaluateOp evaluate;
  Places targets;
  llvm::MapVector<StringAttr, BlockArgument> arrays;
  llvm::DenseSet<Value> asked;
};
} // namespace

//===----------------------------------------------------------------------===//
// What may be grouped
//===----------------------------------------------------------------------===//

/// Whether an operation, or one inside of it, reads one of these.
static bool readsAny(Operation &op, const llvm::DenseSet<Value> &values) {
  WalkResult found = op.walk([&](Operation *part) {
    bool reads = llvm::any_of(part->getOperands(), [&](Value operand) {
      return values.contains(operand);
    });
    return reads ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

/// A variable, and what is computed of it in its statement.
static llvm::DenseSet<Value> getDependent(BlockArgument variable,
                                          ArrayRef<ForallOp> loops) {
  llvm::DenseSet<Value> dependent = {variable};
  for (ForallOp loop : loops)
    for (Operation &op : llvm::drop_end(*loop.getBody()))
      if (readsAny(op, dependent))
        dependent.insert_range(op.getResults());
  return dependent;
}

bool ScatterGrouping::isTarget(Value index, BlockArgument variable) {
  auto access = getNarrow(index).getDefiningOp<AccessOp>();
  return access && getElementOf(access, variable) == targets;
}

/// Whether all that reads an integer, or one of a wider type that it gets,
/// looks up at it.
static bool isIndexAlone(Value value) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    if (isa<AccessOp>(use.getOwner()))
      return true;
    if (auto assign = dyn_cast<AssignOp>(use.getOwner()))
      return assign.getValue() != value;
    auto call = dyn_cast<CallOp>(use.getOwner());
    return call && getNarrow(call) != call && isIndexAlone(call);
  });
}

std::optional<Places> ScatterGrouping::getPlaces(AccessOp access,
                                                 BlockArgument variable) {
  std::optional<Places> places = getElementOf(access, variable);
  bool isOfPlaces = places && !evaluate.isInit(places->array) &&
                    isa<IntegerType>(access.getResult().getType()) &&
                    isIndexAlone(access);
  return isOfPlaces ? places : std::nullopt;
}

/// Whether a reduction can be a part of that of a group: it is all that is
/// scattered, over whole dimensions.
static bool isContinuable(ReduceOp inner, AssignOp scatter) {
  return scatter.getValue() == inner && inner->hasOneUse() &&
         inner.getCallee() == scatter.getCallee() && !inner.getIteration() &&
         !inner.getRest() && !inner.getOtherwise() && inner.getLowers().empty();
}

/// Whether a reduction differs from element to element of a row. Within that of
/// a group it would be computed for one after the other; of edges as they come,
/// a row of sums is kept.
static bool dependsOn(ReduceOp inner, BlockArgument row) {
  WalkResult found = inner.walk([&](Operation *op) {
    return llvm::is_contained(op->getOperands(), row) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
  });
  return found.wasInterrupted();
}

std::optional<Scatter> ScatterGrouping::getScatter(ForallOp statement) {
  Scatter scatter;
  AssignOp assign = scatter.assign = getAssignment(statement, scatter.loops);
  if (!assign || statement.getSchedule() || !assign.isCombining() ||
      assign.getFirst() || assign.getCondition() ||
      isa<ArrayType>(assign.getArray().getType()) ||
      mayBeMissing(assign.getValue()))
    return std::nullopt;
  if (!assign.getFunction().reduces() ||
      !assign.getFunction().getIdentity(assign.getValue().getType()))
    return std::nullopt;
  auto variables = scatter.loops.back().getVariables();
  if (variables.empty())
    return std::nullopt;
  bool readsItself = false, reducesRows = false;
  BlockArgument row = variables.back();
  statement.walk([&](Operation *op) {
    if (auto access = dyn_cast<AccessOp>(op))
      readsItself |= access.getArray() == assign.getArray();
    if (auto inner = dyn_cast<ReduceOp>(op))
      reducesRows |= !isContinuable(inner, assign) && dependsOn(inner, row);
  });
  if (readsItself || reducesRows)
    return std::nullopt;
  for (ForallOp loop : scatter.loops)
    for (BlockArgument variable : loop.getVariables()) {
      auto index = llvm::find_if(assign.getIndices(), [&](Value index) {
        return isTarget(index, variable);
      });
      if (index == assign.getIndices().end() || getRange(variable).first)
        continue;
      llvm::DenseSet<Value> dependent = getDependent(variable, scatter.loops);
      bool isOnly = llvm::count_if(assign.getIndices(), [&](Value other) {
                      return dependent.contains(other);
                    }) == 1;
      bool isOfBounds = llvm::any_of(scatter.loops, [&](ForallOp other) {
        return llvm::any_of(other->getOperands(), [&](Value bound) {
          return dependent.contains(bound);
        });
      });
      // What is computed of the variable itself would be of another type.
      bool isIndex = llvm::all_of(variable.getUsers(), llvm::IsaPred<AccessOp>);
      if (!isOnly || isOfBounds || !isIndex)
        continue;
      scatter.variable = variable;
      scatter.dimension = index - assign.getIndices().begin();
      return scatter;
    }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

Value ScatterGrouping::getArray(const Twine &name) {
  Builder builder(function.getContext());
  StringAttr attribute = builder.getStringAttr(name);
  BlockArgument &array = arrays[attribute];
  if (array)
    return array;
  auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI32Type());
  // Behind all that is read, in front of what is assigned to.
  unsigned place = function.getNumArguments();
  for (Value init : evaluate.getInits())
    if (auto argument = dyn_cast<BlockArgument>(init))
      place = std::min(place, argument.getArgNumber());
  DictionaryAttr attributes =
      builder.getDictionaryAttr(builder.getNamedAttr(nameAttr, attribute));
  (void)function.insertArgument(place, type, attributes, evaluate.getLoc());
  unsigned number = evaluate.getInputs().size();
  SmallVector<Attribute> names(evaluate.getNamesAttr().getValue());
  names.insert(names.begin() + number, attribute);
  evaluate.getInputsMutable().append(Value(function.getArgument(place)));
  evaluate.setNamesAttr(builder.getArrayAttr(names));
  array = evaluate.getBody()->insertArgument(number, type, evaluate.getLoc());
  return array;
}

Value ScatterGrouping::readArray(OpBuilder &builder, const Twine &name,
                                 Value position) {
  return AccessOp::create(builder, evaluate.getLoc(), getArray(name), position);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

ForallOp ScatterGrouping::copyLoop(OpBuilder &builder, const Scatter &scatter,
                                   unsigned level, IRMapping &mapping,
                                   SmallVectorImpl<Operation *> &terms) {
  ForallOp old = scatter.loops[level];
  SmallVector<Value> lowers, uppers;
  SmallVector<bool> ranged;
  SmallVector<Attribute> names;
  SmallVector<BlockArgument> kept;
  if (level == 0) {
    ranged.push_back(false);
    names.push_back(builder.getStringAttr("n"));
  }
  for (BlockArgument variable : old.getVariables()) {
    if (variable == scatter.variable)
      continue;
    kept.push_back(variable);
    auto [lower, upper] = getRange(variable);
    ranged.push_back(!!lower);
    names.push_back(builder.getStringAttr(getNameOf(variable)));
    if (lower) {
      lowers.push_back(mapping.lookupOrDefault(lower));
      uppers.push_back(mapping.lookupOrDefault(upper));
    }
  }
  auto loop = ForallOp::create(builder, old.getLoc(), lowers, uppers, ranged,
                               builder.getArrayAttr(names), IterationAttr());
  Block &body = loop.getRegion().emplaceBlock();
  if (level == 0)
    body.addArgument(builder.getIndexType(), old.getLoc());
  for (BlockArgument variable : kept)
    mapping.map(variable,
                body.addArgument(variable.getType(), variable.getLoc()));
  builder.setInsertionPointToEnd(&body);
  llvm::DenseSet<Value> dependent =
      getDependent(scatter.variable, scatter.loops);
  for (Operation &op : llvm::drop_end(*old.getBody()))
    if (readsAny(op, dependent))
      terms.push_back(&op);
    else
      builder.clone(op, mapping);
  return loop;
}

/// Makes the reduction that the body of `outer` yields a part of it: an order
/// of loops is chosen for all of them then, and rows of results stay rows.
static void continueInside(ReduceOp outer) {
  auto inner = outer.getYield().getValue().getDefiningOp<ReduceOp>();
  assert(inner && inner->getBlock() == outer.getBody());
  OpBuilder builder(outer);
  SmallVector<bool> ranged(outer.getRanged());
  SmallVector<Attribute> names(outer.getNamesAttr().getValue());
  llvm::append_range(ranged, inner.getRanged());
  llvm::append_range(names, inner.getNamesAttr());
  outer.setRangedAttr(builder.getDenseBoolArrayAttr(ranged));
  outer.setNamesAttr(builder.getArrayAttr(names));
  for (BlockArgument variable : inner.getVariables())
    variable.replaceAllUsesWith(
        outer.getBody()->addArgument(variable.getType(), variable.getLoc()));
  Operation *yield = outer.getYield();
  YieldOp innerYield = inner.getYield();
  yield->setOperands(innerYield->getOperands());
  outer.getBody()->getOperations().splice(
      yield->getIterator(), inner.getBody()->getOperations(),
      inner.getBody()->begin(), innerYield->getIterator());
  inner.erase();
}

Value ScatterGrouping::reduce(OpBuilder &builder, const Scatter &scatter,
                              Value node, ArrayRef<Operation *> terms,
                              IRMapping &mapping) {
  AssignOp assign = scatter.assign;
  Location location = assign.getLoc();
  std::string name = spell(targets, evaluate);
  Value next = ApplyOp::create(
      builder, location, builder.getIndexType(),
      AffineMap::get(1, 0, builder.getAffineDimExpr(0) + 1), node);
  Value begin = readArray(builder, name + "_offsets", node);
  Value end = readArray(builder, name + "_offsets", next);
  auto reduction = ReduceOp::create(
      builder, location, assign.getValue().getType(), begin, end,
      builder.getDenseBoolArrayAttr({true}), builder.getStrArrayAttr({"p"}),
      IterationAttr(), assign.getCalleeAttr(), /*rest=*/TypedAttr(),
      /*otherwise=*/TypedAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block &body = reduction.getRegion().emplaceBlock();
  Value position = body.addArgument(builder.getIndexType(), location);
  builder.setInsertionPointToEnd(&body);
  llvm::DenseSet<Value> known;
  for (Operation *op : terms) {
    auto access = dyn_cast<AccessOp>(op);
    if (std::optional<Places> places =
            access ? getPlaces(access, scatter.variable) : std::nullopt) {
      Value place =
          places == targets
              ? node
              : readArray(builder, spell(*places, evaluate) + "_by_" + name,
                          position);
      mapping.map(access.getResult(), place);
      known.insert(access);
      continue;
    }
    // A place is an index of any type.
    auto call = dyn_cast<CallOp>(op);
    if (call && getNarrow(call) != call &&
        known.contains(call.getOperands().front())) {
      mapping.map(call.getResult(), mapping.lookup(call.getOperands().front()));
      known.insert(call);
      continue;
    }
    if (!mapping.contains(scatter.variable) &&
        readsAny(*op, {scatter.variable}))
      mapping.map(scatter.variable,
                  readArray(builder, name + "_order", position));
    builder.clone(*op, mapping);
  }
  YieldOp::create(builder, location, mapping.lookupOrDefault(assign.getValue()),
                  /*condition=*/Value());
  auto inner = assign.getValue().getDefiningOp<ReduceOp>();
  if (inner && isContinuable(inner, assign))
    continueInside(reduction);
  return reduction;
}

BlockArgument ScatterGrouping::getParameter(Value array) {
  auto name = dyn_cast<BlockArgument>(array);
  auto argument =
      name ? dyn_cast<BlockArgument>(evaluate.getOperandOf(name).get())
           : BlockArgument();
  bool isOwn = argument && argument.getOwner()->getParentOp() == function;
  return isOwn ? argument : BlockArgument();
}

TypedAttr ScatterGrouping::getInitial(Value array) {
  if (auto temporary = array.getDefiningOp<TemporaryOp>())
    return temporary.getInitialAttr();
  BlockArgument parameter = getParameter(array);
  return parameter ? function.getArgAttrOfType<TypedAttr>(
                         parameter.getArgNumber(), initialAttr)
                   : TypedAttr();
}

void ScatterGrouping::removeInitial(Value array) {
  if (auto temporary = array.getDefiningOp<TemporaryOp>())
    temporary.removeInitialAttr();
  else if (BlockArgument parameter = getParameter(array))
    function.removeArgAttr(parameter.getArgNumber(), initialAttr);
}

void ScatterGrouping::dropBegin(AssignOp assign, TypedAttr identity) {
  // The last statement before that knows the array.
  ForallOp before;
  for (Operation *user : assign.getArray().getUsers()) {
    if (isa<TemporaryOp, AssembleOp, ExtentOp, SameSizeOp>(user))
      continue;
    Operation *statement = user;
    while (!isa<EvaluateOp>(statement->getParentOp()))
      statement = statement->getParentOp();
    auto other = dyn_cast<ForallOp>(statement);
    if (!other)
      return;
    if (other->isBeforeInBlock(getStatement(assign)) &&
        (!before || before->isBeforeInBlock(other)))
      before = other;
  }
  if (before) {
    SmallVector<ForallOp> loops;
    AssignOp begin = getAssignment(before, loops);
    auto literal =
        begin ? begin.getValue().getDefiningOp<LiteralOp>() : LiteralOp();
    if (!literal || begin.getArray() != assign.getArray() ||
        !assignsAll(begin) || literal.getValue() != identity)
      return;
  } else if (getInitial(assign.getArray()) != identity) {
    return;
  }
  Attribute callee = assign.getCalleeAttr();
  assign.removeCalleeAttr();
  if (!assignsAll(assign)) {
    assign.setCalleeAttr(callee);
    return;
  }
  if (before)
    before.erase();
  removeInitial(assign.getArray());
}

/// The scalar of the evaluation that a size is; null for others.
static BlockArgument getScalar(Value size) {
  auto apply = size.getDefiningOp<ApplyOp>();
  if (apply && apply.getMap().isIdentity())
    size = apply.getOperands().front();
  auto scalar = dyn_cast<BlockArgument>(size);
  bool isNamed = scalar && isa<EvaluateOp>(scalar.getOwner()->getParentOp());
  return isNamed ? scalar : BlockArgument();
}

void ScatterGrouping::describeOffsets(const Scatter &scatter) {
  auto offsets =
      cast<BlockArgument>(getArray(spell(targets, evaluate) + "_offsets"));
  unsigned parameter = getParameter(offsets).getArgNumber();
  if (function.getArgAttr(parameter, sizesAttr))
    return;
  Builder builder(function.getContext());
  auto getLast = [&](Value array, int64_t dimension) {
    return builder.getArrayAttr(
        {builder.getStringAttr(evaluate.getNameOf(array)),
         builder.getI64IntegerAttr(dimension), builder.getI64IntegerAttr(1)});
  };
  AssignOp assign = scatter.assign;
  Value array = assign.getArray();
  auto type = cast<ShapedType>(array.getType());
  Attribute size = UnitAttr::get(function.getContext());
  auto sizes = [&](int64_t constant, ArrayRef<Attribute> last) {
    SmallVector<Attribute> parts = {builder.getI64IntegerAttr(constant)};
    llvm::append_range(parts, last);
    return builder.getArrayAttr(parts);
  };
  if (!type.isDynamicDim(scatter.dimension)) {
    size = sizes(type.getDimSize(scatter.dimension), {});
  } else if (auto temporary = array.getDefiningOp<TemporaryOp>()) {
    unsigned number = type.getDynamicDimIndex(scatter.dimension);
    Value given = temporary.getSizes()[number];
    if (auto extent = given.getDefiningOp<ExtentOp>())
      size = sizes(1, getLast(extent.getArray(), extent.getDimension()));
    else if (auto apply = given.getDefiningOp<ApplyOp>();
             apply && apply.getMap().isSingleConstant())
      size = sizes(apply.getMap().getSingleConstantResult(), {});
    else if (BlockArgument scalar = getScalar(given))
      size = sizes(1, getLast(scalar, 0));
  } else {
    size = sizes(1, getLast(array, scatter.dimension));
  }
  function.setArgAttr(parameter, sizesAttr, builder.getArrayAttr(size));
}

void ScatterGrouping::askForSizes(const Scatter &scatter) {
  OpBuilder builder(scatter.loops.front());
  for (ArrayDimension other : getIndexedDimensions(scatter.variable)) {
    auto array = dyn_cast<BlockArgument>(other.array);
    if (array && array != targets.array && asked.insert(array).second)
      requireSameSize(builder, scatter.variable,
                      {targets.array, targets.getDimension()}, other);
  }
}

void ScatterGrouping::group(const Scatter &scatter) {
  AssignOp assign = scatter.assign;
  remark::passed(assign.getLoc(), remark::RemarkOpts::name("Scatter").category(
                                      "cin-group-scatters"))
      << evaluate.getNameOf(assign.getArray()) << " is reduced in groups of "
      << spell(targets, evaluate);
  describeOffsets(scatter);
  askForSizes(scatter);
  ForallOp old = scatter.loops.front();
  OpBuilder builder(old);
  IRMapping mapping;
  SmallVector<Operation *> terms;
  Value node;
  for (unsigned level = 0; level < scatter.loops.size(); ++level) {
    ForallOp loop = copyLoop(builder, scatter, level, mapping, terms);
    if (level == 0)
      node = loop.getVariables().front();
  }
  Value combined = reduce(builder, scatter, node, terms, mapping);
  SmallVector<Value> indices;
  for (auto [number, index] : llvm::enumerate(assign.getIndices()))
    indices.push_back(
        number == scatter.dimension ? node : mapping.lookupOrDefault(index));
  auto made = AssignOp::create(builder, assign.getLoc(), assign.getCalleeAttr(),
                               combined, assign.getArray(), indices,
                               /*condition=*/Value(),
                               /*first=*/Value(), TypedAttr());
  TypedAttr identity = assign.getFunction().getIdentity(combined.getType());
  old.erase();
  dropBegin(made, identity);
}

void ScatterGrouping::run() {
  dropWholeRanges(evaluate);
  SmallVector<Scatter> scatters;
  for (auto statement : evaluate.getRegion().getOps<ForallOp>())
    if (std::optional<Scatter> scatter = getScatter(statement))
      scatters.push_back(*scatter);
  for (const Scatter &scatter : scatters)
    group(scatter);
}

namespace {
struct GroupScatters
    : public ember::cin::impl::GroupScattersBase<GroupScatters> {
  using GroupScattersBase::GroupScattersBase;

  void runOnOperation() override {
    getOperation().walk([&](EvaluateOp evaluate) {
      for (const std::string &name : by)
        if (std::optional<Places> places = findPlaces(evaluate, name))
          ScatterGrouping(getOperation(), evaluate, *places).run();
    });
  }
};
} // namespace
