//===- MemoryPlan.cpp - Which commands a controller wants, and when -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Memory/MemoryController.h"

#include <bit>

using namespace ember::sim;

// Urgencies: refreshes, a request above the age cap, the others by age, and
// rows that nobody wants any more.
static constexpr uint64_t refreshUrgency = 0;
static constexpr uint64_t agedUrgency = 1;
static constexpr uint64_t firstUrgency = 2;
static constexpr uint64_t leastUrgency = ~uint64_t{0};

void MemoryController::wake(Tick at) {
  if (at >= wakeAt)
    return;
  wakeAt = at;
  engine.schedule(at, *this, wakeUp);
}

void MemoryController::run() {
  Tick now = engine.now();
  wakeAt = never;
  settle();
  if (planIsOld)
    next = plan(now);
  // Another pseudo-channel may have taken a bus since.
  if (next.at == now && ((next.column.wanted() && buses.columnFree > now) ||
                         (next.row.wanted() && buses.rowFree > now)))
    next = plan(now);
  if (next.at == now) {
    issue(next);
    next = plan(now + clock.period());
  }
  if (next.at != never)
    wake(next.at);
}

void MemoryController::updateMode() {
  Mode wanted = wantedMode();
  if (wanted == writing)
    draining |= queues[writing].size() >= parameters.writeHigh;
  if (draining &&
      (wanted == reading || queues[writing].size() <= parameters.writeLow))
    draining = false;
  if (wanted != mode)
    ++counts.turns;
  mode = wanted;
}

/// What a bank has to do next for the requests that are served now.
MemoryController::Candidate
MemoryController::candidateOf(unsigned bank, uint32_t urgent) const {
  const RequestQueue &queue = queues[mode];
  Candidate candidate;
  candidate.bank = bank;
  bool aged = urgent != RequestPool::none && pool[urgent].bank == bank;
  uint32_t hit = queue.hitOf(bank);
  if (aged)
    hit = banks[bank].open && banks[bank].row == pool[urgent].location.row
              ? urgent
              : RequestPool::none;
  if (hit != RequestPool::none) {
    candidate.request = hit;
    candidate.command =
        mode == writing ? DRAMCommand::write : DRAMCommand::read;
  } else {
    candidate.request = aged ? urgent : queue.oldestOf(bank);
    candidate.command =
        banks[bank].open ? DRAMCommand::precharge : DRAMCommand::activate;
  }
  candidate.urgency =
      aged ? agedUrgency : firstUrgency + pool[candidate.request].order;
  candidate.at = timing.earliest(candidate.command, bank);
  return candidate;
}

/// Closing a row that no request wants, once it has been open for long enough.
MemoryController::Candidate MemoryController::timeoutOf(unsigned bank) const {
  Candidate candidate;
  for (const RequestQueue &queue : queues)
    if (queue.hitOf(bank) != RequestPool::none)
      return candidate;
  candidate.bank = bank;
  candidate.command = DRAMCommand::precharge;
  candidate.urgency = leastUrgency;
  candidate.at =
      std::max(timing.earliest(DRAMCommand::precharge, bank),
               clock.edge(banks[bank].lastUse + banks[bank].timeout));
  return candidate;
}

/// The refresh of a rank, or the precharge before it, not before it is due.
MemoryController::Candidate MemoryController::refreshOf(unsigned rank) const {
  const RankRefresh &state = refreshes[rank];
  Candidate candidate;
  candidate.urgency = refreshUrgency;
  if (parameters.refresh == Refresh::perBank) {
    candidate.bank =
        static_cast<uint32_t>(rank * geometry.banksOfRank() + state.bank);
    candidate.command = banks[candidate.bank].open ? DRAMCommand::precharge
                                                   : DRAMCommand::refreshBank;
    candidate.at = timing.earliest(candidate.command, candidate.bank);
  } else {
    candidate.bank = static_cast<uint32_t>(rank * geometry.banksOfRank());
    candidate.command = openBanks & banksOf(rank) ? DRAMCommand::prechargeAll
                                                  : DRAMCommand::refreshAll;
    candidate.at = timing.earliestForRank(candidate.command, rank);
  }
  candidate.at = std::max(candidate.at, state.due);
  return candidate;
}

bool MemoryController::blockedByRefresh(const Candidate &candidate) const {
  const RankRefresh &state = refreshes[timing.rankOf(candidate.bank)];
  if (candidate.at < state.due)
    return false;
  return parameters.refresh != Refresh::perBank ||
         state.bank == candidate.bank % geometry.banksOfRank();
}

/// Takes a candidate into the plan if it comes earlier than what is there, or
/// at the same time and goes first.
void MemoryController::choose(Plan &plan, const Candidate &candidate) const {
  if (candidate.at > plan.at)
    return;
  if (candidate.at < plan.at) {
    plan.at = candidate.at;
    plan.column = plan.row = Candidate();
  }
  bool column = candidate.command == DRAMCommand::read ||
                candidate.command == DRAMCommand::write;
  Candidate &chosen = column ? plan.column : plan.row;
  if (!chosen.wanted() || candidate.urgency < chosen.urgency)
    chosen = candidate;
}

MemoryController::Plan MemoryController::plan(Tick from) {
  Plan result;
  planIsOld = false;
  bool busy = !idle();
  if (!busy && (parameters.page == PagePolicy::open || !openBanks))
    return result;
  if (busy)
    updateMode();
  auto notBeforeBus = [&](Candidate candidate) {
    bool column = candidate.command == DRAMCommand::read ||
                  candidate.command == DRAMCommand::write;
    candidate.at = std::max(
        {candidate.at, from, column ? buses.columnFree : buses.rowFree});
    return candidate;
  };
  uint32_t urgent = queues[mode].oldest();
  if (urgent != RequestPool::none && pool[urgent].accepted + ageCap >= from)
    urgent = RequestPool::none;
  for (uint64_t left = queues[mode].occupiedBanks(); left; left &= left - 1) {
    Candidate candidate =
        notBeforeBus(candidateOf(std::countr_zero(left), urgent));
    if (!blockedByRefresh(candidate))
      choose(result, candidate);
  }
  if (parameters.page != PagePolicy::open)
    for (uint64_t left = openBanks & ~queues[mode].occupiedBanks(); left;
         left &= left - 1) {
      Candidate candidate = timeoutOf(std::countr_zero(left));
      if (!candidate.wanted())
        continue;
      candidate = notBeforeBus(candidate);
      if (!busy || !blockedByRefresh(candidate))
        choose(result, candidate);
    }
  if (busy && parameters.refresh != Refresh::none)
    for (unsigned rank = 0; rank < refreshes.size(); ++rank)
      choose(result, notBeforeBus(refreshOf(rank)));
  if (sharedBus && result.column.wanted() && result.row.wanted()) {
    // Row hits first, unless a row command cannot wait.
    bool row = result.row.urgency < firstUrgency &&
               result.row.urgency < result.column.urgency;
    (row ? result.column : result.row) = Candidate();
  }
  return result;
}
