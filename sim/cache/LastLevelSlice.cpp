//===- LastLevelSlice.cpp - A slice of the last level and its directory ---===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Cache/LastLevelSlice.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace ember::sim;

static constexpr uint64_t resumeArgument = ~uint64_t{0};
static constexpr uint64_t writeId = ~uint64_t{0};

static constexpr uint32_t nobody = Holders::nobody;

static uint64_t bitOf(uint32_t node) { return uint64_t{1} << node; }

void LastLevelParameters::visit(ParameterVisitor &visitor) {
  visitor.integer({"size", "bytes", "of a slice", Origin::stated,
                   "figure 5: 1 MiB a slice"},
                  size, {lineBytes, uint64_t{1} << 31});
  visitor.integer({"ways", "", "lines of a set", Origin::stated, "figure 5"},
                  ways, {1, 64});
  visitor.number(
      {"clock", "GHz", "a divisor of 12 GHz", Origin::unknown, "the core's"},
      clock, {0.1, 12});
  visitor.integer(
      {"latency", "cycles", "of tags and data", Origin::stated, "figure 5"},
      latency, {1, 1000});
  visitor.integer(
      {"mshrs", "", "transactions at a time", Origin::stated, "figure 5"},
      mshrs, {1, 4096});
  visitor.integer({"writeBuffers", "",
                   "lines on their way to memory before requests wait",
                   Origin::unknown, "half of the MSHRs"},
                  writeBuffers, {1, 4096});
  visitor.integer({"directoryEntries", "",
                   "lines of cores that a slice knows; 0 for all",
                   Origin::unknown, "so that none is taken back for room"},
                  directoryEntries, {0, 1 << 24});
  visitor.integer({"directoryWays", "", "entries of a set", Origin::unknown,
                   "as in the slice"},
                  directoryWays, {1, 64});
  visitor.choice({"replacement", "", "what goes", Origin::unknown, "usual"},
                 replacement, {"lru", "tree-plru", "srrip", "random"});
}

llvm::Error LastLevelParameters::validate() const {
  auto fail = [](const char *message) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
  };
  if (size % (lineBytes * ways) || !llvm::isPowerOf2_64(sets()))
    return fail("size over ways is no power of two of lines");
  if (replacement == Replacement::treePLRU && !llvm::isPowerOf2_64(ways))
    return fail("replacement is tree-plru, but ways is no power of two");
  if (directoryEntries &&
      (directoryEntries % directoryWays ||
       !llvm::isPowerOf2_64(directoryEntries / directoryWays)))
    return fail("directoryEntries over directoryWays is no power of two");
  double ticks = ticksPerNanosecond / clock;
  if (std::abs(ticks - std::round(ticks)) > 1e-6)
    return fail("clock is no divisor of 12 GHz");
  return llvm::Error::success();
}

LastLevelSlice::LastLevelSlice(Engine &engine, Interconnect &network,
                               CoherencePackets &packets,
                               const LastLevelParameters &parameters,
                               MemoryPort &memory)
    : engine(engine), outbox(network, packets), network(network),
      packets(packets), parameters(parameters),
      clock(static_cast<Tick>(
          std::lround(ticksPerNanosecond / parameters.clock))),
      tags(parameters.sets(), parameters.ways, parameters.replacement, 0, 1),
      memory(memory), transactions(parameters.mshrs),
      directory(parameters.directoryEntries, parameters.directoryWays) {
  for (uint32_t i = parameters.mshrs; i--;)
    unused.push_back(i);
}

bool LastLevelSlice::deliver(const Message &message) {
  if (message.network != VirtualNetwork::request) {
    counters.bytesFromCores += message.bytes;
    CoherencePacket packet = packets.take(message.payload);
    uint32_t index = packet.homeId;
    if (packet.op == CoherenceOp::snoopDone) {
      acknowledge(index, packet);
      return true;
    }
    transactions[index].finished = true;
    finish(index);
    return true;
  }
  if (unused.empty() || writes >= parameters.writeBuffers) {
    ++counters.refused;
    refusedRequest = true;
    return false;
  }
  counters.bytesFromCores += message.bytes;
  uint32_t index = unused.back();
  unused.pop_back();
  occupancy.add(engine.now(), 1);
  transactions[index] = {};
  transactions[index].packet = packets.take(message.payload);
  transactions[index].packet.homeId = index;
  transactions[index].used = true;
  transactions[index].since = engine.now();
  ++counters.requests;
  nextLookup = std::max(clock.edge(engine.now()), nextLookup);
  engine.schedule(nextLookup + clock.ticks(parameters.latency), *this, index);
  nextLookup += clock.period();
  return true;
}

