//===- OutOfOrderCore.cpp - When instructions happen ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/OutOfOrderCore.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <bit>

using namespace ember::sim;

namespace {
/// Ids of requests of stores have this bit.
constexpr uint64_t storeId = uint64_t{1} << 63;
/// Nobody waits for those.
constexpr uint64_t prefetchId = uint64_t{1} << 62;
/// Marks in the wheel that only the changed address is known.
constexpr uint64_t addressId = uint64_t{1} << 63;
constexpr llvm::StringRef causeNames[] = {"base",        "branch", "frontEnd",
                                          "memory",      "queue",  "storeQueue",
                                          "dependences", "ports",  "execution"};
constexpr llvm::StringRef kindNames[] = {
    "branch", "simple", "complex", "integer", "memory", "storeData", "vector"};

void addPorts(uint64_t number, PortKind kind, auto add) {
  for (uint64_t i = 0; i < number; ++i)
    add(kind, static_cast<uint8_t>(i % 2 + 1));
}
bool fits(PortKind port, uint8_t unit, const MicroOperation &operation,
          bool several) {
  if (operation.kind == PortKind::integer)
    return port == PortKind::simple || port == PortKind::complex;
  return port == operation.kind &&
         (!operation.unit || operation.unit == unit || !several);
}
} // namespace

OutOfOrderCore::OutOfOrderCore(llvm::StringRef name,
                               const CoreParameters &parameters, Engine &engine,
                               Emulator &emulator, MemoryPort &memory,
                               MemoryPort *device, Translator *translator)
    : name(name), parameters(parameters), engine(engine),
      clock(parameters.clockTicks), emulator(emulator), memory(memory),
      device(device ? device : &memory), translator(translator),
      predictor(static_cast<unsigned>(parameters.historyBits),
                parameters.targetEntries),
      frontEndRoom(parameters.fetchWidth * (parameters.frontEndCycles + 2)) {
  entries.resize(std::bit_ceil(parameters.reorderBuffer + frontEndRoom));
  entryMask = entries.size() - 1;
  storeRing.resize(std::bit_ceil(parameters.storeQueue));
  storeMask = storeRing.size() - 1;
  writers.fill(none);
  auto add = [&](PortKind kind, uint8_t unit) {
    ports.push_back({kind, unit});
  };
  addPorts(parameters.branchPorts, PortKind::branch, add);
  addPorts(parameters.simplePorts, PortKind::simple, add);
  addPorts(parameters.complexPorts, PortKind::complex, add);
  addPorts(parameters.memoryPorts, PortKind::memory, add);
  addPorts(parameters.storeDataPorts, PortKind::storeData, add);
  addPorts(parameters.vectorPorts, PortKind::vector, add);
}

void OutOfOrderCore::start() {
  sourceEnded = emulator.returned();
  started = false;
  wake(clock.after(engine.now(), 1));
}

void OutOfOrderCore::release() {
  held = false;
  sourceEnded = emulator.returned();
  started = false;
  if (!finished())
    wake(clock.after(engine.now(), 1));
}

void OutOfOrderCore::measure(uint64_t after, uint64_t length) {
  measured = {};
  windowLength = length;
  windowMark = count.instructions + after;
  windowBegan = none;
  if (!after)
    reachMark();
}

void OutOfOrderCore::reachMark() {
  if (windowBegan == none) {
    windowBegan = engine.now();
    windowFrom = count.instructions;
    windowMark = windowFrom + windowLength;
    return;
  }
  measured = {count.instructions - windowFrom, engine.now() - windowBegan,
              true};
  windowMark = none;
}

void OutOfOrderCore::wake(Tick at) {
  if (at >= wakeAt)
    return;
  wakeAt = at;
  engine.schedule(at, *this, at);
}

void OutOfOrderCore::handle(uint64_t at) {
  // An earlier cycle was asked for meanwhile, and has been handled.
  if (at != wakeAt)
    return;
  wakeAt = none;
  cycle();
}

