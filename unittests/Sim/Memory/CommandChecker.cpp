//===- CommandChecker.cpp - Whether commands of DRAM are legal ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandChecker.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace ember::sim;

static constexpr auto ACT = DRAMCommand::activate;
static constexpr auto PRE = DRAMCommand::precharge;
static constexpr auto RD = DRAMCommand::read;
static constexpr auto WR = DRAMCommand::write;
static constexpr auto REFB = DRAMCommand::refreshBank;
static constexpr auto PREA = DRAMCommand::prechargeAll;
static constexpr auto REFA = DRAMCommand::refreshAll;
static constexpr Tick longAgo = ~Tick{0};

static bool isColumn(DRAMCommand command) {
  return command == RD || command == WR;
}

CommandChecker::CommandChecker(const MemoryParameters &parameters)
    : parameters(parameters), period(parameters.timing.period()) {
  const DRAMTimingParameters &t = parameters.timing;
  auto inCycles = [&](double nanoseconds) {
    return static_cast<int64_t>(std::ceil(
        nanoseconds * ticksPerNanosecond / static_cast<double>(period) - 1e-9));
  };
  auto bl = static_cast<int64_t>(parameters.geometry.burstLength / 2);
  auto cwl = static_cast<int64_t>(t.cwl);
  rule("RCDRD", ACT, RD, Where::sameBank, t.rcdRead);
  rule("RCDWR", ACT, WR, Where::sameBank, t.rcdWrite);
  rule("RC", ACT, ACT, Where::sameBank, t.rc);
  rule("RFC_bank", REFB, ACT, Where::sameBank, inCycles(t.rfcBank));
  for (DRAMCommand close : {PRE, PREA}) {
    rule("RAS", ACT, close, Where::sameBank, t.ras);
    rule("RTP", RD, close, Where::sameBank, t.rtp);
    rule("WR", WR, close, Where::sameBank, cwl + bl + t.wr);
    for (DRAMCommand next : {ACT, REFB, REFA})
      rule("RP", close, next, Where::sameBank, t.rp);
  }
  rule("RC before refresh", ACT, REFA, Where::sameBank, t.rc);
  rule("RC before refresh", ACT, REFB, Where::sameBank, t.rc);
  for (DRAMCommand next : {ACT, REFA})
    rule("RFC", REFA, next, Where::sameRank, inCycles(t.rfc));
  rule("RREFD", REFB, ACT, Where::sameRank, inCycles(t.rrefd));
  rule("RREFD", REFB, REFB, Where::sameRank, inCycles(t.rrefd));
  for (DRAMCommand column : {RD, WR}) {
    rule("CCD_S", column, column, Where::sameRank, t.ccdShort);
    rule("CCD_L", column, column, Where::sameGroup, t.ccdLong);
  }
  rule("WTR_S", WR, RD, Where::sameRank, cwl + bl + t.wtrShort);
  rule("WTR_L", WR, RD, Where::sameGroup, cwl + bl + t.wtrLong);
  for (DRAMCommand next : {ACT, REFB})
    rule("RRD_S", ACT, next, Where::sameRank, inCycles(t.rrdShort));
  rule("RRD_L", ACT, ACT, Where::sameGroup, inCycles(t.rrdLong));
}

void CommandChecker::rule(std::string name, DRAMCommand before,
                          DRAMCommand after, Where where, int64_t cycles) {
  rules.push_back({std::move(name), before, after, where,
                   static_cast<Tick>(cycles) * period});
}

void CommandChecker::complain(const std::string &name, const DRAMEvent &event) {
  violations.push_back(name + ": " + nameOf(event.command).str() + " at " +
                       std::to_string(event.at));
}

unsigned CommandChecker::bankOf(const DRAMLocation &location) const {
  const DRAMGeometry &geometry = parameters.geometry;
  return static_cast<unsigned>(
      (location.rank * geometry.bankGroups + location.bankGroup) *
          geometry.banks +
      location.bank);
}

void CommandChecker::command(const DRAMEvent &event) {
  const DRAMGeometry &geometry = parameters.geometry;
  unsigned number = event.location.channel * geometry.pseudoChannels +
                    event.location.pseudoChannel;
  PseudoChannel &channel = channels[number];
  if (channel.banks.empty()) {
    channel.banks.resize(geometry.banksOfController());
    channel.last.assign(
        commandCount, std::vector<Tick>(geometry.banksOfController(), longAgo));
    channel.activates.resize(geometry.ranks);
  }
  if (event.at % period)
    complain("not at an edge of the clock", event);
  checkDistances(channel, event);
  checkState(channel, event);
  checkWindow(channel, event);
  checkData(channel, event);
  if (!event.whileIdle)
    checkCommandWires(event);
  if (event.command == REFA)
    refreshes[{number, event.location.rank}].push_back(event.at);
  if (event.command == REFB)
    refreshes[{number, bankOf(event.location), 0}].push_back(event.at);
  events.push_back(event);
}

