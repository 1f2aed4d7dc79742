//===- PrefetchModel.cpp - How far ahead, and what of a row ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants were chosen by measuring bags of every length of rows.
//
//===----------------------------------------------------------------------===//

#include "PrefetchModel.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

namespace ember::loops {

/// Operations for each line up to which rows count as just added up.
static constexpr double kFewOperations = 2;

/// Of rows that are added up this many lines are prefetched, of others all but
/// those of unusual length.
static constexpr int64_t kFirstLines = 4;
static constexpr int64_t kMostLines = 32;

/// Fewer lookups ahead are little time.
static constexpr int64_t kLeastDistance = 16;

static constexpr int64_t kLeastLookups = 8;

/// Of rows that are computed with, for each line on its way into the first
/// cache so many bytes are prefetched, and at the most one row.
static constexpr int64_t kBytesForLine = 256;

/// Where there are more lines than these on their way, rows that are added up
/// are prefetched into the first cache, too: so many lines, and at the most so
/// many rows, for each.
static constexpr int64_t kFewLines = 24;
static constexpr int64_t kLinesForLine = 4;
static constexpr int64_t kRowsForLine = 2;

/// Smaller parts of the second cache are as fast as the first one.
static constexpr int64_t kPartOfSecondCache = 8;

PrefetchPlan PrefetchModel::plan(const LookedUpRow &row) const {
  bool isAddedUp = row.operations <= kFewOperations;
  PrefetchPlan plan;
  int64_t most = isAddedUp ? kFirstLines : kMostLines;
  if (settings.lines > 0)
    most = settings.lines;
  // Of a row of unknown length no more, either: there may be less of it.
  plan.lines =
      row.bytes ? std::clamp<int64_t>(llvm::divideCeil(*row.bytes, lineBytes()),
                                      1, most)
                : std::min(most, kFirstLines);

  int64_t near = memory.firstCacheLines;
  bool isNear = !isAddedUp || near > kFewLines;
  int64_t lookups =
      std::max(memory.outstandingLines / plan.lines, kLeastDistance);
  if (!isAddedUp)
    lookups = std::min(kBytesForLine * near /
                           std::max<int64_t>(row.bytes.value_or(1), 1),
                       near);
  else if (isNear)
    lookups = std::min(kLinesForLine * near / plan.lines, kRowsForLine * near);
  lookups = std::max(lookups, kLeastLookups);
  plan.distance = settings.distance > 0
                      ? settings.distance
                      : std::max<int64_t>(lookups / row.rows, 1);

  plan.locality = isNear ? 3 : 2;
  if (settings.level > 0)
    plan.locality = 4 - settings.level;

  // Rows that are split between lines are read across two of them at a time,
  // which is slow even from the second cache.
  plan.minTableBytes = isAddedUp ? memory.secondCacheBytes
                       : row.inWholeLines
                           ? memory.secondCacheBytes / kPartOfSecondCache
                           : 0;
  if (settings.minTableBytes >= 0)
    plan.minTableBytes = settings.minTableBytes;
  return plan;
}

bool PrefetchModel::mayStraddle(int64_t from, int64_t to,
                                int64_t alignment) const {
  int64_t last =
      lineBytes() - std::gcd(std::max<int64_t>(alignment, 1), lineBytes());
  return (last + from) / lineBytes() != (last + to) / lineBytes();
}

} // namespace ember::loops
