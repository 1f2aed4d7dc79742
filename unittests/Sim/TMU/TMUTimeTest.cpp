//===- TMUTimeTest.cpp - How long units take ------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QueueReader.h"

#include <numeric>

using namespace ember::sim;

namespace {
const std::string position = "{\"kind\": \"position\"}";

/// Each lane loads every so many elements, each in a line of its own, and
/// pushes nothing; that many times. Captures: the table, passes, elements.
std::string linesProgram(unsigned lanes, unsigned queue,
                         const std::string &level = "") {
  std::vector<std::string> units;
  for (unsigned lane = 0; lane < lanes; ++lane)
    units.push_back(
        unit("dense", constant(lane), capture(2), constant(lanes), queue,
             {position, alu("mul", element(1, lane, 0), constant(8)),
              load(0, "i64", element(1, lane, 1), level)}));
  return program({memoryCapture("table", "i64"), scalarCapture("passes"),
                  scalarCapture("lines")},
                 {layer("broadcast", {unit("dense", constant(0), capture(1),
                                           constant(1), 1, {position})}),
                  layer("lockstep", units)});
}

/// A lane a random line: indices are read in order. Captures: indices, table,
/// count.
std::string gatherProgram(unsigned lanes, unsigned queue,
                          const std::string &level = "") {
  std::vector<std::string> units;
  for (unsigned lane = 0; lane < lanes; ++lane)
    units.push_back(unit("dense", constant(lane), capture(2), constant(lanes),
                         queue,
                         {position, load(0, "i64", element(0, lane, 0)),
                          load(1, "i64", element(0, lane, 1), level)}));
  return program({memoryCapture("indices", "i64"),
                  memoryCapture("table", "i64"), scalarCapture("count")},
                 {layer("lockstep", units)});
}

struct Gather {
  Gather(GuestHarness &guest, uint64_t seed, size_t count, size_t lines)
      : indices(count), table(lines * 8) {
    std::mt19937_64 random(seed);
    for (uint64_t &index : indices)
      index = random() % lines * 8;
    block = guest.block({guest.map(indices), guest.map(table), count});
  }
  std::vector<uint64_t> indices, table;
  uint64_t block;
};

MachineParameters largeQueues() {
  MachineParameters parameters = quietMachine();
  parameters.tmu.laneStorage = 1 << 20;
  return parameters;
}

/// Nanoseconds of a program without pushes, on one core.
double timeOf(const MachineParameters &parameters, const std::string &text,
              const std::function<uint64_t(GuestHarness &)> &block,
              const std::function<void(UnitHarness &)> &look = nullptr) {
  GuestHarness guest;
  uint64_t address = block(guest);
  MachineParameters one = parameters;
  one.cores = 1;
  UnitHarness harness(guest, one, configured(text));
  QueueReader reader(harness, 0, address, 0, 0);
  reader.run();
  EXPECT_TRUE(reader.isDone()) << harness.machine.waits();
  EXPECT_EQ(llvm::toString(harness.units[0].takeError()), "");
  if (look)
    look(harness);
  return nanosecondsOf(reader.end);
}
} // namespace

TEST(TMUTime, OneLineACycleFromTheLastLevel) {
  // Further passes over lines that the last level has: 4096 of 64 bytes.
  constexpr size_t lines = 4096;
  std::vector<uint64_t> table(lines * 8);
  double time[3];
  for (uint64_t limit : {1, 2}) {
    MachineParameters parameters = largeQueues();
    parameters.tmu.requestsPerCycle = limit;
    auto passes = [&](uint64_t count) {
      return timeOf(parameters, linesProgram(8, 32), [&](GuestHarness &guest) {
        return guest.block({guest.map(table), count, lines});
      });
    };
    time[limit] = (passes(4) - passes(2)) / 2;
  }
  // 256 in flight, some tens of ns away: the arbiter is what limits one, and
  // the core's link of the mesh two.
  EXPECT_GE(time[1], lines);
  EXPECT_LE(time[1], 1.03 * lines + 200);
  EXPECT_GE(time[2], lines / 2.0);
  EXPECT_LE(time[2], 0.9 * time[1]);
}

