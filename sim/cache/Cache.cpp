//===- Cache.cpp - A private cache ----------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Cache/Cache.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace ember::sim;
using llvm::StringRef;

static constexpr uint64_t kindMask = 7;

Cache::Cache(Engine &engine, const CacheParameters &parameters, StringRef name)
    : engine(engine), parameters(parameters), clock(parameters.period()),
      name(name.str()), tags(parameters.sets(), parameters.ways,
                             parameters.replacement, 0, parameters.seed),
      present(tags), prefetcher(makePrefetcher(parameters.prefetcher, present)),
      mshrs(parameters.mshrs), mshrLines(parameters.mshrs, noLine) {
  for (uint32_t i = parameters.mshrs; i--;)
    unusedMshrs.push_back(i);
  for (Mshr &mshr : mshrs)
    mshr.targets.reserve(parameters.targets);
}

bool Cache::accept(const Request &request) {
  if (pipeline.size() >= parameters.queue) {
    ++counters.refused;
    if (request.requester && !llvm::is_contained(waiting, request.requester))
      waiting.push_back(request.requester);
    return false;
  }
  uint64_t cycle = clock.cycle(clock.edge(engine.now()));
  if (cycle > portCycle) {
    portCycle = cycle;
    portUses = 0;
  } else if (portUses == parameters.ports) {
    ++portCycle;
    portUses = 0;
  }
  ++portUses;
  pipeline.push({request, engine.now()});
  engine.schedule(clock.ticks(portCycle + parameters.hitCycles), *this, lookup);
  return true;
}

void Cache::handle(uint64_t argument) {
  switch (argument & kindMask) {
  case lookup:
    ++due;
    drain();
    return;
  case filled:
    finish(argument >> kindBits);
    return;
  case bufferFree:
    written();
    return;
  case wake:
    wakeIsDue = false;
    waking.swap(waiting);
    for (Requester *requester : waking)
      requester->retry();
    waking.clear();
    return;
  case resume:
    drain();
    return;
  }
}

void Cache::drain() {
  if (draining)
    return;
  draining = true;
  while (due) {
    if (!process(pipeline.front())) {
      ++counters.stalls;
      break;
    }
    pipeline.pop();
    --due;
    if (!waiting.empty() && !wakeIsDue) {
      wakeIsDue = true;
      engine.schedule(engine.now() + clock.period(), *this, wake);
    }
  }
  draining = false;
  prefetch();
}

uint32_t Cache::findMshr(uint64_t line) const {
  if (!used)
    return none;
  auto place = llvm::find(mshrLines, line);
  return place == mshrLines.end() ? none : place - mshrLines.begin();
}

uint64_t Cache::freeMshrs() const {
  uint64_t held = used;
  if (buffersUsed > parameters.writeBackBuffers)
    held += buffersUsed - parameters.writeBackBuffers;
  return held < mshrs.size() ? mshrs.size() - held : 0;
}

bool Cache::canServe(const Request &request, uint32_t entry) const {
  return entry != none &&
         (request.access == Access::read || isWritable(tags[entry].state));
}

bool Cache::process(const Pending &pending) {
  Request request = pending.request;
  // Only whole lines can be written without being kept.
  if (request.access == Access::own)
    request.nonTemporal = false;
  uint32_t entry = tags.find(request.line);
  if (entry == none && !uppers.empty())
    entry = adopt(request.line);
  bool dropped = request.prefetch && !request.requester;
  if (canServe(request, entry)) {
    ++counters.hits;
    tags.touch(entry);
    bool firstUse = tags[entry].prefetched && !request.prefetch;
    if (firstUse) {
      tags[entry].prefetched = false;
      ++counters.prefetchesUseful;
    }
    observe(request, true, firstUse);
    answer(serve(request, entry), pending.since);
    return true;
  }
  uint32_t index = findMshr(request.line);
  if (dropped && (index != none || freeMshrs() <= parameters.prefetchReserve)) {
    ++counters.prefetchesDropped;
    return true;
  }
  if (index != none) {
    Mshr &mshr = mshrs[index];
    if (mshr.targets.size() >= parameters.targets)
      return false;
    ++counters.merges;
    if (mshr.prefetch && !request.prefetch) {
      mshr.prefetch = false;
      ++counters.prefetchesLate;
      if (mshr.filling && entry != none)
        tags[entry].prefetched = false;
    }
    // What comes now finds the array as it is when the fill ends.
    mshr.targets.push_back({request, pending.since, false});
    observe(request, false, false);
    return true;
  }
  if (!freeMshrs())
    return false;
  ++counters.misses;
  if (entry != none) {
    ++counters.upgrades;
    counters.prefetchesUseful += tags[entry].prefetched;
    tags[entry].prefetched = false;
  }
  index = allocate(request);
  if (!dropped)
    mshrs[index].targets.push_back({request, pending.since, false});
  issue(index);
  observe(request, false, false);
  return true;
}

