//===- OperandAccess.cpp - Operands in memory -----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/RingToNative/OperandAccess.h"

#include "ember/Dialect/Ring/IR/Ring.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace ember;

static Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

/// `type` with integers for the floats that LLVM does not know.
static Type withKnownLanes(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!isa<FloatType>(element) || LLVM::isCompatibleFloatingPointType(element))
    return type;
  return withElement(type, IntegerType::get(type.getContext(),
                                            element.getIntOrFloatBitWidth()));
}

/// The type of an operand of `type`, all known to LLVM, in its slot: lanes of
/// whole bytes, since LLVM packs others.
static Type getSlotType(Type type) {
  MLIRContext *context = type.getContext();
  Type element = getElementTypeOrSelf(type);
  if (ring::isMask(type)) {
    int64_t lanes = cast<VectorType>(type).getNumElements();
    return IntegerType::get(context, llvm::alignTo(lanes, 8));
  }
  if (!element.isIntOrIndex())
    return type;
  return withElement(type, IntegerType::get(context, ring::getLaneBits(type)));
}

void ember::storeOperand(OpBuilder &builder, Location loc, Value value,
                         Value slot, int64_t alignment) {
  Type known = withKnownLanes(value.getType());
  Type inSlot = getSlotType(known);
  if (known != value.getType())
    value = arith::BitcastOp::create(builder, loc, known, value);
  if (ring::isMask(known)) {
    auto bits =
        builder.getIntegerType(cast<VectorType>(known).getNumElements());
    value = LLVM::BitcastOp::create(builder, loc, bits, value);
  }
  if (getElementTypeOrSelf(value.getType()).isIndex())
    value = arith::IndexCastOp::create(builder, loc, inSlot, value);
  else if (value.getType() != inSlot)
    value = arith::ExtUIOp::create(builder, loc, inSlot, value);
  LLVM::StoreOp::create(builder, loc, value, slot, alignment);
}

Value ember::loadOperand(OpBuilder &builder, Location loc, Type type,
                         Value slot, int64_t alignment) {
  Type known = withKnownLanes(type);
  Type inSlot = getSlotType(known);
  Value value = LLVM::LoadOp::create(builder, loc, inSlot, slot, alignment);
  Type narrow = known;
  if (ring::isMask(known))
    narrow = builder.getIntegerType(cast<VectorType>(known).getNumElements());
  if (getElementTypeOrSelf(known).isIndex())
    value = arith::IndexCastOp::create(builder, loc, known, value);
  else if (narrow != inSlot)
    value = arith::TruncIOp::create(builder, loc, narrow, value);
  if (narrow != known)
    value = LLVM::BitcastOp::create(builder, loc, known, value);
  if (known != type)
    value = arith::BitcastOp::create(builder, loc, type, value);
  return value;
}
