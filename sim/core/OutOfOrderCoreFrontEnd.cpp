//===- OutOfOrderCoreFrontEnd.cpp - Fetch and rename ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/OutOfOrderCore.h"

#include <algorithm>

using namespace ember::sim;

namespace {
bool overlap(const MemoryAccess &a, const MemoryAccess &b) {
  return a.address < b.address + b.size && b.address < a.address + a.size;
}
bool covers(const MemoryAccess &store, const MemoryAccess &load) {
  return store.address <= load.address &&
         load.address + load.size <= store.address + store.size;
}
} // namespace

void OutOfOrderCore::findStores(Entry &e) {
  for (uint64_t i = storeTail; i != storeHead; --i) {
    Store &store = storeAt(i - 1);
    bool waits = false;
    if (parameters.disambiguation == Disambiguation::waitForStores &&
        !store.executed) {
      entry(store.sequence).dependents.push_back(e.sequence);
      ++e.pending;
      waits = true;
    }
    const MemoryAccess *meets = nullptr;
    bool covered = e.accesses.size() == 1;
    for (const MemoryAccess &load : e.accesses)
      for (const MemoryAccess &other : store.accesses)
        if (overlap(load, other)) {
          meets = &other;
          covered &= covers(other, load);
        }
    if (!meets)
      continue;
    if (!covered) {
      store.dependents.push_back(e.sequence);
      ++e.pending;
      return;
    }
    if (!store.executed && !waits) {
      entry(store.sequence).dependents.push_back(e.sequence);
      ++e.pending;
    }
    e.forwarded = true;
    return;
  }
}

bool OutOfOrderCore::roomFor(const Entry &e) {
  uint64_t *full =
      robUsed && robUsed + e.operations > parameters.reorderBuffer
          ? &count.robFull
      : queueUsed == parameters.issueQueue ? &count.issueQueueFull
      : e.instruction->load && loadsUsed == parameters.loadQueue
          ? &count.loadQueueFull
      : e.instruction->store && storeTail - storeHead == parameters.storeQueue
          ? &count.storeQueueFull
      // 32 of each hold what is architectural.
      : generalUsed + e.general + 32 > parameters.generalRegisters ||
              vectorsUsed + e.vectors + 48 > parameters.vectorRegisters
          ? &count.registersFull
          : nullptr;
  if (full)
    ++*full;
  stalledBy = full;
  return !full;
}

bool OutOfOrderCore::rename() {
  bool any = false;
  for (uint64_t width = parameters.renameWidth; width && tail != fetched;
       --width) {
    Entry &e = entry(tail);
    if (clock.cycle(e.fetch) + parameters.frontEndCycles > now || !roomFor(e))
      break;
    if (e.instruction->serialises && (head != tail || storeHead != storeTail))
      break;
    any = true;
    refilling = false;
    e.rename = engine.now();
    robUsed += e.operations;
    ++queueUsed;
    generalUsed += e.general;
    vectorsUsed += e.vectors;
    for (unsigned source : e.instruction->sources) {
      uint64_t writer = writers[source];
      if (writer == none || writer < head)
        continue;
      Entry &producer = entry(writer);
      if (producer.stage == Stage::done)
        continue;
      bool early = source == producer.instruction->movedBase;
      if (early && producer.stage == Stage::issued)
        continue;
      (early ? producer.addressDependents : producer.dependents)
          .push_back(e.sequence);
      ++e.pending;
    }
    for (unsigned destination : e.instruction->destinations)
      writers[destination] = e.sequence;
    if (e.instruction->load) {
      ++loadsUsed;
      count.loadQueue.set(engine.now(), loadsUsed);
      if (!e.device)
        findStores(e);
    }
    if (e.instruction->store) {
      e.storeIndex = storeTail;
      Store &store = storeAt(storeTail);
      store.sequence = e.sequence;
      store.pc = e.pc;
      store.executed = store.retired = false;
      store.device = e.device;
      store.linesAsked = 0;
      store.accesses.clear();
      store.lines.clear();
      for (const MemoryAccess &access : e.accesses) {
        if (!access.store)
          continue;
        store.accesses.push_back(access);
        for (uint64_t line = lineOf(access.address);
             line <= lineOf(access.address + access.size - 1); ++line)
          store.lines.push_back(line);
      }
      store.linesLeft = static_cast<uint32_t>(store.lines.size());
      ++storeTail;
      count.storeQueue.set(engine.now(), storeTail - storeHead);
    }
    ++tail;
    if (!e.pending)
      becomeReady(e.sequence);
  }
  if (any) {
    count.rob.set(engine.now(), robUsed);
    count.issueQueue.set(engine.now(), queueUsed);
  }
  return any;
}

bool OutOfOrderCore::fetch() {
  bool any = false;
  if (held || fetchWaitsFor != none || fetchFrom > now)
    return false;
  for (uint64_t width = parameters.fetchWidth;
       width && !sourceEnded && fetched - tail < frontEndRoom; --width) {
    DynamicInstruction next;
    if (llvm::Error failed = emulator.step(next)) {
      error = llvm::joinErrors(std::move(error), std::move(failed));
      sourceEnded = true;
      break;
    }
    sourceEnded = emulator.returned();
    Entry &e = entry(fetched);
    const StaticInstruction &instruction = *next.instruction;
    e.sequence = fetched++;
    e.pc = next.pc;
    e.instruction = &instruction;
    e.fetch = engine.now();
    e.rename = e.issue = e.complete = 0;
    e.stage = Stage::waiting;
    e.mispredicted = e.device = e.forwarded = e.asked = false;
    e.pending = e.portsTaken = e.linesLeft = e.translationsLeft = e.general =
        e.vectors = 0;
    e.operations = static_cast<uint32_t>(instruction.operations.size());
    e.accesses.assign(next.accesses.begin(), next.accesses.end());
    e.dependents.clear();
    e.addressDependents.clear();
    for (unsigned name : instruction.destinations)
      ++(name < firstVectorName || name >= flagsName ? e.general : e.vectors);
    for (const MemoryAccess &access : e.accesses) {
      if (instruction.load && !access.prefetch && !access.store)
        e.linesLeft += static_cast<uint32_t>(
            lineOf(access.address + std::max(access.size, 1u) - 1) -
            lineOf(access.address) + 1);
      e.device |=
          !access.prefetch && emulator.state().memory->isDevice(access.address);
    }
    any = true;
    if (instruction.branch == BranchKind::none)
      continue;
    if (!predictor.predict(next)) {
      e.mispredicted = true;
      ++count.mispredictions;
      fetchWaitsFor = e.sequence;
      break;
    }
    if (next.next != next.pc + 4)
      break;
  }
  return any;
}