void LastLevelSlice::handle(uint64_t argument) {
  if (argument == resumeArgument)
    network.resume(node, VirtualNetwork::request);
  else
    start(argument);
}

void LastLevelSlice::start(uint32_t index) {
  Transaction &transaction = transactions[index];
  uint64_t line = transaction.packet.line;
  auto [place, isFirst] = busy.try_emplace(line, LineQueue{index, none, none});
  LineQueue &queue = place->second;
  transaction.parked = queue.active != index;
  if (transaction.parked) {
    (queue.first == none ? queue.first : transactions[queue.last].next) = index;
    queue.last = index;
    return;
  }
  if (isFirst)
    directory.setInUse(line, true);
  run(index);
}

void LastLevelSlice::run(uint32_t index) {
  const CoherencePacket &packet = transactions[index].packet;
  bool keeps = packet.op == CoherenceOp::readShared ||
               packet.op == CoherenceOp::readOwn ||
               packet.op == CoherenceOp::makeOwn;
  uint64_t victim;
  if (keeps && !directory.reserve(packet.line, victim)) {
    if (victim == packet.line)
      withoutRoom.push_back(index);
    else
      takeBack(index, victim);
    return;
  }
  switch (packet.op) {
  case CoherenceOp::readShared:
  case CoherenceOp::readOnce:
    read(index);
    return;
  case CoherenceOp::put:
    put(index);
    return;
  default:
    own(index);
    return;
  }
}

void LastLevelSlice::takeBack(uint32_t index, uint64_t victim) {
  ++counters.directoryEvictions;
  busy.try_emplace(victim, LineQueue{index, none, none});
  directory.setInUse(victim, true);
  transactions[index].evicting = true;
  transactions[index].victim = victim;
  for (uint64_t left = directory.lookup(victim).sharers; left; left &= left - 1)
    snoop(index, llvm::countr_zero(left), victim, CoherenceOp::snoopInvalidate,
          false, false);
}

void LastLevelSlice::release(uint64_t line) {
  auto place = busy.find(line);
  LineQueue &queue = place->second;
  if (queue.first == none) {
    directory.setInUse(line, false);
    busy.erase(place);
  } else {
    queue.active = queue.first;
    queue.first = transactions[queue.active].next;
    engine.schedule(engine.now(), *this, queue.active);
  }
  for (uint32_t index : withoutRoom)
    engine.schedule(engine.now(), *this, index);
  withoutRoom.clear();
}

void LastLevelSlice::read(uint32_t index) {
  Transaction &transaction = transactions[index];
  const CoherencePacket &packet = transaction.packet;
  uint64_t line = packet.line;
  bool once = packet.op == CoherenceOp::readOnce;
  Holders holders = directory.lookup(line);
  uint32_t entry = tags.find(line);
  if (holders.owner != nobody || (entry == TagArray::none && holders.sharers)) {
    uint32_t from = holders.owner != nobody
                        ? holders.owner
                        : llvm::countr_zero(holders.sharers);
    ++counters.forwards;
    transaction.forwarded = true;
    snoop(index, from, line,
          once ? CoherenceOp::snoopOnce : CoherenceOp::snoopShare, true, false);
    return;
  }
  if (entry == TagArray::none) {
    ++counters.memoryReads;
    ask(line, Access::read, index);
    return;
  }
  ++counters.hits;
  tags.touch(entry);
  if (!once && !holders.sharers) {
    transaction.dirty = remove(line);
    directory[line] = {bitOf(packet.requester), packet.requester};
    respond(index, CoherenceOp::data, true);
    return;
  }
  if (!once)
    directory[line].sharers |= bitOf(packet.requester);
  respond(index, CoherenceOp::data, false);
}

void LastLevelSlice::own(uint32_t index) {
  Transaction &transaction = transactions[index];
  const CoherencePacket &packet = transaction.packet;
  bool keeps = packet.op != CoherenceOp::writeFull;
  Holders holders = directory.lookup(packet.line);
  bool has = keeps && (holders.sharers & bitOf(packet.requester));
  uint64_t others = holders.sharers;
  if (keeps)
    others &= ~bitOf(packet.requester);
  bool cached = tags.find(packet.line) != TagArray::none;
  counters.hits += cached;
  transaction.dirty = remove(packet.line);
  // The new contents of a whole line are the requester's: nothing is needed.
  bool needsData = packet.op == CoherenceOp::readOwn && !has;
  transaction.haveData = cached || !needsData;
  bool alone = others && !(others & (others - 1));
  if (needsData && alone && !cached) {
    ++counters.forwards;
    transaction.forwarded = true;
    snoop(index, llvm::countr_zero(others), packet.line,
          CoherenceOp::snoopInvalidate, true, false);
    return;
  }
  transaction.answers = true;
  bool wantsData = !transaction.haveData;
  for (uint64_t left = others; left; left &= left - 1) {
    uint32_t to = llvm::countr_zero(left);
    bool source = wantsData && (holders.owner == nobody || to == holders.owner);
    wantsData &= !source;
    snoop(index, to, packet.line, CoherenceOp::snoopInvalidate, false, source);
    transaction.haveData |= source;
  }
  if (!transaction.acknowledgements)
    collected(index);
}

