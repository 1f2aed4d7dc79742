//===- SplitVariable.cpp - Tiles of a variable ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   forall (i, j) { ... }
//     ->
//   forall () {
//     n = extent; tiles = (n + 15) / 16
//     forall (i, j0 in 0 to tiles) {
//       begin = 16 * j0; end = min(16 * j0 + 16, n)
//       forall (j1 in begin to end) { ... }
//     }
//   }
//
//===----------------------------------------------------------------------===//

#include "SplitVariable.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace ember::cin;

static Value apply(ImplicitLocOpBuilder &builder, AffineExpr expr,
                   ValueRange operands) {
  return ApplyOp::create(builder, builder.getIndexType(),
                         AffineMap::get(operands.size(), 0, expr), operands);
}

namespace {
/// The variables of a binding, with bounds that are null without a range.
struct Ranges {
  SmallVector<Value> lowers, uppers;
  SmallVector<bool> ranged;
  SmallVector<Attribute> names;

  template <typename OpT> static Ranges of(OpT op) {
    Ranges ranges;
    for (BlockArgument variable : op.getVariables()) {
      unsigned number = variable.getArgNumber();
      ranges.add(op.getLower(number), op.getUpper(number),
                 StringAttr::get(op.getContext(), op.getNameOf(number)));
    }
    return ranges;
  }
  void add(Value lower, Value upper, StringAttr name) {
    lowers.push_back(lower);
    uppers.push_back(upper);
    ranged.push_back(!!lower);
    names.push_back(name);
  }
  static SmallVector<Value> present(ArrayRef<Value> bounds) {
    SmallVector<Value> some;
    llvm::copy_if(bounds, std::back_inserter(some),
                  [](Value bound) { return !!bound; });
    return some;
  }
};
} // namespace

static ForallOp create(ImplicitLocOpBuilder &builder, ForallOp,
                       const Ranges &ranges) {
  return ForallOp::create(builder, Ranges::present(ranges.lowers),
                          Ranges::present(ranges.uppers),
                          builder.getDenseBoolArrayAttr(ranges.ranged),
                          builder.getArrayAttr(ranges.names), IterationAttr());
}

static ReduceOp create(ImplicitLocOpBuilder &builder, ReduceOp like,
                       const Ranges &ranges) {
  return ReduceOp::create(builder, like.getType(),
                          Ranges::present(ranges.lowers),
                          Ranges::present(ranges.uppers),
                          builder.getDenseBoolArrayAttr(ranges.ranged),
                          builder.getArrayAttr(ranges.names), IterationAttr(),
                          like.getCalleeAttr(), /*rest=*/TypedAttr(),
                          /*otherwise=*/TypedAttr());
}

/// How many values a variable has, from an array that it is an index of; others
/// are asked to be as long.
static Value getExtent(ImplicitLocOpBuilder &builder, ForallOp statement,
                       BlockArgument variable) {
  SmallVector<ArrayDimension> dimensions = getIndexedDimensions(variable);
  ArrayDimension first = dimensions.front();
  OpBuilder before(statement);
  for (ArrayDimension other : ArrayRef(dimensions).drop_front())
    requireSameSize(before, variable, first, other);
  return ExtentOp::create(builder, builder.getIndexType(), first.array,
                          first.dimension);
}

/// A copy of `op`, where the builder is, with the variable at `number` in
/// tiles.
template <typename OpT>
static OpT split(ImplicitLocOpBuilder &builder, ForallOp statement, OpT op,
                 unsigned number, StringAttr outer, StringAttr inner,
                 int64_t factor) {
  AffineExpr first = builder.getAffineDimExpr(0),
             second = builder.getAffineDimExpr(1);
  BlockArgument variable = op.getVariables()[number];
  Value lower = op.getLower(number);
  Value upper =
      lower ? op.getUpper(number) : getExtent(builder, statement, variable);
  Value length = lower ? apply(builder, second - first, {lower, upper}) : upper;
  Ranges ranges = Ranges::of(op);
  ranges.lowers[number] =
      apply(builder, builder.getAffineConstantExpr(0), ValueRange());
  ranges.uppers[number] =
      apply(builder, (first + (factor - 1)).floorDiv(factor), length);
  ranges.ranged[number] = true;
  ranges.names[number] = outer;
  Value behind =
      upper.getType().isIndex() ? upper : apply(builder, first, upper);
  OpT around = create(builder, op, ranges);
  Block &block = around.getRegion().emplaceBlock();
  for (BlockArgument old : op.getVariables())
    block.addArgument(old.getType(), old.getLoc());

  // Loops over the values of a tile.
  ImplicitLocOpBuilder inside(op.getLoc(), op.getContext());
  inside.setInsertionPointToEnd(&block);
  SmallVector<Value> tile = {block.getArgument(number)};
  AffineExpr begin = first * factor;
  if (lower) {
    begin = begin + second;
    tile.push_back(lower);
  }
  auto smaller = BuiltinAttr::get(op.getContext(), findBuiltin("min"));
  Value end =
      CallOp::create(inside, inside.getIndexType(), smaller,
                     ValueRange{apply(inside, begin + factor, tile), behind});
  Ranges mine;
  mine.add(apply(inside, begin, tile), end, inner);
  OpT within = create(inside, op, mine);
  Block &body = within.getRegion().emplaceBlock();
  Value value = body.addArgument(variable.getType(), variable.getLoc());
  for (BlockArgument old : op.getVariables())
    old.replaceAllUsesWith(
        old == variable ? value : Value(block.getArgument(old.getArgNumber())));
  body.getOperations().splice(body.end(), op.getBody()->getOperations());
  if constexpr (std::is_same_v<OpT, ReduceOp>)
    YieldOp::create(inside, within.getResult(), /*condition=*/Value());
  return around;
}

void ember::cin::splitVariable(ForallOp &statement, BlockArgument variable,
                               StringAttr outer, StringAttr inner,
                               int64_t factor) {
  Operation *binding = variable.getOwner()->getParentOp();
  unsigned number = variable.getArgNumber();
  ImplicitLocOpBuilder builder(binding->getLoc(), binding);
  if (auto reduce = dyn_cast<ReduceOp>(binding)) {
    ReduceOp around =
        split(builder, statement, reduce, number, outer, inner, factor);
    reduce.getResult().replaceAllUsesWith(around.getResult());
    reduce.erase();
    return;
  }
  auto forall = cast<ForallOp>(binding);
  if (forall != statement) {
    split(builder, statement, forall, number, outer, inner, factor);
    forall.erase();
    return;
  }
  // Bounds of the outermost loop stand in a statement, too.
  auto around =
      ForallOp::create(builder, ValueRange(), ValueRange(), ArrayRef<bool>(),
                       ArrayAttr(), IterationAttr());
  builder.setInsertionPointToEnd(&around.getRegion().emplaceBlock());
  split(builder, statement, forall, number, outer, inner, factor);
  forall.erase();
  statement = around;
}
