//===- Cache.h - A private cache --------------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A set-associative cache of a core, of any level. A lookup takes the latency
// of a hit; what it finds missing waits in an MSHR for the level below. A
// line's state moves between the levels of a core within one event: a level
// below answers at the tick at which the level above has the line, snoops go up
// and return at once, and only the time that ports, fills and buffers take
// passes separately. So the levels of a core have no transient states of their
// own; those between cores are in CoherentPort.h.
//
// A victim waits in a write-back buffer. Where none is free it stays in the
// MSHR whose fill displaced it, so a fill never waits for a write-back.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CACHE_CACHE_H
#define EMBER_SIM_CACHE_CACHE_H

#include "ember/Sim/Cache/CacheParameters.h"
#include "ember/Sim/Cache/LoadObserver.h"
#include "ember/Sim/Cache/Ring.h"
#include "ember/Sim/Engine/Engine.h"
#include "ember/Sim/Engine/Statistics.h"
#include "ember/Sim/Memory/Request.h"

#include <memory>
#include <string>
#include <vector>

namespace ember::sim {

/// What a private cache asks for lines and gives its victims to.
class LowerLevel : public MemoryPort {
public:
  static constexpr Tick later = ~Tick{0};

  /// A line that the level above no longer has. Returns when its write-back
  /// buffer is free, or `later`: then `Cache::written` is called.
  virtual Tick writeBack(uint64_t line, LineState state) = 0;

