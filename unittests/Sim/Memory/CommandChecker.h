//===- CommandChecker.h - Whether commands of DRAM are legal ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Judges commands by what came before them, from the list of constraints in
// the standards. It shares nothing with the controller but the parameters:
// where that one keeps the first legal time of each command, this one keeps
// what was done when, and looks back.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_UNITTESTS_SIM_MEMORY_COMMANDCHECKER_H
#define EMBER_UNITTESTS_SIM_MEMORY_COMMANDCHECKER_H

#include "ember/Sim/Memory/DRAMCommand.h"

#include <map>
#include <string>
#include <vector>

namespace ember::sim {

class CommandChecker final : public DRAMObserver {
public:
  explicit CommandChecker(const MemoryParameters &parameters);

  void command(const DRAMEvent &event) override;

  /// The names of the rules that were broken, each with its command.
  const std::vector<std::string> &broken() const { return violations; }
  const std::vector<DRAMEvent> &seen() const { return events; }
  /// Complains if a rank or bank had a longer time without refresh than
  /// `slack` above what the parameters ask for, up to `end`.
  void checkRefreshes(Tick end, Tick slack);

private:
  enum class Where { sameBank, sameGroup, sameRank };
  struct Rule {
    std::string name;
    DRAMCommand before;
    DRAMCommand after;
    Where where;
    Tick distance;
  };
  struct Bank {
    bool open = false;
    uint64_t row = 0;
  };
  struct Burst {
    Tick begin;
    Tick end;
    bool write;
    unsigned rank;
  };
  struct PseudoChannel {
    std::vector<Bank> banks;
    /// For each command the last time at which a bank had it.
    std::vector<std::vector<Tick>> last;
    std::vector<std::vector<Tick>> activates;
    std::vector<Burst> bursts;
  };

  void rule(std::string name, DRAMCommand before, DRAMCommand after,
            Where where, int64_t cycles);
  void complain(const std::string &name, const DRAMEvent &event);
  void checkState(PseudoChannel &channel, const DRAMEvent &event);
  void checkDistances(PseudoChannel &channel, const DRAMEvent &event);
  void checkWindow(PseudoChannel &channel, const DRAMEvent &event);
  void checkData(PseudoChannel &channel, const DRAMEvent &event);
  void checkCommandWires(const DRAMEvent &event);
  unsigned bankOf(const DRAMLocation &location) const;

  MemoryParameters parameters;
  Tick period;
  std::vector<Rule> rules;
  std::map<unsigned, PseudoChannel> channels;
  /// The last commands on the wires of a channel, for rows and for columns.
  std::map<std::pair<unsigned, bool>, std::vector<Tick>> wires;
  std::map<std::vector<unsigned>, std::vector<Tick>> refreshes;
  std::vector<std::string> violations;
  std::vector<DRAMEvent> events;
};

} // namespace ember::sim

#endif
