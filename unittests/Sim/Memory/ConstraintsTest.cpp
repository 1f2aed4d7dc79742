//===- ConstraintsTest.cpp - Commands come when they are legal ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each constraint a situation in which it is the one that binds: there the
// controller's command comes exactly when the constraint ends, the checker
// accepts it, and rejects it one cycle earlier by the constraint's name.
//
//===----------------------------------------------------------------------===//

#include "MemoryHarness.h"

#include "llvm/ADT/STLExtras.h"

using namespace ember::sim;

namespace {
constexpr auto ACT = DRAMCommand::activate;
constexpr auto PRE = DRAMCommand::precharge;
constexpr auto RD = DRAMCommand::read;
constexpr auto WR = DRAMCommand::write;
constexpr auto REFB = DRAMCommand::refreshBank;
constexpr auto PREA = DRAMCommand::prechargeAll;
constexpr auto REFA = DRAMCommand::refreshAll;

struct Ask {
  double nanoseconds;
  DRAMLocation location;
  Access access = Access::read;
};

struct Situation {
  std::string title;
  /// The rule that the checker names.
  std::string rule;
  std::function<void(MemoryParameters &)> change;
  std::vector<Ask> asks;
  /// The pair of commands of which the second waits for the first, which is
  /// the last before it, or the fourth last.
  DRAMCommand before;
  DRAMCommand after;
  uint64_t cycles;
  double since = 0;
  unsigned back = 1;
};

class Constraint : public testing::TestWithParam<Situation> {};

constexpr auto fill = Access::fill;

/// Reads of one row for as long as a refresh needs to become due.
std::vector<Ask> steady(Access access) {
  std::vector<Ask> asks;
  for (unsigned i = 0; i < 120; ++i)
    asks.push_back({10.0 * i, place(0, 0, 0, i % 16), access});
  return asks;
}

std::function<void(MemoryParameters &)>
refreshing(Refresh kind, std::function<void(DRAMTimingParameters &)> change) {
  return [=](MemoryParameters &parameters) {
    parameters.controller.refresh = kind;
    parameters.timing.refi = 1000;
    parameters.timing.rrefd = 8;
    change(parameters.timing);
  };
}

std::function<void(MemoryParameters &)>
timing(std::function<void(DRAMTimingParameters &)> change) {
  return [=](MemoryParameters &parameters) { change(parameters.timing); };
}

std::function<void(MemoryParameters &)>
twoRanks(std::function<void(DRAMTimingParameters &)> change) {
  return [=](MemoryParameters &parameters) {
    parameters.geometry.ranks = 2;
    change(parameters.timing);
  };
}

void unchanged(MemoryParameters &) {}
void sameTiming(DRAMTimingParameters &) {}

const Situation situations[] = {
    {"Rcdrd", "RCDRD", unchanged, {{0, place(0, 0, 0)}}, ACT, RD, 17},
    {"Rcdwr", "RCDWR", unchanged, {{0, place(0, 0, 0), fill}}, ACT, WR, 14},
    {"Ras",
     "RAS",
     unchanged,
     {{0, place(0, 0, 0)}, {0, place(0, 0, 1)}},
     ACT,
     PRE,
     40},
    {"Rp",
     "RP",
     timing([](auto &t) { t.rc = 50; }),
     {{0, place(0, 0, 0)}, {0, place(0, 0, 1)}},
     PRE,
     ACT,
     17},
    {"Rc",
     "RC",
     timing([](auto &t) { t.rc = 70; }),
     {{0, place(0, 0, 0)}, {0, place(0, 0, 1)}},
     ACT,
     ACT,
     70},
    {"Rtp",
     "RTP",
     timing([](auto &t) { t.rtp = 40; }),
     {{0, place(0, 0, 0)}, {0, place(0, 0, 1)}},
     RD,
     PRE,
     40},
    {"Wr",
     "WR",
     unchanged,
     {{0, place(0, 0, 0), fill}, {0, place(0, 0, 1), fill}},
     WR,
     PRE,
     6 + 2 + 19},
    {"CcdLong", "CCD_L", unchanged, {{0, place(0, 0, 0)}}, RD, RD, 4},
    {"CcdLongOfWrites",
     "CCD_L",
     unchanged,
     {{0, place(0, 0, 0), fill}},
     WR,
     WR,
     4},
    {"CcdShort",
     "CCD_S",
     unchanged,
     {{0, place(0, 0, 0)},
      {0, place(1, 0, 0)},
      {500, place(0, 0, 0, 1)},
      {500, place(1, 0, 0, 1)}},
     RD,
     RD,
     2,
     500},
    {"CcdShortOfWrites",
     "CCD_S",
     timing([](auto &t) { t.ccdShort = 3; }),
     {{0, place(0, 0, 0)},
      {0, place(1, 0, 0)},
      {500, place(0, 0, 0, 1), fill},
      {500, place(1, 0, 0, 1), fill}},
     WR,
     WR,
     3,
     500},
    {"RrdShort",
     "RRD_S",
     unchanged,
     {{0, place(0, 0, 0)}, {0, place(1, 0, 0)}},
     ACT,
     ACT,
     5},
    {"RrdLong",
     "RRD_L",
     timing([](auto &t) { t.rrdLong = 6; }),
     {{0, place(0, 0, 0)}, {0, place(0, 1, 0)}},
     ACT,
     ACT,
     8},
    {"Faw",
     "FAW",
     timing([](auto &t) { t.faw = 30; }),
     {{0, place(0, 0, 0)},
      {0, place(1, 0, 0)},
      {0, place(2, 0, 0)},
      {0, place(3, 0, 0)},
      {0, place(0, 1, 0)}},
     ACT,
     ACT,
     36,
     0,
     4},
    {"WtrShort",
     "WTR_S",
     unchanged,
     {{0, place(0, 0, 0)},
      {0, place(1, 0, 0)},
      {500, place(0, 0, 0, 1), fill},
      {501, place(1, 0, 0, 1)}},
     WR,
     RD,
     6 + 2 + 8,
     500},
    {"WtrLong",
     "WTR_L",
     unchanged,
     {{0, place(0, 0, 0)},
      {500, place(0, 0, 0, 1), fill},
      {501, place(0, 0, 0, 2)}},
     WR,
     RD,
     6 + 2 + 10,
     500},
    {"ReadToWrite",
     "readToWriteGap",
     unchanged,
     {{0, place(0, 0, 0)},
      {0, place(1, 0, 0)},
      {500, place(0, 0, 0, 1)},
      {505, place(1, 0, 0, 1), fill}},
     RD,
     WR,
     17 + 2 + 2 - 6,
     500},
    {"ReadsOfTwoRanks",
     "rankSwitch",
     twoRanks([](auto &t) { t.rankSwitch = 1; }),
     {{0, place(0, 0, 0)},
      {0, place(0, 0, 0, 0, 1)},
      {500, place(0, 0, 0, 1)},
      {500, place(0, 0, 0, 1, 1)}},
     RD,
     RD,
     2 + 1,
     500},
    {"WritesOfTwoRanks",
     "rankSwitch",
     twoRanks([](auto &t) { t.rankSwitch = 1; }),
     {{0, place(0, 0, 0)},
      {0, place(0, 0, 0, 0, 1)},
      {500, place(0, 0, 0, 1), fill},
      {500, place(0, 0, 0, 1, 1), fill}},
     WR,
     WR,
     2 + 1,
     500},
    {"ReadToWriteOfTwoRanks",
     "rankSwitch",
     twoRanks([](auto &t) { t.rankSwitch = 5; }),
     {{0, place(0, 0, 0)},
      {0, place(0, 0, 0, 0, 1)},
      {500, place(0, 0, 0, 1)},
      {505, place(0, 0, 0, 1, 1), fill}},
     RD,
     WR,
     17 + 2 + 5 - 6,
     500},
    {"WriteToReadOfTwoRanks",
     "rankSwitch",
     twoRanks([](auto &t) {
       t.cl = 6;
       t.rankSwitch = 5;
     }),
     {{0, place(0, 0, 0)},
      {0, place(0, 0, 0, 0, 1)},
      {500, place(0, 0, 0, 1), fill},
      {500.1, place(0, 0, 0, 1, 1)}},
     WR,
     RD,
     6 + 2 + 5 - 6,
     500},
    {"RefreshToActivate", "RFC", refreshing(Refresh::allBanks, sameTiming),
     steady(Access::read), REFA, ACT, 420},
    {"RefreshWhileIdleToActivate",
     "RFC",
     refreshing(Refresh::allBanks, sameTiming),
     {{0, place(0, 0, 0)}, {995, place(0, 0, 0)}},
     REFA,
     ACT,
     420},
    {"PrechargeToRefresh", "RP", refreshing(Refresh::allBanks, sameTiming),
     steady(Access::read), PREA, REFA, 17},
    {"PrechargeOfABankToRefresh",
     "RP",
     refreshing(Refresh::allBanks, [](auto &t) { t.rc = 50; }),
     {{950, place(0, 0, 0)}, {950, place(0, 0, 1)}},
     PRE,
     REFA,
     17},
    {"ReadToPrechargeOfAll", "RTP",
     refreshing(Refresh::allBanks, [](auto &t) { t.rtp = 40; }),
     steady(Access::read), RD, PREA, 40},
    {"WriteToPrechargeOfAll", "WR",
     refreshing(Refresh::allBanks, [](auto &t) { t.wr = 60; }), steady(fill),
     WR, PREA, 6 + 2 + 60},
    {"ActivateToPrechargeOfAll",
     "RAS",
     refreshing(Refresh::allBanks,
                [](auto &t) {
                  t.ras = 150;
                  t.rc = 167;
                }),
     {{950, place(0, 0, 0)}, {960, place(0, 0, 1)}},
     ACT,
     PREA,
     150},
    {"ActivateToRefresh",
     "RC before refresh",
     refreshing(Refresh::allBanks, [](auto &t) { t.rc = 150; }),
     {{950, place(0, 0, 0)}, {960, place(0, 0, 1)}},
     ACT,
     REFA,
     150},
    {"RefreshOfBankToActivate",
     "RFC_bank",
     refreshing(Refresh::perBank, [](auto &t) { t.refi = 4000; }),
     {{3995, place(0, 0, 0)}},
     REFB,
     ACT,
     192},
    {"RefreshOfBankToActivateOfAnother",
     "RREFD",
     refreshing(Refresh::perBank, [](auto &t) { t.rrefd = 20; }),
     {{991, place(1, 0, 0)}},
     REFB,
     ACT,
     24},
    {"ActivateToRefreshOfAnotherBank",
     "RRD_S",
     refreshing(Refresh::perBank, sameTiming),
     {{988.9, place(1, 0, 0)}},
     ACT,
     REFB,
     5},
    {"PrechargeToRefreshOfBank", "RP", refreshing(Refresh::perBank, sameTiming),
     steady(Access::read), PRE, REFB, 17},
    {"ActivateToRefreshOfBank",
     "RC before refresh",
     refreshing(Refresh::perBank, [](auto &t) { t.rc = 150; }),
     {{950, place(0, 0, 0)}, {960, place(0, 0, 1)}},
     ACT,
     REFB,
     150},
};

bool isColumn(DRAMCommand command) { return command == RD || command == WR; }
} // namespace

