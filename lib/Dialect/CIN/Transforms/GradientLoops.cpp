//===- GradientLoops.cpp - The loops of a gradient's statements -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A statement of a gradient binds the variables around the leaf that it is of
// anew, each behind those that its range depends on, and walks the levels of an
// array in a format itself.
//
//===----------------------------------------------------------------------===//

#include "StatementGradient.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ember::cin;

void StatementGradient::findScope(Value leaf) {
  scope.clear();
  conditions.clear();
  for (ForallOp loop : loops)
    llvm::append_range(scope, loop.getVariables());
  Operation *op = leaf ? leaf.getDefiningOp() : nullptr;
  if (!op) {
    if (Value condition = assign.getCondition())
      conditions.push_back(condition);
    return;
  }
  SmallVector<ReduceOp> around;
  for (auto reduce = op->getParentOfType<ReduceOp>(); reduce;
       reduce = reduce->getParentOfType<ReduceOp>())
    around.push_back(reduce);
  for (ReduceOp reduce : llvm::reverse(around))
    llvm::append_range(scope, reduce.getVariables());
  conditions = getConditions(op, assign);
}

StatementGradient::Variables StatementGradient::orderFor(ValueRange indices) {
  llvm::SmallSetVector<BlockArgument, 8> order;
  auto add = [&](auto &self, BlockArgument variable) -> void {
    if (order.contains(variable) || !llvm::is_contained(scope, variable))
      return;
    auto [lower, upper] = getRange(variable);
    for (BlockArgument other : scope)
      if (lower && (uses.depends(lower, other) || uses.depends(upper, other)))
        self(self, other);
    order.insert(variable);
  };
  for (Value index : indices)
    for (BlockArgument variable : scope)
      if (uses.depends(index, variable))
        add(add, variable);
  return order.takeVector();
}

namespace {
/// Variables that are bound together, with their ranges.
struct Group {
  SmallVector<BlockArgument> variables;
  SmallVector<Value> lowers, uppers;
  SmallVector<bool> ranged;
  SmallVector<Attribute> names;
};
} // namespace

/// The first of `variables` that can be bound together: none has a range that
/// depends on another one.
static Group takeGroup(ArrayRef<BlockArgument> variables, VariableUses &uses,
                       llvm::function_ref<Value(Value)> get) {
  Group group;
  for (BlockArgument variable : variables) {
    auto [lower, upper] = getRange(variable);
    bool dependsOnGroup =
        lower && llvm::any_of(group.variables, [&](BlockArgument other) {
          return uses.depends(lower, other) || uses.depends(upper, other);
        });
    if (dependsOnGroup)
      break;
    group.variables.push_back(variable);
    group.ranged.push_back(!!lower);
    group.names.push_back(
        StringAttr::get(variable.getContext(), getNameOf(variable)));
    if (lower) {
      group.lowers.push_back(get(lower));
      group.uppers.push_back(get(upper));
    }
  }
  return group;
}

void StatementGradient::bindAll(ArrayRef<BlockArgument> variables) {
  while (!variables.empty()) {
    Group group =
        takeGroup(variables, uses, [&](Value value) { return get(value); });
    auto forall = ForallOp::create(
        builder, statement.getLoc(), group.lowers, group.uppers, group.ranged,
        builder.getArrayAttr(group.names), IterationAttr());
    Block &block = forall.getRegion().emplaceBlock();
    for (BlockArgument variable : group.variables) {
      Value mine = block.addArgument(builder.getIndexType(), variable.getLoc());
      remember(values, variable, mine);
      origins[mine] = variable;
    }
    builder.setInsertionPointToEnd(&block);
    variables = variables.drop_front(group.variables.size());
  }
}

