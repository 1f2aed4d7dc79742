//===- RingVerifyBalance.cpp - What is pushed is what is popped -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands arrive in the order in which they are pushed, so that the two halves
// of a program lose step where one acquires what the other one does not wait
// for. Both are compared token by token, in the order of their code. How often
// a loop in a half runs only the runtime sees.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Ring/IR/Ring.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace ember::ring;

namespace {
/// The uses of one data ring by the token they are for, in the order of the
/// code.
template <typename Op>
using ByToken = llvm::MapVector<int64_t, SmallVector<Op>>;
} // namespace

template <typename Op> static ByToken<Op> collect(Value ring) {
  ByToken<Op> uses;
  ring.getParentRegion()->walk([&](Op op) {
    if (op.getRing() == ring)
      uses[static_cast<int64_t>(op.getToken())].push_back(op);
  });
  return uses;
}

static LogicalResult verifyToken(int64_t token, ArrayRef<AcquireOp> pushes,
                                 ArrayRef<WaitOp> waits) {
  for (auto [acquired, awaits] : llvm::zip(pushes, waits)) {
    AcquireOp push = acquired;
    WaitOp wait = awaits;
    Type pushed = push.getSlot().getType().getOperandType();
    Type awaited = wait.getSlot().getType().getOperandType();
    if (pushed == awaited)
      continue;
    InFlightDiagnostic diagnostic =
        wait->emitOpError("is for ")
        << getOperandBytes(awaited) << " bytes, a " << awaited
        << ", where the access half pushes " << getOperandBytes(pushed)
        << ", a " << pushed;
    diagnostic.attachNote(push.getLoc()) << "pushed here";
    return diagnostic;
  }
  if (waits.size() > pushes.size())
    return WaitOp(waits[pushes.size()])
               ->emitOpError("has no operand to wait for: token ")
           << token << " gets " << pushes.size();
  if (pushes.size() > waits.size())
    return AcquireOp(pushes[waits.size()])
               ->emitOpError("is for an operand of token ")
           << token << " that the compute half never waits for";
  return success();
}

LogicalResult ember::ring::verifyBalance(RunOp run, Operation *access,
                                         Operation *compute) {
  Block &producer = cast<FunctionOpInterface>(access).front();
  Block &consumer = cast<FunctionOpInterface>(compute).front();
  for (auto [number, ring] : llvm::enumerate(run.getAccessArgs())) {
    if (!isa<DataType>(ring.getType()))
      continue;
    auto place = llvm::find(run.getComputeArgs(), ring);
    auto pushes = collect<AcquireOp>(producer.getArgument(number));
    auto waits = collect<WaitOp>(consumer.getArgument(
        std::distance(run.getComputeArgs().begin(), place)));
    for (auto &[token, ops] : pushes)
      if (failed(verifyToken(token, ops, waits.lookup(token))))
        return failure();
    for (auto &[token, ops] : waits)
      if (!pushes.contains(token) && failed(verifyToken(token, {}, ops)))
        return failure();
  }
  return success();
}