TEST_P(Constraint, IsMetExactly) {
  const Situation &situation = GetParam();
  MemoryParameters parameters = oneController();
  situation.change(parameters);
  MemoryHarness harness(parameters);
  for (const Ask &ask : situation.asks)
    harness.send(ticksOf(ask.nanoseconds), ask.location, ask.access);
  harness.run();
  harness.expectLegal();

  const std::vector<DRAMEvent> &events = harness.checker.seen();
  Tick since = ticksOf(situation.since);
  std::vector<Tick> before;
  auto after = llvm::find_if(events, [&](const DRAMEvent &event) {
    if (event.at < since)
      return false;
    bool found =
        event.command == situation.after && before.size() >= situation.back;
    if (!found && event.command == situation.before)
      before.push_back(event.at);
    return found;
  });
  ASSERT_NE(after, events.end());
  Tick period = parameters.timing.period();
  EXPECT_EQ(after->at - before[before.size() - situation.back],
            situation.cycles * period);

  // The same commands, the last of them one cycle earlier.
  CommandChecker checker(parameters);
  for (const DRAMEvent &event : llvm::make_range(events.begin(), after))
    checker.command(event);
  EXPECT_TRUE(checker.broken().empty());
  DRAMEvent early = *after;
  early.at -= period;
  checker.command(early);
  EXPECT_TRUE(llvm::any_of(checker.broken(), [&](const std::string &text) {
    return llvm::StringRef(text).starts_with(situation.rule + ":");
  })) << (checker.broken().empty() ? "accepted" : checker.broken().front());
}

