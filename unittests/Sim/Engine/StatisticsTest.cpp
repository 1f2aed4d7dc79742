//===- StatisticsTest.cpp - Counts by their paths
//--------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Engine/Statistics.h"
#include "ember/Sim/Engine/StudentDistribution.h"

#include "gtest/gtest.h"

using namespace ember::sim;
namespace json = llvm::json;

TEST(Statistics, AreAnObjectForEachPartOfAPath) {
  Statistics statistics;
  uint64_t hits = 0;
  Occupancy used;
  Histogram latency;
  statistics.add("core0.l1d.hits", hits, "requests that found their line");
  statistics.add("core0.l1d.mshr", used, "entries in use");
  statistics.add("core0.latency", latency, "ticks from request to answer");
  statistics.add("core0.l1d.share", [&] { return hits / 4.0; }, "of four");
  hits = 3;
  used.set(10, 4);
  used.add(20, -3);
  for (uint64_t value : {0, 1, 5, 6, 7})
    latency.add(value);

  json::Object all = statistics.toJSON(40);
  const json::Object *l1d = all.getObject("core0")->getObject("l1d");
  EXPECT_EQ(l1d->getInteger("hits"), 3);
  EXPECT_EQ(l1d->getNumber("share"), 0.75);
  EXPECT_EQ(l1d->getObject("mshr")->getInteger("most"), 4);
  // 10 ticks of 0, 10 of 4, 20 of 1.
  EXPECT_EQ(l1d->getObject("mshr")->getNumber("mean"), 1.5);
  const json::Object *times = all.getObject("core0")->getObject("latency");
  EXPECT_EQ(times->getInteger("count"), 5);
  EXPECT_EQ(times->getNumber("mean"), 3.8);
  json::Array expected{json::Array{0, 1}, json::Array{1, 1}, json::Array{4, 3}};
  EXPECT_EQ(*times->getArray("from"), expected);
  EXPECT_EQ(statistics.describe().getString("core0.l1d.mshr"),
            "entries in use");
}

TEST(StudentDistribution, HasTheDistancesOfTables) {
  EXPECT_NEAR(studentDistance(0.95, 1), 12.706, 0.01);
  EXPECT_NEAR(studentDistance(0.95, 2), 4.303, 0.001);
  EXPECT_NEAR(studentDistance(0.95, 9), 2.262, 0.001);
  EXPECT_NEAR(studentDistance(0.99, 30), 2.750, 0.001);
  EXPECT_NEAR(studentDistance(0.95, 100000), 1.960, 0.001);
  EXPECT_EQ(studentDistance(0, 5), 0);
}
