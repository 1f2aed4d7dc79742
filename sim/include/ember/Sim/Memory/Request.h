//===- Request.h - What cores and access units ask of memory ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is asked for lines. What is asked, a cache or a controller, has room
// for so many requests at a time: it takes a request or turns it away, and
// whoever was turned away is told when there may be room again. The bytes
// themselves are not part of a request: values come from the functional half
// of a simulation, and only the time at which they arrive from here.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_MEMORY_REQUEST_H
#define EMBER_SIM_MEMORY_REQUEST_H

#include "ember/Sim/Engine/Time.h"

#include <cstdint>
#include <string>

namespace ember::sim {

inline constexpr uint64_t lineBytes = 64;

inline constexpr uint64_t lineOf(uint64_t address) {
  return address / lineBytes;
}

enum class Access : uint8_t {
  /// The line, to be read.
  read,
  /// The line, to be written: no other cache keeps it.
  own,
  /// A line that is written as a whole: nothing of what it held is needed.
  fill,
};

class Requester;

struct Request {
  /// The address divided by `lineBytes`.
  uint64_t line = 0;
  Access access = Access::read;
  /// A guess. Without a requester, nobody waits for it and it may be dropped.
  bool prefetch = false;
  /// Not kept in the caches on its way.
  bool nonTemporal = false;
  /// In answers to caches: no other cache has the line.
  bool writable = false;
  /// In answers to caches: memory is stale, and the requester has to see to it.
  bool dirty = false;
  /// Within the line, for prefetchers.
  uint8_t offset = 0;
  /// Of a load of one value up to 8 bytes, its size, for prefetchers that look
  /// at indices; otherwise 0.
  uint8_t bytes = 0;
  /// The instruction that asks, for prefetchers; 0 for other requesters.
  uint64_t instruction = 0;
  Requester *requester = nullptr;
  /// The requester's own name for it.
  uint64_t id = 0;
};

class Requester {
public:
  /// The line of `request` is there, or written. Called at the tick at which
  /// it is.
  virtual void complete(const Request &request) = 0;

  /// What turned a request away may have room now.
  virtual void retry() = 0;

protected:
  ~Requester() = default;
};

/// What answers requests.
class MemoryPort {
public:
  /// Takes a request, or turns it away; then `request.requester->retry()` is
  /// called once, at a later tick, when it may be asked again.
  virtual bool accept(const Request &request) = 0;

protected:
  ~MemoryPort() = default;
};

/// A part of a machine that may wait for another one.
class Waiter {
public:
  /// One line for each thing waited for, "l2: line 0x1f00 from llc3, since 812
  /// ns"; empty if there is none.
  virtual std::string waits() const = 0;

protected:
  ~Waiter() = default;
};

} // namespace ember::sim

#endif
