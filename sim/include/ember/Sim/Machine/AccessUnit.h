//===- AccessUnit.h - What stands beside a core -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access unit reads memory on behalf of a core. To the core it is a device:
// a page of registers in guest memory, which the unit's functional half maps
// there and answers at once, and a port that says how long that takes. To the
// machine it asks memory where it likes, at the caches of its core or at the
// last level as a node of its own, and shares the core's translations.
//
// What is said here is all that a machine knows of one.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_MACHINE_ACCESSUNIT_H
#define EMBER_SIM_MACHINE_ACCESSUNIT_H

#include "ember/Sim/Cache/LoadObserver.h"
#include "ember/Sim/Cache/Ring.h"
#include "ember/Sim/Cache/Tlb.h"
#include "ember/Sim/Engine/Engine.h"
#include "ember/Sim/Engine/Statistics.h"
#include "ember/Sim/Memory/Request.h"

#include "llvm/Support/Error.h"

namespace ember::sim {

/// Where a unit meets the machine.
struct AccessUnitPorts {
  Engine &engine;
  MemoryPort &l1d;
  MemoryPort &l2;
  /// For whole lines, as many at a time as were asked for.
  MemoryPort &lastLevel;
  /// The second level of the core's.
  Tlb &tlb;
};

class PerfettoTrace;

class AccessUnit : public Waiter {
public:
  virtual ~AccessUnit() = default;

  /// Who is told of the core's loads; null if the unit has no use for that.
  virtual LoadObserver *loadObserver() { return nullptr; }

  /// What the core asks where its program loads from or stores to the unit's
  /// registers, in the program's order.
  virtual MemoryPort &devicePort() = 0;
  /// Nothing is left to be done.
  virtual bool isIdle() const = 0;
  /// Changes whenever the unit gets on.
  virtual uint64_t progress() const = 0;
  /// What went wrong in what the unit was told to do.
  virtual llvm::Error takeError() = 0;
  virtual void addTo(Statistics &statistics, llvm::StringRef path) const = 0;
  /// Shows what it does, as a group of tracks.
  virtual void trace(PerfettoTrace &) {}
};

/// A port that takes all: what is turned away waits here and asks again.
class QueuedPort final : public Requester {
public:
  QueuedPort(MemoryPort &port, Requester &owner) : port(port), owner(owner) {}

  void send(Request request) {
    request.requester = this;
    if (!unsent.empty() || !port.accept(request))
      unsent.push(request);
  }
  size_t waiting() const { return unsent.size(); }

  void complete(const Request &request) override { owner.complete(request); }
  void retry() override {
    while (!unsent.empty() && port.accept(unsent.front()))
      unsent.pop();
  }

private:
  MemoryPort &port;
  Requester &owner;
  Ring<Request> unsent;
};

} // namespace ember::sim

#endif
