//===- IndirectPrefetcher.cpp - What indices lead to ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Yu, Hughes, Satish and Devadas, "IMP: Indirect Memory Prefetcher", MICRO
// 2015. A load with a stride reads indices. A detector keeps an index with the
// bases that the misses after it would have, for each size of elements; if a
// miss after another index has one of these bases, it is a pattern: base and
// size. A pattern that foretells accesses is trusted more and more, and reads
// indices ahead, as far as they are in the cache, to fetch their elements.
//
// Two things are for cores that execute out of order: an element may come some
// indices late, and an index that leads to no miss makes way for the next one.
// Indices of indices are not looked for.
//
//===----------------------------------------------------------------------===//

#include "Prefetchers.h"
#include "ember/Sim/Memory/Request.h"

#include <algorithm>
#include <array>

using namespace ember::sim;

namespace {
/// Of the saturating counter of a pattern, three bits; above `threshold`, it
/// fetches.
constexpr uint64_t mostConfidence = 7;
constexpr uint64_t threshold = 2;
/// Indices after the second one until a detector gives up.
constexpr uint64_t patience = 4;
/// A stream that detectors gave up waits for twice as many indices each time.
constexpr uint64_t mostFailures = 10;
/// Elements foretold that may still come.
constexpr size_t expectedElements = 8;
/// An eighth of a byte.
constexpr int bitShift = -3;

struct Pattern {
  struct Element {
    uint64_t line = 0;
    bool came = true;
  };
  uint64_t base = 0;
  int shift = 0;
  uint64_t confidence = 0;
  /// Indices ahead of the last one whose elements were fetched.
  uint64_t ahead = 0;
  std::array<Element, expectedElements> expected;
  size_t next = 0;
};

/// The loads of indices of an instruction.
struct Stream {
  uint64_t instruction = 0;
  uint64_t used = 0;
  uint64_t address = 0;
  uint64_t pause = 0;
  uint64_t failures = 0;
  std::vector<Pattern> patterns;
};

struct Detector {
  uint64_t instruction = 0;
  uint64_t used = 0;
  uint64_t first = 0;
  uint64_t second = 0;
  bool hasSecond = false;
  uint64_t more = 0;
  /// For each miss after the first index, one for each size.
  std::vector<uint64_t> bases;
};

class IndirectPrefetcher final : public Prefetcher {
public:
  IndirectPrefetcher(const PrefetcherParameters &parameters,
                     const MemoryValues &values)
      : parameters(parameters), values(values), strides(parameters),
        streams(parameters.entries), detectors(parameters.detectors) {
    for (int shift = 0; parameters.elementSizes >> shift; ++shift)
      if (parameters.elementSizes >> shift & 1)
        shifts.push_back(shift);
    if (parameters.bitElements)
      shifts.push_back(bitShift);
    for (Stream &stream : streams)
      stream.patterns.reserve(parameters.indirectWays);
    for (Detector &detector : detectors)
      detector.bases.reserve(parameters.detectorMisses * shifts.size());
  }

  void access(const PrefetchAccess &access,
              std::vector<uint64_t> &lines) override {
    int64_t stride = strides.observe(access, lines);
    confirm(lineOf(access.address));
    if (!access.hit)
      tryMiss(access.address);
    uint64_t index;
    if (!stride || !access.bytes ||
        !values.read(access.address, access.bytes, index))
      return;
    Stream &stream = find(streams, access.instruction, [](Stream &taken) {
      taken.pause = taken.failures = 0;
      taken.patterns.clear();
    });
    bool follows = access.address == stream.address + stride;
    stream.address = access.address;
    for (size_t i = 0; i < stream.patterns.size();) {
      Pattern &pattern = stream.patterns[i];
      pattern.ahead = follows && pattern.ahead ? pattern.ahead - 1 : 0;
      if (!expect(pattern, index)) {
        stream.patterns.erase(stream.patterns.begin() + i);
        continue;
      }
      fetch(pattern, access, stride, lines);
      ++i;
    }
    detect(stream, index);
  }

private:
  static uint64_t place(uint64_t index, int shift) {
    return shift < 0 ? index >> -shift : index << shift;
  }

