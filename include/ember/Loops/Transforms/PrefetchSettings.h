//===- PrefetchSettings.h - What a user says about prefetches ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LOOPS_TRANSFORMS_PREFETCHSETTINGS_H
#define EMBER_LOOPS_TRANSFORMS_PREFETCHSETTINGS_H

#include <cstdint>

namespace ember::loops {

/// Overrides of what the cost model of prefetches chooses.
struct PrefetchSettings {
  /// Lookups a prefetch runs ahead of its use; 0 emits no prefetches, -1
  /// chooses.
  int64_t distance = -1;
  /// Cache lines at the beginning of a row that are prefetched; 0 chooses.
  int64_t lines = 0;
  /// The cache that rows are prefetched into, 1 to 3; 0 chooses.
  int64_t level = 0;
  /// The smallest table, in bytes, whose rows are prefetched; -1 chooses.
  int64_t minTableBytes = -1;
};

} // namespace ember::loops

#endif // EMBER_LOOPS_TRANSFORMS_PREFETCHSETTINGS_H