void OutOfOrderCore::cycle() {
  uint64_t current = clock.cycle(engine.now());
  if (!started)
    now = current - 1;
  started = true;
  // The cycles that were slept through had what the last one had; results
  // never become known while asleep.
  account(current - now - 1, lastCause);
  if (stalledBy)
    *stalledBy += current - now - 1;
  stalledBy = nullptr;
  count.cycles += current - now;
  now = current;

  std::vector<uint64_t> &due = wheel[now % wheelCycles];
  for (uint64_t sequence : due)
    if (sequence & addressId)
      release(entry(sequence & ~addressId).addressDependents);
    else
      done(entry(sequence));
  bool moved = !due.empty();
  wheelCount -= due.size();
  due.clear();

  bool retired = retire();
  moved |= retired;
  moved |= drainStores();
  moved |= issue();
  moved |= askForLines();
  moved |= rename();
  moved |= fetch();
  lastCause = retired ? Cause::base : causeNow();
  account(1, lastCause);
  if (finished()) {
    end = engine.now();
    return;
  }
  if (moved) {
    wake(clock.ticks(now + 1));
    return;
  }
  uint64_t next = none;
  if (wheelCount)
    for (uint64_t ahead = 1; ahead < wheelCycles && next == none; ++ahead)
      if (!wheel[(now + ahead) % wheelCycles].empty())
        next = now + ahead;
  if (!ready.empty())
    for (const Port &port : ports)
      if (port.freeAt > now)
        next = std::min(next, port.freeAt);
  if (tail != fetched) {
    uint64_t arrives =
        clock.cycle(entry(tail).fetch) + parameters.frontEndCycles;
    if (arrives > now)
      next = std::min(next, arrives);
  }
  if (fetchFrom > now && !sourceEnded)
    next = std::min(next, fetchFrom);
  if (next != none)
    wake(clock.ticks(next));
}

OutOfOrderCore::Cause OutOfOrderCore::causeNow() {
  if (head == tail) {
    if (fetchWaitsFor != none || refilling)
      return Cause::branch;
    return head != fetched || !sourceEnded ? Cause::frontEnd
                                           : Cause::storeQueue;
  }
  Entry &e = entry(head);
  switch (e.stage) {
  case Stage::waiting:
    return Cause::dependences;
  case Stage::ready:
    return Cause::ports;
  case Stage::issued:
    if (e.device && e.linesLeft)
      return Cause::queue;
    return e.instruction->load ? Cause::memory : Cause::execution;
  case Stage::done:
    break;
  }
  return Cause::storeQueue;
}

bool OutOfOrderCore::retire() {
  uint64_t width = parameters.retireWidth;
  bool any = false;
  for (; width && head != tail; --width) {
    Entry &e = entry(head);
    if (e.stage != Stage::done) {
      // A device is asked once nothing older could still go another way, and
      // is told first what older stores tell it.
      if (e.device && e.stage == Stage::issued && e.linesLeft && !e.asked &&
          (storeHead == storeTail || storeAt(storeHead).sequence >= head)) {
        e.asked = true;
        begin(e);
        any = true;
      }
      break;
    }
    if (e.instruction->store)
      storeAt(e.storeIndex).retired = true;
    robUsed -= e.operations;
    generalUsed -= e.general;
    vectorsUsed -= e.vectors;
    if (e.instruction->load) {
      --loadsUsed;
      ++count.loads;
      count.loadQueue.set(engine.now(), loadsUsed);
    }
    count.stores += e.instruction->store;
    ++count.instructions;
    count.operations += e.operations;
    count.branches += e.instruction->branch != BranchKind::none;
    if (observer)
      observer->retired({e.sequence, e.pc, e.fetch, e.rename, e.issue,
                         e.complete, engine.now()});
    ++head;
    any = true;
  }
  if (any)
    count.rob.set(engine.now(), robUsed);
  if (count.instructions >= windowMark) [[unlikely]]
    reachMark();
  return any;
}

bool OutOfOrderCore::drainStores() {
  bool any = false;
  while (storeHead != storeTail) {
    Store &oldest = storeAt(storeHead);
    if (!oldest.retired || oldest.linesLeft)
      break;
    release(oldest.dependents);
    if (storeAsking == storeHead)
      ++storeAsking;
    ++storeHead;
    any = true;
    count.storeQueue.set(engine.now(), storeTail - storeHead);
  }
  while (storeAsking != storeTail &&
         storeLinesInFlight < parameters.storesInFlight) {
    Store &store = storeAt(storeAsking);
    if (!store.retired || (store.device ? deviceRefused : memoryRefused))
      break;
    if (store.linesAsked == store.lines.size()) {
      ++storeAsking;
      continue;
    }
    Request request;
    request.line = store.lines[store.linesAsked];
    request.access = Access::own;
    request.instruction = store.pc;
    request.requester = this;
    request.id = storeAsking | storeId;
    if (!(store.device ? device : &memory)->accept(request)) {
      (store.device ? deviceRefused : memoryRefused) = true;
      break;
    }
    ++store.linesAsked;
    ++storeLinesInFlight;
    ++count.storeLines;
    // One line a cycle.
    return true;
  }
  return any;
}

bool OutOfOrderCore::takePorts(Entry &e) {
  const auto &operations = e.instruction->operations;
  while (e.portsTaken < operations.size()) {
    const MicroOperation &operation = operations[e.portsTaken];
    bool several =
        operation.kind == PortKind::vector ? parameters.vectorPorts > 1 : false;
    Port *chosen = nullptr;
    for (Port &port : ports)
      if (port.freeAt <= now &&
          fits(port.kind, port.unit, operation, several)) {
        chosen = &port;
        break;
      }
    if (!chosen)
      return false;
    ++count.issued[static_cast<unsigned>(operation.kind)];
    chosen->freeAt = now + operation.cycles;
    ++e.portsTaken;
  }
  return true;
}

