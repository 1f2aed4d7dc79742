//===- StridePrefetcher.cpp - The next lines of a stride ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table by instruction of the last address, the last stride and a saturating
// confidence (Fu, Patel and Janssens, MICRO 1992; Chen and Baer, 1995).
//
//===----------------------------------------------------------------------===//

#include "BestOffsetPrefetcher.h"
#include "ember/Sim/Memory/Request.h"

using namespace ember::sim;

namespace {
class StridePrefetcher final : public Prefetcher {
public:
  explicit StridePrefetcher(const PrefetcherParameters &parameters)
      : degree(parameters.degree), table(parameters.entries) {}

  void access(const PrefetchAccess &access,
              std::vector<uint64_t> &lines) override {
    if (!access.instruction)
      return;
    Entry &entry = find(access.instruction);
    auto stride = static_cast<int64_t>(access.address - entry.address);
    if (entry.instruction != access.instruction) {
      entry = {access.instruction, access.address, 0, 0, ++uses};
      return;
    }
    entry.used = ++uses;
    if (!stride)
      return;
    if (stride != entry.stride) {
      if (entry.confidence)
        --entry.confidence;
      else
        entry.stride = stride;
    } else if (entry.confidence < most) {
      ++entry.confidence;
    }
    entry.address = access.address;
    if (entry.confidence < enough)
      return;
    // Strides below a line lead to the next lines.
    int64_t step = entry.stride;
    auto line = static_cast<int64_t>(lineBytes);
    if (step > -line && step < line)
      step = step < 0 ? -line : line;
    for (uint64_t i = 1; i <= degree; ++i)
      lines.push_back(lineOf(access.address + i * step));
  }

private:
  static constexpr uint64_t most = 3;
  static constexpr uint64_t enough = 2;

  struct Entry {
    uint64_t instruction = 0;
    uint64_t address = 0;
    int64_t stride = 0;
    uint64_t confidence = 0;
    uint64_t used = 0;
  };

  /// The entry of an instruction, or the one it takes over.
  Entry &find(uint64_t instruction) {
    Entry *oldest = &table.front();
    for (Entry &entry : table) {
      if (entry.instruction == instruction)
        return entry;
      if (entry.used < oldest->used)
        oldest = &entry;
    }
    return *oldest;
  }

  uint64_t degree;
  std::vector<Entry> table;
  uint64_t uses = 0;
};
} // namespace

void PrefetcherParameters::visit(ParameterVisitor &visitor) {
  visitor.choice({"kind", "", "how it guesses", Origin::stated,
                  "figure 5: stride in the L1D, best-offset in the L2"},
                 kind, {"none", "stride", "best-offset"});
  visitor.integer({"entries", "", "instructions known", Origin::unknown,
                   "more than the loads of an inner loop"},
                  entries, {1, 4096});
  visitor.integer(
      {"degree", "", "steps ahead of an access", Origin::unknown, "usual"},
      degree, {1, 64});
  visitor.integer({"region", "bytes", "best-offset does not leave it",
                   Origin::derived, "a page"},
                  region, {4096, 1 << 30, true});
}

std::unique_ptr<Prefetcher>
ember::sim::makePrefetcher(const PrefetcherParameters &parameters) {
  switch (parameters.kind) {
  case PrefetcherKind::none:
    return nullptr;
  case PrefetcherKind::stride:
    return std::make_unique<StridePrefetcher>(parameters);
  case PrefetcherKind::bestOffset:
    return makeBestOffsetPrefetcher(parameters);
  }
  return nullptr;
}
