//===- RingVerifyProtocol.cpp - How a function uses its rings -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What no operation of a half can see alone. A slot begins and ends in one
// block, so that it is ended as often as it was begun whatever the control flow
// around it does; between the two, and in what is nested there, it is the open
// slot of its ring, the only one.
//
// The function is looked at before its operations have been verified, so each
// of them is verified here first.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Ring/IR/Ring.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace ember::ring;

namespace {
class ProtocolVerifier {
public:
  ProtocolVerifier(FunctionOpInterface function, Half half)
      : function(function), half(half) {}

  LogicalResult verify();

private:
  LogicalResult verifyOperations();
  LogicalResult verifyUses(Operation *op);
  LogicalResult verifyTokensOfOperands();
  LogicalResult verifyBlock(Block &block);
  LogicalResult verifyOrder(Operation &op);
  LogicalResult begin(Operation *op, Value ring, Value slot);
  LogicalResult use(Operation *op, Value slot);
  LogicalResult end(Operation *op, Value slot);
  LogicalResult verifyEnds();

  /// What ends the slots of this half.
  StringRef endOfSlots() const {
    return half == Half::access ? "commit" : "release";
  }

  FunctionOpInterface function;
  Half half;
  /// The slot of each data ring that has begun and not ended.
  llvm::SmallMapVector<Value, Value, 2> open;
  /// Slots that something has been stored to.
  llvm::SmallPtrSet<Value, 8> filled;
  /// The end of each token ring that has ended.
  llvm::SmallDenseMap<Value, Operation *, 2> ended;
};
} // namespace

//===----------------------------------------------------------------------===//
// Where rings go
//===----------------------------------------------------------------------===//

LogicalResult ProtocolVerifier::verifyUses(Operation *op) {
  bool isOurs = isOfHalf(op);
  for (Value operand : op->getOperands()) {
    if (isa<SlotType>(operand.getType()) && !isOurs)
      return op->emitOpError("hands on a slot, which only operations of the "
                             "ring dialect may use");
    if (isRing(operand.getType()) && !isOurs && !isa<RunOp>(op))
      return op->emitOpError("hands on a ring, which only operations of the "
                             "ring dialect may use");
    auto argument = dyn_cast<BlockArgument>(operand);
    if (isOurs && isRing(operand.getType()) &&
        (!argument || argument.getOwner() != &function.front()))
      return op->emitOpError("uses a ring that is no argument of its function");
    if (isa<SlotType>(operand.getType()) &&
        !isa_and_present<AcquireOp, WaitOp>(operand.getDefiningOp()))
      return op->emitOpError("uses a slot that was neither acquired nor "
                             "waited for");
  }
  return success();
}

