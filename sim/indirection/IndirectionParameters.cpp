//===- IndirectionParameters.cpp - Of a prefetch engine -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Indirection/IndirectionParameters.h"

#include <cmath>

using namespace ember::sim;

Tick IndirectionParameters::period() const {
  return static_cast<Tick>(std::lround(ticksPerNanosecond / clock));
}

void IndirectionParameters::visit(ParameterVisitor &v) {
  v.number({"clock", "GHz", "a divisor of 12 GHz", Origin::derived,
            "that of the caches beside it"},
           clock, {0.1, 12});
  v.integer({"lookups", "", "that it can be told of at a time",
             Origin::published,
             "Prodigy (HPCA 2021) has tables of 16 nodes and edges"},
            lookups, {1, 256});
  v.integer({"distance", "lookups",
             "ahead of the core, rounded up to a line of indices",
             Origin::unknown,
             "a row of four lines each 5 ns, for 150 ns of latency"},
            distance, {1, 65536});
  v.integer({"outstanding", "lines", "asked for at a time", Origin::unknown,
             "the MSHRs of the L2"},
            outstanding, {1, 65536});
  v.integer({"queue", "lines", "that wait to be asked for; more are dropped",
             Origin::unknown, "a line of indices, of rows of 32 lines"},
            queue, {1, 1 << 20});
  v.choice({"target", "", "the cache that keeps the lines", Origin::unknown,
            "the L1D has as many MSHRs as the core itself needs"},
           target, {"l1", "l2"});
  v.integer({"deviceCycles", "cycles",
             "from the core to the registers, and as many back",
             Origin::unknown, "beside the core: about the latency of the L2"},
            deviceCycles, {0, 10000});
}

llvm::Error IndirectionParameters::validate() const {
  double ticks = ticksPerNanosecond / clock;
  if (std::abs(ticks - std::round(ticks)) > 1e-6)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "clock is no divisor of 12 GHz");
  return llvm::Error::success();
}