uint32_t Cache::allocate(const Request &request) {
  uint32_t index = unusedMshrs.back();
  unusedMshrs.pop_back();
  Mshr &mshr = mshrs[index];
  mshr.line = mshrLines[index] = request.line;
  mshr.since = engine.now();
  mshr.used = true;
  mshr.filling = false;
  mshr.prefetch = request.prefetch;
  counters.prefetches += request.prefetch;
  mshr.nonTemporal = request.nonTemporal;
  mshr.access = request.access;
  mshr.held = LineState::invalid;
  mshr.instruction = request.instruction;
  ++used;
  occupancy.set(engine.now(), used);
  return index;
}

void Cache::release(uint32_t index) {
  Mshr &mshr = mshrs[index];
  missLatency.add(engine.now() - mshr.since);
  mshr.targets.clear();
  mshr.used = false;
  mshrLines[index] = noLine;
  unusedMshrs.push_back(index);
  --used;
  occupancy.set(engine.now(), used);
  if (due || !prefetchQueue.empty())
    engine.schedule(engine.now(), *this, resume);
}

void Cache::issue(uint32_t index) {
  if (refusedBelow) {
    unissued.push(index);
    return;
  }
  const Mshr &mshr = mshrs[index];
  Request request;
  request.line = mshr.line;
  request.access = mshr.access;
  request.prefetch = mshr.prefetch;
  request.nonTemporal = mshr.nonTemporal;
  request.instruction = mshr.instruction;
  request.requester = this;
  request.id = index;
  if (below->accept(request))
    return;
  refusedBelow = true;
  unissued.push(index);
}

void Cache::retry() {
  refusedBelow = false;
  for (size_t count = unissued.size(); count && !refusedBelow; --count) {
    uint32_t index = unissued.front();
    unissued.pop();
    issue(index);
  }
}

Tick Cache::reserveFill() {
  uint64_t cycles =
      (lineBytes + parameters.fillBytes - 1) / parameters.fillBytes;
  fillFree = clock.after(std::max(engine.now(), fillFree), cycles);
  return fillFree;
}

LineState Cache::stateOf(const Request &answer, Access asked) {
  if (answer.writable || asked != Access::read)
    return answer.dirty ? LineState::modified : LineState::exclusive;
  return answer.dirty ? LineState::owned : LineState::shared;
}

void Cache::complete(const Request &answered) {
  uint32_t index = answered.id;
  Mshr &mshr = mshrs[index];
  if (!mshr.nonTemporal) {
    ++counters.fills;
    counters.filledBytes += lineBytes;
    LineState state = stateOf(answered, mshr.access);
    if (isDirty(mshr.held))
      state = isWritable(state) ? LineState::modified : LineState::owned;
    mshr.held = LineState::invalid;
    uint32_t entry = install(mshr.line, state);
    tags[entry].prefetched = mshr.prefetch;
    if (prefetcher)
      prefetcher->filled(mshr.line, mshr.prefetch);
  } else {
    ++counters.passed;
    counters.prefetchesUseless += mshr.prefetch;
  }
  // All that waits so far is served by this answer, now or never. Levels above
  // are served one after the other, as what one gets depends on what the others
  // have by then.
  uint32_t entry = tags.find(mshr.line);
  for (Target &target : mshr.targets) {
    bool whole = mshr.nonTemporal && target.request.nonTemporal &&
                 target.request.access == mshr.access;
    if (whole)
      target.served = true;
    else if (uppers.empty() && canServe(target.request, entry)) {
      target.request = serve(target.request, entry);
      target.served = true;
    }
  }
  mshr.filling = true;
  if (!uppers.empty()) {
    finish(index);
    return;
  }
  Tick at = mshr.nonTemporal ? engine.now() : reserveFill();
  engine.schedule(at, *this, filled | uint64_t{index} << kindBits);
}