/// Verifies each operation alone, and that order can be seen at all.
LogicalResult ProtocolVerifier::verifyOperations() {
  WalkResult walk = function->walk([&](Operation *op) {
    if (op == function)
      return WalkResult::advance();
    if (isOfHalf(op)) {
      if (failed(op->getName().verifyInvariants(op)))
        return WalkResult::interrupt();
      if (!op->getParentRegion()->hasOneBlock()) {
        op->emitOpError("stands among branches; the protocol is verified in "
                        "structured control flow");
        return WalkResult::interrupt();
      }
    }
    return failed(verifyUses(op)) ? WalkResult::interrupt()
                                  : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// An operand belongs to a token that the function pushes.
LogicalResult ProtocolVerifier::verifyTokensOfOperands() {
  llvm::SmallDenseSet<uint64_t> pushed;
  function->walk([&](PushOp push) { pushed.insert(push.getId()); });
  WalkResult walk = function->walk([&](AcquireOp acquire) {
    if (pushed.contains(acquire.getToken()))
      return WalkResult::advance();
    acquire.emitOpError("is for an operand of token ")
        << acquire.getToken() << ", which is never pushed";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

LogicalResult ProtocolVerifier::begin(Operation *op, Value ring, Value slot) {
  auto [entry, isFirst] = open.insert({ring, slot});
  if (isFirst)
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("comes before the ")
                                  << endOfSlots()
                                  << " of the ring's slot before it";
  diagnostic.attachNote(entry->second.getLoc()) << "the slot";
  return diagnostic;
}

LogicalResult ProtocolVerifier::use(Operation *op, Value slot) {
  Value ring = slot.getDefiningOp()->getOperand(0);
  if (open.lookup(ring) == slot)
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("uses a slot after its ")
                                  << endOfSlots();
  diagnostic.attachNote(slot.getLoc()) << "the slot";
  return diagnostic;
}

LogicalResult ProtocolVerifier::end(Operation *op, Value slot) {
  if (failed(use(op, slot)))
    return failure();
  if (slot.getDefiningOp()->getBlock() != op->getBlock()) {
    InFlightDiagnostic diagnostic =
        op->emitOpError("stands in another block than the slot: it would not "
                        "run once for each");
    diagnostic.attachNote(slot.getLoc()) << "the slot";
    return diagnostic;
  }
  if (half == Half::access && !filled.contains(slot))
    return op->emitOpError("pushes an operand that was never stored");
  open.erase(slot.getDefiningOp()->getOperand(0));
  return success();
}

LogicalResult ProtocolVerifier::verifyOrder(Operation &op) {
  if (auto acquire = dyn_cast<AcquireOp>(op))
    return begin(&op, acquire.getRing(), acquire.getSlot());
  if (auto wait = dyn_cast<WaitOp>(op))
    return begin(&op, wait.getRing(), wait.getSlot());
  if (auto commit = dyn_cast<CommitOp>(op))
    return end(&op, commit.getSlot());
  if (auto release = dyn_cast<ReleaseOp>(op))
    return end(&op, release.getSlot());
  if (auto store = dyn_cast<StoreOp>(op)) {
    filled.insert(store.getSlot());
    return use(&op, store.getSlot());
  }
  if (auto load = dyn_cast<LoadOp>(op))
    return use(&op, load.getSlot());
  if (auto trace = dyn_cast<TraceOperandOp>(op))
    return use(&op, trace.getSlot());
  if (auto last = dyn_cast<EndOp>(op)) {
    if (op.getBlock() != &function.front())
      return op.emitOpError("stands within control flow: a program ends once");
    ended.insert({last.getRing(), &op});
  }
  return success();
}

LogicalResult ProtocolVerifier::verifyBlock(Block &block) {
  for (Operation &op : block) {
    bool isPush = isa<AcquireOp, PushOp, EndOp>(op);
    if (isPush && !ended.empty()) {
      InFlightDiagnostic diagnostic =
          op.emitOpError("comes after the end of the program");
      diagnostic.attachNote(ended.begin()->second->getLoc()) << "the end";
      return diagnostic;
    }
    if (failed(verifyOrder(op)))
      return failure();
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        if (failed(verifyBlock(nested)))
          return failure();
  }
  for (auto [ring, slot] : open)
    if (slot.getDefiningOp()->getBlock() == &block)
      return slot.getDefiningOp()->emitOpError("has no ")
             << endOfSlots() << " in its block";
  return success();
}

LogicalResult ProtocolVerifier::verifyEnds() {
  for (BlockArgument argument : function.getArguments())
    if (isa<TokensType>(argument.getType()) && !ended.contains(argument))
      return function->emitOpError("never ends the tokens of argument #")
             << argument.getArgNumber();
  return success();
}

LogicalResult ProtocolVerifier::verify() {
  if (failed(verifyOperations()))
    return failure();
  if (function.isExternal())
    return success();
  for (Block &block : function.getFunctionBody())
    if (failed(verifyBlock(block)))
      return failure();
  if (half == Half::compute)
    return success();
  if (failed(verifyTokensOfOperands()))
    return failure();
  return verifyEnds();
}

LogicalResult ember::ring::verifyProtocol(Operation *function, Half half) {
  return ProtocolVerifier(cast<FunctionOpInterface>(function), half).verify();
}
