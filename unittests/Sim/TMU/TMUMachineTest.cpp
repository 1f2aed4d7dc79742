//===- TMUMachineTest.cpp - Cores and their TMUs --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitHarness.h"
#include "ember/Sim/Energy/EnergyModel.h"

#include "llvm/ADT/StringSet.h"

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
      EnergyAccount energy(harness.machine.description(),
                           harness.machine.statistics());
      EXPECT_TRUE(energy.missing().empty()) << energy.missing().front();
      for (unsigned part = 0; part < EnergyAccount::partCount; ++part)
        EXPECT_GT(energy.dynamic(static_cast<EnergyAccount::Part>(part)), 0);
    }
}

TEST(TMUMachine, AUnitWaitsForACoreThatTakesNothing) {
  // The core ends, with a chunk in its hands; the unit fills the other one.
  GuestHarness guest;
  Bags bags(guest, 1, 50, 100, 64, 9);
  MachineParameters parameters = quietMachine();
  parameters.cores = 1;
  UnitHarness harness(guest, parameters, configured(bagProgram({})));
  harness.call(0, "takeSome", {bags.block, 1});
  EXPECT_EQ(harness.run(), "");
  harness.machine.drain();
  EXPECT_FALSE(harness.units[0].isIdle());
  EXPECT_EQ(harness.count("core0.tmu.output.chunks"), 2);
  EXPECT_EQ(harness.count("core0.tmu.output.fullChunks.most"), 2);
  EXPECT_NE(harness.machine.waits().find(
                "tmu0: chunk 2 for the core, which has handed back 0"),
            std::string::npos)
      << harness.machine.waits();
}

TEST(TMUMachine, ADeadlockIsAMessage) {
  // The core waits for the end of a program whose chunks it does not take.
  GuestHarness guest;
  Bags bags(guest, 1, 50, 100, 64, 9);
  MachineParameters parameters = quietMachine();
  parameters.cores = 1;
  UnitHarness harness(guest, parameters, configured(bagProgram({})));
  harness.call(0, "launchAndWait", {bags.block});
  std::string error = harness.run();
  for (const char *part :
       {"nothing is on its way any more", "core0: instruction",
        "tmu0: chunk 2 for the core, which has handed back 0",
        "tmu0: layer 2 for room in its queues",
        "tmu0: the end of the program for the core"})
    EXPECT_NE(error.find(part), std::string::npos) << part << "\n" << error;
}

TEST(TMUMachine, StoresAreDoneWhenTheCoreKnows) {
  GuestHarness guest;
  constexpr size_t rows = 64, width = 32;
  std::vector<int64_t> indices(rows);
  std::vector<double> table(1000 * width), out(rows * width);
  std::mt19937_64 random(1);
  for (int64_t &index : indices)
    index = static_cast<int64_t>(random() % 1000);
  for (double &value : table)
    value = static_cast<double>(random() % 1000);
  std::vector<std::string> lanes;
  for (unsigned lane = 0; lane < 8; ++lane)
    lanes.push_back(
        unit("dense", constant(lane), constant(width), constant(8), 4,
             {"{\"kind\": \"position\"}",
              alu("add", element(0, 0, 2), element(1, lane, 0)),
              load(1, "f64", element(1, lane, 1)),
              alu("add", element(0, 0, 3), element(1, lane, 0)),
              filled("{\"kind\": \"store\", \"capture\": 2, \"type\": \"f64\", "
                     "\"position\": $0, \"value\": $1}",
                     element(1, lane, 3), element(1, lane, 2))}));
  std::string text =
      program({memoryCapture("indices", "i64"), memoryCapture("table", "f64"),
               memoryCapture("out", "f64")},
              {layer("broadcast",
                     {unit("dense", constant(0), constant(rows), constant(1), 4,
                           {"{\"kind\": \"position\"}",
                            load(0, "i64", element(0, 0, 0)),
                            alu("mul", element(0, 0, 1), constant(width)),
                            alu("mul", element(0, 0, 0), constant(width))})}),
               layer("lockstep", lanes)});
  uint64_t block =
      guest.block({guest.map(indices), guest.map(table), guest.map(out)});
  MachineParameters parameters = quietMachine();
  parameters.cores = 1;
  UnitHarness harness(guest, parameters, configured(text));
  Emulator &core = harness.call(0, "launchAndWait", {block});
  EXPECT_EQ(harness.run(), "");
  EXPECT_EQ(core.state().x[0], 0u);
  EXPECT_TRUE(harness.units[0].isIdle());
  for (size_t i = 0; i < rows * width; ++i)
    ASSERT_EQ(
        out[i],
        table[static_cast<size_t>(indices[i / width]) * width + i % width]);
  EXPECT_EQ(harness.count("core0.tmu.requests.storedLines"), rows * width / 8);
  EXPECT_EQ(harness.count("core0.tmu.requests.partialStoredLines"), 0);
}

