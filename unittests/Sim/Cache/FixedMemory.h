//===- FixedMemory.h - A memory of fixed latency and bandwidth, for tests *- C++
//-*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_UNITTESTS_SIM_CACHE_FIXEDMEMORY_H
#define EMBER_UNITTESTS_SIM_CACHE_FIXEDMEMORY_H

#include "ember/Sim/Cache/Cache.h"

#include <algorithm>
#include <map>

namespace ember::sim {

/// Answers a line every `interval` ticks, `latency` ticks after its request,
/// and has room for `capacity` requests.
class FixedMemory final : public LowerLevel, public EventHandler {
public:
  FixedMemory(Engine &engine, Tick latency, Tick interval, size_t capacity)
      : engine(engine), latency(latency), interval(interval),
        capacity(capacity) {}

  bool accept(const Request &request) override {
    if (requests.size() == capacity) {
      ++refused;
      turnedAway = request.requester;
      return false;
    }
    free = std::max(free, engine.now()) + interval;
    requests.push(request);
    ++reads;
    if (request.access == Access::fill)
      ++writes[request.line];
    engine.schedule(free - interval + latency, *this, 0);
    return true;
  }

  Tick writeBack(uint64_t, LineState state) override {
    ++(isDirty(state) ? dirty : clean);
    return engine.now() + latency;
  }

  void handle(uint64_t argument) override {
    if (argument) {
      Requester *requester = turnedAway;
      turnedAway = nullptr;
      if (requester)
        requester->retry();
      return;
    }
    Request answer = requests.front();
    requests.pop();
    answer.writable = true;
    answer.requester->complete(answer);
    if (turnedAway)
      engine.schedule(engine.now() + 1, *this, 1);
  }

  /// Whole lines that were written, by line.
  std::map<uint64_t, uint64_t> writes;
  uint64_t reads = 0, refused = 0, dirty = 0, clean = 0;

private:
  Engine &engine;
  Tick latency, interval;
  size_t capacity;
  Tick free = 0;
  Requester *turnedAway = nullptr;
  Ring<Request> requests;
};

} // namespace ember::sim

#endif
