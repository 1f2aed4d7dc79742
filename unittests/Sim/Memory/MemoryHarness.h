//===- MemoryHarness.h - A memory with somebody who asks --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_UNITTESTS_SIM_MEMORY_MEMORYHARNESS_H
#define EMBER_UNITTESTS_SIM_MEMORY_MEMORYHARNESS_H

#include "CommandChecker.h"

#include "ember/Sim/Memory/MemorySystem.h"

#include "gtest/gtest.h"

#include <functional>
#include <random>
#include <vector>

namespace ember::sim {

/// Requests that are sent at given times, or as fast as the memory and a number
/// in flight allow.
class MemoryHarness final : public Requester, public EventHandler {
public:
  explicit MemoryHarness(const MemoryParameters &parameters, bool check = true)
      : parameters(parameters), checker(parameters),
        memory(engine, parameters) {
    EXPECT_EQ(llvm::toString(parameters.validate()), "");
    if (check)
      memory.observe(checker);
  }

  /// Sends a request at a tick; it has to be taken then. Returns its number.
  uint64_t send(Tick at, uint64_t line, Access access = Access::read) {
    requests.push_back({line, access});
    completed.push_back(0);
    engine.schedule(at, *this, requests.size() - 1);
    return requests.size() - 1;
  }
  uint64_t send(Tick at, const DRAMLocation &location,
                Access access = Access::read) {
    return send(at, memory.mapping().lineAt(location), access);
  }

  /// Sends `count` requests that `make` makes, up to `limit` in flight.
  void stream(uint64_t count, uint64_t limit,
              const std::function<std::pair<uint64_t, Access>()> &make) {
    left = count;
    inFlightLimit = limit;
    next = make;
    pump();
    run();
    EXPECT_EQ(left, 0u);
    EXPECT_EQ(inFlight, 0u);
  }

  void run() {
    while (engine.step()) {
    }
  }

  void handle(uint64_t number) override {
    auto [line, access] = requests[number];
    EXPECT_TRUE(memory.accept(make(line, access, number)));
  }

  void complete(const Request &request) override {
    lastCompletion = engine.now();
    ++completions;
    if (request.id < completed.size()) {
      EXPECT_EQ(completed[request.id], 0u);
      completed[request.id] = engine.now();
      return;
    }
    --inFlight;
    pump();
  }

  void retry() override {
    turnedAway = false;
    pump();
  }

  double nanoseconds() const { return nanosecondsOf(lastCompletion); }
  /// GB/s of completed lines.
  double bandwidth() const {
    return static_cast<double>(completions * lineBytes) / nanoseconds();
  }
  void expectLegal() const {
    EXPECT_TRUE(checker.broken().empty())
        << checker.broken().size() << " commands are illegal, first "
        << checker.broken().front();
  }

  MemoryParameters parameters;
  Engine engine;
  CommandChecker checker;
  MemorySystem memory;
  std::vector<Tick> completed;
  uint64_t completions = 0;
  Tick lastCompletion = 0;

private:
  static constexpr uint64_t streamed = ~uint64_t{0};

  Request make(uint64_t line, Access access, uint64_t id) {
    Request request;
    request.line = line;
    request.access = access;
    request.requester = this;
    request.id = id;
    return request;
  }

  void pump() {
    while (left && inFlight < inFlightLimit && !turnedAway) {
      if (!held) {
        pending = next();
        held = true;
      }
      if (!memory.accept(make(pending.first, pending.second, streamed))) {
        turnedAway = true;
        return;
      }
      held = false;
      ++inFlight;
      --left;
    }
  }

  std::vector<std::pair<uint64_t, Access>> requests;
  std::function<std::pair<uint64_t, Access>()> next;
  std::pair<uint64_t, Access> pending;
  bool held = false;
  bool turnedAway = false;
  uint64_t left = 0;
  uint64_t inFlight = 0;
  uint64_t inFlightLimit = 0;
};

/// HBM2 whose lines are where a location says, without refreshes.
inline MemoryParameters plainMemory() {
  MemoryParameters parameters;
  parameters.mapping.hash = AddressHash::none;
  parameters.controller.refresh = Refresh::none;
  return parameters;
}

/// One controller of it.
inline MemoryParameters oneController() {
  MemoryParameters parameters = plainMemory();
  parameters.geometry.channels = 1;
  parameters.geometry.pseudoChannels = 1;
  return parameters;
}

inline DRAMLocation place(uint32_t bankGroup, uint32_t bank, uint64_t row,
                          uint32_t column = 0, uint32_t rank = 0) {
  DRAMLocation location;
  location.bankGroup = bankGroup;
  location.bank = bank;
  location.row = row;
  location.column = column;
  location.rank = rank;
  return location;
}

} // namespace ember::sim

#endif
