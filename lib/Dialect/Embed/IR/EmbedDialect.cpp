//===- EmbedDialect.cpp - The embedding operations dialect ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Embed/IR/Embed.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember::embed;

#include "ember/Dialect/Embed/IR/EmbedDialect.cpp.inc"
#include "ember/Dialect/Embed/IR/EmbedEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/Embed/IR/EmbedAttributes.cpp.inc"

void EmbedDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ember/Dialect/Embed/IR/EmbedAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/Embed/IR/EmbedOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// What all operations share
//===----------------------------------------------------------------------===//

void ember::embed::getDestinationStyleEffects(
    DestinationStyleOpInterface op,
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}

LogicalResult
ember::embed::reifyInitShapes(DestinationStyleOpInterface op,
                              OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  for (OpResult result : op->getResults()) {
    Value init = op.getTiedOpOperand(result)->get();
    shapes.push_back(tensor::getMixedSizes(builder, op->getLoc(), init));
  }
  return success();
}

bool ember::embed::isValueType(Type type) {
  auto number = dyn_cast<FloatType>(type);
  return number && number.getWidth() >= 16 &&
         llvm::any_of(ember::scalarTypes, [&](const ember::ScalarType &row) {
           return row.isFloat() && row.bits == int(number.getWidth()) &&
                  row.layout->fractionBits + 1 ==
                      int(number.getFPMantissaWidth());
         });
}

FloatType ember::embed::getComputeType(TypeRange types) {
  for (Type type : types)
    if (getElementTypeOrSelf(type).isF64())
      return cast<FloatType>(getElementTypeOrSelf(type));
  return Float32Type::get(types.front().getContext());
}
