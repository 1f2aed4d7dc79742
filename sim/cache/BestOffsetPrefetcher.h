//===- BestOffsetPrefetcher.h - The offset that would have been in time *- C++
//-*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CACHE_BESTOFFSETPREFETCHER_H
#define EMBER_SIM_CACHE_BESTOFFSETPREFETCHER_H

#include "ember/Sim/Cache/Prefetcher.h"

namespace ember::sim {

std::unique_ptr<Prefetcher>
makeBestOffsetPrefetcher(const PrefetcherParameters &parameters);

} // namespace ember::sim

#endif
