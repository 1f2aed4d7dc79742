//===- MemorySystem.cpp - All controllers of a memory ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Memory/MemorySystem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace ember::sim;

MemorySystem::MemorySystem(Engine &engine, const MemoryParameters &parameters)
    : engine(engine), pseudoChannels(parameters.geometry.pseudoChannels),
      peakBandwidth(parameters.peakBandwidth()),
      addresses(parameters.geometry, parameters.mapping),
      buses(parameters.geometry.channels) {
  for (unsigned i = 0; i < parameters.geometry.controllers(); ++i)
    controllers.emplace_back(engine, parameters, buses[i / pseudoChannels], i);
}

void MemorySystem::observe(DRAMObserver &observer) {
  for (MemoryController &controller : controllers)
    controller.observe(observer);
}

void MemorySystem::settle() {
  for (MemoryController &controller : controllers)
    controller.settle();
}

uint64_t MemorySystem::total(uint64_t MemoryCounters::*counter) const {
  uint64_t sum = 0;
  for (const MemoryController &controller : controllers)
    sum += controller.counters().*counter;
  return sum;
}

double MemorySystem::meanReadNanoseconds() const {
  double ticks = 0;
  double reads = 0;
  for (const MemoryController &controller : controllers) {
    auto count = static_cast<double>(controller.readLatency().count());
    ticks += controller.readLatency().mean() * count;
    reads += count;
  }
  return reads > 0 ? ticks / reads / ticksPerNanosecond : 0;
}

void MemorySystem::addTo(Statistics &statistics, llvm::StringRef path) const {
  auto add = [&](llvm::StringRef name, uint64_t MemoryCounters::*counter,
                 llvm::StringRef description) {
    statistics.add(
        (path + "." + name).str(),
        [this, counter] { return static_cast<double>(total(counter)); },
        description);
  };
  add("reads", &MemoryCounters::reads, "lines read from DRAM");
  add("writes", &MemoryCounters::writes, "lines written to DRAM");
  add("rowHits", &MemoryCounters::rowHits, "lines whose row was open");
  add("rowMisses", &MemoryCounters::rowMisses,
      "lines whose bank had no open row");
  add("rowConflicts", &MemoryCounters::rowConflicts,
      "lines whose bank had another row open");
  add("activates", &MemoryCounters::activates, "rows opened");
  add("refreshes", &MemoryCounters::refreshes, "refreshes of a rank or a bank");
  add("bytesRead", &MemoryCounters::bytesRead, "bytes read from DRAM");
  add("bytesWritten", &MemoryCounters::bytesWritten, "bytes written to DRAM");
  statistics.add((path + ".meanReadLatency").str(),
                 [this] { return meanReadNanoseconds(); },
                 "ns from a request to its line");
  statistics.add((path + ".utilisation").str(),
                 [this] {
                   double bytes = static_cast<double>(
                       total(&MemoryCounters::bytesRead) +
                       total(&MemoryCounters::bytesWritten));
                   double peak = peakBandwidth * nanosecondsOf(engine.now());
                   return peak > 0 ? bytes / peak : 0;
                 },
                 "part of the bandwidth that was used");
  for (auto [index, controller] : llvm::enumerate(controllers))
    controller.addTo(statistics,
                     (path + ".channel" + llvm::Twine(index / pseudoChannels) +
                      ".pseudoChannel" + llvm::Twine(index % pseudoChannels))
                         .str());
}

std::string MemorySystem::waits() const {
  std::string text;
  for (auto [index, controller] : llvm::enumerate(controllers))
    text += controller.waits(("memory channel " +
                              llvm::Twine(index / pseudoChannels) + "." +
                              llvm::Twine(index % pseudoChannels))
                                 .str());
  return text;
}