TEST(TMUTime, StreamsReadFromTheLevelTheyName) {
  // Two passes over 512 lines, which each level has room for.
  constexpr size_t lines = 512;
  std::vector<uint64_t> table(lines * 8);
  for (const char *level : {"llc", "l1", "l2", "memory"}) {
    auto count = [&](UnitHarness &harness, const char *cache) {
      return harness.count((llvm::Twine("core0.") + cache + ".misses").str());
    };
    bool keeps = llvm::StringRef(level) != "memory";
    timeOf(
        largeQueues(), linesProgram(8, 8, filled(", \"level\": \"$0\"", level)),
        [&](GuestHarness &guest) {
          return guest.block({guest.map(table), 2, lines});
        },
        [&](UnitHarness &harness) {
          bool isL1 = llvm::StringRef(level) == "l1",
               isL2 = llvm::StringRef(level) == "l2";
          EXPECT_EQ(count(harness, "l1d"), isL1 ? lines : 0) << level;
          // Tables of pages are read through the L2, too.
          double missed = count(harness, "l2");
          EXPECT_GE(missed, isL1 || isL2 ? lines : 0) << level;
          EXPECT_LE(missed, (isL1 || isL2 ? lines : 0) + 8) << level;
          std::string name = "core0.tmu.requests.linesFrom.";
          name += llvm::StringRef(level) == "llc" ? "lastLevel" : level;
          EXPECT_EQ(harness.count(name), 2 * lines);
          double channels = 0;
          for (unsigned i = 0; i < 8; ++i)
            channels +=
                harness.count("channel" + std::to_string(i) + ".bytesRead");
          double once = lines * lineBytes;
          EXPECT_GE(channels, keeps ? once : 2 * once) << level;
          EXPECT_LE(channels, (keeps ? once : 2 * once) + 16 * lineBytes)
              << level;
        });
  }
}

TEST(TMUTime, GathersFollowLittlesLaw) {
  constexpr size_t count = 4096;
  double alone = 0;
  for (uint64_t outstanding : {1, 4, 16, 64, 128, 256}) {
    MachineParameters parameters = largeQueues();
    parameters.tmu.outstanding = outstanding;
    std::optional<Gather> gather;
    double mean = 0, ticks = 0, lines = 0;
    double time = timeOf(
        parameters, gatherProgram(8, 64),
        [&](GuestHarness &guest) {
          return gather.emplace(guest, 1, count, 1 << 18).block;
        },
        [&](UnitHarness &harness) {
          mean = harness.count("core0.tmu.requests.outstanding.mean");
          ticks = harness.count("core0.tmu.requests.lineTicks.mean");
          lines = harness.count("core0.tmu.requests.lines");
        });
    // A line for each, and some of indices.
    EXPECT_GE(lines, count);
    EXPECT_LE(lines, 1.5 * count);
    // What is in flight is throughput times latency, exactly.
    EXPECT_NEAR(mean, lines / time * ticks / ticksPerNanosecond, 0.02 * mean);
    EXPECT_LE(mean, static_cast<double>(outstanding));
    if (outstanding == 1)
      alone = time;
    double perfect = alone / static_cast<double>(outstanding);
    EXPECT_GE(time, 0.9 * std::max(perfect, lines)) << outstanding;
    // The requests of few in flight hardly meet each other.
    if (outstanding <= 16)
      EXPECT_LE(time, 1.25 * perfect) << outstanding;
  }
}

TEST(TMUTime, EightUnitsReachTheActivateLimit) {
  constexpr size_t count = 3000;
  GuestHarness guest;
  MachineParameters parameters = largeQueues();
  parameters.memory.controller.refresh = Refresh::none;
  std::deque<Gather> gathers;
  for (unsigned core = 0; core < parameters.cores; ++core)
    gathers.emplace_back(guest, core, count, 1 << 18);
  UnitHarness harness(guest, parameters, configured(gatherProgram(8, 64)));
  std::deque<QueueReader> readers;
  for (unsigned core = 0; core < parameters.cores; ++core)
    readers.emplace_back(harness, core, gathers[core].block, 0, 0);
  for (QueueReader &reader : readers)
    reader.run();
  Tick end = 0;
  for (QueueReader &reader : readers)
    end = std::max(end, reader.end);
  double bytes = static_cast<double>(count * parameters.cores * lineBytes);
  double gigabytesPerSecond = bytes / nanosecondsOf(end);
  // Four activates of 16 pseudo-channels in each 15 ns, a line for each.
  EXPECT_LE(gigabytesPerSecond, 16 * 4 * 64 / 15.0 * 1.05);
  EXPECT_GE(gigabytesPerSecond, 0.6 * 16 * 4 * 64 / 15.0);
}