INSTANTIATE_TEST_SUITE_P(Memory, Constraint, testing::ValuesIn(situations),
                         [](const testing::TestParamInfo<Situation> &info) {
                           return info.param.title;
                         });

TEST(CommandWires, AreSharedByPseudoChannels) {
  MemoryParameters parameters = oneController();
  parameters.geometry.pseudoChannels = 2;
  MemoryHarness harness(parameters);
  DRAMLocation other = place(0, 0, 0);
  other.pseudoChannel = 1;
  harness.send(0, place(0, 0, 0));
  harness.send(0, other);
  harness.run();
  harness.expectLegal();
  std::vector<Tick> activates;
  for (const DRAMEvent &event : harness.checker.seen())
    if (event.command == ACT)
      activates.push_back(event.at);
  ASSERT_EQ(activates.size(), 2u);
  EXPECT_EQ(activates[1] - activates[0], parameters.timing.period());
}

TEST(CommandWires, CarryRowsBesideColumnsOnlyWhereSeparate) {
  for (bool separate : {true, false}) {
    MemoryParameters parameters = oneController();
    parameters.timing.separateCommandBuses = separate;
    MemoryHarness harness(parameters);
    // The row of one bank is open, that of the other one is not.
    harness.send(0, place(0, 0, 0));
    harness.send(ticksOf(500), place(0, 0, 0, 1));
    harness.send(ticksOf(500), place(1, 0, 0));
    harness.run();
    harness.expectLegal();
    Tick column = 0;
    Tick row = 0;
    for (const DRAMEvent &event : harness.checker.seen())
      if (event.at > ticksOf(500)) {
        if (isColumn(event.command) && !column)
          column = event.at;
        if (event.command == ACT)
          row = event.at;
      }
    EXPECT_EQ(row - column, separate ? 0 : parameters.timing.period());
  }
}

