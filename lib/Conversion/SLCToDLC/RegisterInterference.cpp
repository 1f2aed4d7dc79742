//===- RegisterInterference.cpp - Values needed at the same time ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/SLCToDLC/RegisterInterference.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace ember;
using ember::slc::CallbackOp;
using ember::slc::LoopOpInterface;

namespace {
using LiveSet = llvm::SmallDenseSet<Value, 8>;

/// Backward liveness over one nest; `check` is told about every write together
/// with what is live behind it.
class NestLiveness {
public:
  using Check = llvm::function_ref<void(ValueRange written, const LiveSet &)>;

  NestLiveness(LoopOpInterface root, Check check) : root(root), check(check) {}

  /// What is live before `loop`, given what is live after it.
  LiveSet before(LoopOpInterface loop, const LiveSet &after, bool report);

private:
  LiveSet beforeBody(LoopOpInterface loop, LiveSet live, bool report);

  LoopOpInterface root;
  Check check;
};
} // namespace

/// Live before the parallel copies `to[i] = from[i]`.
static LiveSet beforeCopies(const LiveSet &after, ValueRange to,
                            ValueRange from) {
  LiveSet live = after;
  for (Value value : to)
    live.erase(value);
  for (auto [target, source] : llvm::zip_equal(to, from))
    if (after.contains(target))
      live.insert(source);
  return live;
}

LiveSet NestLiveness::beforeBody(LoopOpInterface loop, LiveSet live,
                                 bool report) {
  for (Operation &op : llvm::reverse(loop.getBody()->without_terminator())) {
    if (auto nested = dyn_cast<LoopOpInterface>(op)) {
      live = before(nested, live, report);
      continue;
    }
    auto callback = dyn_cast<CallbackOp>(op);
    if (!callback)
      continue;
    if (report)
      check(callback.getResults(), live);
    for (Value result : callback.getResults())
      live.erase(result);
    for (Value value : callback.getOtherwise())
      if (!slc::isFixedDuringNest(value, root))
        live.insert(value);
    callback.getRegion().walk([&](Operation *inside) {
      for (Value operand : inside->getOperands())
        if (!callback.getRegion().isAncestor(operand.getParentRegion()) &&
            !isa<slc::StreamType, slc::BufferType>(operand.getType()) &&
            !slc::isFixedDuringNest(operand, root))
          live.insert(operand);
    });
  }
  return live;
}

LiveSet NestLiveness::before(LoopOpInterface loop, const LiveSet &after,
                             bool report) {
  ValueRange carried = loop.getRegionIterArgs();
  ValueRange yielded = loop.getYield()->getOperands();
  // The values the results are copied from live where the loop is left.
  LiveSet exit = beforeCopies(after, loop->getResults(), carried);
  LiveSet head = exit;
  while (true) {
    LiveSet end = beforeCopies(head, carried, yielded);
    LiveSet next = beforeBody(loop, end, /*report=*/false);
    next.insert(exit.begin(), exit.end());
    if (next.size() == head.size())
      break;
    next.insert(head.begin(), head.end());
    head = std::move(next);
  }
  if (report) {
    check(carried, head);
    check(loop->getResults(), after);
    beforeBody(loop, beforeCopies(head, carried, yielded), /*report=*/true);
  }
  return beforeCopies(head, carried, ValueRange(loop.getIterArgs()));
}

bool ember::interferes(LoopOpInterface root,
                       llvm::function_ref<bool(Value, Value)> share) {
  bool found = false;
  auto check = [&](ValueRange written, const LiveSet &live) {
    for (auto [i, value] : llvm::enumerate(written)) {
      for (Value other : live)
        found |= other != value && share(value, other);
      for (Value other : written.drop_front(i + 1))
        found |= share(value, other);
    }
  };
  NestLiveness liveness(root, check);
  LiveSet after;
  after.insert(root->result_begin(), root->result_end());
  liveness.before(root, after, /*report=*/true);
  return found;
}
