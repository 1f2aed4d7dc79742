//===- FreedMemory.cpp - Memory is freed once, and not used then ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FreedMemory.h"

#include "ember/Analysis/Buffers.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace ember::checks {

/// Whose memory `buffer` is, if the function may not free it; empty if it may.
/// Callers in the module may hand memory over.
static StringRef getOwner(Value buffer, FunctionOpInterface function) {
  if (auto argument = dyn_cast<BlockArgument>(buffer)) {
    bool isParameter = argument.getOwner()->getParentOp() == function;
    return isParameter && function.isPublic() ? "its caller's" : "";
  }
  if (buffer.getDefiningOp<memref::AllocaOp>())
    return "the stack's";
  if (buffer.getDefiningOp<memref::GetGlobalOp>())
    return "the module's";
  return "";
}

/// The loop around `free` that allocates what is freed outside; null if there
/// is none.
static Operation *getRepeatingLoop(memref::DeallocOp free, Value buffer) {
  Region *home = buffer.getParentRegion();
  for (Operation *op = free->getParentOp(); op; op = op->getParentOp()) {
    if (op->getParentRegion() && !home->isAncestor(op->getParentRegion()))
      return nullptr;
    if (isa<LoopLikeOpInterface>(op))
      return op;
  }
  return nullptr;
}

static LogicalResult checkFree(memref::DeallocOp free, Value buffer,
                               ArrayRef<Operation *> users,
                               FunctionOpInterface function) {
  StringRef owner = getOwner(buffer, function);
  if (!owner.empty())
    return free->emitError("frees memory that is ")
           << owner << ": only what a function allocates is freed by it";
  if (getRepeatingLoop(free, buffer))
    return free->emitError("frees the same memory in each iteration of a loop");
  for (Operation *user : users) {
    Operation *inBlock = free->getBlock()->findAncestorOpInBlock(*user);
    if (!inBlock || !free->isBeforeInBlock(inBlock))
      continue;
    InFlightDiagnostic error = user->emitError(
        isa<memref::DeallocOp>(user) ? "frees memory that was freed before"
                                     : "uses memory that was freed before");
    error.attachNote(free.getLoc()) << "here";
    return error;
  }
  return success();
}

LogicalResult checkFreedMemory(FunctionOpInterface function) {
  SmallVector<std::pair<memref::DeallocOp, Value>> frees;
  function.walk([&](memref::DeallocOp free) {
    frees.emplace_back(free, getBuffer(free.getMemref()));
  });
  if (frees.empty())
    return success();
  llvm::DenseMap<Value, SmallVector<Operation *>> users;
  for (auto [free, buffer] : frees)
    users[buffer];
  function.walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!isa<BaseMemRefType>(operand.getType()))
        continue;
      auto found = users.find(getBuffer(operand));
      if (found != users.end())
        found->second.push_back(op);
    }
  });
  for (auto [free, buffer] : frees)
    if (failed(checkFree(free, buffer, users[buffer], function)))
      return failure();
  return success();
}

} // namespace ember::checks