void Cache::finish(uint32_t index) {
  Mshr &mshr = mshrs[index];
  size_t kept = 0;
  // Answers may bring new requests, but none that merge before this returns:
  // a lookup takes a cycle or more. They may bring write-backs, however.
  for (Target &target : mshr.targets) {
    uint32_t entry = tags.find(mshr.line);
    if (!target.served && canServe(target.request, entry)) {
      target.request = serve(target.request, entry);
      target.served = true;
    }
    if (target.served)
      answer(target.request, target.since);
    else
      mshr.targets[kept++] = target;
  }
  mshr.targets.resize(kept);
  if (!kept) {
    release(index);
    return;
  }
  ++counters.reissued;
  counters.prefetches += mshr.prefetch;
  mshr.filling = false;
  mshr.nonTemporal = true;
  mshr.access = Access::read;
  for (const Target &target : mshr.targets) {
    mshr.nonTemporal &= target.request.nonTemporal;
    if (target.request.access != Access::read)
      mshr.access = Access::own;
  }
  if (mshr.access == Access::own)
    mshr.nonTemporal = false;
  issue(index);
}

void Cache::answer(const Request &request, Tick since) {
  latency.add(engine.now() - since);
  if (request.requester) {
    ++counters.answers;
    request.requester->complete(request);
  }
}

bool Cache::isUpper(const Requester *requester) const {
  return llvm::any_of(uppers, [&](const Cache *upper) {
    return static_cast<const Requester *>(upper) == requester;
  });
}

Request Cache::serve(const Request &request, uint32_t entry) {
  LineState &state = tags[entry].state;
  bool writes = request.access != Access::read;
  bool toUpper = isUpper(request.requester);
  bool others = false;
  for (Cache *upper : uppers) {
    if (static_cast<const Requester *>(upper) == request.requester)
      continue;
    SnoopResult result =
        upper->snoop(request.line, writes ? Snoop::invalidate : Snoop::share);
    others |= result.had && !writes;
    if (result.dirty)
      state = isWritable(state) ? LineState::modified : LineState::owned;
  }
  if (writes && !toUpper && !request.prefetch)
    state = LineState::modified;
  Request answered = request;
  answered.writable = isWritable(state) && !others;
  answered.dirty = false;
  return answered;
}

uint32_t Cache::install(uint64_t line, LineState state) {
  uint32_t entry = tags.find(line);
  if (entry != none) {
    if (isDirty(tags[entry].state))
      state = isWritable(state) ? LineState::modified : LineState::owned;
    tags[entry].state = state;
    tags.touch(entry);
    return entry;
  }
  ++counters.installs;
  entry = tags.victim(line);
  if (tags[entry].state != LineState::invalid)
    evict(entry);
  tags.insert(entry, line, state);
  return entry;
}

void Cache::evict(uint32_t entry) {
  uint64_t line = tags[entry].key;
  LineState state = tags[entry].state;
  ++counters.evictions;
  counters.prefetchesUseless += tags[entry].prefetched;
  tags.invalidate(entry);
  if (parameters.inclusive) {
    for (Cache *upper : uppers)
      if (upper->snoop(line, Snoop::invalidate).dirty)
        state = isWritable(state) ? LineState::modified : LineState::owned;
  } else if (give(line, state)) {
    return;
  }
  if (warming) {
    below->warmVictim(line, state);
    return;
  }
  uint32_t index = findMshr(line);
  if (index != none && !mshrs[index].nonTemporal && !mshrs[index].filling) {
    mshrs[index].held = state;
    return;
  }
  bool dirty = isDirty(state);
  ++(dirty ? counters.dirtyWriteBacks : counters.cleanWriteBacks);
  counters.writtenBackBytes += dirty ? lineBytes : 0;
  ++buffersUsed;
  Tick at = below->writeBack(line, state);
  if (at != later)
    engine.schedule(std::max(at, engine.now()), *this, bufferFree);
}

void Cache::written() {
  --buffersUsed;
  if (due)
    engine.schedule(engine.now(), *this, resume);
}

/// A level above that has the line becomes the one that answers for it.
bool Cache::give(uint64_t line, LineState state) {
  for (Cache *upper : uppers) {
    uint32_t entry = upper->tags.find(line);
    if (entry == none)
      continue;
    LineState &theirs = upper->tags[entry].state;
    if (isDirty(state))
      theirs = isWritable(theirs) ? LineState::modified : LineState::owned;
    return true;
  }
  return false;
}