bool OutOfOrderCore::issue() {
  uint64_t width = parameters.issueWidth;
  bool any = false;
  size_t kept = 0;
  for (size_t i = 0; i < ready.size(); ++i) {
    Entry &e = entry(ready[i]);
    uint32_t before = e.portsTaken;
    bool complete = width && takePorts(e);
    uint32_t taken = e.portsTaken - before;
    width -= std::min<uint64_t>(width, taken);
    any |= taken != 0;
    if (!complete) {
      ready[kept++] = ready[i];
      continue;
    }
    any = true;
    e.stage = Stage::issued;
    e.issue = engine.now();
    --queueUsed;
    count.issueQueue.set(engine.now(), queueUsed);
    if (!e.addressDependents.empty())
      finish(e.sequence | addressId, 1);
    if (e.instruction->load && e.linesLeft) {
      if (e.forwarded) {
        e.linesLeft = 0;
        ++count.forwards;
        finish(e.sequence, parameters.addressCycles + parameters.forwardCycles);
      } else if (!e.device) {
        begin(e);
      }
      continue;
    }
    if (e.instruction->load && !e.accesses.empty() && e.accesses[0].prefetch)
      begin(e);
    if (e.instruction->store && translateStore(e))
      continue;
    finish(e.sequence,
           std::max<uint64_t>(e.instruction->store ? 1 : e.instruction->latency,
                              1));
  }
  ready.resize(kept);
  return any;
}

void OutOfOrderCore::begin(Entry &e) {
  // The address is there after some cycles: the request stands in the wheel by
  // way of the queue of lines, which keeps when it may go.
  for (const MemoryAccess &access : e.accesses) {
    if (access.store)
      continue;
    uint64_t first = lineOf(access.address),
             last = lineOf(access.address + std::max(access.size, 1u) - 1);
    auto offset = static_cast<uint8_t>(access.address % lineBytes);
    bool isOne = e.accesses.size() == 1 && first == last && access.size <= 8;
    auto bytes = static_cast<uint8_t>(isOne ? access.size : 0);
    for (uint64_t line = first; line <= last; ++line, offset = 0)
      lines.push_back({e.sequence, line, e.pc, access.prefetch, false,
                       !translator, now + parameters.addressCycles, 0, offset,
                       bytes});
  }
}

bool OutOfOrderCore::translateStore(Entry &e) {
  if (!translator || e.device)
    return false;
  for (uint64_t line : storeAt(e.storeIndex).lines) {
    ++e.translationsLeft;
    lines.push_back({e.sequence, line, e.pc, false, true, false,
                     now + parameters.addressCycles, 0});
  }
  return e.translationsLeft;
}

bool OutOfOrderCore::askForLines() {
  uint64_t width = parameters.memoryPorts;
  bool any = false;
  while (width-- && !lines.empty()) {
    LineRequest &next = lines.front();
    if (next.notBefore > now) {
      // What is behind it was issued later.
      return true;
    }
    if (!next.translated)
      next.translated = translator->known(next.line * lineBytes);
    if (!next.translated) {
      if (translationRefused)
        break;
      LineRequest request = next;
      lines.pop_front();
      request.translation = translations++;
      translating.push_back(request);
      if (!translator->translate(request.line * lineBytes, *this,
                                 request.translation)) {
        translating.pop_back();
        lines.push_front(request);
        translationRefused = true;
        break;
      }
      any = true;
      continue;
    }
    Entry &e = entry(next.sequence);
    if (next.store) {
      if (!--e.translationsLeft)
        finishNow(next.sequence);
      lines.pop_front();
      any = true;
      continue;
    }
    bool toDevice = e.device && !next.prefetch;
    if (toDevice ? deviceRefused : memoryRefused)
      break;
    Request request;
    request.line = next.line;
    request.instruction = next.pc;
    request.offset = next.offset;
    request.bytes = next.bytes;
    request.requester = this;
    request.prefetch = next.prefetch;
    request.id = next.prefetch ? prefetchId : next.sequence;
    if (!(toDevice ? device : &memory)->accept(request)) {
      (toDevice ? deviceRefused : memoryRefused) = true;
      break;
    }
    ++count.loadLines;
    lines.pop_front();
    any = true;
  }
  return any;
}

void OutOfOrderCore::complete(const Request &request) {
  if (request.id & storeId) {
    --storeAt(request.id & ~storeId).linesLeft;
    --storeLinesInFlight;
    wake(clock.edge(engine.now()) > clock.ticks(now) ? clock.edge(engine.now())
                                                     : clock.ticks(now + 1));
    return;
  }
  if (request.id == prefetchId)
    return;
  Entry &e = entry(request.id);
  if (--e.linesLeft)
    return;
  count.loadTicks.add(engine.now() - e.issue);
  finishNow(request.id);
}

