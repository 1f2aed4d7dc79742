//===- WholeRanges.cpp - Ranges that are all of a dimension ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where nothing but a range says how large a temporary is, it has that size,
// and
//
//   let t[i] = -inf for i in 0:n; t[I[p]] max= x[p]
//
// assigns to all of it first, as without a range: whoever asks for that, or for
// variables that run along rows, looks for variables without ranges.
//
//===----------------------------------------------------------------------===//

#include "WholeRanges.h"
#include "Statement.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace ember::cin;

namespace {
/// An affine expression of values.
struct Size {
  AffineExpr expression;
  SmallVector<Value> operands;
};
} // namespace

static Size getSize(Value value) {
  MLIRContext *context = value.getContext();
  if (auto literal = value.getDefiningOp<LiteralOp>())
    if (auto number = dyn_cast<IntegerAttr>(literal.getValue()))
      return {getAffineConstantExpr(number.getInt(), context), {}};
  auto apply = value.getDefiningOp<ApplyOp>();
  if (!apply)
    return {getAffineDimExpr(0, context), {value}};
  AffineMap map = apply.getMap();
  return {simplifyAffineExpr(map.getResult(0), map.getNumDims(),
                             map.getNumSymbols()),
          SmallVector<Value>(apply.getOperands())};
}

/// The size of a dimension, as far as the array says it.
static std::optional<Size> getSize(ArrayDimension dimension) {
  auto type = dyn_cast<MemRefType>(dimension.array.getType());
  if (!type)
    return std::nullopt;
  if (!type.isDynamicDim(dimension.dimension))
    return Size{getAffineConstantExpr(type.getDimSize(dimension.dimension),
                                      type.getContext()),
                {}};
  auto temporary = dimension.array.getDefiningOp<TemporaryOp>();
  if (!temporary)
    return std::nullopt;
  return getSize(
      temporary.getSizes()[type.getDynamicDimIndex(dimension.dimension)]);
}

static bool isSameValue(Value a, Value b) {
  auto left = a.getDefiningOp<ExtentOp>(), right = b.getDefiningOp<ExtentOp>();
  return a == b || (left && right && left.getArray() == right.getArray() &&
                    left.getDimension() == right.getDimension());
}

/// Whether a dimension surely has `size` positions.
static bool isSize(ArrayDimension dimension, Value size) {
  // Without a range, loops over formats visit what is stored.
  if (!isa<MemRefType>(dimension.array.getType()))
    return false;
  if (auto extent = size.getDefiningOp<ExtentOp>();
      extent && extent.getArray() == dimension.array &&
      extent.getDimension() == dimension.dimension)
    return true;
  std::optional<Size> known = getSize(dimension);
  Size asked = getSize(size);
  return known && known->expression == asked.expression &&
         llvm::equal(known->operands, asked.operands, isSameValue);
}

static bool isWhole(BlockArgument variable) {
  auto [lower, upper] = getRange(variable);
  if (!lower)
    return false;
  auto first = dyn_cast<AffineConstantExpr>(getSize(lower).expression);
  SmallVector<ArrayDimension> dimensions = getIndexedDimensions(variable);
  return first && first.getValue() == 0 && !dimensions.empty() &&
         llvm::all_of(dimensions, [&](ArrayDimension dimension) {
           return isSize(dimension, upper);
         });
}

template <typename OpT> static void dropRanges(OpT op) {
  SmallVector<bool> ranged(op.getRanged());
  SmallVector<Value> lowers, uppers;
  for (BlockArgument variable : op.getVariables()) {
    bool &isRanged = ranged[variable.getArgNumber()];
    isRanged &= !isWhole(variable);
    if (!isRanged)
      continue;
    auto [lower, upper] = getRange(variable);
    lowers.push_back(lower);
    uppers.push_back(upper);
  }
  op.getLowersMutable().assign(lowers);
  op.getUppersMutable().assign(uppers);
  op.setRanged(ranged);
}

void ember::cin::dropWholeRanges(EvaluateOp evaluate) {
  for (auto statement : evaluate.getRegion().getOps<ForallOp>()) {
    SmallVector<ForallOp> loops;
    // Schedules are of ranges as they are written.
    if (statement.getSchedule() || !getAssignment(statement, loops))
      continue;
    statement.walk([](Operation *op) {
      if (auto forall = dyn_cast<ForallOp>(op))
        dropRanges(forall);
      else if (auto reduce = dyn_cast<ReduceOp>(op))
        dropRanges(reduce);
    });
  }
  for (auto temporary : evaluate.getRegion().getOps<TemporaryOp>()) {
    TypedAttr initial = temporary.getInitialAttr();
    if (!initial)
      continue;
    temporary.removeInitialAttr();
    ScopedDiagnosticHandler silent(temporary.getContext(),
                                   [](Diagnostic &) { return success(); });
    if (failed(verifyAssigned(temporary)))
      temporary.setInitialAttr(initial);
  }
}