  /// The entry of an instruction, or the one it takes over.
  template <typename Entry, typename Reset>
  Entry &find(std::vector<Entry> &table, uint64_t instruction, Reset reset) {
    Entry *oldest = &table.front();
    for (Entry &entry : table) {
      if (entry.instruction == instruction) {
        entry.used = ++uses;
        return entry;
      }
      if (entry.used < oldest->used)
        oldest = &entry;
    }
    reset(*oldest);
    oldest->instruction = instruction;
    oldest->used = ++uses;
    return *oldest;
  }

  void confirm(uint64_t line) {
    for (Stream &stream : streams)
      for (Pattern &pattern : stream.patterns)
        for (Pattern::Element &element : pattern.expected)
          if (!element.came && element.line == line) {
            element.came = true;
            if (pattern.confidence < mostConfidence)
              ++pattern.confidence;
            break;
          }
  }

  /// False where the pattern has foretold nothing for long.
  bool expect(Pattern &pattern, uint64_t index) {
    Pattern::Element &element = pattern.expected[pattern.next];
    pattern.next = (pattern.next + 1) % expectedElements;
    bool missing = !element.came;
    if (missing && !pattern.confidence)
      return false;
    pattern.confidence -= missing;
    element = {lineOf(pattern.base + place(index, pattern.shift)), false};
    return true;
  }

  void fetch(Pattern &pattern, const PrefetchAccess &access, int64_t stride,
             std::vector<uint64_t> &lines) {
    if (pattern.confidence <= threshold)
      return;
    uint64_t distance = std::max<uint64_t>(
        1, pattern.confidence * parameters.indirectDistance / mostConfidence);
    while (pattern.ahead < distance) {
      uint64_t address = access.address + (pattern.ahead + 1) * stride;
      uint64_t index;
      if (!values.read(address, access.bytes, index)) {
        // It is tried again when the index has come.
        lines.push_back(lineOf(address));
        return;
      }
      ++pattern.ahead;
      lines.push_back(lineOf(pattern.base + place(index, pattern.shift)));
    }
  }

  void detect(Stream &stream, uint64_t index) {
    if (stream.patterns.size() == parameters.indirectWays)
      return;
    if (stream.pause) {
      --stream.pause;
      return;
    }
    Detector &detector =
        find(detectors, stream.instruction, [](Detector &taken) {
          taken.hasSecond = false;
          taken.bases.clear();
        });
    if (detector.bases.empty()) {
      detector.first = index;
    } else if (!detector.hasSecond) {
      detector.second = index;
      detector.hasSecond = index != detector.first;
      detector.more = 0;
    } else if (++detector.more > patience) {
      stream.failures = std::min(stream.failures + 1, mostFailures);
      stream.pause = uint64_t{1} << stream.failures;
      release(detector);
    }
  }

  void release(Detector &detector) {
    detector.instruction = 0;
    detector.used = 0;
    detector.hasSecond = false;
    detector.bases.clear();
  }

  void tryMiss(uint64_t address) {
    for (Detector &detector : detectors) {
      if (!detector.instruction)
        continue;
      if (!detector.hasSecond) {
        if (detector.bases.size() < parameters.detectorMisses * shifts.size())
          for (int shift : shifts)
            detector.bases.push_back(address - place(detector.first, shift));
        continue;
      }
      for (size_t i = 0; i < detector.bases.size(); ++i) {
        int shift = shifts[i % shifts.size()];
        if (detector.bases[i] == address - place(detector.second, shift) &&
            addPattern(detector.instruction, detector.bases[i], shift)) {
          release(detector);
          break;
        }
      }
    }
  }

  bool addPattern(uint64_t instruction, uint64_t base, int shift) {
    for (Stream &stream : streams) {
      if (stream.instruction != instruction)
        continue;
      for (const Pattern &known : stream.patterns)
        if (known.shift == shift && lineOf(known.base) == lineOf(base))
          return false;
      Pattern pattern;
      pattern.base = base;
      pattern.shift = shift;
      stream.patterns.push_back(pattern);
      stream.failures = 0;
      return true;
    }
    return true;
  }

  const PrefetcherParameters parameters;
  const MemoryValues &values;
  StridePrefetcher strides;
  std::vector<Stream> streams;
  std::vector<Detector> detectors;
  std::vector<int> shifts;
  uint64_t uses = 0;
};
} // namespace

std::unique_ptr<Prefetcher>
ember::sim::makeIndirectPrefetcher(const PrefetcherParameters &parameters,
                                   const MemoryValues &values) {
  return std::make_unique<IndirectPrefetcher>(parameters, values);
}
