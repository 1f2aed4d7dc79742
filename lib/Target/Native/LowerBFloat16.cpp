//===- LowerBFloat16.cpp - bf16 as integers, computed with in f32 ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %s = arith.addf %a, %b : bf16
//
// becomes
//
//   %x = arith.extf %a : bf16 to f32
//   %y = arith.extf %b : bf16 to f32
//   %z = arith.addf %x, %y : f32
//   %s = arith.truncf %z : f32 to bf16
//
// and a reduction becomes a chain of such operations, one per lane. Conversions
// then become arithmetic on the bits, and the type becomes i16 everywhere.
//
//===----------------------------------------------------------------------===//

#include "ember/Target/Native/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace ember::native {
using namespace mlir;

#define GEN_PASS_DEF_LOWERBFLOAT16
#include "ember/Target/Native/Passes.h.inc"

static bool isBF16(Type type) { return getElementTypeOrSelf(type).isBF16(); }

/// `type` with f32 in place of bf16.
static Type widen(Type type) {
  Type wide = Float32Type::get(type.getContext());
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(wide);
  return wide;
}

/// Whether `op` computes with bf16, rather than move or convert it.
static bool computesInBF16(Operation *op) {
  if (isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp, arith::ExtFOp,
          arith::TruncFOp>(op))
    return false;
  bool isArithmetic =
      isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      isa<vector::FMAOp, vector::ContractionOp, vector::OuterProductOp,
          vector::MultiDimReductionOp, vector::ScanOp>(op);
  return isArithmetic && (llvm::any_of(op->getOperandTypes(), isBF16) ||
                          llvm::any_of(op->getResultTypes(), isBF16));
}

/// Replaces `op` by itself in f32, between conversions.
static void computeInF32(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Operation *wide = builder.clone(*op);
  builder.setInsertionPoint(wide);
  for (OpOperand &operand : wide->getOpOperands())
    if (isBF16(operand.get().getType()))
      operand.set(arith::ExtFOp::create(
          builder, loc, widen(operand.get().getType()), operand.get()));
  builder.setInsertionPointAfter(wide);
  for (auto [narrow, result] :
       llvm::zip_equal(op->getResults(), wide->getResults())) {
    Value value = result;
    if (isBF16(narrow.getType())) {
      result.setType(widen(narrow.getType()));
      value = arith::TruncFOp::create(builder, loc, narrow.getType(), result);
    }
    narrow.replaceAllUsesWith(value);
  }
  op->erase();
}

/// Lets a conversion between bf16 and a type wider than f32 go through f32.
static void splitConversion(Operation *op) {
  Value input = op->getOperand(0);
  Type type = op->getResult(0).getType();
  bool narrows = isBF16(type);
  if (!narrows && !isBF16(input.getType()))
    return;
  Type between = widen(narrows ? type : input.getType());
  if (between == input.getType() || between == type)
    return;
  OpBuilder builder(op);
  Value middle =
      narrows ? arith::TruncFOp::create(builder, op->getLoc(), between, input)
                    .getResult()
              : arith::ExtFOp::create(builder, op->getLoc(), between, input)
                    .getResult();
  op->setOperand(0, middle);
}

/// Replaces `reduction` by scalar operations in the order of its lanes: each of
/// them rounds, which a reduction in f32 would not.
static void expandReduction(vector::ReductionOp reduction) {
  OpBuilder builder(reduction);
  Location loc = reduction.getLoc();
  Value total = reduction.getAcc();
  int64_t lanes = reduction.getSourceVectorType().getNumElements();
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value value =
        vector::ExtractOp::create(builder, loc, reduction.getVector(), lane);
    total = total
                ? vector::makeArithReduction(builder, loc, reduction.getKind(),
                                             value, total,
                                             reduction.getFastmathAttr())
                : value;
  }
  reduction.replaceAllUsesWith(total);
  reduction.erase();
}

/// Turns bf16 into i16 in all types and constants of `module`.
static void replaceType(ModuleOp module) {
  Type bits = IntegerType::get(module.getContext(), 16);
  AttrTypeReplacer replacer;
  replacer.addReplacement([=](BFloat16Type) -> Type { return bits; });
  replacer.addReplacement([=](FloatAttr number) -> std::optional<Attribute> {
    if (!number.getType().isBF16())
      return std::nullopt;
    return IntegerAttr::get(bits, number.getValue().bitcastToAPInt());
  });
  replacer.addReplacement(
      [=](DenseElementsAttr numbers) -> std::optional<Attribute> {
        if (!numbers.getElementType().isBF16())
          return std::nullopt;
        return numbers.bitcast(bits);
      });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  module.walk([](arith::BitcastOp cast) {
    if (cast.getIn().getType() != cast.getType())
      return;
    cast.replaceAllUsesWith(cast.getIn());
    cast.erase();
  });
}

namespace {
struct LowerBFloat16 : impl::LowerBFloat16Base<LowerBFloat16> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    module.walk([](vector::ReductionOp reduction) {
      if (isBF16(reduction.getType()) &&
          !reduction.getSourceVectorType().isScalable())
        expandReduction(reduction);
    });
    module.walk([](Operation *op) {
      if (computesInBF16(op))
        computeInF32(op);
    });
    module.walk([](Operation *op) {
      if (isa<arith::ExtFOp, arith::TruncFOp>(op))
        splitConversion(op);
    });
    RewritePatternSet patterns(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    walkAndApplyPatterns(module, std::move(patterns));
    replaceType(module);
  }
};
} // namespace

} // namespace ember::native
