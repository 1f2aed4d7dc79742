//===- Prefetchers.h - The prefetchers that there are -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CACHE_PREFETCHERS_H
#define EMBER_SIM_CACHE_PREFETCHERS_H

#include "ember/Sim/Cache/Prefetcher.h"

namespace ember::sim {

/// Strides by instruction.
class StridePrefetcher final : public Prefetcher {
public:
  explicit StridePrefetcher(const PrefetcherParameters &parameters)
      : degree(parameters.degree), table(parameters.entries) {}

  void access(const PrefetchAccess &access,
              std::vector<uint64_t> &lines) override {
    observe(access, lines);
  }

  /// The stride of the access' instruction, 0 while it has none.
  int64_t observe(const PrefetchAccess &access, std::vector<uint64_t> &lines);

private:
  struct Entry {
    uint64_t instruction = 0;
    uint64_t address = 0;
    int64_t stride = 0;
    uint64_t confidence = 0;
    uint64_t used = 0;
  };

  /// The entry of an instruction, or the one it takes over.
  Entry &find(uint64_t instruction);

  uint64_t degree;
  std::vector<Entry> table;
  uint64_t uses = 0;
};

std::unique_ptr<Prefetcher>
makeBestOffsetPrefetcher(const PrefetcherParameters &parameters);
std::unique_ptr<Prefetcher>
makeIndirectPrefetcher(const PrefetcherParameters &parameters,
                       const MemoryValues &values);

/// With the defects of gem5's.
std::unique_ptr<Prefetcher>
makeDefectivePrefetcher(const PrefetcherParameters &parameters,
                        const MemoryValues &values);

} // namespace ember::sim

#endif
