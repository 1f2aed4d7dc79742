//===- ReplaceToValOps.cpp - Align the data queue -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Queue alignment (paper, section 7.3): in nests whose callbacks read vectors,
// scalars are counted, addressed or padded away. This file chooses; the
// strategies are in QueueCounters.cpp, QueueAddresses.cpp and
// QueuePadding.cpp.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLCV/Transforms/Passes.h"

#include "QueueAlignment.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace ember::slcv {
#define GEN_PASS_DEF_REPLACETOVALOPS
#include "ember/Dialect/SLCV/Transforms/Passes.h.inc"
} // namespace ember::slcv

using namespace mlir;
using namespace ember;
using namespace ember::slcv;
using ember::slc::BufferType;
using ember::slc::CallbackOp;
using ember::slc::LoopOpInterface;
using ember::slc::StrToValOp;

int64_t ember::slcv::getOperandBytes(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    type = memref.getElementType();
  int64_t elements = 1;
  if (auto vector = dyn_cast<VectorType>(type)) {
    elements = vector.getNumElements();
    type = vector.getElementType();
  }
  int64_t bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return llvm::divideCeil(static_cast<uint64_t>(elements * bits), 8);
}

CallbackOp ember::slcv::getLastCallback(LoopOpInterface loop) {
  CallbackOp last;
  for (CallbackOp callback : loop.getBody()->getOps<CallbackOp>())
    last = callback;
  return last;
}

bool ember::slcv::readsVectors(StrToValOp toVal) {
  Type type = toVal.getValue().getType();
  if (auto memref = dyn_cast<MemRefType>(type))
    type = memref.getElementType();
  return isa<VectorType>(type);
}

SmallVector<CallbackOp> ember::slcv::getCallbacks(LoopOpInterface root) {
  SmallVector<CallbackOp> callbacks;
  root.walk<WalkOrder::PreOrder>(
      [&](CallbackOp callback) { callbacks.push_back(callback); });
  return callbacks;
}

SmallVector<StrToValOp> ember::slcv::getScalarReads(CallbackOp callback) {
  SmallVector<StrToValOp> reads;
  callback.walk([&](StrToValOp toVal) {
    if (!isa<MemRefType, VectorType>(toVal.getValue().getType()))
      reads.push_back(toVal);
  });
  return reads;
}

/// The bytes of the largest vectors the callbacks of a nest read; 0 if they
/// read none.
static int64_t getVectorBytes(LoopOpInterface root) {
  int64_t bytes = 0;
  for (CallbackOp callback : getCallbacks(root))
    callback.walk([&](StrToValOp toVal) {
      if (readsVectors(toVal))
        bytes = std::max(bytes, getOperandBytes(toVal.getValue().getType()));
    });
  return bytes;
}

namespace {
/// Which of the scalars that could be counted are.
enum class CounterChoice {
  /// All.
  everywhere,
  /// Those of callbacks that are left with no scalar.
  whereNoneIsLeft,
  /// Those that the outermost loop counts: its counter is set once, and costs
  /// at most one token an iteration, where sending costs an operand each time
  /// it is read. That of a nested loop is set again whenever the loop begins.
  outermost,
};

struct ReplaceToValOps
    : public slcv::impl::ReplaceToValOpsBase<ReplaceToValOps> {
  using ReplaceToValOpsBase::ReplaceToValOpsBase;

  LoopOpInterface count(LoopOpInterface root, CounterChoice choice);
  void address(LoopOpInterface root, bool mustSave);
  void align(LoopOpInterface root);
  void runOnOperation() override;
};
} // namespace

/// True if counting would need a token where there is none: in the iterations
/// whose last callback is left out.
static bool endsWithMask(LoopOpInterface loop) {
  CallbackOp last = getLastCallback(loop);
  return last && last.getMask();
}

/// The induction variables and iteration counts to count.
static llvm::SetVector<Value> chooseCounters(LoopOpInterface root,
                                             CounterChoice choice) {
  llvm::SetVector<Value> chosen;
  for (CallbackOp callback : getCallbacks(root)) {
    SmallVector<StrToValOp> reads = getScalarReads(callback);
    if (choice == CounterChoice::whereNoneIsLeft &&
        !llvm::all_of(reads,
                      [](StrToValOp toVal) { return getCountedLoop(toVal); }))
      continue;
    for (StrToValOp toVal : reads) {
      LoopOpInterface loop = getCountedLoop(toVal);
      bool isRoot = loop == root && !endsWithMask(loop);
      if (loop && (choice != CounterChoice::outermost || isRoot))
        chosen.insert(toVal.getStream());
    }
  }
  return chosen;
}

/// Returns the nest's root, which is a new one if it carries a counter.
LoopOpInterface ReplaceToValOps::count(LoopOpInterface root,
                                       CounterChoice choice) {
  Block *block = root->getBlock();
  Operation *next = root->getNextNode();
  for (Value stream : chooseCounters(root, choice))
    counted += replaceByCounter(cast<BlockArgument>(stream));
  return cast<LoopOpInterface>(next ? next->getPrevNode() : &block->back());
}

void ReplaceToValOps::address(LoopOpInterface root, bool mustSave) {
  for (CallbackOp callback : getCallbacks(root))
    addressed += replaceByPositions(callback, mustSave);
}

void ReplaceToValOps::align(LoopOpInterface root) {
  int64_t bytes = getVectorBytes(root);
  if (bytes == 0)
    return;
  switch (strategy) {
  case AlignmentStrategy::counters:
    count(root, CounterChoice::everywhere);
    return;
  case AlignmentStrategy::addresses:
    address(root, /*mustSave=*/false);
    return;
  case AlignmentStrategy::automatic:
    root = count(root, CounterChoice::whereNoneIsLeft);
    address(root, /*mustSave=*/true);
    root = count(root, CounterChoice::outermost);
    break;
  case AlignmentStrategy::pad:
    break;
  }
  for (CallbackOp callback : getCallbacks(root))
    padded += padScalars(callback, bytes);
}

void ReplaceToValOps::runOnOperation() {
  for (LoopOpInterface root : ember::slc::getNestRoots(getOperation()))
    align(root);
}
