//===- TimedTeam.cpp - Maps timed streams in several threads --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In each sweep, threads take blocks until none is left, and map what was in
// their streams when the sweep began. What a block shows does not depend on how
// far it is mapped at a time, nor on who does it.
//
//===----------------------------------------------------------------------===//

#include "TimedMachine.h"

#include "llvm/ADT/STLExtras.h"

#include <barrier>
#include <thread>

using namespace llvm;

namespace ember::sim::sam {

class TimedMachine::Team {
public:
  Team(TimedMachine &machine, unsigned threads)
      : machine(machine), barrier(threads) {
    for (unsigned number = 1; number < threads; ++number)
      workers.emplace_back([this] { help(); });
  }
  ~Team() {
    ends = true;
    barrier.arrive_and_wait();
    for (std::thread &worker : workers)
      worker.join();
  }

  /// Whether any of the blocks had something to map.
  bool mapAll(ArrayRef<TimedBlock *> blocks) {
    due = blocks;
    next.store(0, std::memory_order_relaxed);
    moved.store(false, std::memory_order_relaxed);
    barrier.arrive_and_wait();
    mapDue();
    barrier.arrive_and_wait();
    return moved.load(std::memory_order_relaxed);
  }

private:
  void help() {
    while (true) {
      barrier.arrive_and_wait();
      if (ends)
        return;
      mapDue();
      barrier.arrive_and_wait();
    }
  }

  void mapDue() {
    for (size_t number; (number = next.fetch_add(1)) < due.size();)
      if (machine.map(*due[number]))
        moved.store(true, std::memory_order_relaxed);
  }

  TimedMachine &machine;
  std::barrier<> barrier;
  std::vector<std::thread> workers;
  ArrayRef<TimedBlock *> due;
  std::atomic<size_t> next = 0;
  std::atomic<bool> moved = false;
  bool ends = false;
};

void TimedMachine::EndTeam::operator()(Team *team) const { delete team; }

std::unique_ptr<TimedMachine::Team, TimedMachine::EndTeam>
TimedMachine::makeTeam() {
  if (options.threads < 2)
    return nullptr;
  return std::unique_ptr<Team, EndTeam>(new Team(*this, options.threads));
}

bool TimedMachine::sweepTogether(Team &team, uint64_t mostBacklog,
                                 bool &isHeldBack) {
  std::vector<TimedBlock *> due;
  for (TimedBlock &block : blocks)
    block.refresh();
  for (TimedStream &stream : streams)
    stream.outgrown.clear();
  for (unsigned number : graph.getOrder()) {
    TimedBlock &block = blocks[number];
    if (block.isDone)
      continue;
    if (isFarAhead(block, mostBacklog))
      isHeldBack = true;
    else
      due.push_back(&block);
  }
  // Those with most to do come first, so that nobody waits for a last one.
  auto work = [](const TimedBlock *block) {
    uint64_t tokens = 0;
    for (const TimedInput &input : ArrayRef(block->in, block->numInputs))
      tokens += input.tail - input.head;
    return std::min(tokens, tokensAtOnce);
  };
  llvm::sort(due, [&](const TimedBlock *a, const TimedBlock *b) {
    return work(a) > work(b);
  });
  return team.mapAll(due);
}

} // namespace ember::sim::sam
