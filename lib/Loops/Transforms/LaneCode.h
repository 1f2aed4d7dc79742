//===- LaneCode.h - Code of vectors of f32 ----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What functions are made of that the C library would be called for, for each
// lane.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_LOOPS_TRANSFORMS_LANECODE_H
#define EMBER_LIB_LOOPS_TRANSFORMS_LANECODE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember::loops {

class LaneCode {
public:
  LaneCode(mlir::OpBuilder &builder, mlir::Location loc, mlir::VectorType type)
      : builder(loc, builder), type(type),
        integers(type.clone(builder.getI32Type())) {}

  /// The type of what is computed, if it is of lanes of f32; null otherwise.
  static mlir::VectorType getLanes(mlir::Operation *op) {
    auto type = llvm::dyn_cast<mlir::VectorType>(op->getResult(0).getType());
    bool isOfLanes =
        type && !type.isScalable() && type.getElementType().isF32();
    return isOfLanes ? type : mlir::VectorType();
  }

protected:
  using Predicate = mlir::arith::CmpFPredicate;

  mlir::Value constant(float value) {
    return mlir::arith::ConstantOp::create(
        builder, mlir::DenseElementsAttr::get(
                     type, builder.getF32FloatAttr(value).getValue()));
  }
  mlir::Value integer(int32_t value) {
    return mlir::arith::ConstantOp::create(
        builder, mlir::DenseElementsAttr::get(
                     integers, builder.getI32IntegerAttr(value).getValue()));
  }
  mlir::Value bits(mlir::Value value) {
    return mlir::arith::BitcastOp::create(builder, integers, value);
  }
  mlir::Value fromBits(mlir::Value value) {
    return mlir::arith::BitcastOp::create(builder, type, value);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return mlir::arith::AddFOp::create(builder, a, b);
  }
  mlir::Value subtract(mlir::Value a, mlir::Value b) {
    return mlir::arith::SubFOp::create(builder, a, b);
  }
  mlir::Value multiply(mlir::Value a, mlir::Value b) {
    return mlir::arith::MulFOp::create(builder, a, b);
  }
  mlir::Value divide(mlir::Value a, mlir::Value b) {
    return mlir::arith::DivFOp::create(builder, a, b);
  }
  mlir::Value multiplyAdd(mlir::Value a, mlir::Value b, mlir::Value c) {
    return mlir::math::FmaOp::create(builder, a, b, c);
  }
  mlir::Value compare(Predicate predicate, mlir::Value value, float with) {
    return mlir::arith::CmpFOp::create(builder, predicate, value,
                                       constant(with));
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return mlir::arith::SelectOp::create(builder, condition, a, b);
  }
  /// `limit` in place of what is beyond it; of no number, that.
  mlir::Value limit(mlir::Value value, Predicate isBeyond, float limit) {
    return select(compare(isBeyond, value, limit), constant(limit), value);
  }
  mlir::Value polynomial(mlir::Value at, llvm::ArrayRef<float> highestFirst) {
    mlir::Value result = constant(highestFirst.front());
    for (float coefficient : highestFirst.drop_front())
      result = multiplyAdd(result, at, constant(coefficient));
    return result;
  }

  mlir::ImplicitLocOpBuilder builder;
  mlir::VectorType type, integers;
};

} // namespace ember::loops

#endif // EMBER_LIB_LOOPS_TRANSFORMS_LANECODE_H
