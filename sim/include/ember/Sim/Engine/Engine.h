//===- Engine.h - What happens next -----------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The queue of events that drives a machine. Events of one tick are handled in
// the order in which they were scheduled, so a machine behaves the same in
// every run.
//
// Nearly all events are due within some hundred nanoseconds. Those stand in a
// wheel with a list per tick and a bit for each list that is not empty; the
// others wait in a heap until the wheel reaches their tick.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_ENGINE_ENGINE_H
#define EMBER_SIM_ENGINE_ENGINE_H

#include "ember/Sim/Engine/Time.h"

#include <array>
#include <cstdint>
#include <queue>
#include <vector>

namespace ember::sim {

/// What events are for.
class EventHandler {
public:
  /// Handles an event; `argument` is what it was scheduled with.
  virtual void handle(uint64_t argument) = 0;

protected:
  ~EventHandler() = default;
};

class Engine {
public:
  Engine() : wheel(wheelSize) {}

  Tick now() const { return time; }

  /// The number of events handled so far.
  uint64_t handled() const { return count; }

  bool empty() const { return pending == 0; }

  /// Calls `handler.handle(argument)` at the tick `at`, which is not in the
  /// past; at the current tick, behind all that is scheduled for it already.
  void schedule(Tick at, EventHandler &handler, uint64_t argument = 0);

  /// Goes on to the next tick that has events and handles all of them. False
  /// if there are none.
  bool step();

  /// Handles all events up to the tick `end`, included.
  void runUntil(Tick end);

private:
  static constexpr uint64_t wheelSize = 4096;
  static constexpr uint64_t wordBits = 64;

  struct Event {
    EventHandler *handler;
    uint64_t argument;
  };
  /// Of the wheel. Those of all ticks stand in one array, of which the places
  /// that were used last are used next, so that they are in the host's caches.
  struct WaitingEvent {
    Event event;
    uint32_t next;
  };
  static constexpr uint32_t none = ~uint32_t{0};
  struct Slot {
    uint32_t first = none;
    uint32_t last = none;
  };
  struct LateEvent {
    Tick at;
    uint64_t order;
    Event event;
    bool operator>(const LateEvent &other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  /// The first tick with events, from the current one on; there is one.
  Tick next() const;
  void insert(Tick at, Event event);
  /// Takes into the wheel what it reaches from the current tick on.
  void advance(Tick to);

  Tick time = 0;
  uint64_t count = 0;
  uint64_t pending = 0;
  uint64_t lateCount = 0;
  std::vector<Slot> wheel;
  std::vector<WaitingEvent> waiting;
  uint32_t unused = none;
  std::array<uint64_t, wheelSize / wordBits> occupied = {};
  std::priority_queue<LateEvent, std::vector<LateEvent>, std::greater<>> late;
};

} // namespace ember::sim

#endif