TEST(TMUTime, ChainedLoadsAddTheirLatencies) {
  // One step at a time, of one to three loads that need each other, of a line
  // that the last level has.
  std::vector<uint64_t> table(8);
  constexpr double steps = 200;
  double before = 0;
  for (unsigned loads = 1; loads <= 3; ++loads) {
    std::vector<std::string> streams{position,
                                     alu("and", element(0, 0, 0), constant(0))};
    for (unsigned i = 0; i < loads; ++i)
      streams.push_back(load(0, "i64", element(0, 0, i + 1)));
    std::string text =
        program({memoryCapture("table", "i64")},
                {layer("single", {unit("dense", constant(0), constant(steps),
                                       constant(1), 1, streams)})});
    double latency = 0;
    double time = timeOf(
                      largeQueues(), text,
                      [&](GuestHarness &guest) {
                        return guest.block({guest.map(table)});
                      },
                      [&](UnitHarness &harness) {
                        latency =
                            harness.count("core0.tmu.requests.lineTicks.mean") /
                            ticksPerNanosecond;
                      }) /
                  steps;
    EXPECT_GT(latency, 5);
    // Each answer is seen at the next edge of the unit's clock.
    if (loads > 1)
      EXPECT_NEAR(time - before, latency, 1.5) << loads;
    EXPECT_GE(time, loads * latency);
    before = time;
  }
}

TEST(TMUTime, CoalescingSharesLinesOnTheirWay) {
  constexpr size_t count = 1024;
  std::vector<uint64_t> data(count);
  double lines[3];
  for (Coalescing kind :
       {Coalescing::none, Coalescing::previous, Coalescing::stream}) {
    MachineParameters parameters = largeQueues();
    parameters.tmu.coalescing = kind;
    std::string text = program(
        {memoryCapture("data", "i64")},
        {layer("single",
               {unit("dense", constant(0), constant(count), constant(1), 32,
                     {position, load(0, "i64", element(0, 0, 0)),
                      load(0, "i64", element(0, 0, 0))})})});
    timeOf(
        parameters, text,
        [&](GuestHarness &guest) { return guest.block({guest.map(data)}); },
        [&](UnitHarness &harness) {
          lines[static_cast<unsigned>(kind)] =
              harness.count("core0.tmu.requests.lines");
          EXPECT_EQ(lines[static_cast<unsigned>(kind)] +
                        harness.count("core0.tmu.requests.coalesced"),
                    2 * count);
        });
  }
  EXPECT_EQ(lines[0], 2 * count);
  EXPECT_LT(lines[1], lines[0]);
  // Two streams of 128 lines each.
  EXPECT_EQ(lines[2], 2 * count / 8);
}

TEST(TMUTime, LanesShareLinesHoweverManyAreAskedForInACycle) {
  constexpr size_t count = 1024, lanes = 4;
  std::vector<uint64_t> data(count);
  std::vector<std::string> units;
  for (size_t lane = 0; lane < lanes; ++lane)
    units.push_back(unit("dense", constant(lane), constant(count),
                         constant(lanes), 32,
                         {position, load(0, "i64", element(0, lane, 0))}));
  std::string text =
      program({memoryCapture("data", "i64")}, {layer("lockstep", units)});
  for (uint64_t limit : {1, 2, 8}) {
    MachineParameters parameters = largeQueues();
    parameters.tmu.requestsPerCycle = limit;
    timeOf(
        parameters, text,
        [&](GuestHarness &guest) { return guest.block({guest.map(data)}); },
        [&](UnitHarness &harness) {
          EXPECT_EQ(harness.count("core0.tmu.requests.lines"), count / 8);
        });
  }
}

