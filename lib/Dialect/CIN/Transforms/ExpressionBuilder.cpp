//===- ExpressionBuilder.cpp - Calls in statements ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpressionBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ember::cin;

Value ExpressionBuilder::call(StringRef function, ValueRange operands) {
  const Builtin *row = findBuiltin(function);
  Type type = operands.back().getType();
  if (row->signature == Signature::comparison)
    type = builder.getI1Type();
  return CallOp::create(builder, location, type,
                        BuiltinAttr::get(builder.getContext(), row), operands);
}

Value ExpressionBuilder::convert(Value value, Type type) {
  if (value.getType() == type)
    return value;
  return CallOp::create(
      builder, location, type,
      BuiltinAttr::get(builder.getContext(), findBuiltin("convert")), value);
}

Value ExpressionBuilder::number(double value, Type type) {
  TypedAttr attribute;
  if (auto floatType = dyn_cast<FloatType>(type))
    attribute = FloatAttr::get(floatType, value);
  else
    attribute = builder.getIntegerAttr(type, static_cast<int64_t>(value));
  if (isOfFunction)
    return arith::ConstantOp::create(builder, location, attribute);
  return LiteralOp::create(builder, location, type, attribute);
}
