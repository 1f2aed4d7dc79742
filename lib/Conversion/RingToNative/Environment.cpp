//===- Environment.cpp - What halves share with their function ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Environment.h"

#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/Transforms/Passes.h"

using namespace mlir;
using namespace ember;

Environment::Environment(MLIRContext *context)
    : context(context), types(context) {
  types.addConversion([](sparse_tensor::StorageSpecifierType type) -> Type {
    return StorageSpecifierToLLVMTypeConverter().convertType(type);
  });
}

LogicalResult Environment::addField(Value value) {
  Type type = types.convertType(value.getType());
  if (!type || !LLVM::isCompatibleType(type))
    return failure();
  fields.insert({value, type});
  return success();
}

LLVM::LLVMStructType Environment::getType() const {
  return LLVM::LLVMStructType::getLiteral(
      context, llvm::to_vector(llvm::make_second_range(fields)));
}

Value Environment::address(OpBuilder &builder, Location loc, Value field,
                           Value environment) const {
  auto number =
      static_cast<int32_t>(std::distance(fields.begin(), fields.find(field)));
  return LLVM::GEPOp::create(builder, loc, environment.getType(), getType(),
                             environment, ArrayRef<LLVM::GEPArg>{0, number});
}

static Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(builder, loc, type, value)
      .getResult(0);
}

void Environment::store(OpBuilder &builder, Location loc, Value field,
                        Value value, Value environment) const {
  Value converted = castTo(builder, loc, value, fields.find(field)->second);
  LLVM::StoreOp::create(builder, loc, converted,
                        address(builder, loc, field, environment));
}

Value Environment::load(OpBuilder &builder, Location loc, Value field,
                        Value environment) const {
  Value raw = LLVM::LoadOp::create(builder, loc, fields.find(field)->second,
                                   address(builder, loc, field, environment));
  return castTo(builder, loc, raw, field.getType());
}
