//===- LastLevelSlice.h - A slice of the last level and its directory *- C++
//-*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The home of a part of all lines: knows exactly which cores have each, lets
// one transaction of a line at a time through, and keeps lines that cores gave
// up. A line that one core reads leaves the slice; one that several share
// stays. Where the directory has no room, a transaction first takes another
// line of the set from all cores that have it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CACHE_LASTLEVELSLICE_H
#define EMBER_SIM_CACHE_LASTLEVELSLICE_H

#include "ember/Sim/Cache/Coherence.h"
#include "ember/Sim/Cache/Directory.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ember::sim {

struct LastLevelParameters {
  uint64_t size = 1024 * 1024;
  uint64_t ways = 16;
  double clock = 2.4;
  uint64_t latency = 12;
  uint64_t mshrs = 128;
  uint64_t writeBuffers = 64;
  /// 0 for any number.
  uint64_t directoryEntries = 0;
  uint64_t directoryWays = 16;
  Replacement replacement = Replacement::lru;

  uint64_t sets() const { return size / lineBytes / ways; }
  void visit(ParameterVisitor &visitor);
  llvm::Error validate() const;
};

struct LastLevelCounters {
  uint64_t requests = 0, hits = 0, forwards = 0, memoryReads = 0;
  uint64_t memoryWrites = 0, putsClean = 0, putsDirty = 0, putsStale = 0;
  uint64_t snoops = 0, refused = 0, evictions = 0;
  uint64_t installs = 0, removals = 0, directoryEvictions = 0;
  uint64_t bytesFromCores = 0, bytesToCores = 0;
  uint64_t bytesFromMemory = 0, bytesToMemory = 0;
};

class LastLevelSlice final : public NetworkNode,
                             public Requester,
                             public EventHandler,
                             public Waiter {
public:
  /// `parameters` are valid.
  LastLevelSlice(Engine &engine, Interconnect &network,
                 CoherencePackets &packets,
                 const LastLevelParameters &parameters, MemoryPort &memory);

  void setNode(uint32_t number) { node = number; }

  bool deliver(const Message &message) override;
  void retry(VirtualNetwork on) override { outbox.retry(on); }
  void complete(const Request &answer) override;
  void retry() override;
  void handle(uint64_t argument) override;

  /// Takes a look at a line on behalf of others, at the core of a node.
  using Snooper =
      llvm::function_ref<SnoopResult(uint32_t node, uint64_t line, Snoop kind)>;
  /// What a transaction of a core and its answer do, at once and without time.
  Request warm(const Request &request, uint32_t from, Snooper snooper);
  /// The same for a core's victim.
  void warmVictim(uint64_t line, LineState state, uint32_t from);
  /// Between these, all that happens is warming, and is not counted.
  void beginWarming();
  void endWarming();

  bool isBusy(uint64_t line) const { return busy.count(line); }
  Holders holders(uint64_t line) const { return directory.lookup(line); }
  const TagArray &array() const { return tags; }
  const Directory &known() const { return directory; }
  const LastLevelCounters &counts() const { return counters; }

  void addTo(Statistics &statistics, llvm::StringRef path) const;
  std::string waits() const override;

private:
  static constexpr uint32_t none = ~uint32_t{0};

  struct Transaction {
    CoherencePacket packet;
    Tick since = 0;
    bool used = false;
    bool parked = false;
    bool finished = false;
    /// It takes `victim` from the cores, for room in the directory.
    bool evicting = false;
    uint64_t victim = 0;
    /// The answer goes out when all snoops are acknowledged.
    bool answers = false;
    /// It went out.
    bool answered = false;
    bool forwarded = false;
    bool haveData = false;
    bool dirty = false;
    uint32_t acknowledgements = 0;
    /// Of those that wait for the same line.
    uint32_t next = none;
  };
  /// The transaction that has a line, and those that wait for it.
  struct LineQueue {
    uint32_t active = none;
    uint32_t first = none;
    uint32_t last = none;
  };

  void start(uint32_t index);
  void run(uint32_t index);
  void read(uint32_t index);
  void own(uint32_t index);
  void put(uint32_t index);
  void snoop(uint32_t index, uint32_t to, uint64_t line, CoherenceOp op,
             bool forward, bool wantsData);
  void takeBack(uint32_t index, uint64_t victim);
  void release(uint64_t line);
  void acknowledge(uint32_t index, const CoherencePacket &reply);
  void collected(uint32_t index);
  void respond(uint32_t index, CoherenceOp op, bool writable);
  void finish(uint32_t index);
  /// Of a core that no longer has the line.
  void removeHolder(uint64_t line, uint32_t from);
  void install(uint64_t line, bool dirty);
  /// Takes the line out; whether memory was stale.
  bool remove(uint64_t line);
  /// Takes requests that were left in the network.
  void resume();
  void ask(uint64_t line, Access access, uint64_t id);

  Engine &engine;
  Outbox outbox;
  Interconnect &network;
  CoherencePackets &packets;
  const LastLevelParameters parameters;
  const Clock clock;
  TagArray tags;
  MemoryPort &memory;
  uint32_t node = 0;
  std::vector<Transaction> transactions;
  std::vector<uint32_t> unused;
  llvm::DenseMap<uint64_t, LineQueue> busy;
  Directory directory;
  /// Transactions that found no room in the directory, not even to make.
  std::vector<uint32_t> withoutRoom;
  Ring<Request> toMemory;
  /// Lines on their way to memory, which a slice has so many buffers for.
  uint64_t writes = 0;
  bool memoryRefused = false;
  bool refusedRequest = false;
  Tick nextLookup = 0;
  bool warming = false;
  LastLevelCounters counters;
  /// As they were before warming.
  LastLevelCounters counted;
  Occupancy occupancy;
  Histogram latency;
};

} // namespace ember::sim

#endif
