//===- IndirectPrefetchEngine.h - Rows before they are asked for *- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access unit that a program tells which array holds indices and which table
// they select rows of. It sees the core's loads of indices, reads indices some
// lookups ahead, and fetches the rows into a cache: the core runs plain loops
// and finds there what it asks for. Published engines of this kind are Prodigy
// (HPCA 2021), whose graph of indirections this is one edge of, and the
// programmable prefetcher of Ainsworth and Jones (ASPLOS 2018).
//
// Indices are read a line at a time, so the distance is rounded up to lines.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_INDIRECTION_INDIRECTPREFETCHENGINE_H
#define EMBER_SIM_INDIRECTION_INDIRECTPREFETCHENGINE_H

#include "ember/Sim/Core/GuestMemory.h"
#include "ember/Sim/Indirection/IndirectionParameters.h"
#include "ember/Sim/Machine/AccessUnit.h"

#include <vector>

namespace ember::sim {

class IndirectPrefetchEngine final : public AccessUnit,
                                     public DeviceHandler,
                                     public MemoryPort,
                                     public LoadObserver,
                                     public EventHandler,
                                     public Translated,
                                     public Requester {
public:
  static constexpr uint64_t pageBytes = 4096;
  enum Register : uint64_t {
    /// Stored: the address of a `Lookup`, which is known from then on.
    describeRegister = 0x00,
    /// Stored: all lookups are forgotten.
    forgetRegister = 0x08,
  };
  /// As it stands in the program's memory.
  struct Lookup {
    uint64_t indices = 0;
    /// 1, 2, 4 or 8; indices have a sign.
    uint64_t indexBytes = 0;
    uint64_t count = 0;
    /// The row of index 0, and what is read of it.
    uint64_t table = 0;
    uint64_t rowStride = 0;
    uint64_t rowBytes = 0;
  };

  /// `memory` has to outlive it; `parameters` are valid.
  IndirectPrefetchEngine(llvm::StringRef name,
                         const IndirectionParameters &parameters,
                         const AccessUnitPorts &ports, GuestMemory &memory);

  /// Gives the registers their address. It has no use for the second one.
  llvm::Error map(uint64_t registers, uint64_t = 0) {
    registerAddress = registers;
    return memory.mapDevice(name + " registers", registers, pageBytes, *this);
  }

  // What the program sees.
  void load(uint64_t address, void *bytes, unsigned size) override;
  void store(uint64_t address, const void *bytes, unsigned size) override;

  // What the machine sees.
  MemoryPort &devicePort() override { return *this; }
  LoadObserver *loadObserver() override { return this; }
  bool isIdle() const override {
    return !inFlight.current() && waiting.empty();
  }
  uint64_t progress() const override { return indexLines + rowLines; }
  llvm::Error takeError() override;
  void addTo(Statistics &statistics, llvm::StringRef path) const override;
  std::string waits() const override;

  bool accept(const Request &request) override;
  void loaded(uint64_t address) override;
  void handle(uint64_t argument) override;
  void translated(const Translation &translation) override;
  void complete(const Request &request) override;
  void retry() override {}

private:
  enum Event : uint64_t { answerEvent, cycleEvent };

  /// A lookup that the engine looks out for.
  struct Edge {
    Lookup lookup;
    /// The first position that was not asked for.
    uint64_t next = 0;
    bool started = false;
  };
  /// A line to be asked for: of indices, of those from a position on.
  struct Line {
    uint64_t line = 0;
    bool isIndices = false;
    uint32_t edge = 0;
    uint64_t from = 0, to = 0;
    uint64_t generation = 0;
  };

  void lookAhead(uint32_t edge, uint64_t position);
  void fetchRows(const Line &indices);
  void enqueue(const Line &line);
  void wake();

  const std::string name;
  const IndirectionParameters parameters;
  Engine &engine;
  const Clock clock;
  GuestMemory &memory;
  Tlb &tlb;
  QueuedPort port;

  uint64_t registerAddress = 0;
  std::string message;
  /// What the program stored, in its order; null to forget.
  Ring<std::optional<Lookup>> stored;
  Ring<Request> answers;

  std::vector<Edge> edges;
  /// Of the edges; lines of older ones are dropped.
  uint64_t generation = 0;
  Ring<Line> waiting;
  std::vector<Line> sent;
  std::vector<uint32_t> unused;
  bool isAwake = false;

  Occupancy inFlight;
  uint64_t described = 0, indexLines = 0, rowLines = 0, dropped = 0;
  uint64_t outside = 0;
};

} // namespace ember::sim

#endif