TEST(TMUTime, WhatIsPushedOnAConditionIsLoadedOnIt) {
  // A row for each of 64 edges, that is pushed where the edge's vertex is new
  // (paper, section 7.4): every fourth edge.
  std::vector<uint64_t> vertices(64), table(64 * 8);
  for (size_t edge = 0; edge < vertices.size(); ++edge)
    vertices[edge] = edge / 4;
  std::string condition = ", \"on\": " + element(0, 0, 1);
  for (bool conditional : {true, false}) {
    std::string on = conditional ? condition : "";
    std::string text = program(
        {memoryCapture("vertices", "i64"), memoryCapture("table", "i64")},
        {layer("single",
               {unit("dense", constant(0), constant(64), constant(1), 4,
                     {position, load(0, "i64", element(0, 0, 0)),
                      alu("mul", element(0, 0, 0), constant(8))})}),
         layer("single",
               {unit("index", element(0, 0, 2), constant(8), constant(1), 8,
                     {position, load(1, "i64", element(1, 0, 0))})},
               {"{\"token\": 0, \"reserve\": 64" + on + "}"},
               {"{\"operand\": 0, \"streams\": [" + element(1, 0, 1) +
                "], \"type\": \"i64\", \"bytes\": 8" + on + "}"})},
        8192, 1024);
    GuestHarness guest;
    uint64_t block = guest.block({guest.map(vertices), guest.map(table)});
    MachineParameters parameters = largeQueues();
    parameters.cores = 1;
    parameters.tmu.chunkBytes = 8192;
    UnitHarness harness(guest, parameters, configured(text));
    QueueReader reader(harness, 0, block, 1, 8192);
    reader.run();
    ASSERT_TRUE(reader.isDone()) << harness.machine.waits();
    uint64_t rows = conditional ? 16 : 64;
    EXPECT_EQ(harness.count("core0.tmu.output.tokens"), rows);
    EXPECT_EQ(harness.count("core0.tmu.output.operands"), rows * 8);
    EXPECT_EQ(harness.count("core0.tmu.requests.lines") +
                  harness.count("core0.tmu.requests.coalesced"),
              64 + rows * 8);
    EXPECT_EQ(harness.count("core0.tmu.layer1.steps"), 64 * 8);
  }
}

TEST(TMUTime, OuterLayersRunAhead) {
  // Rows of one line, found by indices: with a queue for some of them, their
  // latencies overlap.
  auto time = [&](unsigned queue) {
    std::vector<uint64_t> indices(512), table(1 << 16);
    std::mt19937_64 random(1);
    for (uint64_t &index : indices)
      index = random() % (table.size() / 8) * 8;
    std::string text = program(
        {memoryCapture("indices", "i64"), memoryCapture("table", "i64")},
        {layer("single",
               {unit("dense", constant(0), constant(512), constant(1), queue,
                     {position, load(0, "i64", element(0, 0, 0))})}),
         layer("single",
               {unit("index", element(0, 0, 1), constant(1), constant(1), queue,
                     {position, load(1, "i64", element(1, 0, 0))})})});
    return timeOf(largeQueues(), text, [&](GuestHarness &guest) {
      return guest.block({guest.map(indices), guest.map(table)});
    });
  };
  double one = time(1), four = time(4), many = time(16);
  EXPECT_LT(four, 0.4 * one);
  EXPECT_LT(many, 0.5 * four);
  // A fiber of one step takes three cycles.
  EXPECT_GE(many, 512 * 3);
}

TEST(TMUTime, FibersOfInnerLayersPauseMarshaling) {
  // Nothing is loaded and nothing pushed: a fiber takes what its begin and its
  // end do.
  constexpr uint64_t fibers = 500;
  auto time = [&](uint64_t cycles) {
    MachineParameters parameters = largeQueues();
    parameters.tmu.switchCycles = cycles;
    std::string text = program(
        {}, {layer("single", {unit("dense", constant(0), constant(fibers),
                                   constant(1), 4, {position})}),
             layer("single", {unit("dense", constant(0), constant(2),
                                   constant(1), 4, {position})})});
    return timeOf(parameters, text,
                  [](GuestHarness &guest) { return guest.block({}); });
  };
  EXPECT_NEAR(time(20) - time(10), fibers * 2 * 10, 50);
}

TEST(TMUTime, StoreStreamsWriteWholeLines) {
  for (unsigned offset : {0u, 3u})
    for (const char *level : {"", ", \"level\": \"l2\""}) {
      constexpr size_t count = 512;
      std::vector<uint64_t> from(count), to(count + 8);
      std::iota(from.begin(), from.end(), 1);
      std::vector<std::string> lanes;
      for (unsigned lane = 0; lane < 4; ++lane)
        lanes.push_back(unit(
            "dense", constant(lane), constant(count), constant(4), 8,
            {position, load(0, "i64", element(0, lane, 0)),
             filled("{\"kind\": \"store\", \"capture\": 1, \"type\": \"i64\", "
                    "\"position\": $0, \"value\": $1$2}",
                    element(0, lane, 0), element(0, lane, 1), level)}));
      timeOf(
          largeQueues(),
          program({memoryCapture("from", "i64"), memoryCapture("to", "i64")},
                  {layer("lockstep", lanes)}),
          [&](GuestHarness &guest) {
            uint64_t target = guest.map(to) + offset * 8;
            return guest.block({guest.map(from), target});
          },
          [&](UnitHarness &harness) {
            EXPECT_EQ(harness.count("core0.tmu.requests.storedLines"),
                      count / 8 + (offset ? 1 : 0));
            EXPECT_EQ(harness.count("core0.tmu.requests.partialStoredLines"),
                      offset ? 2 : 0);
          });
      EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin() + offset));
    }
}

