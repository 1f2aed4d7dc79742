//===- DRAMTiming.h - When commands are legal -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A command keeps others from following too soon: those of its bank, its bank
// group, its rank, or the other ranks of its pseudo-channel, which share the
// data wires. Each of them keeps, for each command, the first tick at which
// that may come; a command may come when its bank, bank group and rank all
// allow it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_MEMORY_DRAMTIMING_H
#define EMBER_SIM_MEMORY_DRAMTIMING_H

#include "ember/Sim/Memory/DRAMCommand.h"

#include <algorithm>
#include <array>
#include <vector>

namespace ember::sim {

/// The timing of the banks of one pseudo-channel.
class DRAMTiming {
public:
  DRAMTiming(const DRAMGeometry &geometry,
             const DRAMTimingParameters &parameters, Refresh refresh);

  /// The first tick at which a command to a bank may come.
  Tick earliest(DRAMCommand command, unsigned bank) const {
    return std::max(earliestByBank(command, bank),
                    earliestByOthers(command, bank));
  }

  /// As far as the bank itself is concerned: changes with its commands only.
  Tick earliestByBank(DRAMCommand command, unsigned bank) const {
    return banks[bank][static_cast<unsigned>(command)];
  }
  Tick earliestByOthers(DRAMCommand command, unsigned bank) const {
    auto index = static_cast<unsigned>(command);
    const Place &place = places[bank];
    return std::max(groups[place.group][index], ranks[place.rank][index]);
  }

  /// The same for commands to all banks of a rank.
  Tick earliestForRank(DRAMCommand command, unsigned rank) const {
    return ranks[rank][static_cast<unsigned>(command)];
  }

  /// Whether an activate that is legal at `at` would have been the fifth one in
  /// a window at any time before.
  bool windowLimits(unsigned bank, Tick at) const {
    return windowEnd(places[bank].rank) == at;
  }

  void issue(DRAMCommand command, unsigned bank, Tick at);
  void issueForRank(DRAMCommand command, unsigned rank, Tick at);

  unsigned rankOf(unsigned bank) const { return places[bank].rank; }
  Tick period() const { return clockPeriod; }
  /// From a read, or write, to the end of its data.
  Tick readData() const { return readEnd; }
  Tick writeData() const { return writeEnd; }
  /// For which a burst takes the data wires.
  Tick burst() const { return burstTicks; }

private:
  enum Scope { bank, bankGroup, rank, otherRanks };
  struct Constraint {
    Scope scope;
    DRAMCommand next;
    Tick distance;
  };
  struct Place {
    unsigned group;
    unsigned rank;
  };
  using Times = std::array<Tick, commandCount>;

  static constexpr unsigned windowActivates = 4;
  struct Window {
    std::array<Tick, windowActivates> ends = {};
    unsigned oldest = 0;
  };

  Tick windowEnd(unsigned rank) const {
    return windows[rank].ends[windows[rank].oldest];
  }
  void add(Scope scope, DRAMCommand first, DRAMCommand next, int64_t cycles);
  void addReadsAndWrites(const DRAMTimingParameters &parameters,
                         int64_t burstCycles);
  void addRows(const DRAMTimingParameters &parameters, int64_t burstCycles);
  void addRefreshes(const DRAMTimingParameters &parameters);
  void limitOtherRanks(const Constraint &constraint, unsigned rank, Tick at);

  Tick clockPeriod;
  Tick readEnd;
  Tick writeEnd;
  Tick burstTicks;
  Tick window;
  std::array<std::vector<Constraint>, commandCount> constraints;
  std::vector<Place> places;
  std::vector<Times> banks;
  std::vector<Times> groups;
  std::vector<Times> ranks;
  std::vector<Window> windows;
};

} // namespace ember::sim

#endif
