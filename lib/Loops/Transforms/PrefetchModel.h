//===- PrefetchModel.h - How far ahead, and what of a row -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_LOOPS_TRANSFORMS_PREFETCHMODEL_H
#define EMBER_LIB_LOOPS_TRANSFORMS_PREFETCHMODEL_H

#include "ember/Loops/Transforms/PrefetchSettings.h"
#include <optional>

namespace ember::loops {

/// What a loop looks up, as far as it matters for prefetches.
struct LookedUpRow {
  /// Nothing where the length of rows is not known.
  std::optional<int64_t> bytes;
  /// Rows of the block that an index selects.
  int64_t rows = 1;
  /// No row begins amid a line and ends in another one.
  bool inWholeLines = false;
  /// Operations on 64 bytes that the loop does for each line it looks up.
  double operations = 1;
};

/// What a core's caches are like, as the target says.
struct PrefetchMemory {
  int64_t lineBytes = 64;
  int64_t outstandingLines = 1;
  int64_t firstCacheLines = 1;
  int64_t secondCacheBytes = 0;
};

/// What prefetches of a row are like.
struct PrefetchPlan {
  /// How many lines are prefetched, at the beginning of the row.
  int64_t lines = 1;
  /// How many lookups ahead.
  int64_t distance = 1;
  /// The locality hint where the stream has none: 3 is the first cache, 0 none.
  unsigned locality = 3;
  /// The smallest table, in bytes, that is worth the instructions.
  int64_t minTableBytes = 0;
};

/// Chooses how rows are prefetched on a processor.
///
/// Where rows are just added up, the loads of the rows that follow are so near
/// that the processor executes them early. What then counts is to have as many
/// lines on their way as a core waits for. Where the second cache has more
/// entries for them than the first, rows are prefetched there; of long ones
/// only the first lines, which the processor's own prefetchers follow. From
/// tables that the second cache holds nothing is gained.
///
/// Where more is computed with a row, its loads come too late for that, even
/// from the second cache: all lines are prefetched, into the first.
class PrefetchModel {
public:
  PrefetchModel(const PrefetchMemory &memory, const PrefetchSettings &settings)
      : memory(memory), settings(settings) {}

  int64_t lineBytes() const { return memory.lineBytes; }

  PrefetchPlan plan(const LookedUpRow &row) const;

  /// Whether what reaches from byte `from` of a row to byte `to` needs a
  /// prefetch at both, in some rows that begin at multiples of `alignment`.
  bool mayStraddle(int64_t from, int64_t to, int64_t alignment) const;

private:
  PrefetchMemory memory;
  PrefetchSettings settings;
};

} // namespace ember::loops

#endif // EMBER_LIB_LOOPS_TRANSFORMS_PREFETCHMODEL_H
