//===- CacheHarness.h - A core over two levels, for tests -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_UNITTESTS_SIM_CACHE_CACHEHARNESS_H
#define EMBER_UNITTESTS_SIM_CACHE_CACHEHARNESS_H

#include "FixedMemory.h"

#include "gtest/gtest.h"

namespace ember::sim {

inline constexpr Tick cycle = 5;
inline constexpr Tick memoryLatency = 600;

/// Sends requests, again where they are turned away, and notes their answers.
class Core final : public Requester {
public:
  Core(Engine &engine, MemoryPort &port) : engine(engine), port(port) {}

  void send(uint64_t line, Access access = Access::read,
            bool nonTemporal = false, uint64_t instruction = 0) {
    Request request;
    request.line = line;
    request.access = access;
    request.nonTemporal = nonTemporal;
    request.instruction = instruction;
    request.requester = this;
    request.id = sent++;
    answers.push_back(0);
    if (turnedAway || !port.accept(request)) {
      turnedAway = true;
      queue.push(request);
    }
  }
  void complete(const Request &request) override {
    ++answers[request.id];
    last = engine.now();
    ++completed;
  }
  void retry() override {
    turnedAway = false;
    while (!queue.empty()) {
      if (!port.accept(queue.front())) {
        turnedAway = true;
        return;
      }
      queue.pop();
    }
  }
  /// From one request to its answer, with nothing else on its way.
  Tick time(uint64_t line, Access access = Access::read,
            uint64_t instruction = 0) {
    engine.runUntil(engine.now() / cycle * cycle + 100000 * cycle);
    Tick begin = engine.now();
    send(line, access, false, instruction);
    while (engine.step())
      ;
    return last - begin;
  }

  /// From a load of a value to its answer, right behind what came before.
  Tick load(uint64_t address, uint8_t bytes, uint64_t instruction) {
    Tick begin = engine.now();
    Request request;
    request.line = lineOf(address);
    request.offset = address % lineBytes;
    request.bytes = bytes;
    request.instruction = instruction;
    request.requester = this;
    request.id = sent++;
    answers.push_back(0);
    EXPECT_TRUE(port.accept(request));
    while (!answers[request.id] && engine.step())
      ;
    return last - begin;
  }

  std::vector<int> answers;
  uint64_t sent = 0, completed = 0;
  Tick last = 0;

private:
  Engine &engine;
  MemoryPort &port;
  bool turnedAway = false;
  Ring<Request> queue;
};

inline CacheParameters small(uint64_t size, uint64_t ways, uint64_t hitCycles) {
  CacheParameters parameters;
  parameters.size = size;
  parameters.ways = ways;
  parameters.hitCycles = hitCycles;
  parameters.fillBytes = 32;
  parameters.writeBackBuffers = 2;
  return parameters;
}

/// L1 and L2 of a core over a memory.
struct Levels {
  explicit Levels(CacheParameters first = small(1024, 4, 2),
                  CacheParameters second = small(4096, 8, 8), Tick interval = 1,
                  size_t capacity = 1000)
      : memory(engine, memoryLatency, interval, capacity),
        l2(engine, second, "l2"), l1(engine, first, "l1"), core(engine, l1) {
    l1.setBelow(l2);
    l2.setBelow(memory);
    l2.addUpper(l1);
  }
  Engine engine;
  FixedMemory memory;
  Cache l2, l1;
  Core core;
};

} // namespace ember::sim

#endif
