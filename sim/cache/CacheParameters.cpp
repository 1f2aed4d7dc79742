//===- CacheParameters.cpp - What private caches are like -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Cache/CacheParameters.h"
#include "ember/Sim/Memory/Request.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace ember::sim;

uint64_t CacheParameters::sets() const { return size / lineBytes / ways; }

Tick CacheParameters::period() const {
  return static_cast<Tick>(std::lround(ticksPerNanosecond / clock));
}

void CacheParameters::visit(ParameterVisitor &visitor) {
  visitor.integer({"size", "bytes", "of all lines", Origin::stated,
                   "figure 5: 64 KiB L1D, 512 KiB L2"},
                  size, {lineBytes, uint64_t{1} << 31});
  visitor.integer({"ways", "", "lines of a set", Origin::stated,
                   "figure 5: 4 in the L1D, 8 in the L2"},
                  ways, {1, 64});
  visitor.number({"clock", "GHz", "a divisor of 12 GHz", Origin::stated,
                  "the core's, section 3.1"},
                 clock, {0.1, 12});
  visitor.integer({"hitCycles", "cycles", "from an access to its answer",
                   Origin::stated, "figure 5: 2 in the L1D, 8 in the L2"},
                  hitCycles, {1, 1000});
  visitor.integer({"ports", "", "accesses that begin in a cycle",
                   Origin::published,
                   "two loads a cycle in LLVM's scheduling model of Neoverse "
                   "N1"},
                  ports, {1, 64});
  visitor.integer({"queue", "", "accesses that wait or are looked up",
                   Origin::unknown,
                   "covers the hit latency at the full rate of the ports"},
                  queue, {1, 4096});
  visitor.integer({"fillBytes", "bytes", "that fills write in a cycle",
                   Origin::unknown, "a line a cycle"},
                  fillBytes, {1, lineBytes});
  visitor.integer({"mshrs", "", "lines asked for at a time", Origin::stated,
                   "figure 5: 32 in the L1D, 64 in the L2"},
                  mshrs, {1, 4096});
  visitor.integer({"targets", "", "requests that wait for a line",
                   Origin::unknown, "a load queue's share of one line"},
                  targets, {1, 4096});
  visitor.integer({"writeBackBuffers", "",
                   "victims on their way; further ones hold MSHRs",
                   Origin::unknown, "an eighth to a quarter of the MSHRs"},
                  writeBackBuffers, {1, 4096});
  visitor.integer({"prefetchReserve", "", "MSHRs that prefetches leave free",
                   Origin::unknown, "a quarter of them"},
                  prefetchReserve, {0, 4096});
  visitor.integer({"prefetchQueue", "",
                   "lines that a prefetcher wants and no MSHR is free for",
                   Origin::unknown, "as many as the L1D has MSHRs"},
                  prefetchQueue, {1, 4096});
  visitor.integer({"seed", "", "of random replacement", Origin::unknown, "any"},
                  seed);
  visitor.flag({"inclusive", "", "holds all that the levels above hold",
                Origin::unknown, "Neoverse N1's L2 includes its L1D"},
               inclusive);
  visitor.choice({"replacement", "", "what goes", Origin::unknown, "usual"},
                 replacement, {"lru", "tree-plru", "srrip", "random"});
  visitor.part("prefetcher", "what it fetches unasked", prefetcher);
}

llvm::Error CacheParameters::validate() const {
  auto fail = [](const char *message) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
  };
  if (size % (lineBytes * ways) || !llvm::isPowerOf2_64(sets()))
    return fail("size over ways is no power of two of lines");
  if (replacement == Replacement::treePLRU && !llvm::isPowerOf2_64(ways))
    return fail("replacement is tree-plru, but ways is no power of two");
  if (prefetchReserve >= mshrs && prefetcher.kind != PrefetcherKind::none)
    return fail("prefetchReserve leaves a prefetcher none of the mshrs");
  double ticks = ticksPerNanosecond / clock;
  if (std::abs(ticks - std::round(ticks)) > 1e-6)
    return fail("clock is no divisor of 12 GHz");
  return llvm::Error::success();
}
