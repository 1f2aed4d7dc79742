//===- Prefetcher.h - Guessing what will be asked for -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prefetcher sees the accesses and fills of its cache and names lines that
// the cache should fetch. Each comes in two forms: as its publication has it,
// and with the defects that gem5's had until 2024, with which published
// baselines were measured.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CACHE_PREFETCHER_H
#define EMBER_SIM_CACHE_PREFETCHER_H

#include "ember/Sim/Machine/Parameters.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ember::sim {

enum class PrefetcherKind : uint8_t { none, stride, bestOffset, indirect };

struct PrefetcherParameters {
  PrefetcherKind kind = PrefetcherKind::none;
  bool defective = false;
  /// Instructions that the stride and index tables know.
  uint64_t entries = 16;
  /// Lines ahead of a stride.
  uint64_t degree = 4;
  /// Bytes that best-offset does not leave.
  uint64_t region = 4096;
  /// The sum of the sizes, powers of two, that elements may have.
  uint64_t elementSizes = 4 + 8 + 16;
  bool bitElements = true;
  uint64_t detectors = 4;
  uint64_t detectorMisses = 4;
  uint64_t indirectWays = 2;
  uint64_t indirectDistance = 16;

  void visit(ParameterVisitor &visitor);
};

/// What memory holds, from the functional half of a simulation.
class MemoryValues {
public:
  /// Sets `value` to the `bytes` bytes, 8 at most, at an address. False where
  /// they are not known.
  virtual bool read(uint64_t address, unsigned bytes,
                    uint64_t &value) const = 0;

protected:
  ~MemoryValues() = default;
};

/// What a prefetcher sees of an access.
struct PrefetchAccess {
  uint64_t address = 0;
  uint64_t instruction = 0;
  bool hit = false;
  /// A hit on a line that a prefetch fetched, for the first time.
  bool firstUse = false;
  /// Of a load of one value, its size; otherwise 0.
  unsigned bytes = 0;
};

class Prefetcher {
public:
  virtual ~Prefetcher() = default;

  /// Adds to `lines` what should be fetched.
  virtual void access(const PrefetchAccess &access,
                      std::vector<uint64_t> &lines) = 0;
  /// A line came.
  virtual void filled(uint64_t, bool /*prefetched*/) {}
};

/// Null for `none`. `values` are those in the cache.
std::unique_ptr<Prefetcher>
makePrefetcher(const PrefetcherParameters &parameters,
               const MemoryValues &values);

} // namespace ember::sim

#endif
