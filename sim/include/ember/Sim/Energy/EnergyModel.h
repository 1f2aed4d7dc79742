//===- EnergyModel.h - What a run cost --------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joules of each kind of part, from the counts of a run and the sizes of the
// machine's structures:
//  - Arrays, such as caches and files of registers, cost more where they are
//    larger, by a power of their size.
//  - What is searched, such as queues and MSHRs, costs in proportion to its
//    entries, each time.
//  - All that is there draws power for the whole run, cores without a program
//    and units that are idle included.
// The sums are good for comparing runs, and no more than that.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_ENERGY_ENERGYMODEL_H
#define EMBER_SIM_ENERGY_ENERGYMODEL_H

#include "ember/Sim/Machine/MachineParameters.h"

#include <array>

namespace ember::sim {

class EnergyAccount {
public:
  enum Part { cores, l1d, l2, translation, lastLevel, mesh, memory, units };
  static constexpr unsigned partCount = 8;

  /// `statistics` are a machine's at the end of a run.
  EnergyAccount(const MachineParameters &parameters,
                const llvm::json::Object &statistics);

  /// Joules of events.
  double dynamic(Part part) const { return joules[part].dynamic; }
  /// Joules of what is there, whatever it does.
  double idle(Part part) const { return joules[part].idle; }
  double total() const;
  double watts() const { return seconds > 0 ? total() / seconds : 0; }

  llvm::json::Object toJSON() const;

  /// Counts that the statistics lack.
  const std::vector<std::string> &missing() const { return absent; }

private:
  struct Joules {
    double dynamic = 0;
    double idle = 0;
  };
  /// The counts of a part, of which each has to be there.
  class Counts;

  void addCore(const Counts &core);
  void addCache(Part part, const CacheParameters &cache, const Counts &counts);
  void addTranslation(const TlbParameters &tlb, const Counts &counts);
  void addSlice(const Counts &slice);
  void addMesh(const Counts &mesh);
  void addMemory(const Counts &memory);
  void addUnit(const Counts &unit);
  void addEngine(const Counts &engine);

  /// Of bytes read from or written to an array.
  double array(double bytes, uint64_t size) const;
  double search(uint64_t entries) const;
  void spend(Part part, double picojoules) {
    joules[part].dynamic += picojoules * 1e-12;
  }
  void hold(Part part, double milliwatts) {
    joules[part].idle += milliwatts * 1e-3 * seconds;
  }

  const MachineParameters &machine;
  double seconds = 0;
  std::array<Joules, partCount> joules = {};
  std::vector<std::string> absent;
};

} // namespace ember::sim

#endif
