//===- AffineIndices.cpp - Products of indices that do not wrap around ----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index that arrays hold may be any number, and a multiple of it that wraps
// around would be the index of another element. Such an index is brought to the
// nearest one whose multiples do not wrap around: that leads outside, too. Of
// several such indices, what is large in one could be taken off by another, and
// a quotient or remainder may be small; there the whole leads outside if any of
// them is that large.
//
//===----------------------------------------------------------------------===//

#include "EvaluationLowering.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// Numbers that are at most 2 to the power of this are added up without
/// wrapping around, as no array has as many elements.
static constexpr unsigned mostBits = 62;

/// A number that is not negative, where one is written.
static std::optional<uint64_t> getNumber(Value value) {
  std::optional<int64_t> number;
  if (auto literal = value.getDefiningOp<LiteralOp>())
    if (auto integer = dyn_cast<IntegerAttr>(literal.getValue()))
      number = integer.getValue().trySExtValue();
  if (auto apply = value.getDefiningOp<ApplyOp>())
    if (auto constant =
            dyn_cast<AffineConstantExpr>(apply.getMap().getResult(0)))
      number = constant.getValue();
  if (!number || *number < 0)
    return std::nullopt;
  return *number;
}

/// How many bits an index may have, with its sign, if arrays decide on how
/// large it is; none otherwise.
static unsigned getGivenWidth(Value index) {
  Type type = index.getType();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (isa_and_nonnull<AccessOp>(index.getDefiningOp()))
    return width;
  if (auto call = index.getDefiningOp<CallOp>()) {
    if (!call.getFunction().is("and"))
      return width;
    // What is masked is no larger than the mask.
    for (Value operand : call.getOperands())
      if (std::optional<uint64_t> mask = getNumber(operand))
        width = std::min(width, llvm::bit_width(*mask) + 1u);
    return width;
  }
  if (auto apply = index.getDefiningOp<ApplyOp>())
    return llvm::any_of(apply.getOperands(), getGivenWidth) ? 64 : 0;
  auto variable = dyn_cast<BlockArgument>(index);
  auto getBoundWidth = [&](auto op) -> unsigned {
    Value lower = op.getLower(variable.getArgNumber());
    Value upper = op.getUpper(variable.getArgNumber());
    return lower ? std::max(getGivenWidth(lower), getGivenWidth(upper)) : 0;
  };
  Operation *parent = variable ? variable.getOwner()->getParentOp() : nullptr;
  if (auto forall = dyn_cast_or_null<ForallOp>(parent))
    return getBoundWidth(forall);
  if (auto reduce = dyn_cast_or_null<ReduceOp>(parent))
    return getBoundWidth(reduce);
  return 0;
}

/// By how much given operands are multiplied together, at most.
static uint64_t getFactor(AffineExpr expression,
                          const llvm::SmallBitVector &given) {
  if (auto dimension = dyn_cast<AffineDimExpr>(expression))
    return given[dimension.getPosition()] ? 1 : 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return 0;
  uint64_t left = getFactor(binary.getLHS(), given);
  if (binary.getKind() == AffineExprKind::Add)
    return llvm::SaturatingAdd(left, getFactor(binary.getRHS(), given));
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (binary.getKind() != AffineExprKind::Mul || !constant)
    return left;
  return llvm::SaturatingMultiply(left,
                                  llvm::AbsoluteValue(constant.getValue()));
}

/// Whether a sum or a product is divided.
static bool dividesResult(AffineExpr expression) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return false;
  bool isDivision = binary.getKind() != AffineExprKind::Add &&
                    binary.getKind() != AffineExprKind::Mul;
  return (isDivision && isa<AffineBinaryOpExpr>(binary.getLHS())) ||
         dividesResult(binary.getLHS()) || dividesResult(binary.getRHS());
}

/// An affine expression of operands, with products outside of loops that do
/// not change them.
static Value emitAffine(ImplicitLocOpBuilder &builder, AffineExpr expression,
                        ArrayRef<Value> operands) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  bool isSum = binary && binary.getKind() == AffineExprKind::Add;
  if (isSum) {
    Value left = emitAffine(builder, binary.getLHS(), operands);
    Value right = emitAffine(builder, binary.getRHS(), operands);
    return arith::AddIOp::create(builder, left, right);
  }
  bool isProduct = binary && binary.getKind() == AffineExprKind::Mul &&
                   isa<AffineConstantExpr>(binary.getRHS()) &&
                   isa<AffineDimExpr>(binary.getLHS());
  if (!isProduct)
    return affine::expandAffineExpr(builder, builder.getLoc(), expression,
                                    operands, ValueRange());
  Value value = operands[cast<AffineDimExpr>(binary.getLHS()).getPosition()];
  int64_t factor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  Value constant = arith::ConstantIndexOp::create(builder, factor);
  return arith::MulIOp::create(builder, value, constant);
}

void EvaluationLowering::emit(ApplyOp apply) {
  AffineExpr expression = apply.getMap().getResult(0);
  SmallVector<Value> operands = indices(apply.getOperands());
  SmallVector<unsigned> widths =
      llvm::map_to_vector(apply.getOperands(), getGivenWidth);
  llvm::SmallBitVector given(operands.size());
  for (auto [number, width] : llvm::enumerate(widths))
    given[number] = width > 0;
  bool isDivided = dividesResult(expression);
  // The index itself leads outside wherever a small number is added to it.
  uint64_t least = isDivided && given.any() ? 2 : 1;
  uint64_t factor = std::max(getFactor(expression, given), least);
  SmallVector<unsigned> wide;
  for (auto [number, width] : llvm::enumerate(widths))
    if (width > 0 && factor > 1 &&
        width + llvm::Log2_64_Ceil(factor) > mostBits)
      wide.push_back(number);
  int64_t most = (uint64_t(1) << mostBits) / factor;
  bool isAlone = given.count() == 1 && !isDivided;
  SmallVector<Value> areSmall;
  for (unsigned number : wide) {
    // Once, outside of loops that use it.
    Value &value = operands[number];
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(value);
    if (isAlone) {
      value = arith::MaxSIOp::create(builder, value, constant(-most));
      value = arith::MinSIOp::create(builder, value, constant(most));
      continue;
    }
    Value shifted = arith::AddIOp::create(builder, value, constant(most));
    areSmall.push_back(arith::CmpIOp::create(builder, arith::CmpIPredicate::ule,
                                             shifted, constant(2 * most)));
  }
  Value index = emitAffine(builder, expression, operands);
  for (Value isSmall : areSmall)
    index = arith::SelectOp::create(builder, isSmall, index,
                                    constant(-(int64_t(1) << mostBits)));
  values.map(apply.getResult(), index);
}
