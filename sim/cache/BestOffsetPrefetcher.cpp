//===- BestOffsetPrefetcher.cpp - The offset that would have been in time
//--===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pierre Michaud, "Best-Offset Hardware Prefetching", HPCA 2016. Recent
// requests whose lines have come are remembered by their base; each access
// tries one offset, and counts for it if a prefetch with it would have been in
// time. After a phase, the offset with the most counts is used.
//
//===----------------------------------------------------------------------===//

#include "Prefetchers.h"

#include "ember/Sim/Memory/Request.h"

using namespace ember::sim;

namespace {
/// Table 2 of the publication.
constexpr uint64_t recentEntries = 256;
constexpr uint64_t mostScore = 31;
constexpr uint64_t mostRounds = 100;
constexpr uint64_t badScore = 1;
constexpr uint64_t mostOffset = 256;

class BestOffsetPrefetcher final : public Prefetcher {
public:
  explicit BestOffsetPrefetcher(uint64_t regionBytes)
      : regionLines(regionBytes / lineBytes), recent(recentEntries) {
    // Section 4.2: the numbers that have no prime factor above 5.
    for (uint64_t offset = 1; offset <= mostOffset; ++offset) {
      uint64_t rest = offset;
      for (uint64_t prime : {2, 3, 5})
        while (rest % prime == 0)
          rest /= prime;
      if (rest == 1)
        offsets.push_back(offset);
    }
    scores.resize(offsets.size());
  }

  void access(const PrefetchAccess &access,
              std::vector<uint64_t> &lines) override {
    if (access.hit && !access.firstUse)
      return;
    uint64_t line = lineOf(access.address);
    learn(line);
    if (enabled && inOneRegion(line, line + best))
      lines.push_back(line + best);
  }

  void filled(uint64_t line, bool prefetched) override {
    if (enabled && prefetched && line >= best)
      recent[line - best & (recentEntries - 1)] = line - best;
    else if (!enabled)
      recent[line & (recentEntries - 1)] = line;
  }

private:
  bool inOneRegion(uint64_t line, uint64_t other) const {
    return line / regionLines == other / regionLines;
  }

  void learn(uint64_t line) {
    // What would have left the region could not have been fetched.
    uint64_t base = line - offsets[next];
    if (line > offsets[next] && inOneRegion(line, base) &&
        recent[base & (recentEntries - 1)] == base)
      ++scores[next];
    bool ends = scores[next] >= mostScore;
    if (++next == offsets.size()) {
      next = 0;
      ends |= ++rounds == mostRounds;
    }
    if (!ends)
      return;
    size_t highest = 0;
    for (size_t i = 1; i < scores.size(); ++i)
      if (scores[i] > scores[highest])
        highest = i;
    best = offsets[highest];
    enabled = scores[highest] > badScore;
    scores.assign(scores.size(), 0);
    next = 0;
    rounds = 0;
  }

  uint64_t regionLines;
  std::vector<uint64_t> recent;
  std::vector<uint64_t> offsets;
  std::vector<uint64_t> scores;
  size_t next = 0;
  uint64_t rounds = 0;
  uint64_t best = 1;
  bool enabled = true;
};
} // namespace

std::unique_ptr<Prefetcher>
ember::sim::makeBestOffsetPrefetcher(const PrefetcherParameters &parameters) {
  return std::make_unique<BestOffsetPrefetcher>(parameters.region);
}
