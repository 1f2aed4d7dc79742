//===- LineFetcher.h - Lines that a TMU asks for ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests of a unit from when they leave it until their lines come: they are
// translated by the TLB of the core's second level, go to the level that the
// stream names, and are counted.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TMU_LINEFETCHER_H
#define EMBER_SIM_TMU_LINEFETCHER_H

#include "ember/Sim/Machine/AccessUnit.h"
#include "ember/Sim/TMU/Configuration.h"
#include "ember/Sim/TMU/TMUParameters.h"
#include "ember/Sim/TMU/TMUTrace.h"

namespace ember::sim {

/// An element that waits for a line.
struct ElementWaiter {
  uint32_t layer = 0;
  uint32_t access = 0;
  uint64_t step = 0;
};

class LineFetcher final : public Requester, public Translated, public Waiter {
public:
  class Listener {
  public:
    virtual void arrived(const ElementWaiter &waiter) = 0;
    /// A line of the store buffer is written.
    virtual void stored(uint32_t buffer) = 0;
    /// Called once behind those above.
    virtual void lineDone() = 0;

  protected:
    ~Listener() = default;
  };

  LineFetcher(const TMUParameters &parameters, const AccessUnitPorts &ports,
              Listener &listener);

  bool hasRoom() const { return loads < parameters.outstanding; }
  uint64_t outstanding() const { return loads; }
  bool isIdle() const { return !loads && !stores; }

  /// Asks for a line, of a stream known by a key.
  void load(uint64_t line, const Stream *stream, const ElementWaiter &waiter,
            uint32_t key);
  /// Shares a request for the line that is on its way, if it may.
  bool join(uint64_t line, const ElementWaiter &waiter, uint32_t key);
  /// Writes a line, whole or in part; so many at a time as buffers are there.
  void store(uint64_t line, const Stream &stream, bool whole, uint32_t buffer);

  void translated(const Translation &translation) override;
  void complete(const Request &request) override;
  void retry() override {}
  std::string waits() const override;
  void addTo(Statistics &statistics, llvm::StringRef path) const;

  void trace(TMUTrace &to) { observer = &to; }

  struct Counters {
    uint64_t lines = 0, loadedBytes = 0, coalesced = 0, storedLines = 0,
             partialLines = 0;
    std::array<uint64_t, 4> byLevel = {};
  };
  const Counters &counters() const { return count; }

private:
  static constexpr uint32_t none = ~uint32_t{0};

  struct Transaction {
    uint64_t line = 0;
    MemoryLevel level = MemoryLevel::lastLevel;
    bool nonTemporal = false;
    bool used = false;
    bool isStore = false;
    bool whole = false;
    bool sent = false;
    uint32_t buffer = 0;
    uint32_t firstWaiter = none;
    Tick since = 0;
  };
  struct Node {
    ElementWaiter waiter;
    uint32_t next = none;
  };

  uint32_t allocate(uint64_t line, const Stream *stream);
  void addWaiter(Transaction &transaction, const ElementWaiter &waiter);
  void translate(uint32_t index);
  QueuedPort &portOf(const Transaction &transaction);

  const TMUParameters parameters;
  Engine &engine;
  Tlb &tlb;
  QueuedPort l1d, l2, lastLevel;
  Listener &listener;
  TMUTrace *observer = nullptr;
  std::vector<Transaction> transactions;
  std::vector<uint32_t> unused;
  std::vector<Node> nodes;
  uint32_t unusedNode = none;
  /// The transaction asked for last, by key.
  std::vector<uint32_t> last;
  uint64_t loads = 0, stores = 0;
  Counters count;
  Occupancy inFlight;
  Histogram latency;
};

} // namespace ember::sim

#endif