/// Takes over a line that only levels above have, as a copy of theirs.
uint32_t Cache::adopt(uint64_t line) {
  if (parameters.inclusive)
    return none;
  for (Cache *upper : uppers) {
    LineState state = upper->state(line);
    if (state != LineState::invalid)
      return install(line, state);
  }
  return none;
}

Tick Cache::writeBack(uint64_t line, LineState state) {
  Tick free = engine.now();
  if (isDirty(state)) {
    free = reserveFill();
    counters.filledBytes += lineBytes;
  }
  uint32_t entry = tags.find(line);
  if (entry != none) {
    if (isDirty(state))
      tags[entry].state = isWritable(tags[entry].state) ? LineState::modified
                                                        : LineState::owned;
    return free;
  }
  uint32_t index = findMshr(line);
  if (index != none && mshrs[index].held != LineState::invalid) {
    if (isDirty(state))
      mshrs[index].held = isWritable(mshrs[index].held) ? LineState::modified
                                                        : LineState::owned;
    return free;
  }
  if (!give(line, state))
    install(line, state);
  return free;
}

SnoopResult Cache::snoop(uint64_t line, Snoop kind) {
  ++counters.snoops;
  SnoopResult result;
  uint32_t entry = tags.find(line);
  uint32_t index = findMshr(line);
  LineState *mine = nullptr;
  if (entry != none)
    mine = &tags[entry].state;
  else if (index != none && mshrs[index].held != LineState::invalid)
    mine = &mshrs[index].held;
  for (Cache *upper : uppers) {
    SnoopResult theirs = upper->snoop(line, kind);
    result.had |= theirs.had;
    result.dirty |= theirs.dirty;
    if (mine && theirs.dirty && kind != Snoop::once)
      *mine = isWritable(*mine) ? LineState::modified : LineState::owned;
  }
  if (!mine)
    return result;
  ++counters.snoopHits;
  result.had = true;
  result.dirty |= isDirty(*mine);
  if (kind == Snoop::share)
    *mine = isDirty(*mine) ? LineState::owned : LineState::shared;
  if (kind == Snoop::invalidate) {
    ++(entry != none ? counters.lostLines : counters.lostVictims);
    *mine = LineState::invalid;
    if (entry != none)
      counters.prefetchesUseless += tags[entry].prefetched;
  }
  return result;
}

LineState Cache::state(uint64_t line) const {
  uint32_t entry = tags.find(line);
  if (entry != none)
    return tags[entry].state;
  uint32_t index = findMshr(line);
  return index != none ? mshrs[index].held : LineState::invalid;
}

void Cache::observe(const Request &request, bool hit, bool firstUse) {
  // Others than cores have no instructions.
  if (observer && request.access == Access::read && !request.prefetch &&
      request.instruction)
    observer->loaded(request.line * lineBytes + request.offset);
  // Who writes a whole line needs no other one of memory.
  if (!prefetcher || request.prefetch || request.access == Access::fill)
    return;
  unsigned bytes = request.access == Access::read ? request.bytes : 0;
  prefetcher->access({request.line * lineBytes + request.offset,
                      request.instruction, hit, firstUse, bytes},
                     wanted);
  for (uint64_t line : wanted) {
    if (!isWanted(line))
      continue;
    if (prefetchQueue.size() == parameters.prefetchQueue)
      ++counters.prefetchesDropped;
    else
      prefetchQueue.push(line);
  }
  wanted.clear();
}

bool Cache::PresentValues::read(uint64_t address, unsigned bytes,
                                uint64_t &value) const {
  return memory && tags.find(lineOf(address)) != TagArray::none &&
         tags.find(lineOf(address + bytes - 1)) != TagArray::none &&
         memory->read(address, bytes, value);
}

void Cache::prefetch() {
  // Accesses that wait for an MSHR come first.
  while (!prefetchQueue.empty() && !due &&
         freeMshrs() > parameters.prefetchReserve) {
    uint64_t line = prefetchQueue.front();
    prefetchQueue.pop();
    if (!isWanted(line))
      continue;
    Request request;
    request.line = line;
    request.prefetch = true;
    issue(allocate(request));
  }
}

bool Cache::isWanted(uint64_t line) const {
  // Without a page there is no translation.
  uint64_t value;
  return tags.find(line) == none && findMshr(line) == none &&
         (!present.memory || present.memory->read(line * lineBytes, 1, value));
}
