//===- Statistics.h - What a run counted ------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts of a machine keep their counts in members of their own and tell a
// registry, once, where they are and what they mean.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_ENGINE_STATISTICS_H
#define EMBER_SIM_ENGINE_STATISTICS_H

#include "ember/Sim/Engine/Time.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ember::sim {

/// How many of something there are over time: its mean and its most.
class Occupancy {
public:
  void set(Tick now, uint64_t value) {
    area += level * (now - since);
    since = now;
    level = value;
    if (value > highest)
      highest = value;
  }
  void add(Tick now, int64_t change) { set(now, level + change); }

  uint64_t current() const { return level; }
  uint64_t most() const { return highest; }
  double mean(Tick now) const {
    return now ? static_cast<double>(area + level * (now - since)) /
                     static_cast<double>(now)
               : 0;
  }

private:
  uint64_t level = 0;
  uint64_t highest = 0;
  uint64_t area = 0;
  Tick since = 0;
};

/// Durations, or other numbers, in ranges that double: [1], [2, 3], [4, 7], ...
class Histogram {
public:
  void add(uint64_t value);

  uint64_t count() const { return number; }
  double mean() const {
    return number ? static_cast<double>(sum) / static_cast<double>(number) : 0;
  }
  uint64_t most() const { return highest; }
  llvm::json::Object toJSON() const;

private:
  std::vector<uint64_t> ranges;
  uint64_t number = 0;
  uint64_t sum = 0;
  uint64_t highest = 0;
};

class Statistics {
public:
  /// Names are paths, "core0.l1d.hits", with a part for each level of the JSON.
  /// What is added has to live as long as the registry is asked.
  void add(llvm::StringRef path, const uint64_t &counter,
           llvm::StringRef description);
  void add(llvm::StringRef path, const Occupancy &occupancy,
           llvm::StringRef description);
  void add(llvm::StringRef path, const Histogram &histogram,
           llvm::StringRef description);
  /// A number that follows from others, at the end.
  void add(llvm::StringRef path, std::function<double()> value,
           llvm::StringRef description);

  /// What is in use now, by its path.
  struct NamedOccupancy {
    std::string path;
    const Occupancy *occupancy;
  };
  const std::vector<NamedOccupancy> &occupancies() const { return occupied; }

  /// All values at the tick `now`.
  llvm::json::Object toJSON(Tick now) const;
  /// What each name means.
  llvm::json::Object describe() const;

private:
  struct Entry {
    std::string path;
    std::string description;
    std::function<llvm::json::Value(Tick)> value;
  };
  void add(llvm::StringRef path, llvm::StringRef description,
           std::function<llvm::json::Value(Tick)> value);

  std::vector<Entry> entries;
  std::vector<NamedOccupancy> occupied;
};

} // namespace ember::sim

#endif