Value StatementGradient::sumOver(ArrayRef<BlockArgument> variables,
                                 llvm::function_ref<Value()> condition,
                                 llvm::function_ref<Value()> term) {
  if (variables.empty())
    return term();
  Group group =
      takeGroup(variables, uses, [&](Value value) { return get(value); });
  Region region;
  Block &block = region.emplaceBlock();
  Value value;
  {
    Scope inside(*this);
    builder.setInsertionPointToEnd(&block);
    for (BlockArgument variable : group.variables) {
      Value mine = block.addArgument(builder.getIndexType(), variable.getLoc());
      // An outer reduction of the same variable may be around.
      if (values.insert({variable, mine}).second)
        built.push_back({&values, variable});
      origins[mine] = variable;
    }
    ArrayRef<BlockArgument> rest = variables.drop_front(group.variables.size());
    value = sumOver(rest, condition, term);
    if (!value)
      return {};
    Value holds = rest.empty() ? condition() : Value();
    YieldOp::create(builder, statement.getLoc(), value, holds);
  }
  auto reduce = ReduceOp::create(
      builder, statement.getLoc(), value.getType(), group.lowers, group.uppers,
      group.ranged, builder.getArrayAttr(group.names), IterationAttr(),
      BuiltinAttr::get(builder.getContext(), findBuiltin("add")),
      /*rest=*/TypedAttr(), /*otherwise=*/TypedAttr());
  reduce.getRegion().takeBody(region);
  return reduce.getResult();
}

Value StatementGradient::getSize(BlockArgument variable) {
  ArrayDimension like = getIndexedDimensions(variable).front();
  Value array = like.array == assign.getArray()
                    ? seed
                    : arrays.getForward(like.array, nullptr);
  return ExtentOp::create(builder, statement.getLoc(), builder.getIndexType(),
                          array, like.dimension);
}

ForallOp StatementGradient::begin() {
  auto around =
      ForallOp::create(builder, statement.getLoc(), ValueRange(), ValueRange(),
                       ArrayRef<bool>(), ArrayAttr(), IterationAttr());
  builder.setInsertionPointToEnd(&around.getRegion().emplaceBlock());
  return around;
}

/// What an array in a format stores, which the one that locates it has, too;
/// others themselves.
static Value getValues(Value array) {
  auto assemble = array.getDefiningOp<AssembleOp>();
  return assemble ? assemble.getValues() : array;
}

bool StatementGradient::hasLostSize(BlockArgument variable, Value target,
                                    Value leafArray) {
  if (getRange(variable).first || !origins.contains(variable))
    return false;
  SmallVector<ArrayDimension> dimensions = getIndexedDimensions(variable);
  if (dimensions.empty())
    return true;
  return llvm::any_of(
      getLongerDimensions(origins[variable]), [&](ArrayDimension longer) {
        Value forward = arrays.getForward(longer.array, nullptr);
        return llvm::any_of(dimensions, [&](ArrayDimension mine) {
          bool isSame = getValues(mine.array) == getValues(forward) ||
                        (mine.array == target && longer.array == leafArray);
          return isSame && mine.dimension == longer.dimension;
        });
      });
}

