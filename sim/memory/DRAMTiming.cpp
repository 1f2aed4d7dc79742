//===- DRAMTiming.cpp - When commands are legal ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Memory/DRAMTiming.h"

using namespace ember::sim;

using Command = DRAMCommand;

llvm::StringRef ember::sim::nameOf(DRAMCommand command) {
  switch (command) {
  case Command::activate:
    return "activate";
  case Command::precharge:
    return "precharge";
  case Command::read:
    return "read";
  case Command::write:
    return "write";
  case Command::refreshBank:
    return "refreshBank";
  case Command::prechargeAll:
    return "prechargeAll";
  case Command::refreshAll:
    return "refreshAll";
  }
  return "";
}

/// Cycles within which `nanoseconds` pass.
static int64_t cyclesOf(double nanoseconds, Tick period) {
  return static_cast<int64_t>((ticksOf(nanoseconds) + period - 1) / period);
}

DRAMTiming::DRAMTiming(const DRAMGeometry &geometry,
                       const DRAMTimingParameters &parameters, Refresh refresh)
    : clockPeriod(parameters.period()) {
  auto burstCycles = static_cast<int64_t>(geometry.burstLength / 2);
  burstTicks = clockPeriod * burstCycles;
  readEnd = clockPeriod * parameters.cl + burstTicks;
  writeEnd = clockPeriod * parameters.cwl + burstTicks;
  window = clockPeriod * cyclesOf(parameters.faw, clockPeriod);
  for (unsigned i = 0; i < geometry.banksOfController(); ++i)
    places.push_back({static_cast<unsigned>(i / geometry.banks),
                      static_cast<unsigned>(i / geometry.banksOfRank())});
  banks.resize(geometry.banksOfController());
  groups.resize(geometry.ranks * geometry.bankGroups);
  ranks.resize(geometry.ranks);
  windows.resize(geometry.ranks);
  addRows(parameters, burstCycles);
  addReadsAndWrites(parameters, burstCycles);
  if (refresh != Refresh::none)
    addRefreshes(parameters);
}

void DRAMTiming::add(Scope scope, Command first, Command next, int64_t cycles) {
  if (cycles <= 0)
    return;
  constraints[static_cast<unsigned>(first)].push_back(
      {scope, next, clockPeriod * static_cast<Tick>(cycles)});
}

void DRAMTiming::addRows(const DRAMTimingParameters &parameters,
                         int64_t burstCycles) {
  auto writeToPrecharge =
      static_cast<int64_t>(parameters.cwl + parameters.wr) + burstCycles;
  add(bank, Command::activate, Command::read, parameters.rcdRead);
  add(bank, Command::activate, Command::write, parameters.rcdWrite);
  add(bank, Command::activate, Command::precharge, parameters.ras);
  add(bank, Command::activate, Command::activate, parameters.rc);
  add(bank, Command::read, Command::precharge, parameters.rtp);
  add(bank, Command::write, Command::precharge, writeToPrecharge);
  add(bank, Command::precharge, Command::activate, parameters.rp);
  add(rank, Command::activate, Command::prechargeAll, parameters.ras);
  add(rank, Command::read, Command::prechargeAll, parameters.rtp);
  add(rank, Command::write, Command::prechargeAll, writeToPrecharge);
  add(rank, Command::prechargeAll, Command::activate, parameters.rp);
  add(bankGroup, Command::activate, Command::activate,
      cyclesOf(parameters.rrdLong, clockPeriod));
  add(rank, Command::activate, Command::activate,
      cyclesOf(parameters.rrdShort, clockPeriod));
}