TEST(CommandChecker, RejectsCommandsThatTheStateOfABankForbids) {
  auto judge = [](std::vector<std::pair<DRAMCommand, DRAMLocation>> commands) {
    CommandChecker checker(oneController());
    Tick at = 0;
    for (const auto &[command, location] : commands) {
      DRAMEvent event;
      event.at = at += 100000;
      event.command = command;
      event.location = location;
      checker.command(event);
    }
    return checker.broken().size();
  };
  EXPECT_EQ(judge({{ACT, place(0, 0, 5)}, {RD, place(0, 0, 5)}}), 0u);
  EXPECT_EQ(judge({{ACT, place(0, 0, 5)}, {RD, place(0, 0, 6)}}), 1u);
  EXPECT_EQ(judge({{ACT, place(0, 0, 5)}, {RD, place(0, 1, 5)}}), 1u);
  EXPECT_EQ(judge({{ACT, place(0, 0, 5)}, {ACT, place(0, 0, 6)}}), 1u);
  EXPECT_EQ(judge({{PRE, place(0, 0, 5)}}), 1u);
  EXPECT_EQ(judge({{ACT, place(0, 0, 5)}, {REFA, place(0, 0, 0)}}), 1u);
  EXPECT_EQ(judge({{ACT, place(1, 1, 5)}, {REFB, place(0, 0, 0)}}), 0u);
  EXPECT_EQ(judge({{ACT, place(1, 1, 5)},
                   {PREA, place(0, 0, 0)},
                   {REFA, place(0, 0, 0)}}),
            0u);
}
