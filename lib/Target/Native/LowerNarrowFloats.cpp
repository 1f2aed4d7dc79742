//===- LowerNarrowFloats.cpp - Narrow floats as integers ------------------===//
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
// then become arithmetic on the bits, and the type becomes i16 everywhere;
// 8-bit floats alike.
//
//===----------------------------------------------------------------------===//

#include "NarrowFloatConversions.h"
#include "ember/ABI/ScalarTypes.h"
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

#define GEN_PASS_DEF_LOWERNARROWFLOATS
#include "ember/Target/Native/Passes.h.inc"

static bool isNarrow(Type type) {
  return isNarrowFloat(getElementTypeOrSelf(type));
}

/// `type` with f32 in place of a narrow float.
static Type widen(Type type) {
  Type wide = Float32Type::get(type.getContext());
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(wide);
  return wide;
}

/// Whether `op` computes with narrow floats, rather than move or convert them.
static bool computesInNarrow(Operation *op) {
  if (isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp, arith::ExtFOp,
          arith::TruncFOp>(op))
    return false;
  bool isArithmetic =
      isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      isa<vector::FMAOp, vector::ContractionOp, vector::OuterProductOp,
          vector::MultiDimReductionOp, vector::ScanOp>(op);
  return isArithmetic && (llvm::any_of(op->getOperandTypes(), isNarrow) ||
                          llvm::any_of(op->getResultTypes(), isNarrow));
}

/// Replaces `op` by itself in f32, between conversions.
static void computeInF32(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Operation *wide = builder.clone(*op);
  builder.setInsertionPoint(wide);
  for (OpOperand &operand : wide->getOpOperands())
    if (isNarrow(operand.get().getType()))
      operand.set(arith::ExtFOp::create(
          builder, loc, widen(operand.get().getType()), operand.get()));
  builder.setInsertionPointAfter(wide);
  for (auto [narrow, result] :
       llvm::zip_equal(op->getResults(), wide->getResults())) {
    Value value = result;
    if (isNarrow(narrow.getType())) {
      result.setType(widen(narrow.getType()));
      value = arith::TruncFOp::create(builder, loc, narrow.getType(), result);
    }
    narrow.replaceAllUsesWith(value);
  }
  op->erase();
}

/// Lets a conversion between a narrow float and another type than f32 go
/// through f32.
static void splitConversion(Operation *op) {
  Value input = op->getOperand(0);
  Type type = op->getResult(0).getType();
  if (!isNarrow(type) && !isNarrow(input.getType()))
    return;
  Type between = widen(type);
  if (between == input.getType() || between == type)
    return;
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto width = [](Type type) {
    return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  };
  auto convert = [&](Value value, Type to) -> Value {
    if (width(value.getType()) < width(to))
      return arith::ExtFOp::create(builder, loc, to, value);
    return arith::TruncFOp::create(builder, loc, to, value);
  };
  op->getResult(0).replaceAllUsesWith(convert(convert(input, between), type));
  op->erase();
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

/// Turns narrow floats into integers in all types and constants of `module`.
static void replaceTypes(ModuleOp module) {
  auto bitsOf = [](Type type) {
    return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([=](FloatType type) -> std::optional<Type> {
    if (!isNarrowFloat(type))
      return std::nullopt;
    return bitsOf(type);
  });
  replacer.addReplacement([=](FloatAttr number) -> std::optional<Attribute> {
    if (!isNarrowFloat(number.getType()))
      return std::nullopt;
    return IntegerAttr::get(bitsOf(number.getType()),
                            number.getValue().bitcastToAPInt());
  });
  replacer.addReplacement(
      [=](DenseElementsAttr numbers) -> std::optional<Attribute> {
        if (!isNarrowFloat(numbers.getElementType()))
          return std::nullopt;
        return numbers.bitcast(bitsOf(numbers.getElementType()));
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
struct LowerNarrowFloats : impl::LowerNarrowFloatsBase<LowerNarrowFloats> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    module.walk([](vector::ReductionOp reduction) {
      if (isNarrow(reduction.getType()) &&
          !reduction.getSourceVectorType().isScalable())
        expandReduction(reduction);
    });
    module.walk([](Operation *op) {
      if (computesInNarrow(op))
        computeInF32(op);
    });
    module.walk([](Operation *op) {
      if (isa<arith::ExtFOp, arith::TruncFOp>(op))
        splitConversion(op);
    });
    RewritePatternSet patterns(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    populateExpandNarrowFloats(patterns);
    walkAndApplyPatterns(module, std::move(patterns));
    replaceTypes(module);
  }
};
} // namespace

} // namespace ember::native
