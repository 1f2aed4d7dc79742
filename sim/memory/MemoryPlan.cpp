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
  if (wanted == mode)
    return;
  ++counts.turns;
  mode = wanted;
  changedBanks = ~uint64_t{0};
}

/// What a bank has to do for its oldest request to the open row, or else for
/// its oldest one, at the time at which the bank allows it.
MemoryController::Candidate
MemoryController::wantedOf(unsigned bank, uint32_t hit, uint32_t oldest) const {
  Candidate candidate;
  candidate.bank = bank;
  if (hit != RequestPool::none) {
    candidate.request = hit;
    candidate.command =
        mode == writing ? DRAMCommand::write : DRAMCommand::read;
  } else {
    candidate.request = oldest;
    candidate.command =
        banks[bank].open ? DRAMCommand::precharge : DRAMCommand::activate;
  }
  candidate.urgency = firstUrgency + pool[candidate.request].order;
  candidate.at = timing.earliestByBank(candidate.command, bank);
  return candidate;
}

/// What has to be done for a request that is above the age cap.
MemoryController::Candidate MemoryController::agedOf(uint32_t request) const {
  const QueuedRequest &queued = pool[request];
  const Bank &bank = banks[queued.bank];
  bool hits = bank.open && bank.row == queued.location.row;
  Candidate candidate =
      wantedOf(queued.bank, hits ? request : RequestPool::none, request);
  candidate.urgency = agedUrgency;
  return candidate;
}

void MemoryController::updateWanted() {
  const RequestQueue &queue = queues[mode];
  for (uint64_t left = changedBanks & queue.occupiedBanks(); left;
       left &= left - 1) {
    unsigned bank = std::countr_zero(left);
    wanted[bank] = wantedOf(bank, queue.hitOf(bank), queue.oldestOf(bank));
  }
  changedBanks = 0;
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

/// Whether a command to a bank is too late, as a refresh of the bank is due.
bool MemoryController::blockedByRefresh(unsigned bank, Tick at) const {
  const RankRefresh &state = refreshes[timing.rankOf(bank)];
  if (at < state.due)
    return false;
  return parameters.refresh != Refresh::perBank ||
         state.bank == bank % geometry.banksOfRank();
}

/// Plans for what the banks want: the inner loop of a simulation.
void MemoryController::chooseWanted(Plan &plan, Tick from) const {
  const Tick columnFrom = std::max(from, buses.columnFree);
  const Tick rowFrom = std::max(from, buses.rowFree);
  Tick refreshFrom = never;
  for (const RankRefresh &refresh : refreshes)
    refreshFrom = std::min(refreshFrom, refresh.due);
  uint32_t oldest = queues[mode].oldest();
  uint32_t agedBank = RequestPool::none;
  Candidate aged;
  if (oldest != RequestPool::none && pool[oldest].accepted + ageCap < from) {
    agedBank = pool[oldest].bank;
    aged = agedOf(oldest);
  }
  const Candidate *column = nullptr;
  const Candidate *row = nullptr;
  for (uint64_t left = queues[mode].occupiedBanks(); left; left &= left - 1) {
    unsigned bank = std::countr_zero(left);
    const Candidate &candidate = bank == agedBank ? aged : wanted[bank];
    if (candidate.at > plan.at)
      continue;
    Tick at = std::max({candidate.at,
                        timing.earliestByOthers(candidate.command, bank),
                        candidate.isColumn() ? columnFrom : rowFrom});
    if (at > plan.at || (at >= refreshFrom && blockedByRefresh(bank, at)))
      continue;
    if (at < plan.at) {
      plan.at = at;
      column = row = nullptr;
    }
    const Candidate *&chosen = candidate.isColumn() ? column : row;
    if (!chosen || candidate.urgency < chosen->urgency)
      chosen = &candidate;
  }
  for (auto [chosen, planned] :
       {std::pair(column, &plan.column), std::pair(row, &plan.row)})
    if (chosen) {
      *planned = *chosen;
      planned->at = plan.at;
    }
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
  Candidate &chosen = candidate.isColumn() ? plan.column : plan.row;
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
  updateWanted();
  chooseWanted(result, from);
  const Tick rowFrom = std::max(from, buses.rowFree);
  if (parameters.page != PagePolicy::open)
    for (uint64_t left = openBanks & ~queues[mode].occupiedBanks(); left;
         left &= left - 1) {
      Candidate candidate = timeoutOf(std::countr_zero(left));
      if (!candidate.wanted())
        continue;
      candidate.at = std::max(candidate.at, rowFrom);
      if (!busy || !blockedByRefresh(candidate.bank, candidate.at))
        choose(result, candidate);
    }
  if (busy && parameters.refresh != Refresh::none)
    for (unsigned rank = 0; rank < refreshes.size(); ++rank) {
      if (refreshes[rank].due > result.at)
        continue;
      Candidate candidate = refreshOf(rank);
      candidate.at = std::max(candidate.at, rowFrom);
      choose(result, candidate);
    }
  if (sharedBus && result.column.wanted() && result.row.wanted()) {
    // Row hits first, unless a row command cannot wait.
    bool row = result.row.urgency < firstUrgency &&
               result.row.urgency < result.column.urgency;
    (row ? result.column : result.row) = Candidate();
  }
  return result;
}
