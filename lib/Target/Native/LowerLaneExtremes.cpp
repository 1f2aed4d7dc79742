//===- LowerLaneExtremes.cpp - Least and largest floats of vectors --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Target/Native/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace ember::native {
using namespace mlir;

#define GEN_PASS_DEF_LOWERLANEEXTREMES
#include "ember/Target/Native/Passes.h.inc"

/// The bits of floats as integers in the order of the floats, or the way back:
/// of negative ones all but the sign are inverted.
static Value turnNegative(OpBuilder &builder, Location loc, Value bits) {
  Type type = bits.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  auto constant = [&](const APInt &value) -> Value {
    TypedAttr attribute =
        builder.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(builder, loc, attribute);
  };
  Value sign = arith::ShRSIOp::create(builder, loc, bits,
                                      constant(APInt(width, width - 1)));
  Value rest = arith::AndIOp::create(builder, loc, sign,
                                     constant(APInt::getSignedMaxValue(width)));
  return arith::XOrIOp::create(builder, loc, bits, rest);
}

static void lowerReduction(vector::ReductionOp reduction) {
  bool isLeast = reduction.getKind() == vector::CombiningKind::MINIMUMF;
  VectorType type = reduction.getSourceVectorType();
  auto element = dyn_cast<FloatType>(type.getElementType());
  if (!element || type.isScalable() || type.getRank() != 1 ||
      (!isLeast && reduction.getKind() != vector::CombiningKind::MAXIMUMF))
    return;
  OpBuilder builder(reduction);
  Location loc = reduction.getLoc();
  Value lanes = reduction.getVector();
  auto integers = VectorType::get(type.getShape(),
                                  builder.getIntegerType(element.getWidth()));
  Value ordered = turnNegative(
      builder, loc, arith::BitcastOp::create(builder, loc, integers, lanes));
  Value extreme = vector::ReductionOp::create(
      builder, loc,
      isLeast ? vector::CombiningKind::MINSI : vector::CombiningKind::MAXSI,
      ordered);
  extreme = arith::BitcastOp::create(builder, loc, element,
                                     turnNegative(builder, loc, extreme));
  // Where one is not a number, neither is the result.
  Value isNone = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                       lanes, lanes);
  isNone = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR,
                                       isNone);
  Value none = arith::ConstantOp::create(
      builder, loc,
      builder.getFloatAttr(element,
                           APFloat::getQNaN(element.getFloatSemantics())));
  Value result = arith::SelectOp::create(builder, loc, isNone, none, extreme);
  if (Value first = reduction.getAcc())
    result =
        isLeast
            ? arith::MinimumFOp::create(builder, loc, first, result).getResult()
            : arith::MaximumFOp::create(builder, loc, first, result);
  reduction.replaceAllUsesWith(result);
  reduction.erase();
}

namespace {
struct LowerLaneExtremes : impl::LowerLaneExtremesBase<LowerLaneExtremes> {
  void runOnOperation() override {
    // AArch64 has an instruction for it.
    if (TargetAttr::of(getOperation()).getTriple().starts_with("x86_64"))
      getOperation().walk(lowerReduction);
  }
};
} // namespace

} // namespace ember::native
