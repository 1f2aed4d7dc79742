//===- Engine.cpp - What happens next -------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Engine/Engine.h"

#include <bit>
#include <cassert>

using namespace ember::sim;

void Engine::schedule(Tick at, EventHandler &handler, uint64_t argument) {
  assert(at >= time && "an event in the past");
  ++pending;
  Event event{&handler, argument};
  if (at - time < wheelSize)
    insert(at, event);
  else
    late.push({at, lateCount++, event});
}

bool Engine::step() {
  if (!pending)
    return false;
  advance(next());
  uint64_t slot = time % wheelSize;
  uint64_t handled = 0;
  // Handlers may schedule further events for this tick, which the loop reaches.
  for (uint32_t index; (index = wheel[slot].first) != none; ++handled) {
    auto [event, following] = waiting[index];
    wheel[slot].first = following;
    waiting[index].next = unused;
    unused = index;
    event.handler->handle(event.argument);
  }
  count += handled;
  pending -= handled;
  occupied[slot / wordBits] &= ~(uint64_t{1} << slot % wordBits);
  return true;
}

void Engine::runUntil(Tick end) {
  while (pending && next() <= end)
    step();
}

Tick Engine::next() const {
  // From the current slot on to the end of its word, then word by word around
  // the wheel, and back to the slots of the first word before the current one.
  uint64_t slot = time % wheelSize;
  uint64_t first = slot / wordBits;
  uint64_t word = occupied[first] & (~uint64_t{0} << slot % wordBits);
  for (uint64_t i = 0; i <= occupied.size(); ++i) {
    uint64_t index = (first + i) % occupied.size();
    if (i > 0)
      word = occupied[index];
    if (word) {
      uint64_t found = index * wordBits + std::countr_zero(word);
      return time + (found + wheelSize - slot) % wheelSize;
    }
  }
  return late.top().at;
}

void Engine::insert(Tick at, Event event) {
  uint64_t slot = at % wheelSize;
  uint32_t index = unused;
  if (index == none) {
    index = static_cast<uint32_t>(waiting.size());
    waiting.emplace_back();
  } else {
    unused = waiting[index].next;
  }
  waiting[index] = {event, none};
  Slot &events = wheel[slot];
  if (events.first == none)
    events.first = index;
  else
    waiting[events.last].next = index;
  events.last = index;
  occupied[slot / wordBits] |= uint64_t{1} << slot % wordBits;
}

void Engine::advance(Tick to) {
  time = to;
  // Before anything else can be scheduled for their ticks, so that the order
  // in which events were scheduled holds.
  while (!late.empty() && late.top().at - time < wheelSize) {
    insert(late.top().at, late.top().event);
    late.pop();
  }
}