void DRAMTiming::addReadsAndWrites(const DRAMTimingParameters &parameters,
                                   int64_t burstCycles) {
  auto cl = static_cast<int64_t>(parameters.cl);
  auto cwl = static_cast<int64_t>(parameters.cwl);
  auto gap = static_cast<int64_t>(parameters.readToWriteGap);
  auto toOtherRank = static_cast<int64_t>(parameters.rankSwitch);
  for (Command command : {Command::read, Command::write}) {
    add(bankGroup, command, command, parameters.ccdLong);
    add(rank, command, command, parameters.ccdShort);
    add(otherRanks, command, command, burstCycles + toOtherRank);
  }
  add(bankGroup, Command::write, Command::read,
      cwl + burstCycles + static_cast<int64_t>(parameters.wtrLong));
  add(rank, Command::write, Command::read,
      cwl + burstCycles + static_cast<int64_t>(parameters.wtrShort));
  add(rank, Command::read, Command::write, cl + burstCycles + gap - cwl);
  add(otherRanks, Command::write, Command::read,
      cwl + burstCycles + toOtherRank - cl);
  add(otherRanks, Command::read, Command::write,
      cl + burstCycles + std::max(gap, toOtherRank) - cwl);
}

void DRAMTiming::addRefreshes(const DRAMTimingParameters &parameters) {
  int64_t ofBank = cyclesOf(parameters.rfcBank, clockPeriod);
  int64_t toOtherBank = cyclesOf(parameters.rrefd, clockPeriod);
  add(bank, Command::activate, Command::refreshBank, parameters.rc);
  add(bank, Command::precharge, Command::refreshBank, parameters.rp);
  add(bank, Command::refreshBank, Command::activate, ofBank);
  add(bank, Command::refreshBank, Command::refreshBank, ofBank);
  add(rank, Command::refreshBank, Command::activate, toOtherBank);
  add(rank, Command::refreshBank, Command::refreshBank, toOtherBank);
  add(rank, Command::activate, Command::refreshBank,
      cyclesOf(parameters.rrdShort, clockPeriod));
  int64_t ofAll = cyclesOf(parameters.rfc, clockPeriod);
  add(rank, Command::activate, Command::refreshAll, parameters.rc);
  add(rank, Command::precharge, Command::refreshAll, parameters.rp);
  add(rank, Command::prechargeAll, Command::refreshAll, parameters.rp);
  add(rank, Command::refreshAll, Command::activate, ofAll);
  add(rank, Command::refreshAll, Command::refreshAll, ofAll);
}

void DRAMTiming::issue(Command command, unsigned bankIndex, Tick at) {
  const Place &place = places[bankIndex];
  for (const Constraint &constraint :
       constraints[static_cast<unsigned>(command)]) {
    auto next = static_cast<unsigned>(constraint.next);
    Tick until = at + constraint.distance;
    switch (constraint.scope) {
    case bank:
      banks[bankIndex][next] = std::max(banks[bankIndex][next], until);
      break;
    case bankGroup:
      groups[place.group][next] = std::max(groups[place.group][next], until);
      break;
    case rank:
      ranks[place.rank][next] = std::max(ranks[place.rank][next], until);
      break;
    case otherRanks:
      limitOtherRanks(constraint, place.rank, at);
      break;
    }
  }
  if (command != Command::activate)
    return;
  Window &activates = windows[place.rank];
  activates.ends[activates.oldest] = at + window;
  activates.oldest = (activates.oldest + 1) % windowActivates;
  Tick &next = ranks[place.rank][static_cast<unsigned>(Command::activate)];
  next = std::max(next, windowEnd(place.rank));
}

void DRAMTiming::limitOtherRanks(const Constraint &constraint, unsigned rank,
                                 Tick at) {
  auto next = static_cast<unsigned>(constraint.next);
  for (unsigned other = 0; other < ranks.size(); ++other)
    if (other != rank)
      ranks[other][next] =
          std::max(ranks[other][next], at + constraint.distance);
}

void DRAMTiming::issueForRank(Command command, unsigned rank, Tick at) {
  for (const Constraint &constraint :
       constraints[static_cast<unsigned>(command)]) {
    auto next = static_cast<unsigned>(constraint.next);
    ranks[rank][next] = std::max(ranks[rank][next], at + constraint.distance);
  }
}