void CommandChecker::checkDistances(PseudoChannel &channel,
                                    const DRAMEvent &event) {
  const DRAMGeometry &geometry = parameters.geometry;
  bool ofRank = event.command == PREA || event.command == REFA;
  unsigned target = bankOf(event.location);
  auto related = [&](unsigned other, Where where) {
    bool rank = other / geometry.banksOfRank() == event.location.rank;
    switch (where) {
    case Where::sameBank:
      return ofRank ? rank : other == target;
    case Where::sameGroup:
      return other / geometry.banks == target / geometry.banks;
    case Where::sameRank:
      return rank;
    }
    return false;
  };
  for (const Rule &rule : rules) {
    if (rule.after != event.command)
      continue;
    const std::vector<Tick> &last =
        channel.last[static_cast<unsigned>(rule.before)];
    for (unsigned bank = 0; bank < last.size(); ++bank)
      if (last[bank] != longAgo && related(bank, rule.where) &&
          event.at < last[bank] + rule.distance) {
        complain(rule.name, event);
        break;
      }
  }
  std::vector<Tick> &last = channel.last[static_cast<unsigned>(event.command)];
  for (unsigned bank = 0; bank < last.size(); ++bank)
    if (related(bank, Where::sameBank))
      last[bank] = event.at;
}

void CommandChecker::checkState(PseudoChannel &channel,
                                const DRAMEvent &event) {
  Bank &bank = channel.banks[bankOf(event.location)];
  size_t banksOfRank = parameters.geometry.banksOfRank();
  auto rank = llvm::MutableArrayRef<Bank>(channel.banks)
                  .slice(event.location.rank * banksOfRank, banksOfRank);
  switch (event.command) {
  case ACT:
    if (bank.open)
      complain("activate of an open bank", event);
    bank = {true, event.location.row};
    return;
  case PRE:
    if (!bank.open)
      complain("precharge of a closed bank", event);
    bank.open = false;
    return;
  case RD:
  case WR:
    if (!bank.open || bank.row != event.location.row)
      complain("the row is not open", event);
    return;
  case REFB:
    if (bank.open)
      complain("refresh of an open bank", event);
    return;
  case PREA:
    for (Bank &other : rank)
      other.open = false;
    return;
  case REFA:
    if (llvm::any_of(rank, [](const Bank &other) { return other.open; }))
      complain("refresh of an open bank", event);
    return;
  }
}

void CommandChecker::checkWindow(PseudoChannel &channel,
                                 const DRAMEvent &event) {
  if (event.command != ACT)
    return;
  std::vector<Tick> &times = channel.activates[event.location.rank];
  Tick window = ticksOf(parameters.timing.faw);
  if (times.size() >= 4 && event.at < times[times.size() - 4] + window)
    complain("FAW", event);
  times.push_back(event.at);
}

/// Data of two commands does not meet on the wires.
void CommandChecker::checkData(PseudoChannel &channel, const DRAMEvent &event) {
  if (!isColumn(event.command))
    return;
  const DRAMTimingParameters &timing = parameters.timing;
  bool write = event.command == WR;
  Tick begin = event.at + period * (write ? timing.cwl : timing.cl);
  Burst burst{begin, begin + period * (parameters.geometry.burstLength / 2),
              write, event.location.rank};
  if (!channel.bursts.empty()) {
    const Burst &before = channel.bursts.back();
    Tick gap = 0;
    if (!before.write && write)
      gap = period * timing.readToWriteGap;
    if (before.rank != burst.rank)
      gap = std::max(gap, period * timing.rankSwitch);
    if (burst.begin < before.end + gap)
      complain(before.rank != burst.rank ? "rankSwitch" : "readToWriteGap",
               event);
  }
  channel.bursts.push_back(burst);
}

void CommandChecker::checkCommandWires(const DRAMEvent &event) {
  bool column =
      parameters.timing.separateCommandBuses && isColumn(event.command);
  std::vector<Tick> &times = wires[{event.location.channel, column}];
  if (!times.empty() && event.at < times.back() + period)
    complain("command wires", event);
  times.push_back(event.at);
}

void CommandChecker::checkRefreshes(Tick end, Tick slack) {
  // The first refreshes of the controllers are spread over an interval.
  Tick interval = ticksOf(parameters.timing.refi) + slack;
  for (const auto &[place, times] : refreshes) {
    Tick before = 0;
    Tick allowed = 2 * interval;
    for (Tick at : times) {
      if (at > before + allowed)
        violations.push_back("late refresh at " + std::to_string(at));
      before = at;
      allowed = interval;
    }
    if (end > before + allowed)
      violations.push_back("no refresh since " + std::to_string(before));
  }
}
