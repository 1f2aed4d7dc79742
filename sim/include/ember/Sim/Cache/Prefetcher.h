//===- Prefetcher.h - Guessing what will be asked for -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prefetcher sees the accesses and fills of its cache and names lines that
// the cache should fetch.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CACHE_PREFETCHER_H
#define EMBER_SIM_CACHE_PREFETCHER_H

#include "ember/Sim/Machine/Parameters.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ember::sim {

enum class PrefetcherKind : uint8_t { none, stride, bestOffset };

struct PrefetcherParameters {
  PrefetcherKind kind = PrefetcherKind::none;
  /// Instructions that the stride and index tables know.
  uint64_t entries = 16;
  /// Lines ahead of a stride.
  uint64_t degree = 4;
  /// Bytes that best-offset does not leave.
  uint64_t region = 4096;

  void visit(ParameterVisitor &visitor);
};

/// What a prefetcher sees of an access.
struct PrefetchAccess {
  uint64_t address = 0;
  uint64_t instruction = 0;
  bool hit = false;
  /// A hit on a line that a prefetch fetched, for the first time.
  bool firstUse = false;
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

/// Null for `none`.
std::unique_ptr<Prefetcher>
makePrefetcher(const PrefetcherParameters &parameters);

} // namespace ember::sim

#endif
