//===- QueueCalls.cpp - Calls of the runtime's queues ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QueueCalls.h"

#include "ember/Conversion/RingToNative/OperandAccess.h"

#include "ember/Dialect/Ring/IR/Ring.h"
#include "ember/Runtime/Queue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace ember;

void QueueCalls::store(OpBuilder &builder, Location loc, Value value,
                       Value slot) {
  storeOperand(builder, loc, value, slot, ring::slotBytes);
}

Value QueueCalls::load(OpBuilder &builder, Location loc, Type type,
                       Value slot) {
  return loadOperand(builder, loc, type, slot, ring::slotBytes);
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