void LastLevelSlice::put(uint32_t index) {
  const CoherencePacket packet = transactions[index].packet;
  Holders holders = directory.lookup(packet.line);
  if (!(holders.sharers & bitOf(packet.requester))) {
    ++counters.putsStale;
  } else {
    ++(packet.dirty ? counters.putsDirty : counters.putsClean);
    removeHolder(packet.line, packet.requester);
    install(packet.line, packet.dirty);
  }
  CoherencePacket reply = packet;
  reply.op = CoherenceOp::putDone;
  outbox.send(node, packet.requester, VirtualNetwork::response, 0, reply);
  transactions[index].finished = true;
  finish(index);
}

void LastLevelSlice::removeHolder(uint64_t line, uint32_t from) {
  Holders holders = directory.lookup(line);
  holders.sharers &= ~bitOf(from);
  if (holders.owner == from)
    holders.owner = nobody;
  if (holders.sharers)
    directory[line] = holders;
  else
    directory.erase(line);
}

void LastLevelSlice::snoop(uint32_t index, uint32_t to, uint64_t line,
                           CoherenceOp op, bool forward, bool wantsData) {
  Transaction &transaction = transactions[index];
  CoherencePacket packet = transaction.packet;
  packet.op = op;
  packet.line = line;
  packet.forward = forward;
  packet.wantsData = wantsData;
  ++transaction.acknowledgements;
  ++counters.snoops;
  outbox.send(node, to, VirtualNetwork::snoop, 0, packet);
}

void LastLevelSlice::acknowledge(uint32_t index, const CoherencePacket &reply) {
  Transaction &transaction = transactions[index];
  transaction.dirty |= reply.dirty;
  if (--transaction.acknowledgements)
    return;
  if (transaction.evicting) {
    if (transaction.dirty)
      install(transaction.victim, true);
    directory.erase(transaction.victim);
    release(transaction.victim);
    transaction.evicting = transaction.dirty = false;
    run(index);
    return;
  }
  if (transaction.answers) {
    collected(index);
    return;
  }
  // The data went from core to core.
  const CoherencePacket &packet = transaction.packet;
  if (packet.op == CoherenceOp::readShared) {
    Holders &holders = directory[packet.line];
    holders.sharers |= bitOf(packet.requester);
    if (!reply.dirty)
      holders.owner = nobody;
  } else if (packet.op == CoherenceOp::readOwn) {
    directory[packet.line] = {bitOf(packet.requester), packet.requester};
  }
  finish(index);
}

void LastLevelSlice::collected(uint32_t index) {
  Transaction &transaction = transactions[index];
  const CoherencePacket &packet = transaction.packet;
  if (packet.op == CoherenceOp::writeFull) {
    directory.erase(packet.line);
    if (packet.keep)
      install(packet.line, true);
    else
      ask(packet.line, Access::fill, writeId);
    respond(index, CoherenceOp::grant, false);
    return;
  }
  bool had = directory.lookup(packet.line).sharers & bitOf(packet.requester);
  bool needsData = packet.op == CoherenceOp::readOwn && !had;
  directory[packet.line] = {bitOf(packet.requester), packet.requester};
  if (needsData && !transaction.haveData) {
    ++counters.memoryReads;
    ask(packet.line, Access::read, index);
    return;
  }
  respond(index, needsData ? CoherenceOp::data : CoherenceOp::grant, true);
}

void LastLevelSlice::complete(const Request &answer) {
  if (answer.id == writeId) {
    --writes;
    resume();
    return;
  }
  counters.bytesFromMemory += lineBytes;
  uint32_t index = answer.id;
  const CoherencePacket &packet = transactions[index].packet;
  bool once = packet.op == CoherenceOp::readOnce;
  if (!once)
    directory[packet.line] = {bitOf(packet.requester), packet.requester};
  else if (packet.keep)
    install(packet.line, false);
  respond(index, CoherenceOp::data, !once);
}