void OutOfOrderCore::finishNow(uint64_t sequence) {
  // Known at the next edge, and in this cycle only if that is still to come.
  uint64_t cycle = clock.cycle(clock.edge(engine.now()));
  if (cycle <= now)
    cycle = now + 1;
  wheel[cycle % wheelCycles].push_back(sequence);
  ++wheelCount;
  wake(clock.ticks(cycle));
}

void OutOfOrderCore::retry() {
  memoryRefused = deviceRefused = false;
  wake(std::max(clock.edge(engine.now()), clock.ticks(now + 1)));
}
void OutOfOrderCore::retryTranslation() {
  translationRefused = false;
  wake(std::max(clock.edge(engine.now()), clock.ticks(now + 1)));
}
void OutOfOrderCore::translated(uint64_t id) {
  auto found = llvm::find_if(translating, [&](const LineRequest &request) {
    return request.translation == id;
  });
  found->translated = true;
  found->notBefore = 0;
  lines.push_front(*found);
  translating.erase(found);
  wake(std::max(clock.edge(engine.now()), clock.ticks(now + 1)));
}

void OutOfOrderCore::finish(uint64_t sequence, uint64_t cycles) {
  cycles = std::min<uint64_t>(cycles, wheelCycles - 1);
  wheel[(now + cycles) % wheelCycles].push_back(sequence);
  ++wheelCount;
}

void OutOfOrderCore::done(Entry &e) {
  e.stage = Stage::done;
  e.complete = engine.now();
  if (e.instruction->store)
    storeAt(e.storeIndex).executed = true;
  if (e.sequence == fetchWaitsFor) {
    fetchWaitsFor = none;
    fetchFrom = now + parameters.mispredictionCycles;
    refilling = true;
  }
  release(e.dependents);
}

void OutOfOrderCore::release(llvm::SmallVectorImpl<uint64_t> &dependents) {
  for (uint64_t sequence : dependents)
    if (--entry(sequence).pending == 0)
      becomeReady(sequence);
  dependents.clear();
}

void OutOfOrderCore::becomeReady(uint64_t sequence) {
  entry(sequence).stage = Stage::ready;
  ready.insert(std::upper_bound(ready.begin(), ready.end(), sequence),
               sequence);
}

std::string OutOfOrderCore::waits() const {
  if (head == tail)
    return "";
  const Entry &e = entries[head & entryMask];
  return llvm::formatv("{0}: instruction {1:x}, fetched at {2} ns, {3}", name,
                       e.pc, nanosecondsOf(e.fetch),
                       e.linesLeft ? "waits for memory" : "is not done")
      .str();
}

void OutOfOrderCore::addTo(Statistics &statistics, llvm::StringRef path) const {
  auto add = [&](llvm::StringRef name, const auto &value,
                 llvm::StringRef description) {
    statistics.add((path + "." + name).str(), value, description);
  };
  add("cycles", count.cycles, "cycles until the last instruction was done");
  add("instructions", count.instructions, "instructions that retired");
  add("operations", count.operations, "micro-operations that retired");
  add("loads", count.loads, "instructions that load");
  add("stores", count.stores, "instructions that store");
  add("branches", count.branches, "branches of all kinds");
  add("mispredictions", count.mispredictions, "branches predicted wrongly");
  for (unsigned kind = 0; kind < portKinds; ++kind)
    add(("issued." + kindNames[kind]).str(), count.issued[kind],
        "micro-operations that took a port, by what they need");
  add("forwards", count.forwards, "loads that an older store answered");
  add("loadLines", count.loadLines, "lines asked for by loads");
  add("storeLines", count.storeLines, "lines asked for by stores");
  add("stalls.reorderBuffer", count.robFull, "cycles it held rename up");
  add("stalls.issueQueue", count.issueQueueFull, "cycles it held rename up");
  add("stalls.loadQueue", count.loadQueueFull, "cycles it held rename up");
  add("stalls.storeQueue", count.storeQueueFull, "cycles it held rename up");
  add("stalls.registers", count.registersFull, "cycles they held rename up");
  for (unsigned cause = 0; cause < causes; ++cause)
    add(("stack." + causeNames[cause]).str(), count.stack[cause],
        "cycles in which nothing retired because of it; base: some did");
  add("reorderBuffer", count.rob, "entries in use");
  add("issueQueue", count.issueQueue, "entries in use");
  add("loadQueue", count.loadQueue, "entries in use");
  add("storeQueue", count.storeQueue, "entries in use");
  add("loadTicks", count.loadTicks, "from a load's issue to its data");
}
