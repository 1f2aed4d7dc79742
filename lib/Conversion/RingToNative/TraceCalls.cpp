//===- TraceCalls.cpp - Reports to the collector of traces ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceCalls.h"

#include "ember/Conversion/RingToNative/TokenLayout.h"

#include "ember/Runtime/Trace.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace ember;

/// How the runtime prints an element.
static int64_t kindOf(Type element) {
  if (element.isIndex())
    return EMBER_OPERAND_INDEX;
  return isa<FloatType>(element) ? EMBER_OPERAND_FLOAT : EMBER_OPERAND_INT;
}

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static Value constant(OpBuilder &builder, Location loc, IntegerType type,
                      int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type,
                                  builder.getIntegerAttr(type, value));
}

void ember::traceOperand(OpBuilder &builder, ring::TraceOperandOp trace,
                         Value slot, RuntimeCalls &calls) {
  Location loc = trace.getLoc();
  Type type = trace.getSlot().getType().getOperandType();
  auto vector = dyn_cast<VectorType>(type);
  int64_t lanes = vector ? vector.getNumElements() : 1;
  int64_t bits = ring::getLaneBits(type);
  IntegerType i64 = builder.getI64Type(), i32 = builder.getI32Type();
  Value arguments[] = {
      calls.stringConstant(builder, loc, trace.getStream()),
      calls.stringConstant(builder, loc, print(type)),
      constant(builder, loc, i64, lanes),
      constant(builder, loc, i32, bits),
      constant(builder, loc, i32, kindOf(getElementTypeOrSelf(type))),
      constant(builder, loc, i64, llvm::divideCeil(lanes * bits, 8)),
      slot};
  LLVM::CallOp::create(builder, loc,
                       calls.declare(EMBER_RUNTIME(ember_trace_operand)),
                       arguments);
}

void ember::traceToken(OpBuilder &builder, ring::TraceTokenOp trace,
                       RuntimeCalls &calls) {
  Location loc = trace.getLoc();
  SmallVector<Value> arguments{
      calls.stringConstant(builder, loc, trace.getProgram()),
      calls.stringConstant(builder, loc, trace.getPoint()),
      calls.stringConstant(builder, loc, trace.getEvent())};
  if (!trace.getValue()) {
    arguments.push_back(constant(builder, loc, builder.getI64Type(),
                                 static_cast<int64_t>(trace.getId())));
    LLVM::CallOp::create(builder, loc,
                         calls.declare(EMBER_RUNTIME(ember_trace_token)),
                         arguments);
    return;
  }
  Type type = trace.getValue().getType();
  IntegerType i32 = builder.getI32Type();
  arguments.append({calls.stringConstant(builder, loc, print(type)),
                    constant(builder, loc, i32, ring::getLaneBits(type)),
                    constant(builder, loc, i32, kindOf(type)),
                    TokenLayout::toWord(builder, loc, trace.getValue())});
  LLVM::CallOp::create(builder, loc,
                       calls.declare(EMBER_RUNTIME(ember_trace_token_value)),
                       arguments);
}
