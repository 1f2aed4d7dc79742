//===- HalfLowering.cpp - Halves of programs on the runtime ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalfLowering.h"

#include "QueueCalls.h"
#include "TraceCalls.h"
#include "ember/Conversion/RingToNative/TokenLayout.h"

#include "ember/Dialect/Ring/IR/Ring.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember;
using namespace ember::ring;

namespace {
/// Lowers the operations of one half, those that define slots first.
class HalfLowering {
public:
  HalfLowering(Value queuePointer, RuntimeCalls &calls, MLIRContext *context)
      : queues(calls, queuePointer), calls(calls), builder(context) {}

  void lower(Operation *op);

private:
  void replace(Value result, Value value) { result.replaceAllUsesWith(value); }
  TokenLayout layoutOf(TypedValue<TokensType> ring) {
    return TokenLayout(ring.getType());
  }

  QueueCalls queues;
  RuntimeCalls &calls;
  OpBuilder builder;
  /// The memory of each slot.
  llvm::DenseMap<Value, Value> memory;
};
} // namespace

static int64_t bytesOf(TypedValue<SlotType> slot) {
  return getOperandBytes(slot.getType().getOperandType());
}

void HalfLowering::lower(Operation *op) {
  builder.setInsertionPoint(op);
  Location loc = op->getLoc();
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](AcquireOp acquire) {
        auto slot = acquire.getSlot();
        memory[slot] = queues.acquire(builder, loc, bytesOf(slot));
      })
      .Case([&](WaitOp wait) {
        auto slot = wait.getSlot();
        memory[slot] = queues.wait(builder, loc, bytesOf(slot));
      })
      .Case([&](StoreOp store) {
        queues.store(builder, loc, store.getValue(),
                     memory.lookup(store.getSlot()));
      })
      .Case([&](LoadOp load) {
        replace(load.getValue(),
                queues.load(builder, loc, load.getValue().getType(),
                            memory.lookup(load.getSlot())));
      })
      .Case([&](CommitOp commit) {
        queues.commit(builder, loc, bytesOf(commit.getSlot()));
      })
      .Case([&](ReleaseOp release) {
        queues.release(builder, loc, bytesOf(release.getSlot()));
      })
      .Case([&](PushOp push) {
        Value token =
            layoutOf(push.getRing())
                .encode(builder, loc, static_cast<int64_t>(push.getId()),
                        push.getValue());
        queues.pushToken(builder, loc, token);
      })
      .Case([&](EndOp) {
        queues.pushToken(builder, loc, TokenLayout::encodeEnd(builder, loc));
      })
      .Case([&](FollowsOp follows) {
        replace(follows.getResult(),
                layoutOf(follows.getRing())
                    .emitFollows(builder, loc, follows.getValue()));
      })
      .Case([&](PopOp pop) {
        Value token = queues.popToken(builder, loc);
        replace(pop.getMore(),
                layoutOf(pop.getRing()).getMore(builder, loc, token));
        replace(pop.getToken(), token);
      })
      .Case([&](TokenIdOp id) {
        replace(id.getId(),
                layoutOf(id.getRing()).getId(builder, loc, id.getToken()));
      })
      .Case([&](TokenFollowsOp follows) {
        replace(follows.getResult(),
                layoutOf(follows.getRing())
                    .getFollows(builder, loc, follows.getToken()));
      })
      .Case([&](TokenValueOp value) {
        replace(value.getValue(),
                layoutOf(value.getRing())
                    .getValue(builder, loc, value.getValue().getType(),
                              value.getToken()));
      })
      .Case([&](TraceOperandOp trace) {
        traceOperand(builder, trace, memory.lookup(trace.getSlot()), calls);
      })
      .Case([&](TraceTokenOp trace) { traceToken(builder, trace, calls); });
}

/// The arguments of `function` that are rings; fails if there are several of a
/// kind.
static FailureOr<BitVector> findRings(func::FuncOp function) {
  BitVector rings(function.getNumArguments());
  int dataRings = 0, tokenRings = 0;
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    dataRings += isa<DataType>(type);
    tokenRings += isa<TokensType>(type);
    if (isRing(type))
      rings.set(number);
  }
  if (dataRings <= 1 && tokenRings <= 1)
    return rings;
  return function.emitOpError("takes ")
         << dataRings << " data and " << tokenRings
         << " token rings; a program on threads has one of each";
}

LogicalResult ember::lowerHalf(func::FuncOp function, RuntimeCalls &calls) {
  FailureOr<BitVector> rings = findRings(function);
  if (failed(rings))
    return failure();
  MLIRContext *context = function.getContext();
  auto noAlias = DictionaryAttr::get(
      context,
      NamedAttribute(
          StringAttr::get(context, LLVM::LLVMDialect::getNoAliasAttrName()),
          UnitAttr::get(context)));
  unsigned last = function.getNumArguments();
  if (failed(function.insertArgument(last, LLVM::LLVMPointerType::get(context),
                                     noAlias, function.getLoc())))
    return failure();
  if (!function.isExternal()) {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      if (isOfHalf(op))
        ops.push_back(op);
    });
    HalfLowering lowering(function.getArgument(last), calls, context);
    for (Operation *op : ops)
      lowering.lower(op);
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }
  rings->push_back(false);
  function->removeAttr(RingDialect::halfAttr);
  return function.eraseArguments(*rings);
}
