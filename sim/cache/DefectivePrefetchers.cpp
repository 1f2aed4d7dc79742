//===- DefectivePrefetchers.cpp - As gem5's were until 2024 ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Published baselines were measured with prefetchers that fetch less, or more
// in vain, than those of the publications they are named after. What was wrong
// is told in gem5's issues 1448 (stride), 1402 (best-offset) and 1050
// (indirect) and in the changes that closed them; each class says what of it
// is modelled here.
//
//===----------------------------------------------------------------------===//

#include "Prefetchers.h"
#include "ember/Sim/Memory/Request.h"

#include <algorithm>

using namespace ember::sim;

namespace {
constexpr auto lineSize = static_cast<int64_t>(lineBytes);

template <typename Entry>
Entry &findOrReplace(std::vector<Entry> &table, uint64_t instruction,
                     uint64_t use) {
  Entry *oldest = &table.front();
  for (Entry &entry : table) {
    if (entry.instruction == instruction) {
      entry.used = use;
      return entry;
    }
    if (entry.used < oldest->used)
      oldest = &entry;
  }
  *oldest = Entry();
  oldest->used = use;
  return *oldest;
}

/// Issue 1448: strides are those of words, so a second word of a line or an
/// address asked for again counts as one that differs; and while the last
/// stride is trusted, a new one is fetched at once.
class DefectiveStride final : public Prefetcher {
public:
  explicit DefectiveStride(const PrefetcherParameters &parameters)
      : degree(parameters.degree), table(parameters.entries) {}

  void access(const PrefetchAccess &access,
              std::vector<uint64_t> &lines) override {
    if (!access.instruction)
      return;
    Entry &entry = findOrReplace(table, access.instruction, ++uses);
    auto stride = static_cast<int64_t>(access.address - entry.address);
    entry.address = access.address;
    if (!entry.instruction) {
      entry.instruction = access.instruction;
      return;
    }
    if (stride && stride == entry.stride) {
      entry.confidence = std::min(entry.confidence + 1, most);
    } else {
      entry.confidence -= entry.confidence > 0;
      if (entry.confidence < enough)
        entry.stride = stride;
    }
    if (entry.confidence < enough)
      return;
    int64_t step = stride;
    if (step > -lineSize && step < lineSize)
      step = step < 0 ? -lineSize : lineSize;
    for (uint64_t i = 1; i <= degree; ++i)
      lines.push_back(lineOf(access.address + i * step));
  }

private:
  /// Three bits, usable in its upper half, where it begins.
  static constexpr uint64_t most = 7;
  static constexpr uint64_t enough = 4;

  struct Entry {
    uint64_t instruction = 0;
    uint64_t used = 0;
    uint64_t address = 0;
    int64_t stride = 0;
    uint64_t confidence = enough;
  };

  uint64_t degree;
  std::vector<Entry> table;
  uint64_t uses = 0;
};

/// Issue 1402: the tags of recent requests are the low bits of addresses, not
/// of lines, while offsets count lines; both are subtracted all the same, so
/// that only the offset in use can ever be seen to be in time. And what is
/// compared with the bad score is an offset. Accesses are recorded when they
/// are made: the queue that delays this is not modelled, nor are conflicts of
/// the table.
class DefectiveBestOffset final : public Prefetcher {
public:
  explicit DefectiveBestOffset(const PrefetcherParameters &parameters)
      : regionLines(parameters.region / lineBytes),
        accessed(uint64_t{1} << tagBits), arrived(accessed.size()) {
    for (int64_t offset = 1; offsets.size() < offsetCount; ++offset) {
      int64_t rest = offset;
      for (int64_t prime : {2, 3, 5})
        while (rest % prime == 0)
          rest /= prime;
      if (rest == 1)
        offsets.insert(offsets.end(), {offset, -offset});
    }
    scores.resize(offsets.size());
  }

  void access(const PrefetchAccess &access,
              std::vector<uint64_t> &lines) override {
    int64_t tag = tagOf(access.address);
    accessed[tag] = true;
    learn(tag);
    uint64_t line = lineOf(access.address);
    if (enabled && line / regionLines == (line + best) / regionLines)
      lines.push_back(line + best);
  }

  void filled(uint64_t line, bool prefetched) override {
    int64_t tag = tagOf(line * lineBytes) - best;
    if (prefetched && enabled && isTag(tag))
      arrived[tag] = true;
  }

private:
  static constexpr unsigned tagBits = 12;
  static constexpr size_t offsetCount = 46;
  static constexpr uint64_t mostScore = 31;
  static constexpr uint64_t mostRounds = 100;
  static constexpr int64_t badScore = 1;

  static int64_t tagOf(uint64_t address) {
    return static_cast<int64_t>(address & ((uint64_t{1} << tagBits) - 1));
  }

  bool isTag(int64_t tag) const {
    return tag >= 0 && tag < static_cast<int64_t>(accessed.size());
  }

  void learn(int64_t tag) {
    int64_t tried = tag - offsets[next];
    if (isTag(tried) && (accessed[tried] || arrived[tried]) &&
        ++scores[next] > bestScore) {
      bestScore = scores[next];
      leading = offsets[next];
    }
    if (++next < offsets.size())
      return;
    next = 0;
    if (bestScore >= mostScore || ++rounds == mostRounds) {
      best = leading;
      rounds = bestScore = 0;
      leading = 0;
      std::fill(scores.begin(), scores.end(), 0);
      enabled = true;
    } else if (leading <= badScore) {
      enabled = false;
    }
  }