void StatementGradient::finish(ForallOp around, Value leafArray) {
  simplifyStatement(around);
  Value target;
  around.walk([&](AssignOp mine) { target = mine.getArray(); });
  SmallVector<BlockArgument> open;
  around.walk([&](Operation *op) {
    if (isa<ForallOp, ReduceOp>(op))
      llvm::copy_if(op->getRegion(0).getArguments(), std::back_inserter(open),
                    [&](BlockArgument variable) {
                      return hasLostSize(variable, target, leafArray);
                    });
  });
  for (BlockArgument variable : open) {
    Operation *binding = variable.getOwner()->getParentOp();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(binding);
    Value size = getSize(origins[variable]);
    Value zero = make.number(0, builder.getIndexType());
    setRange(variable, zero, size);
  }
  // Bounds of the outermost loop stand in the statement, too.
  Block &body = *around.getBody();
  if (llvm::hasSingleElement(body) && isa<ForallOp>(body.front())) {
    body.front().moveBefore(around);
    around->erase();
  }
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

Value StatementGradient::isInRange(BlockArgument variable) {
  Value coordinate = get(variable), holds;
  auto [lower, upper] = getRange(variable);
  for (auto [bound, function] :
       {std::pair(lower, "ge"), std::pair(upper, "lt")}) {
    Value limit = get(bound);
    if (!limit.getType().isIndex())
      limit =
          ApplyOp::create(builder, statement.getLoc(), builder.getIndexType(),
                          builder.getMultiDimIdentityMap(1), limit);
    holds = make.both(holds, make.call(function, {coordinate, limit}));
  }
  return holds;
}

Value StatementGradient::bindRange(Value lower, Value upper, StringRef name) {
  auto forall = ForallOp::create(
      builder, statement.getLoc(), lower, upper, ArrayRef<bool>{true},
      builder.getStrArrayAttr(name), IterationAttr());
  Block &block = forall.getRegion().emplaceBlock();
  builder.setInsertionPointToEnd(&block);
  return block.addArgument(builder.getIndexType(), statement.getLoc());
}

bool StatementGradient::hasOwnVariables(AccessOp access) {
  llvm::SmallPtrSet<Value, 4> seen;
  return llvm::all_of(access.getIndices(), [&](Value index) {
    auto variable = dyn_cast<BlockArgument>(index);
    return variable && llvm::is_contained(scope, variable) &&
           seen.insert(variable).second;
  });
}

Value StatementGradient::findPosition(AccessOp access, ValueRange indices) {
  auto assemble = access.getArray().getDefiningOp<AssembleOp>();
  return AccessOp::create(builder, access.getLoc(),
                          arrays.getLocating(assemble), indices)
      .getResult();
}

Value StatementGradient::bindLevels(AccessOp access) {
  auto assemble = access.getArray().getDefiningOp<AssembleOp>();
  ArrayType type = assemble.getType();
  Location location = statement.getLoc();
  Type index = builder.getIndexType();
  auto arrayOf = [&](unsigned level, unsigned number) {
    Value array =
        assemble.getLevels()[assemble.getFirstArrayOf(level) + number];
    return arrays.getForward(array, access);
  };
  auto element = [&](Value array, Value at) -> Value {
    return AccessOp::create(builder, location, array, at).getResult();
  };
  auto apply = [&](AffineExpr expr, Value operand) -> Value {
    return ApplyOp::create(builder, location, index, AffineMap::get(1, 0, expr),
                           operand);
  };
  AffineExpr mine = getAffineDimExpr(0, builder.getContext());
  Value position;
  for (auto [number, level] : llvm::enumerate(type.getFormat().getLevels())) {
    unsigned dimension = type.getFormat().getDimensionOf(number);
    auto variable = cast<BlockArgument>(access.getIndices()[dimension]);
    std::string name = getNameOf(variable);
    Value coordinate;
    bool isWhole =
        level.kind == LevelKind::dense || level.kind == LevelKind::bitmap;
    if (isWhole) {
      Value size =
          ExtentOp::create(builder, location, index,
                           arrays.getForward(assemble, nullptr), dimension);
      coordinate = bindRange(make.number(0, index), size, name);
      Value begin =
          position ? make.multiply(apply(mine, position), size) : Value();
      position = begin ? make.call("add", {begin, coordinate}) : coordinate;
      if (level.kind == LevelKind::bitmap)
        levelCondition =
            make.both(levelCondition, element(arrayOf(number, 0), position));
    } else {
      if (level.kind == LevelKind::compressed) {
        Value positions = arrayOf(number, 0);
        Value begin, end;
        if (position) {
          begin = element(positions, position);
          end = element(positions, apply(mine + 1, position));
        } else {
          begin = element(positions, make.number(0, index));
          end = element(positions, make.number(1, index));
        }
        position = bindRange(begin, end, name + "_position");
      }
      bool isPair = level.kind == LevelKind::compressed;
      coordinate =
          apply(mine, element(arrayOf(number, isPair ? 1 : 0), position));
    }
    remember(values, variable, coordinate);
  }
  remember(values, access.getResult(),
           element(arrays.getForward(assemble.getValues(), access), position));
  return position;
}
