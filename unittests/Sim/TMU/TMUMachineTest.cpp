//===- TMUMachineTest.cpp - Cores and their TMUs --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitHarness.h"

using namespace ember::sim;

TEST(TMUMachine, CoresSumBags) {
  for (unsigned cores : {1, 2})
    for (bool reserve : {true, false}) {
      GuestHarness guest;
      BagShape shape;
      shape.reserve = reserve;
      std::deque<Bags> bags;
      for (unsigned core = 0; core < cores; ++core)
        bags.emplace_back(guest, core, 40, 3000, shape.width, 20);
      MachineParameters parameters = quietMachine();
      parameters.cores = cores;
      UnitHarness harness(guest, parameters, configured(bagProgram(shape)));
      for (unsigned core = 0; core < cores; ++core)
        harness.call(core, reserve ? "bags" : "longBags",
                     {bags[core].block, bags[core].outAddress, shape.width,
                      shape.tokenBytes, shape.chunkBytes});
      EXPECT_EQ(harness.run(), "");
      for (Bags &each : bags)
        EXPECT_EQ(each.out, each.expected);
    }
}
