//===- Instrumentation.cpp - Reports to the run-time statistics -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instrumentation.h"

#include "ember/Analysis/EventProfile.h"
#include "ember/Analysis/MemRefNames.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Dialect/Ring/IR/Ring.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

Instrumentation::Instrumentation(ProgramOp program, StringRef name,
                                 RuntimeCalls &calls)
    : calls(calls), programName(name), points(getProfileNames(program)) {
  for (auto [depth, unit] :
       llvm::enumerate(program.getAccessBody()->getOps<NewTUOp>())) {
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

std::string Instrumentation::getName(RegisterCallbackOp callback) {
  return unitNames.lookup(callback.getTu()) + "." +
         stringifyEvent(callback.getEvent()).str();
}

void Instrumentation::emitToken(OpBuilder &builder, RegisterCallbackOp callback,
                                Value value) {
  ring::TraceTokenOp::create(builder, callback.getLoc(), callback.getId(),
                             programName, points.lookup(callback.getId()),
                             getName(callback), value);
}

void Instrumentation::traceToken(OpBuilder &builder,
                                 RegisterCallbackOp callback, Value value,
                                 Value follows) {
  if (!follows)
    return emitToken(builder, callback, value);
  scf::IfOp::create(
      builder, callback.getLoc(), follows,
      [&](OpBuilder &inside, Location loc) {
        emitToken(inside, callback, Value());
        scf::YieldOp::create(inside, loc);
      },
      [&](OpBuilder &inside, Location loc) {
        emitToken(inside, callback, value);
        scf::YieldOp::create(inside, loc);
      });
}

void Instrumentation::traceDone(OpBuilder &builder, Location loc) {
  constexpr int64_t doneId = -1;
  ring::TraceTokenOp::create(builder, loc, doneId, programName, "done", "done",
                             Value());
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
                                   Value stream, Value slot) {
  ring::TraceOperandOp::create(builder, loc, slot, nameOfStream(stream));
}