TEST(TMUMachine, ErrorsOfProgramsEndRuns) {
  GuestHarness guest;
  Bags bags(guest, 1, 50, 100, 64, 9);
  bags.indices[20] = -5;
  MachineParameters parameters = quietMachine();
  parameters.cores = 1;
  UnitHarness harness(guest, parameters, configured(bagProgram({})));
  harness.call(0, "bags", {bags.block, bags.outAddress, 64, 512});
  std::string error = harness.run();
  EXPECT_EQ(error.substr(0, 32), "tmu0: program test: layers[2].un") << error;
}

TEST(TMUMachine, ACoreLaunchesAgain) {
  GuestHarness guest;
  Bags first(guest, 1, 30, 100, 64, 9), second(guest, 2, 30, 100, 64, 9);
  MachineParameters parameters = quietMachine();
  parameters.cores = 1;
  UnitHarness harness(guest, parameters, configured(bagProgram({})));
  for (Bags *bags : {&first, &second}) {
    harness.call(0, "bags", {bags->block, bags->outAddress, 64, 512});
    EXPECT_EQ(harness.run(), "");
    EXPECT_EQ(bags->out, bags->expected);
  }
}

TEST(TMUMachine, TracesShowLayersRequestsAndChunks) {
  GuestHarness guest;
  Bags bags(guest, 1, 20, 100, 64, 9);
  MachineParameters parameters = quietMachine();
  parameters.cores = 1;
  UnitHarness harness(guest, parameters, configured(bagProgram({})));
  std::string text;
  {
    PerfettoTrace trace(std::make_unique<llvm::raw_string_ostream>(text));
    harness.units[0].trace(trace);
    harness.call(0, "bags", {bags.block, bags.outAddress, 64, 512});
    EXPECT_EQ(harness.run(), "");
    harness.machine.drain();
  }
  llvm::Expected<llvm::json::Value> events = llvm::json::parse(text);
  ASSERT_TRUE(static_cast<bool>(events)) << llvm::toString(events.takeError());
  uint64_t lines = 0, fibers = 0, chunks = 0;
  llvm::StringSet<> tracks;
  for (const llvm::json::Value &event : *events->getAsArray()) {
    const llvm::json::Object &object = *event.getAsObject();
    llvm::StringRef name = object.getString("name").value_or("");
    lines += name == "line";
    fibers += name == "fiber";
    chunks += name == "held by the core";
    if (name == "thread_name")
      tracks.insert(*object.getObject("args")->getString("name"));
  }
  EXPECT_EQ(lines, harness.count("core0.tmu.requests.lines"));
  EXPECT_EQ(fibers, harness.count("core0.tmu.layer0.fibers") +
                        harness.count("core0.tmu.layer1.fibers") +
                        harness.count("core0.tmu.layer2.fibers"));
  EXPECT_EQ(chunks, harness.count("core0.tmu.output.chunks") - 1);
  for (const char *track : {"layer 0", "layer 2", "request 0", "chunk 1"})
    EXPECT_TRUE(tracks.contains(track)) << track;
}
