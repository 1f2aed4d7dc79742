//===- UnitRules.cpp - What a unit can do ---------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that a program may need and no unit has is refused here, before anything
// is built.
//
//===----------------------------------------------------------------------===//

#include "LanePlan.h"

#include "ember/Dialect/TMU/IR/TMU.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;
using ember::slc::Event;

/// True for what stands in a lane's queue: a number of at most 64 bits.
static bool isElement(Type type) {
  return type.isIndex() || (type.isIntOrFloat() &&
                            type.getIntOrFloatBitWidth() <= 8 * tmu::laneBytes);
}

static LogicalResult verifyElements(Operation *op) {
  for (Value result : op->getResults())
    if (auto stream = dyn_cast<slc::StreamType>(result.getType())) {
      Type element = getElementTypeOrSelf(stream.getElementType());
      if (!isElement(element))
        return op->emitOpError("has elements of ")
               << element
               << "; a lane holds flags, and numbers of 8, 16, 32 or 64 bits";
    }
  return success();
}

static LogicalResult verifyMemory(slc::MemoryStreamOpInterface access) {
  auto memref = cast<MemRefType>(access.getMemref().getType());
  if (isa<VectorType>(memref.getElementType()))
    return access.emitOpError("accesses a memref of vectors; make it one of ")
           << getElementTypeOrSelf(memref.getElementType());
  if (memref.getElementType().isInteger(1))
    return access.emitOpError("accesses flags in memory, which are no whole "
                              "bytes; store them as i8");
  return success();
}

/// Vectors are pushed by lanes side by side, and only a unit with lanes has
/// some at each of its steps.
static LogicalResult verifyPushed(RegisterOperandOp operand) {
  auto unit = operand.getTu().getDefiningOp<NewTUOp>();
  Type type = operand.getOperandType();
  bool hasLanes = unit.getVectorLength() && operand.getEvent() == Event::ite;
  if (isa<VectorType>(type) && !hasLanes)
    return operand.emitOpError("pushes a ")
           << type
           << " where there are no lanes; --narrow-operands pushes one element "
              "of "
              "what is the same in all";
  int64_t bytes = tmu::getOperandBytes(type);
  if (bytes <= tmu::maxOperandBytes)
    return success();
  int64_t lanes = slc::lanesOf(type);
  return operand.emitOpError("pushes a ")
         << type << " of " << bytes << " bytes; an operand of the output queue "
         << "has at most " << tmu::maxOperandBytes << ": a vector length of "
         << lanes * tmu::maxOperandBytes / bytes << " would fit";
}

namespace {
/// A call, and the program that runs because of it.
struct CalledProgram {
  CallOpInterface call;
  ProgramOp program;
};
} // namespace

/// A program that functions run which are called in `root`, if there is one.
static std::optional<CalledProgram>
findCalledProgram(Operation *root, llvm::SmallPtrSetImpl<Operation *> &seen) {
  std::optional<CalledProgram> found;
  root->walk([&](CallOpInterface call) {
    Operation *callee = call.resolveCallable();
    if (!callee || !seen.insert(callee).second)
      return WalkResult::advance();
    callee->walk([&](ProgramOp program) {
      found = {call, program};
      return WalkResult::interrupt();
    });
    if (!found)
      if (auto further = findCalledProgram(callee, seen))
        found = {call, further->program};
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

LogicalResult ember::verifyUnitRules(ProgramOp program) {
  if (auto outer = program->getParentOfType<ProgramOp>()) {
    InFlightDiagnostic diagnostic =
        program.emitOpError("stands in a case of another program; the access "
                            "unit runs one at a time");
    diagnostic.attachNote(outer.getLoc()) << "the program";
    return diagnostic;
  }
  llvm::SmallPtrSet<Operation *, 8> seen;
  if (auto called = findCalledProgram(program, seen)) {
    InFlightDiagnostic diagnostic =
        program.emitOpError("calls a function that runs another program; the "
                            "access unit runs one at a time");
    diagnostic.attachNote(called->call.getLoc()) << "the call";
    diagnostic.attachNote(called->program.getLoc()) << "the other program";
    return diagnostic;
  }
  for (Operation &op : program.getAccessBody()->without_terminator()) {
    if (failed(verifyElements(&op)))
      return failure();
    if (auto access = dyn_cast<slc::MemoryStreamOpInterface>(op))
      if (failed(verifyMemory(access)))
        return failure();
    if (auto operand = dyn_cast<RegisterOperandOp>(op))
      if (failed(verifyPushed(operand)))
        return failure();
    auto unit = dyn_cast<NewTUOp>(op);
    if (unit && unit.getCoordinates() &&
        !cast<MemRefType>(unit.getCoordinates().getType())
             .isLastDimUnitStride())
      return unit.emitOpError("compares coordinates that are no neighbours in "
                              "memory; copy them to a memref without a layout");
  }
  return success();
}
