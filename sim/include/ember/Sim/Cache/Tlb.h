//===- Tlb.h - Translation of addresses -------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses are their own translations: translating costs time only. A buffer
// that lacks a page asks the next level; the last one walks the page table,
// whose entries it reads through a port as lines like any others.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CACHE_TLB_H
#define EMBER_SIM_CACHE_TLB_H

#include "ember/Sim/Cache/Ring.h"
#include "ember/Sim/Cache/TagArray.h"
#include "ember/Sim/Engine/Engine.h"
#include "ember/Sim/Engine/Statistics.h"
#include "ember/Sim/Machine/Parameters.h"
#include "ember/Sim/Memory/Request.h"

namespace ember::sim {

class Translated;

struct Translation {
  uint64_t page = 0;
  Translated *requester = nullptr;
  /// The requester's own name for it.
  uint64_t id = 0;
};

class Translated {
public:
  virtual void translated(const Translation &translation) = 0;

protected:
  ~Translated() = default;
};

struct TlbParameters {
  uint64_t entries = 48;
  uint64_t ways = 48;
  double clock = 2.4;
  uint64_t latency = 1;
  uint64_t misses = 4;
  uint64_t pageSize = 4096;
  uint64_t walkCacheEntries = 16;

  void visit(ParameterVisitor &visitor);
  llvm::Error validate() const;
};

class LowerLevel;

class Tlb final : public EventHandler,
                  public Requester,
                  public Translated,
                  public Waiter {
public:
  /// With `next`, the level that is asked for missing pages; otherwise the
  /// table is walked through `port`. `parameters` are valid.
  Tlb(Engine &engine, const TlbParameters &parameters, Tlb *next,
      MemoryPort *port);

  uint64_t pageOf(uint64_t address) const { return address >> pageBits; }
  /// Levels of the table.
  unsigned depth() const;

  /// Whether the page is known and looking takes no time: the latency is 0, as
  /// where the cache is looked up meanwhile.
  bool known(uint64_t page);

  /// Calls `requester->translated` when the translation is known. It is never
  /// turned away: what finds no free miss waits here.
  void translate(const Translation &translation);

  /// What a translation leaves, at once and without time; `walked` has the
  /// table.
  void warm(uint64_t page, LowerLevel &walked);

  void handle(uint64_t argument) override;
  void complete(const Request &answer) override;
  void retry() override;
  void translated(const Translation &translation) override;

  uint64_t hitCount() const { return hits; }
  uint64_t missCount() const { return missed; }
  uint64_t walkReads() const { return reads; }
  void addTo(Statistics &statistics, llvm::StringRef path) const;
  std::string waits() const override;

private:
  struct Miss {
    uint64_t page = 0;
    bool used = false;
    /// Of the table, the level whose entry is read; 0 is the last.
    unsigned level = 0;
    std::vector<Translation> targets;
  };

  bool process(const Translation &translation);
  void read(uint32_t index);
  /// Of the table, the level where a walk begins: below the lowest entry that
  /// is known.
  unsigned firstLevel(uint64_t page);
  void learn(uint64_t page, unsigned level);
  uint64_t entryLine(uint64_t page, unsigned level) const;
  void filled(uint32_t index);
  uint64_t walkKey(uint64_t page, unsigned level) const;

  Engine &engine;
  const TlbParameters parameters;
  const Clock clock;
  const unsigned pageBits;
  Tlb *next;
  MemoryPort *port;
  TagArray tags;
  TagArray walkCache;
  std::vector<Miss> misses;
  Ring<Translation> lookups;
  Ring<Translation> stalled;
  Ring<Request> unsent;
  std::vector<Translation> answers;
  uint64_t hits = 0, missed = 0, merged = 0, stalls = 0, reads = 0;
};

} // namespace ember::sim

#endif
