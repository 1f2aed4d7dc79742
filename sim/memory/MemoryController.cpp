//===- MemoryController.cpp - Who orders the requests of DRAM -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests and issued commands; what is issued when is planned in
// MemoryPlan.cpp.
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Memory/MemoryController.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <bit>

using namespace ember::sim;

MemoryController::MemoryController(Engine &engine,
                                   const MemoryParameters &description,
                                   CommandBuses &buses, unsigned number)
    : engine(engine), geometry(description.geometry),
      parameters(description.controller), buses(buses),
      sharedBus(!description.timing.separateCommandBuses),
      timing(geometry, description.timing, parameters.refresh),
      clock(timing.period()), frontLatency(ticksOf(parameters.frontLatency)),
      backLatency(ticksOf(parameters.backLatency)),
      ageCap(ticksOf(parameters.ageCap)),
      leastTimeout(clock.edge(ticksOf(parameters.leastTimeout))),
      mostTimeout(clock.edge(ticksOf(parameters.mostTimeout))),
      channel(static_cast<uint32_t>(number / geometry.pseudoChannels)),
      pseudoChannel(static_cast<uint32_t>(number % geometry.pseudoChannels)),
      queues{RequestQueue(pool, geometry.banksOfController()),
             RequestQueue(pool, geometry.banksOfController())},
      banks(geometry.banksOfController()), refreshes(geometry.ranks),
      wanted(geometry.banksOfController()) {
  if (parameters.page == PagePolicy::adaptive)
    for (Bank &bank : banks)
      bank.timeout = mostTimeout;
  if (parameters.refresh == Refresh::none)
    return;
  // The ranks of a controller, or of all controllers, take turns.
  Tick interval = clock.edge(ticksOf(description.timing.refi));
  uint64_t controllers = parameters.staggerRefresh ? geometry.controllers() : 1;
  for (auto [rank, refresh] : llvm::enumerate(refreshes)) {
    uint64_t turn = rank * controllers + number % controllers + 1;
    refresh.due = clock.edge(interval * turn / (controllers * geometry.ranks));
  }
  refreshInterval =
      parameters.refresh == Refresh::perBank
          ? interval / geometry.banksOfRank() / clock.period() * clock.period()
          : interval;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

bool MemoryController::accept(const Request &request,
                              const DRAMLocation &location) {
  Mode kind = request.access == Access::fill ? writing : reading;
  uint64_t capacity =
      kind == writing ? parameters.writeQueue : parameters.readQueue;
  if (held[kind] == capacity) {
    ++counts.refused;
    if (request.requester &&
        !llvm::is_contained(waiting[kind], request.requester))
      waiting[kind].push_back(request.requester);
    return false;
  }
  occupancy[kind].set(engine.now(), ++held[kind]);
  uint32_t index = pool.take();
  QueuedRequest &queued = pool[index];
  queued.request = request;
  queued.location = location;
  queued.accepted = engine.now();
  queued.bank = static_cast<uint32_t>(
      (location.rank * geometry.bankGroups + location.bankGroup) *
          geometry.banks +
      location.bank);
  queued.burstsLeft = static_cast<uint32_t>(geometry.burstsOfLine());
  queued.outcome = RowOutcome::hit;
  engine.schedule(engine.now() + frontLatency, *this,
                  uint64_t{index} << kindBits | arrival);
  return true;
}

void MemoryController::handle(uint64_t argument) {
  auto index = static_cast<uint32_t>(argument >> kindBits);
  switch (static_cast<EventKind>(argument & ((1 << kindBits) - 1))) {
  case wakeUp:
    // Where it was woken earlier than it then wanted, an event is left over.
    if (engine.now() == wakeAt)
      run();
    return;
  case arrival:
    return arrive(index);
  case completion:
    return complete(index);
  case room:
    return retry();
  }
}

void MemoryController::arrive(uint32_t index) {
  QueuedRequest &queued = pool[index];
  unsigned bank = queued.bank;
  bool write = queued.request.access == Access::fill;
  if (idle())
    settle();
  uint32_t earlierWrite = queues[writing].find(bank, queued.location);
  if (earlierWrite != RequestPool::none && !write) {
    ++counts.forwardedReads;
    giveRoom(reading);
    engine.schedule(engine.now() + backLatency, *this,
                    uint64_t{index} << kindBits | completion);
    return;
  }
  if (earlierWrite != RequestPool::none) {
    ++counts.mergedWrites;
    giveRoom(writing);
    return complete(index);
  }
  Mode kind = write ? writing : reading;
  bool first = kind == mode && !queues[kind].has(bank);
  bool hits = banks[bank].open && banks[bank].row == queued.location.row;
  bool firstHit = hits && queues[kind].hitOf(bank) == RequestPool::none;
  queues[kind].insert(index, hits);
  if (first || firstHit || wantedMode() != mode) {
    changedBanks |= uint64_t{1} << bank;
    planIsOld = true;
    wake(clock.edge(engine.now()));
  }
  if (write && queued.request.requester) {
    // Copied: whoever is told may send more requests.
    Request request = queued.request;
    request.requester->complete(request);
  }
}

void MemoryController::complete(uint32_t index) {
  Request request = pool[index].request;
  if (request.access != Access::fill)
    latency.add(engine.now() - pool[index].accepted);
  pool.giveBack(index);
  if (request.requester)
    request.requester->complete(request);
}

void MemoryController::giveRoom(Mode kind) {
  occupancy[kind].set(engine.now(), --held[kind]);
  if (waiting[kind].empty() || retryIsDue)
    return;
  retryIsDue = true;
  engine.schedule(engine.now() + 1, *this, room);
}

void MemoryController::retry() {
  retryIsDue = false;
  for (Mode kind : {reading, writing}) {
    uint64_t capacity =
        kind == writing ? parameters.writeQueue : parameters.readQueue;
    if (held[kind] == capacity)
      continue;
    std::swap(called, waiting[kind]);
    for (Requester *requester : called)
      requester->retry();
    called.clear();
  }
}

MemoryController::Mode MemoryController::wantedMode() const {
  uint64_t reads = queues[reading].size();
  uint64_t writes = queues[writing].size();
  if (!writes)
    return reading;
  if (mode == reading)
    return !reads || writes >= parameters.writeHigh ? writing : reading;
  if (draining && writes > parameters.writeLow)
    return writing;
  return reads && writes < parameters.writeHigh ? reading : writing;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

void MemoryController::notify(DRAMCommand command, unsigned bank, Tick at,
                              uint64_t row, uint32_t column, bool whileIdle) {
  if (observers.empty())
    return;
  DRAMEvent event;
  event.at = at;
  event.command = command;
  event.location.channel = channel;
  event.location.pseudoChannel = pseudoChannel;
  event.location.rank = static_cast<uint32_t>(bank / geometry.banksOfRank());
  event.location.bankGroup =
      static_cast<uint32_t>(bank / geometry.banks % geometry.bankGroups);
  event.location.bank = static_cast<uint32_t>(bank % geometry.banks);
  event.location.row = row;
  event.location.column = column;
  event.whileIdle = whileIdle;
  for (DRAMObserver *observer : observers)
    observer->command(event);
}

void MemoryController::issue(const Plan &plan) {
  Tick busy = engine.now() + clock.period();
  if (plan.column.wanted()) {
    buses.columnFree = busy;
    if (sharedBus)
      buses.rowFree = busy;
    issueColumn(plan.column);
  }
  if (plan.row.wanted()) {
    buses.rowFree = busy;
    if (sharedBus)
      buses.columnFree = busy;
    issueRow(plan.row);
  }
}

void MemoryController::issueColumn(const Candidate &candidate) {
  Tick now = engine.now();
  QueuedRequest &queued = pool[candidate.request];
  timing.issue(candidate.command, candidate.bank, now);
  notify(candidate.command, candidate.bank, now, queued.location.row,
         queued.location.column);
  banks[candidate.bank].lastUse = now;
  changedBanks |= uint64_t{1} << candidate.bank;
  counts.dataTicks += timing.burst();
  bool write = candidate.command == DRAMCommand::write;
  (write ? counts.bytesWritten : counts.bytesRead) += geometry.burstBytes();
  if (--queued.burstsLeft)
    return;
  ++(write ? counts.writes : counts.reads);
  ++(queued.outcome == RowOutcome::hit    ? counts.rowHits
     : queued.outcome == RowOutcome::miss ? counts.rowMisses
                                          : counts.rowConflicts);
  queues[write ? writing : reading].remove(candidate.request);
  if (write)
    pool.giveBack(candidate.request);
  else
    engine.schedule(now + timing.readData() + backLatency, *this,
                    uint64_t{candidate.request} << kindBits | completion);
  giveRoom(write ? writing : reading);
}

void MemoryController::issueRow(const Candidate &candidate) {
  Tick now = engine.now();
  unsigned rank = timing.rankOf(candidate.bank);
  switch (candidate.command) {
  case DRAMCommand::activate:
    return activate(candidate);
  case DRAMCommand::precharge:
    return precharge(candidate);
  case DRAMCommand::prechargeAll:
    return prechargeAll(rank, now, /*whileIdle=*/false);
  default:
    return refresh(rank, candidate.bank, now, /*whileIdle=*/false);
  }
}

void MemoryController::activate(const Candidate &candidate) {
  Tick now = engine.now();
  QueuedRequest &queued = pool[candidate.request];
  Bank &bank = banks[candidate.bank];
  ++counts.activates;
  if (timing.windowLimits(candidate.bank, now))
    ++counts.windowLimitedActivates;
  uint64_t row = queued.location.row;
  if (bank.closedByTimeout && bank.row == row)
    bank.timeout = std::min(bank.timeout * 2, mostTimeout);
  bank.closedByTimeout = false;
  bank.open = true;
  bank.row = row;
  bank.lastUse = now;
  openBanks |= uint64_t{1} << candidate.bank;
  changedBanks |= uint64_t{1} << candidate.bank;
  for (RequestQueue &queue : queues)
    queue.rowOpened(candidate.bank, row);
  queued.outcome = std::max(queued.outcome, RowOutcome::miss);
  timing.issue(DRAMCommand::activate, candidate.bank, now);
  notify(DRAMCommand::activate, candidate.bank, now, row, 0);
}

void MemoryController::close(unsigned bank) {
  banks[bank].open = false;
  openBanks &= ~(uint64_t{1} << bank);
  changedBanks |= uint64_t{1} << bank;
  for (RequestQueue &queue : queues)
    queue.rowClosed(bank);
}

void MemoryController::precharge(const Candidate &candidate) {
  Bank &bank = banks[candidate.bank];
  ++counts.precharges;
  if (candidate.request != RequestPool::none) {
    pool[candidate.request].outcome = RowOutcome::conflict;
    if (parameters.page == PagePolicy::adaptive)
      bank.timeout = clock.edge(std::max(bank.timeout / 2, leastTimeout));
  } else {
    bank.closedByTimeout = parameters.page == PagePolicy::adaptive;
  }
  close(candidate.bank);
  timing.issue(DRAMCommand::precharge, candidate.bank, engine.now());
  notify(DRAMCommand::precharge, candidate.bank, engine.now(), bank.row, 0);
}

uint64_t MemoryController::banksOf(unsigned rank) const {
  uint64_t count = geometry.banksOfRank();
  uint64_t bits = count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
  return bits << rank * count;
}

void MemoryController::prechargeAll(unsigned rank, Tick at, bool whileIdle) {
  for (uint64_t left = openBanks & banksOf(rank); left; left &= left - 1) {
    unsigned bank = std::countr_zero(left);
    ++counts.precharges;
    banks[bank].closedByTimeout = false;
    close(bank);
  }
  timing.issueForRank(DRAMCommand::prechargeAll, rank, at);
  notify(DRAMCommand::prechargeAll, rank * geometry.banksOfRank(), at, 0, 0,
         whileIdle);
}

void MemoryController::refresh(unsigned rank, unsigned bank, Tick at,
                               bool whileIdle) {
  RankRefresh &state = refreshes[rank];
  ++counts.refreshes;
  state.due += refreshInterval;
  if (parameters.refresh == Refresh::allBanks) {
    timing.issueForRank(DRAMCommand::refreshAll, rank, at);
    notify(DRAMCommand::refreshAll, bank, at, 0, 0, whileIdle);
    return;
  }
  state.bank = (state.bank + 1) % geometry.banksOfRank();
  timing.issue(DRAMCommand::refreshBank, bank, at);
  changedBanks |= uint64_t{1} << bank;
  notify(DRAMCommand::refreshBank, bank, at, 0, 0, whileIdle);
}

void MemoryController::settle() {
  if (!idle())
    return;
  for (unsigned rank = 0; rank < refreshes.size(); ++rank)
    catchUp(rank);
}

void MemoryController::catchUp(unsigned rank) {
  while (refreshes[rank].due <= engine.now()) {
    Candidate candidate = refreshOf(rank);
    if (candidate.at > engine.now())
      return;
    planIsOld = true;
    switch (candidate.command) {
    case DRAMCommand::prechargeAll:
      prechargeAll(rank, candidate.at, /*whileIdle=*/true);
      break;
    case DRAMCommand::precharge:
      ++counts.precharges;
      close(candidate.bank);
      timing.issue(DRAMCommand::precharge, candidate.bank, candidate.at);
      notify(DRAMCommand::precharge, candidate.bank, candidate.at, 0, 0,
             /*whileIdle=*/true);
      break;
    default:
      refresh(rank, candidate.bank, candidate.at, /*whileIdle=*/true);
    }
  }
}

//===----------------------------------------------------------------------===//
// What it counted
//===----------------------------------------------------------------------===//

void MemoryController::addTo(Statistics &statistics,
                             llvm::StringRef path) const {
  auto add = [&](llvm::StringRef name, const auto &value,
                 llvm::StringRef description) {
    statistics.add((path + "." + name).str(), value, description);
  };
  add("reads", counts.reads, "lines read from DRAM");
  add("writes", counts.writes, "lines written to DRAM");
  add("forwardedReads", counts.forwardedReads,
      "reads answered by a write in the queue");
  add("mergedWrites", counts.mergedWrites,
      "writes to a line that waited to be written");
  add("refused", counts.refused, "requests turned away, repeated ones too");
  add("rowHits", counts.rowHits, "lines whose row was open");
  add("rowMisses", counts.rowMisses, "lines whose bank had no open row");
  add("rowConflicts", counts.rowConflicts,
      "lines whose bank had another row open");
  add("activates", counts.activates, "rows opened");
  add("windowLimitedActivates", counts.windowLimitedActivates,
      "rows opened when FAW ended and not later");
  add("precharges", counts.precharges, "rows closed");
  add("refreshes", counts.refreshes, "refreshes of a rank or a bank");
  add("turns", counts.turns, "changes between reading and writing");
  add("bytesRead", counts.bytesRead, "bytes read from DRAM");
  add("bytesWritten", counts.bytesWritten, "bytes written to DRAM");
  add("readQueue", occupancy[reading], "reads held");
  add("writeQueue", occupancy[writing], "writes held");
  add("readLatency", latency, "ticks from the request to its line");
  statistics.add((path + ".busUtilisation").str(),
                 [this] {
                   return engine.now() ? static_cast<double>(counts.dataTicks) /
                                             static_cast<double>(engine.now())
                                       : 0;
                 },
                 "part of the time for which the data wires were in use");
}

std::string MemoryController::waits(llvm::StringRef name) const {
  uint32_t oldest = queues[reading].oldest();
  if (oldest == RequestPool::none)
    oldest = queues[writing].oldest();
  if (oldest == RequestPool::none)
    return "";
  const QueuedRequest &queued = pool[oldest];
  return llvm::formatv("{0}: {1} reads and {2} writes, the oldest of line "
                       "{3:x} since {4} ns\n",
                       name, queues[reading].size(), queues[writing].size(),
                       queued.request.line,
                       static_cast<uint64_t>(nanosecondsOf(queued.accepted)))
      .str();
}