namespace {
/// Pushes so many operands of 64 bytes; captures: a line, count.
std::string pushProgram(unsigned chunkBytes) {
  std::vector<std::string> lanes, values;
  for (unsigned lane = 0; lane < 8; ++lane) {
    lanes.push_back(unit("dense", constant(0), capture(1), constant(1), 16,
                         {position, load(0, "i64", constant(lane))}));
    values.push_back(element(0, lane, 1));
  }
  return program({memoryCapture("line", "i64"), scalarCapture("count")},
                 {layer("lockstep", lanes, {"{\"token\": 0}"},
                        {filled("{\"operand\": 0, \"streams\": $0, \"type\": "
                                "\"i64\", \"bytes\": 64}",
                                list(values))})},
                 chunkBytes, 64);
}
} // namespace

TEST(TMUTime, PushesAreOneLineACycle) {
  constexpr uint64_t count = 30 * 100;
  std::vector<uint64_t> line(8);
  for (uint64_t bytes : {64, 32, 16}) {
    GuestHarness guest;
    uint64_t block = guest.block({guest.map(line), count});
    MachineParameters parameters = largeQueues();
    parameters.cores = 1;
    parameters.tmu.marshalBytes = bytes;
    parameters.tmu.chunks = 8;
    // Otherwise the reader's way would be longer than a chunk takes.
    parameters.tmu.deviceCycles = 1;
    UnitHarness harness(guest, parameters, configured(pushProgram(31 * 64)));
    QueueReader reader(harness, 0, block, count / 30, 31 * 64);
    reader.run();
    ASSERT_TRUE(reader.isDone());
    double pushing = count * 64.0 / static_cast<double>(bytes);
    EXPECT_GE(nanosecondsOf(reader.end), pushing);
    EXPECT_LE(nanosecondsOf(reader.end), 1.1 * pushing + 300);
    // Each line of an operand once, and those of tokens: the first chunk's and
    // the last one's.
    EXPECT_EQ(harness.count("core0.tmu.output.lines"), count + 2);
  }
}

TEST(TMUTime, ChunksAreUsedInTurn) {
  constexpr uint64_t chunks = 40, count = 30 * chunks;
  std::vector<uint64_t> line(8);
  double period[3];
  Tick hold = ticksOf(500);
  for (uint64_t buffers : {1, 2}) {
    GuestHarness guest;
    uint64_t block = guest.block({guest.map(line), count});
    MachineParameters parameters = largeQueues();
    parameters.cores = 1;
    parameters.tmu.chunks = buffers;
    parameters.tmu.deviceCycles = 1;
    UnitHarness harness(guest, parameters, configured(pushProgram(31 * 64)));
    QueueReader reader(harness, 0, block, chunks, 31 * 64, hold);
    reader.run();
    ASSERT_TRUE(reader.isDone());
    for (size_t i = 0; i < chunks; ++i)
      EXPECT_EQ(reader.addresses[i],
                GuestHarness::queue(0) + i % buffers * 31 * 64);
    period[buffers] =
        nanosecondsOf(reader.times.back() - reader.times[4]) / (chunks - 5);
  }
  // Two ways to the registers and back, each seen at edges of the clock. With
  // one chunk, its 30 pushes and their writes come in between.
  EXPECT_NEAR(period[2], 500 + 4, 5);
  EXPECT_GE(period[1] - period[2], 30 - 3);
  EXPECT_LE(period[1] - period[2], 30 + 15);
}

TEST(TMUTime, RunsAreTheSameEachTime) {
  std::string texts[2];
  for (std::string &text : texts) {
    std::optional<Gather> gather;
    timeOf(
        largeQueues(), gatherProgram(8, 16),
        [&](GuestHarness &guest) {
          return gather.emplace(guest, 1, 500, 1 << 12).block;
        },
        [&](UnitHarness &harness) {
          llvm::raw_string_ostream(text)
              << llvm::json::Value(harness.machine.statistics());
        });
  }
  EXPECT_EQ(texts[0], texts[1]);
}
