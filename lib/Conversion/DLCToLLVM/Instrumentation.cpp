//===- Instrumentation.cpp - Reports to the run-time statistics -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instrumentation.h"

#include "QueueProtocol.h"
#include "TokenLayout.h"

#include "ember/Analysis/EventProfile.h"
#include "ember/Analysis/MemRefNames.h"
#include "ember/Conversion/StreamCode/StreamCode.h"
#include "ember/Runtime/Trace.h"

#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

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

Instrumentation::Instrumentation(ConfigAccessOp access, StringRef program,
                                 RuntimeCalls &calls)
    : calls(calls), program(program), points(getProfileNames(access)) {
  for (auto [depth, unit] :
       llvm::enumerate(access.getBody()->getOps<NewTUOp>())) {
    auto name = unit->getAttrOfType<StringAttr>(nameAttr);
    unitNames[unit.getResult()] =
        name ? name.str() : "tu" + std::to_string(depth);
  }
}

void Instrumentation::countAccess(OpBuilder &builder, Location loc,
                                  Value memref, const StreamAccess &access,
                                  Type element, bool isStore) {
  emitAccessCount(builder, loc, calls, reportName(memref), access, element,
                  isStore);
}

void Instrumentation::emitToken(OpBuilder &builder, Location loc,
                                StringRef point, StringRef name, int64_t id) {
  IntegerType i64 = builder.getI64Type();
  LLVM::LLVMFuncOp trace = calls.declare(EMBER_RUNTIME(ember_trace_token));
  LLVM::CallOp::create(builder, loc, trace,
                       ValueRange{calls.stringConstant(builder, loc, program),
                                  calls.stringConstant(builder, loc, point),
                                  calls.stringConstant(builder, loc, name),
                                  constant(builder, loc, i64, id)});
}

std::string Instrumentation::getName(RegisterCallbackOp callback) {
  return unitNames.lookup(callback.getTu()) + "." +
         stringifyEvent(callback.getEvent()).str();
}

void Instrumentation::emitTokenValue(OpBuilder &builder,
                                     RegisterCallbackOp callback, Value value) {
  Location loc = callback.getLoc();
  IntegerType i32 = builder.getI32Type();
  Type type = callback.getValueType();
  LLVM::LLVMFuncOp trace =
      calls.declare(EMBER_RUNTIME(ember_trace_token_value));
  Value arguments[] = {
      calls.stringConstant(builder, loc, program),
      calls.stringConstant(builder, loc, points.lookup(callback.getId())),
      calls.stringConstant(builder, loc, getName(callback)),
      calls.stringConstant(builder, loc, print(type)),
      constant(builder, loc, i32, getLaneBits(type)),
      constant(builder, loc, i32, kindOf(type)),
      TokenLayout::toWord(builder, loc, value)};
  LLVM::CallOp::create(builder, loc, trace, arguments);
}

void Instrumentation::traceToken(OpBuilder &builder,
                                 RegisterCallbackOp callback, Value value,
                                 Value follows) {
  Location loc = callback.getLoc();
  auto traceWithout = [&](OpBuilder &at) {
    emitToken(at, loc, points.lookup(callback.getId()), getName(callback),
              callback.getId());
  };
  if (!value)
    return traceWithout(builder);
  if (!follows)
    return emitTokenValue(builder, callback, value);
  scf::IfOp::create(
      builder, loc, follows,
      [&](OpBuilder &inside, Location) {
        traceWithout(inside);
        scf::YieldOp::create(inside, loc);
      },
      [&](OpBuilder &inside, Location) {
        emitTokenValue(inside, callback, value);
        scf::YieldOp::create(inside, loc);
      });
}

void Instrumentation::traceDone(OpBuilder &builder, Location loc) {
  emitToken(builder, loc, "done", "done", doneToken);
}

std::string Instrumentation::nameOfStream(Value stream) {
  Operation *op = stream.getDefiningOp();
  if (auto name = op->getAttrOfType<StringAttr>(nameAttr))
    return name.str();
  if (auto load = dyn_cast<MemStrOp>(op))
    return reportName(load.getMemref());
  std::string unit = unitNames.lookup(op->getOperand(0));
  if (isa<GetIterCountOp>(op))
    return unit + ".count";
  if (isa<GetMaskOp>(op))
    return unit + ".mask";
  return isa<GetIndVarOp>(op) ? unit : unit + ".value";
}

void Instrumentation::traceOperand(OpBuilder &builder, Location loc,
                                   Value stream, Type type, Value slot) {
  Type element = getElementTypeOrSelf(type);
  auto vector = dyn_cast<VectorType>(type);
  int64_t lanes = vector ? vector.getNumElements() : 1;
  int64_t bits = getLaneBits(type);
  IntegerType i64 = builder.getI64Type(), i32 = builder.getI32Type();
  LLVM::LLVMFuncOp trace = calls.declare(EMBER_RUNTIME(ember_trace_operand));
  Value arguments[] = {
      calls.stringConstant(builder, loc, nameOfStream(stream)),
      calls.stringConstant(builder, loc, print(type)),
      constant(builder, loc, i64, lanes),
      constant(builder, loc, i32, bits),
      constant(builder, loc, i32, kindOf(element)),
      constant(builder, loc, i64, llvm::divideCeil(lanes * bits, 8)),
      slot};
  LLVM::CallOp::create(builder, loc, trace, arguments);
}
