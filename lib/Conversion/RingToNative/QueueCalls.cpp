//===- QueueCalls.cpp - Calls of the runtime's queues ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QueueCalls.h"

#include "ember/Dialect/Ring/IR/Ring.h"
#include "ember/Runtime/Queue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace ember;

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

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

void QueueCalls::store(OpBuilder &builder, Location loc, Value value,
                       Value slot) {
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
  LLVM::StoreOp::create(builder, loc, value, slot, ring::slotBytes);
}

Value QueueCalls::load(OpBuilder &builder, Location loc, Type type,
                       Value slot) {
  Type known = withKnownLanes(type);
  Type inSlot = getSlotType(known);
  Value value =
      LLVM::LoadOp::create(builder, loc, inSlot, slot, ring::slotBytes);
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

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                  builder.getI64IntegerAttr(value));
}

Value QueueCalls::call(OpBuilder &builder, Location loc,
                       LLVM::LLVMFuncOp function, Value argument) {
  SmallVector<Value> operands{queues};
  if (argument)
    operands.push_back(argument);
  auto call = LLVM::CallOp::create(builder, loc, function, operands);
  return call.getNumResults() ? call.getResult() : Value();
}

Value QueueCalls::acquire(OpBuilder &builder, Location loc, int64_t bytes) {
  return call(builder, loc, calls.declare(EMBER_RUNTIME(ember_data_acquire)),
              constant(builder, loc, bytes));
}

void QueueCalls::commit(OpBuilder &builder, Location loc, int64_t bytes) {
  call(builder, loc, calls.declare(EMBER_RUNTIME(ember_data_commit)),
       constant(builder, loc, bytes));
}

void QueueCalls::pushToken(OpBuilder &builder, Location loc, Value token) {
  call(builder, loc, calls.declare(EMBER_RUNTIME(ember_token_push)), token);
}

Value QueueCalls::wait(OpBuilder &builder, Location loc, int64_t bytes) {
  return call(builder, loc, calls.declare(EMBER_RUNTIME(ember_data_wait)),
              constant(builder, loc, bytes));
}

void QueueCalls::release(OpBuilder &builder, Location loc, int64_t bytes) {
  call(builder, loc, calls.declare(EMBER_RUNTIME(ember_data_release)),
       constant(builder, loc, bytes));
}

Value QueueCalls::popToken(OpBuilder &builder, Location loc) {
  return call(builder, loc, calls.declare(EMBER_RUNTIME(ember_token_pop)),
              Value());
}