  uint64_t regionLines;
  std::vector<bool> accessed;
  std::vector<bool> arrived;
  std::vector<int64_t> offsets;
  std::vector<uint64_t> scores;
  size_t next = 0;
  uint64_t rounds = 0;
  uint64_t bestScore = 0;
  int64_t leading = 0;
  int64_t best = 1;
  bool enabled = false;
};

/// Issue 1050: an instruction's fourth access to another address than before
/// makes a stream, whatever the addresses; while misses are tried with an
/// index, streams are not looked at; an index is only read where it hits; and
/// with a pattern, the element of that very index is fetched, once for each
/// step of the distance.
class DefectiveIndirect final : public Prefetcher {
public:
  DefectiveIndirect(const PrefetcherParameters &parameters,
                    const MemoryValues &values)
      : degree(parameters.degree), misses(parameters.detectorMisses),
        values(values), table(parameters.entries) {
    for (int shift = 0; parameters.elementSizes >> shift; ++shift)
      if (parameters.elementSizes >> shift & 1)
        shifts.push_back(shift);
    if (parameters.bitElements)
      shifts.push_back(bitShift);
  }

  void access(const PrefetchAccess &access,
              std::vector<uint64_t> &lines) override {
    if (!access.instruction)
      return;
    for (Entry &entry : table)
      if (entry.enabled && access.address == entry.base + place(entry)) {
        entry.confidence = std::min(entry.confidence + 1, most);
        entry.came = true;
      }
    if (detects && !access.hit) {
      tryMiss(access.address);
      return;
    }
    Entry &entry = findOrReplace(table, access.instruction, ++uses);
    if (!entry.instruction) {
      entry.instruction = access.instruction;
      entry.address = access.address;
      return;
    }
    if (entry.address == access.address)
      return;
    auto delta = static_cast<int64_t>(access.address - entry.address);
    entry.address = access.address;
    if (++entry.accesses >= streamThreshold)
      for (uint64_t i = 1; i <= degree; ++i)
        lines.push_back(lineOf(access.address + i * delta));
    uint64_t index;
    if (!access.hit || !access.bytes ||
        !values.read(access.address, access.bytes, index))
      return;
    if (!entry.enabled) {
      detect(entry, index);
      return;
    }
    entry.index = index;
    if (!entry.came)
      entry.confidence -= entry.confidence > 0;
    entry.came = false;
    if (entry.confidence > threshold)
      lines.push_back(lineOf(entry.base + place(entry)));
  }

private:
  static constexpr uint64_t most = 7;
  static constexpr uint64_t threshold = 2;
  static constexpr uint64_t streamThreshold = 4;
  static constexpr int bitShift = -3;

  struct Entry {
    uint64_t instruction = 0;
    uint64_t used = 0;
    uint64_t address = 0;
    uint64_t accesses = 0;
    uint64_t index = 0;
    uint64_t base = 0;
    uint64_t confidence = 0;
    int shift = 0;
    bool enabled = false;
    bool came = false;
  };

  static uint64_t place(uint64_t index, int shift) {
    return shift < 0 ? index >> -shift : index << shift;
  }
  static uint64_t place(const Entry &entry) {
    return place(entry.index, entry.shift);
  }

  /// One stream is looked at at a time.
  void detect(const Entry &entry, uint64_t index) {
    if (detected != entry.instruction) {
      detected = entry.instruction;
      first = index;
      hasSecond = false;
      bases.clear();
      detects = true;
    } else if (!hasSecond) {
      second = index;
      hasSecond = detects = true;
    } else {
      detected = 0;
      detects = false;
    }
  }

  void tryMiss(uint64_t address) {
    if (!hasSecond) {
      for (int shift : shifts)
        bases.push_back(address - place(first, shift));
      detects = bases.size() < misses * shifts.size();
      return;
    }
    for (size_t i = 0; i < bases.size(); ++i) {
      int shift = shifts[i % shifts.size()];
      if (bases[i] != address - place(second, shift))
        continue;
      for (Entry &entry : table)
        if (entry.instruction == detected) {
          entry.base = bases[i];
          entry.shift = shift;
          entry.enabled = true;
          entry.confidence = 0;
        }
      detected = 0;
      detects = false;
      return;
    }
  }

  uint64_t degree;
  uint64_t misses;
  const MemoryValues &values;
  std::vector<Entry> table;
  std::vector<int> shifts;
  std::vector<uint64_t> bases;
  uint64_t detected = 0;
  uint64_t first = 0;
  uint64_t second = 0;
  bool hasSecond = false;
  bool detects = false;
  uint64_t uses = 0;
};

/// In the L1D both were there.
class DefectiveStrideAndIndirect final : public Prefetcher {
public:
  DefectiveStrideAndIndirect(const PrefetcherParameters &parameters,
                             const MemoryValues &values)
      : stride(parameters), indirect(parameters, values) {}

  void access(const PrefetchAccess &access,
              std::vector<uint64_t> &lines) override {
    stride.access(access, lines);
    indirect.access(access, lines);
  }

private:
  DefectiveStride stride;
  DefectiveIndirect indirect;
};
} // namespace

std::unique_ptr<Prefetcher>
ember::sim::makeDefectivePrefetcher(const PrefetcherParameters &parameters,
                                    const MemoryValues &values) {
  if (parameters.kind == PrefetcherKind::stride)
    return std::make_unique<DefectiveStride>(parameters);
  if (parameters.kind == PrefetcherKind::bestOffset)
    return std::make_unique<DefectiveBestOffset>(parameters);
  return std::make_unique<DefectiveStrideAndIndirect>(parameters, values);
}
