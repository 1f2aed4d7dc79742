//===- Prefetcher.cpp - Which prefetcher a cache has ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prefetchers.h"

using namespace ember::sim;

void PrefetcherParameters::visit(ParameterVisitor &visitor) {
  constexpr llvm::StringRef imp =
      "Yu et al., Indirect Memory Prefetcher, MICRO 2015, as gem5 cites it";
  visitor.choice({"kind", "", "how it guesses", Origin::stated,
                  "figure 5: stride and indirect in the L1D, best-offset in "
                  "the L2"},
                 kind, {"none", "stride", "best-offset", "indirect"});
  visitor.flag(
      {"defective", "", "with the known defects of gem5's until 2024",
       Origin::unknown,
       "the paper's version is not known. Issue 1448: a repeated address "
       "counts against a stride, and a stride not yet trusted is fetched. "
       "Issue 1402: best-offset looks for bytes where it recorded lines, and "
       "so finds no offset. Issue 1050: the indirect prefetcher asks for the "
       "present index's element only, takes any two accesses for a stream, and "
       "reads no index that missed. Hash conflicts, delays and queues are not "
       "modelled"},
      defective);
  visitor.integer({"entries", "", "instructions known", Origin::published, imp},
                  entries, {1, 4096});
  visitor.integer(
      {"degree", "", "lines ahead of an access", Origin::unknown, "usual"},
      degree, {1, 64});
  visitor.integer({"region", "bytes", "best-offset does not leave it",
                   Origin::derived, "a page"},
                  region, {4096, 1 << 30, true});
  visitor.integer({"elementSizes", "bytes",
                   "the sum of the sizes of elements that the indirect "
                   "prefetcher tries, each a power of two",
                   Origin::published, imp},
                  elementSizes, {0, (uint64_t{1} << 20) - 1});
  visitor.flag({"bitElements", "", "the indirect prefetcher tries bits, too",
                Origin::published, imp},
               bitElements);
  visitor.integer({"detectors", "", "index streams looked at for a pattern",
                   Origin::published, imp},
                  detectors, {1, 256});
  visitor.integer(
      {"detectorMisses", "", "tried with an index", Origin::published, imp},
      detectorMisses, {1, 64});
  visitor.integer({"indirectWays", "", "patterns that one index may have",
                   Origin::published, imp},
                  indirectWays, {1, 16});
  visitor.integer({"indirectDistance", "", "indices ahead, at most",
                   Origin::published, imp},
                  indirectDistance, {1, 64});
}

std::unique_ptr<Prefetcher>
ember::sim::makePrefetcher(const PrefetcherParameters &parameters,
                           const MemoryValues &values) {
  if (parameters.kind == PrefetcherKind::none)
    return nullptr;
  if (parameters.defective)
    return makeDefectivePrefetcher(parameters, values);
  switch (parameters.kind) {
  case PrefetcherKind::none:
    break;
  case PrefetcherKind::stride:
    return std::make_unique<StridePrefetcher>(parameters);
  case PrefetcherKind::bestOffset:
    return makeBestOffsetPrefetcher(parameters);
  case PrefetcherKind::indirect:
    return makeIndirectPrefetcher(parameters, values);
  }
  return nullptr;
}