  /// What `accept` and its answer do to all levels, at once and without time.
  /// Nothing is on its way meanwhile.
  virtual Request warm(const Request &request) {
    Request answer = request;
    answer.writable = true;
    return answer;
  }
  /// The same for a line that the level above no longer has.
  virtual void warmVictim(uint64_t, LineState) {}
};

/// What another core's access takes of a line.
enum class Snoop : uint8_t {
  /// A look: the state stays.
  once,
  /// No longer the only one.
  share,
  invalidate,
};

struct SnoopResult {
  bool had = false;
  bool dirty = false;
};

struct CacheCounters {
  uint64_t hits = 0, misses = 0, merges = 0, upgrades = 0, stalls = 0;
  uint64_t refused = 0, evictions = 0, dirtyWriteBacks = 0, cleanWriteBacks = 0;
  uint64_t fills = 0, filledBytes = 0, writtenBackBytes = 0, snoops = 0;
  uint64_t snoopHits = 0, reissued = 0, lostLines = 0, lostVictims = 0;
  uint64_t installs = 0, answers = 0, passed = 0;
  uint64_t prefetches = 0, prefetchesDropped = 0, prefetchesUseful = 0;
  uint64_t prefetchesLate = 0, prefetchesUseless = 0;
};

class Cache final : public LowerLevel,
                    public Requester,
                    public EventHandler,
                    public Waiter {
public:
  /// `parameters` are valid.
  Cache(Engine &engine, const CacheParameters &parameters,
        llvm::StringRef name);

  void setBelow(LowerLevel &level) { below = &level; }
  /// A level above, whose lines this one keeps in step.
  void addUpper(Cache &level) { uppers.push_back(&level); }
  /// What prefetchers read indices from; without, they know no values.
  void setValues(const MemoryValues &memory) { present.memory = &memory; }

  /// Who is told of cores' loads.
  void setObserver(LoadObserver *other) { observer = other; }

  bool accept(const Request &request) override;
  Tick writeBack(uint64_t line, LineState state) override;
  void complete(const Request &answer) override;
  void retry() override;
  void handle(uint64_t argument) override;

  Request warm(const Request &request) override;
  void warmVictim(uint64_t line, LineState state) override;
  /// Between these, all that happens is warming, and is not counted.
  void beginWarming();
  void endWarming();

  SnoopResult snoop(uint64_t line, Snoop kind);
  /// A write-back buffer is free.
  void written();
  /// When the next line that arrives will have been written to the array.
  Tick reserveFill();

  /// Of this level alone, lines that an MSHR holds included.
  LineState state(uint64_t line) const;
  const TagArray &array() const { return tags; }
  const CacheCounters &counts() const { return counters; }
  /// MSHRs in use.
  uint64_t inFlight() const { return used; }
  /// Prefetches whose lines nobody has asked for so far.
  uint64_t prefetchesUnused() const;

  void addTo(Statistics &statistics, llvm::StringRef path) const;
  std::string waits() const override;

private:
  static constexpr uint32_t none = ~uint32_t{0};
  static constexpr uint64_t noLine = ~uint64_t{0};
  enum EventKind : uint64_t { lookup, filled, bufferFree, wake, resume };
  static constexpr unsigned kindBits = 3;

  struct Target {
    Request request;
    Tick since = 0;
    bool served = false;
  };
  struct Mshr {
    uint64_t line = 0;
    Tick since = 0;
    bool used = false;
    /// The line came; answers go up when it is written to the array.
    bool filling = false;
    bool prefetch = false;
    bool nonTemporal = false;
    Access access = Access::read;
    /// A victim that waited for ownership: it stays here until that comes.
    LineState held = LineState::invalid;
    uint64_t instruction = 0;
    std::vector<Target> targets;
  };
  struct Pending {
    Request request;
    Tick since;
  };
  /// The values that are in the cache.
  struct PresentValues final : MemoryValues {
    explicit PresentValues(const TagArray &tags) : tags(tags) {}
    bool read(uint64_t address, unsigned bytes, uint64_t &value) const override;
    const TagArray &tags;
    const MemoryValues *memory = nullptr;
  };

  bool process(const Pending &pending);
  void drain();
  uint32_t findMshr(uint64_t line) const;
  uint64_t freeMshrs() const;
  uint32_t allocate(const Request &request);
  void release(uint32_t index);
  void issue(uint32_t index);
  bool canServe(const Request &request, uint32_t entry) const;
  Request serve(const Request &request, uint32_t entry);
  Request warmOne(const Request &request);
  /// The state in which a line comes that was asked for so.
  static LineState stateOf(const Request &answer, Access asked);
  uint32_t install(uint64_t line, LineState state);
  void evict(uint32_t entry);
  uint32_t adopt(uint64_t line);
  bool give(uint64_t line, LineState state);
  bool isUpper(const Requester *requester) const;
  void finish(uint32_t index);
  void observe(const Request &request, bool hit, bool firstUse);
  void prefetch();
  bool isWanted(uint64_t line) const;
  void answer(const Request &request, Tick since);

  Engine &engine;
  const CacheParameters parameters;
  const Clock clock;
  const std::string name;
  TagArray tags;
  LowerLevel *below = nullptr;
  std::vector<Cache *> uppers;
  PresentValues present;
  std::unique_ptr<Prefetcher> prefetcher;
  LoadObserver *observer = nullptr;
  std::vector<uint64_t> wanted;
  /// Lines to be fetched when MSHRs are free.
  Ring<uint64_t> prefetchQueue;

  std::vector<Mshr> mshrs;
  /// The line of each MSHR in use, by itself, to be searched.
  std::vector<uint64_t> mshrLines;
  std::vector<uint32_t> unusedMshrs;
  uint64_t used = 0;
  uint64_t buffersUsed = 0;
  Ring<Pending> pipeline;
  /// Lookups at the front of the pipeline whose latency is over.
  uint64_t due = 0;
  uint64_t portCycle = 0;
  uint64_t portUses = 0;
  Tick fillFree = 0;
  Ring<uint32_t> unissued;
  bool refusedBelow = false;
  bool draining = false;
  std::vector<Requester *> waiting;
  std::vector<Requester *> waking;
  bool wakeIsDue = false;
  bool warming = false;

  CacheCounters counters;
  /// As they were before warming.
  CacheCounters counted;
  Occupancy occupancy;
  Histogram latency;
  Histogram missLatency;
};

} // namespace ember::sim

#endif