void LastLevelSlice::respond(uint32_t index, CoherenceOp op, bool writable) {
  Transaction &transaction = transactions[index];
  transaction.answered = true;
  CoherencePacket packet = transaction.packet;
  packet.op = op;
  packet.writable = writable;
  packet.dirty = writable && transaction.dirty;
  uint32_t bytes = op == CoherenceOp::data ? lineBytes : 0;
  counters.bytesToCores += bytes;
  outbox.send(node, packet.requester, VirtualNetwork::response, bytes, packet);
}

void LastLevelSlice::finish(uint32_t index) {
  Transaction &transaction = transactions[index];
  if (!transaction.finished || transaction.acknowledgements)
    return;
  latency.add(engine.now() - transaction.since);
  occupancy.add(engine.now(), -1);
  transaction.used = false;
  unused.push_back(index);
  release(transaction.packet.line);
  resume();
}

void LastLevelSlice::install(uint64_t line, bool dirty) {
  uint32_t entry = tags.find(line);
  if (entry != TagArray::none) {
    if (dirty)
      tags[entry].state = LineState::modified;
    return;
  }
  ++counters.installs;
  entry = tags.victim(line);
  if (tags[entry].state != LineState::invalid) {
    ++counters.evictions;
    if (isDirty(tags[entry].state) && !warming)
      ask(tags[entry].key, Access::fill, writeId);
  }
  tags.insert(entry, line, dirty ? LineState::modified : LineState::shared);
}

bool LastLevelSlice::remove(uint64_t line) {
  uint32_t entry = tags.find(line);
  if (entry == TagArray::none)
    return false;
  ++counters.removals;
  bool dirty = isDirty(tags[entry].state);
  tags.invalidate(entry);
  return dirty;
}

void LastLevelSlice::ask(uint64_t line, Access access, uint64_t id) {
  if (access == Access::fill) {
    ++writes;
    ++counters.memoryWrites;
    counters.bytesToMemory += lineBytes;
  }
  Request request;
  request.line = line;
  request.access = access;
  request.requester = this;
  request.id = id;
  toMemory.push(request);
  if (!memoryRefused)
    retry();
}

void LastLevelSlice::retry() {
  memoryRefused = false;
  while (!toMemory.empty()) {
    if (!memory.accept(toMemory.front())) {
      memoryRefused = true;
      return;
    }
    toMemory.pop();
  }
}

void LastLevelSlice::resume() {
  if (!refusedRequest || unused.empty() || writes >= parameters.writeBuffers)
    return;
  refusedRequest = false;
  engine.schedule(engine.now() + 1, *this, resumeArgument);
}

void LastLevelSlice::addTo(Statistics &statistics, llvm::StringRef path) const {
  auto add = [&](const char *counter, const uint64_t &value,
                 const char *description) {
    statistics.add((path + "." + counter).str(), value, description);
  };
  add("requests", counters.requests, "transactions");
  add("hits", counters.hits, "of these, that found the line in the slice");
  add("forwards", counters.forwards, "lines that went from core to core");
  add("memoryReads", counters.memoryReads, "lines read from memory");
  add("memoryWrites", counters.memoryWrites, "lines written to memory");
  add("putsClean", counters.putsClean, "victims as in memory");
  add("putsDirty", counters.putsDirty, "victims with new data");
  add("putsStale", counters.putsStale, "victims that others had taken");
  add("snoops", counters.snoops, "snoops sent");
  add("refused", counters.refused, "requests left in the network");
  add("evictions", counters.evictions, "lines replaced");
  add("installs", counters.installs, "lines that cores gave up, kept");
  add("removals", counters.removals, "lines that went back to a core");
  add("directoryEvictions", counters.directoryEvictions,
      "lines taken from cores for room in the directory");
  add("bytesFromCores", counters.bytesFromCores, "that cores sent");
  add("bytesToCores", counters.bytesToCores, "sent to cores");
  add("bytesFromMemory", counters.bytesFromMemory, "that memory sent");
  add("bytesToMemory", counters.bytesToMemory, "sent to memory");
  statistics.add((path + ".mshrs").str(), occupancy, "transactions at a time");
  statistics.add((path + ".latency").str(), latency,
                 "ticks from a request to the end of its transaction");
}

std::string LastLevelSlice::waits() const {
  std::string text;
  for (const Transaction &transaction : transactions)
    if (transaction.used)
      text += "slice at node " + std::to_string(node) + ": line 0x" +
              llvm::utohexstr(transaction.packet.line * lineBytes, true) +
              (transaction.parked             ? " behind another transaction"
               : transaction.evicting         ? " for room in the directory"
               : transaction.acknowledgements ? " for snoops"
               : transaction.answered         ? " for its requester"
                                              : " for memory") +
              "\n";
  if (outbox.size())
    text += "slice at node " + std::to_string(node) + ": " +
            std::to_string(outbox.size()) +
            " messages for room in the network\n";
  return text;
}
