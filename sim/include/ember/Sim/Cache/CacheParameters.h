//===- CacheParameters.h - What private caches are like ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CACHE_CACHEPARAMETERS_H
#define EMBER_SIM_CACHE_CACHEPARAMETERS_H

#include "ember/Sim/Cache/Prefetcher.h"
#include "ember/Sim/Cache/TagArray.h"
#include "ember/Sim/Engine/Time.h"
#include "ember/Sim/Machine/Parameters.h"

#include <cstdint>

namespace ember::sim {

struct CacheParameters {
  uint64_t size = 64 * 1024;
  uint64_t ways = 4;
  double clock = 2.4;
  uint64_t hitCycles = 2;
  uint64_t ports = 2;
  uint64_t queue = 16;
  uint64_t fillBytes = 64;
  uint64_t mshrs = 32;
  uint64_t targets = 16;
  uint64_t writeBackBuffers = 8;
  uint64_t prefetchReserve = 8;
  uint64_t prefetchQueue = 32;
  uint64_t seed = 1;
  bool inclusive = true;
  Replacement replacement = Replacement::lru;
  PrefetcherParameters prefetcher;

  uint64_t sets() const;
  /// Of the clock, in ticks.
  Tick period() const;

  void visit(ParameterVisitor &visitor);
  llvm::Error validate() const;
};

} // namespace ember::sim

#endif
