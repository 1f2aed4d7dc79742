//===- MemorySystem.h - All controllers of a memory -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory behind the last level of caches. Reads and lines to be owned are
// read, lines to be filled are written; a write is complete when it is in the
// queue of its controller. Requests without a requester are answered to nobody.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_MEMORY_MEMORYSYSTEM_H
#define EMBER_SIM_MEMORY_MEMORYSYSTEM_H

#include "ember/Sim/Memory/MemoryController.h"

#include <deque>

namespace ember::sim {

class MemorySystem final : public MemoryPort, public Waiter {
public:
  /// `parameters` are valid.
  MemorySystem(Engine &engine, const MemoryParameters &parameters);

  bool accept(const Request &request) override {
    DRAMLocation location = addresses.locate(request.line);
    return controllers[location.channel * pseudoChannels +
                       location.pseudoChannel]
        .accept(request, location);
  }

  const AddressMapping &mapping() const { return addresses; }

  /// The channel at whose node of a network a line is asked for.
  unsigned channelOf(uint64_t line) const {
    return addresses.locate(line).channel;
  }

  /// Shows all commands to an observer.
  void observe(DRAMObserver &observer);

  /// Makes up for the refreshes of controllers without requests, for the
  /// counts at the end of a run.
  void settle();

  /// A counter of all controllers together.
  uint64_t total(uint64_t MemoryCounters::*counter) const;
  /// Of reads, from the request to the line.
  double meanReadNanoseconds() const;

  void addTo(Statistics &statistics, llvm::StringRef path) const;
  std::string waits() const override;

private:
  Engine &engine;
  uint64_t pseudoChannels;
  double peakBandwidth;
  AddressMapping addresses;
  std::vector<CommandBuses> buses;
  std::deque<MemoryController> controllers;
};

} // namespace ember::sim

#endif
