//===- CacheStatistics.cpp - What private caches count --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Cache/Cache.h"

#include "llvm/ADT/StringExtras.h"

using namespace ember::sim;
using llvm::StringRef;

void Cache::addTo(Statistics &statistics, StringRef path) const {
  auto add = [&](const char *counter, const uint64_t &value,
                 const char *description) {
    statistics.add((path + "." + counter).str(), value, description);
  };
  add("hits", counters.hits, "accesses that found the line");
  add("misses", counters.misses, "accesses that asked the level below");
  add("merges", counters.merges, "accesses to lines in flight");
  add("upgrades", counters.upgrades, "misses that had the line, not to write");
  add("stalls", counters.stalls, "lookups that found no MSHR or target");
  add("refused", counters.refused, "requests turned away");
  add("evictions", counters.evictions, "lines replaced");
  add("dirtyWriteBacks", counters.dirtyWriteBacks, "victims with new data");
  add("cleanWriteBacks", counters.cleanWriteBacks, "victims as in memory");
  add("fills", counters.fills, "lines that came from below");
  add("filledBytes", counters.filledBytes, "written by fills and from above");
  add("writtenBackBytes", counters.writtenBackBytes, "of dirty victims");
  add("snoops", counters.snoops, "looks on behalf of others");
  add("snoopHits", counters.snoopHits, "of these, that found the line");
  add("lostLines", counters.lostLines, "lines that others took");
  add("lostVictims", counters.lostVictims,
      "victims that waited for ownership and that others took");
  add("installs", counters.installs, "lines that came into the array");
  add("answers", counters.answers, "requests answered");
  add("passed", counters.passed, "lines that came and were not kept");
  add("reissued", counters.reissued, "MSHRs that had to ask again");
  add("prefetches", counters.prefetches,
      "lines fetched unasked, by this level or one above");
  add("prefetchesDropped", counters.prefetchesDropped,
      "for want of room in the queue");
  add("prefetchesUseful", counters.prefetchesUseful, "asked for when there");
  add("prefetchesLate", counters.prefetchesLate, "asked for on their way");
  add("prefetchesUseless", counters.prefetchesUseless, "gone unused");
  statistics.add((path + ".prefetchesUnused").str(),
                 [this] { return static_cast<double>(prefetchesUnused()); },
                 "there, or on their way, and unused at the end");
  statistics.add((path + ".mshrs").str(), occupancy, "MSHRs in use");
  statistics.add((path + ".latency").str(), latency,
                 "ticks from a request to its answer");
  statistics.add((path + ".missLatency").str(), missLatency,
                 "ticks that MSHRs are used");
}

uint64_t Cache::prefetchesUnused() const {
  uint64_t count = 0;
  for (const TagArray::Entry &entry : tags.all())
    count += entry.state != LineState::invalid && entry.prefetched;
  for (const Mshr &mshr : mshrs)
    count += mshr.used && mshr.prefetch && !mshr.filling;
  return count;
}

std::string Cache::waits() const {
  std::string text;
  for (const Mshr &mshr : mshrs)
    if (mshr.used)
      text += name + ": line 0x" +
              llvm::utohexstr(mshr.line * lineBytes, /*LowerCase=*/true) +
              " from below, since " +
              std::to_string(static_cast<uint64_t>(nanosecondsOf(mshr.since))) +
              " ns\n";
  return text;
}
