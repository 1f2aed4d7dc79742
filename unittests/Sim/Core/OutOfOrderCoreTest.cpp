//===- OutOfOrderCoreTest.cpp - Timing against closed forms ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/OutOfOrderCore.h"
#include "ember/Sim/Core/Program.h"

#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <random>

using namespace ember::sim;

namespace {
/// Answers after a fixed time, so many lines at once.
class FixedMemory final : public MemoryPort, EventHandler {
public:
  FixedMemory(Engine &engine, Tick latency, unsigned room)
      : engine(engine), latency(latency), room(room) {}
  bool accept(const Request &request) override {
    ++(request.access == Access::own ? owned : read);
    if (inFlight == room) {
      refused = request.requester;
      return false;
    }
    most = std::max(most, ++inFlight);
    size_t slot = free.empty() ? requests.size() : free.back();
    if (free.empty())
      requests.push_back(request);
    else
      free.pop_back();
    requests[slot] = request;
    engine.schedule(engine.now() + latency, *this, slot);
    return true;
  }
  void handle(uint64_t slot) override {
    Request request = requests[slot];
    free.push_back(slot);
    --inFlight;
    request.requester->complete(request);
    if (refused)
      std::exchange(refused, nullptr)->retry();
  }
  unsigned most = 0;
  uint64_t read = 0, owned = 0;

private:
  Engine &engine;
  Tick latency;
  unsigned room, inFlight = 0;
  Requester *refused = nullptr;
  std::vector<Request> requests;
  std::vector<size_t> free;
};

struct NullDevice final : DeviceHandler {
  void load(uint64_t, void *bytes, unsigned size) override {
    std::memset(bytes, 0, size);
    ++loads;
  }
  void store(uint64_t, const void *, unsigned) override { ++stores; }
  unsigned loads = 0, stores = 0;
};

/// Answers each page after a time, one at a time.
struct SlowTranslator final : Translator, EventHandler {
  SlowTranslator(Engine &engine, Tick latency)
      : engine(engine), latency(latency) {}
  bool known(uint64_t) override { return false; }
  bool translate(uint64_t, TranslationRequester &from, uint64_t id) override {
    requester = &from;
    if (busy) {
      refused = true;
      return false;
    }
    busy = true;
    ++count;
    engine.schedule(engine.now() + latency, *this, id);
    return true;
  }
  void handle(uint64_t id) override {
    busy = false;
    requester->translated(id);
    if (std::exchange(refused, false))
      requester->retryTranslation();
  }
  Engine &engine;
  Tick latency;
  TranslationRequester *requester = nullptr;
  bool busy = false, refused = false;
  uint64_t count = 0;
};
/// Checks that stages follow each other, in the program's order.
struct OrderObserver final : StageObserver {
  void retired(const InstructionStages &stages) override {
    EXPECT_EQ(stages.sequence, count++);
    EXPECT_LT(stages.fetch, stages.rename);
    EXPECT_LE(stages.rename, stages.issue);
    EXPECT_LT(stages.issue, stages.complete);
    EXPECT_LE(stages.complete, stages.retire);
    EXPECT_LE(last, stages.retire);
    last = stages.retire;
  }
  uint64_t count = 0;
  Tick last = 0;
};

constexpr uint64_t dataAddress = 0x100000;
constexpr uint64_t deviceAddress = 0x900000;
constexpr unsigned line = 64;

struct Machine {
  CoreParameters core;
  uint64_t memoryCycles = 2;
  uint64_t deviceCycles = 100;
  unsigned room = 1000;
  /// None if 0.
  uint64_t translationCycles = 0;
};
struct Result {
  OutOfOrderCore::Counters counters;
  unsigned mostInFlight;
  uint64_t x3, x4;
  Tick ticks;
};

/// Runs one of the loops.
Result run(const char *function, uint64_t times, const Machine &setup = {},
           uint64_t address = dataAddress) {
  static std::unique_ptr<Decoder> decoder = llvm::cantFail(Decoder::create());
  GuestMemory guest;
  std::vector<uint64_t> data(1 << 17);
  // Each word holds the address of the next line.
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = dataAddress + (i * 8 + line) % (data.size() * 8);
  NullDevice handler;
  llvm::cantFail(guest.map("data", dataAddress, data.data(), data.size() * 8));
  llvm::cantFail(guest.mapDevice("queue", deviceAddress, 4096, handler));
  auto file = llvm::cantFail(
      llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(EMBER_LOOPS)));
  auto program =
      llvm::cantFail(Program::load(file->getMemBufferRef(), 0x10000, guest));
  Emulator emulator(guest, *decoder, 64);
  emulator.call(llvm::cantFail(program->find(function)),
                {times, address, address}, dataAddress + 65536);
  auto engine = std::make_unique<Engine>();
  FixedMemory memory(*engine, setup.memoryCycles * setup.core.clockTicks,
                     setup.room);
  FixedMemory device(*engine, setup.deviceCycles * setup.core.clockTicks, 1);
  SlowTranslator translator(*engine,
                            setup.translationCycles * setup.core.clockTicks);
  OutOfOrderCore core("core0", setup.core, *engine, emulator, memory, &device,
                      setup.translationCycles ? &translator : nullptr);
  OrderObserver observer;
  core.observe(observer);
  core.start();
  while (!core.finished() && engine->step()) {
  }
  EXPECT_TRUE(core.finished()) << core.waits();
  llvm::Error error = core.takeError();
  EXPECT_FALSE(static_cast<bool>(error)) << llvm::toString(std::move(error));
  const auto &counters = core.counters();
  uint64_t cycles = 0;
  for (uint64_t part : counters.stack)
    cycles += part;
  EXPECT_EQ(cycles, counters.cycles);
  return {counters, memory.most, emulator.state().x[3], emulator.state().x[4],
          engine->now()};
}
double cyclesEach(const char *function, uint64_t times,
                  const Machine &setup = {}, uint64_t address = dataAddress) {
  // What it takes to begin and to end is in both.
  double few = run(function, times, setup, address).counters.cycles;
  double many = run(function, 2 * times, setup, address).counters.cycles;
  return (many - few) / times;
}

TEST(OutOfOrderCore, IndependentAdditionsReachTheirUnits) {
  Machine setup;
  // 201 of 202 operations are on three units.
  EXPECT_NEAR(cyclesEach("independent", 200, setup), 201 / 3.0, 2);
  setup.core.simplePorts = 8;
  setup.core.issueWidth = 16;
  // Now fetch is what limits: 202 instructions, four at a time.
  EXPECT_NEAR(cyclesEach("independent", 200, setup), 51, 1);
  setup.core.fetchWidth = setup.core.renameWidth = 8;
  EXPECT_NEAR(cyclesEach("independent", 200, setup), 26, 1);
}

TEST(OutOfOrderCore, ChainsTakeTheirLatency) {
  EXPECT_NEAR(cyclesEach("chain", 100), 200, 1);
  // A product is four cycles in N1, but one sum waits for another only.
  EXPECT_GE(cyclesEach("multiplyChain", 100), 400);
}

TEST(OutOfOrderCore, ChasesTakeTheMemorysLatency) {
  Machine setup;
  for (uint64_t cycles : {2, 10, 100, 300}) {
    setup.memoryCycles = cycles;
    EXPECT_NEAR(cyclesEach("chase", 1000, setup),
                cycles + setup.core.addressCycles, 0.1);
  }
}

TEST(OutOfOrderCore, SplitLoadsAskTwice) {
  Result result = run("split", 100);
  EXPECT_EQ(result.counters.loadLines, 200u);
}

TEST(OutOfOrderCore, LoadsInFlightFollowLittlesLaw) {
  Machine setup;
  setup.memoryCycles = 400;
  // The load queue, the memory, and the reorder buffer in turn.
  EXPECT_EQ(run("stream", 200, setup).mostInFlight, 96u);
  // Nearly all the time, the cycles in which nothing happens included.
  const auto counters = run("stream", 200, setup).counters;
  EXPECT_GT(counters.loadQueueFull, counters.cycles * 9 / 10);
  EXPECT_NEAR(cyclesEach("stream", 300, setup), 16.0 * 403 / 96, 4);
  setup.room = 32;
  EXPECT_EQ(run("stream", 200, setup).mostInFlight, 32u);
  EXPECT_NEAR(cyclesEach("stream", 300, setup), 16.0 * 400 / 32, 2);
  setup.room = 1000;
  setup.core.reorderBuffer = setup.core.issueQueue = 64;
  unsigned inSmall = run("stream", 200, setup).mostInFlight;
  setup.core.reorderBuffer = setup.core.issueQueue = 128;
  unsigned inLarge = run("stream", 200, setup).mostInFlight;
  EXPECT_LE(inSmall, 64u);
  EXPECT_NEAR(inLarge, 2.0 * inSmall, 4);
}

TEST(OutOfOrderCore, StoresForward) {
  Machine setup;
  setup.memoryCycles = 200;
  Result result = run("forward", 1000, setup);
  // All loads but those whose store was written already.
  EXPECT_GT(result.counters.forwards, 990u);
  // To the address, through the store, and one addition.
  EXPECT_LT(cyclesEach("forward", 1000, setup), 60);
  setup.core.storesInFlight = 1;
  EXPECT_NEAR(cyclesEach("forward", 1000, setup), 200, 3);
}

TEST(OutOfOrderCore, MispredictionsCostTheirCycles) {
  Machine setup;
  constexpr uint64_t times = 4000;
  setup.core.mispredictionCycles = 4;
  Result cheap = run("random", times, setup);
  setup.core.mispredictionCycles = 24;
  Result dear = run("random", times, setup);
  uint64_t wrong = cheap.counters.mispredictions;
  EXPECT_GT(wrong, times / 5);
  EXPECT_EQ(wrong, dear.counters.mispredictions);
  EXPECT_NEAR(double(dear.counters.cycles - cheap.counters.cycles) / wrong, 20,
              1);
  EXPECT_EQ(cheap.x4, dear.x4);
}

TEST(OutOfOrderCore, VectorUnitsLimit) {
  Machine setup;
  EXPECT_NEAR(cyclesEach("vectors", 100, setup), 100, 2);
  setup.core.vectorPorts = 1;
  EXPECT_NEAR(cyclesEach("vectors", 100, setup), 200, 2);
}

TEST(OutOfOrderCore, DevicesAreAskedInOrder) {
  Machine setup;
  setup.deviceCycles = 100;
  // A store to it and a load from it, one after the other.
  EXPECT_GE(cyclesEach("device", 100, setup, deviceAddress), 200);
  Result result = run("device", 100, setup, deviceAddress);
  EXPECT_GT(result.counters
                .stack[static_cast<unsigned>(OutOfOrderCore::Cause::queue)],
            5000u);
}

TEST(OutOfOrderCore, RunsAreTheSame) {
  Result first = run("random", 500), second = run("random", 500);
  EXPECT_EQ(first.ticks, second.ticks);
  EXPECT_EQ(first.counters.stack, second.counters.stack);
}

TEST(OutOfOrderCore, ResultsDoNotDependOnParameters) {
  std::mt19937 random(3);
  auto upTo = [&](uint64_t most) { return 1 + random() % most; };
  for (const char *function :
       {"random", "forward", "stream", "chase", "split"}) {
    Result reference = run(function, 50);
    for (unsigned trial = 0; trial < 15; ++trial) {
      Machine setup;
      CoreParameters &core = setup.core;
      core.fetchWidth = upTo(8);
      core.renameWidth = upTo(8);
      core.issueWidth = upTo(8);
      core.retireWidth = upTo(8);
      core.frontEndCycles = upTo(12);
      core.reorderBuffer = 8 + upTo(300);
      core.issueQueue = upTo(core.reorderBuffer);
      core.loadQueue = upTo(96);
      core.storeQueue = upTo(96);
      core.simplePorts = upTo(3);
      core.memoryPorts = upTo(3);
      core.vectorPorts = upTo(3);
      core.storesInFlight = upTo(8);
      core.disambiguation =
          trial % 2 ? Disambiguation::waitForStores : Disambiguation::perfect;
      setup.room = upTo(40);
      setup.memoryCycles = upTo(300);
      Result result = run(function, 50, setup);
      EXPECT_EQ(result.x3, reference.x3);
      EXPECT_EQ(result.x4, reference.x4);
      EXPECT_EQ(result.counters.instructions, reference.counters.instructions);
    }
  }
}

TEST(OutOfOrderCore, TranslationIsWaitedFor) {
  Machine setup;
  setup.translationCycles = 50;
  // One after the other, each with its memory's time behind it.
  EXPECT_NEAR(cyclesEach("chase", 200, setup),
              50 + setup.memoryCycles + setup.core.addressCycles, 3);
  EXPECT_EQ(run("stream", 10, setup).counters.loadLines, 160u);
}

TEST(OutOfOrderCore, StoresAreTranslatedBeforeTheyRetire) {
  Machine setup;
  setup.translationCycles = 200;
  // Each load takes its value from the store before, which is there when its
  // address is translated.
  double chain = setup.core.addressCycles + setup.core.forwardCycles + 1;
  EXPECT_NEAR(cyclesEach("forward", 200, setup),
              setup.translationCycles + setup.core.addressCycles + chain, 4);
}

TEST(CoreParameters, QueueWithinTheBuffer) {
  CoreParameters parameters;
  EXPECT_FALSE(static_cast<bool>(parameters.validate()));
  parameters.issueQueue = 1000;
  llvm::Error error = parameters.validate();
  EXPECT_EQ(llvm::toString(std::move(error)),
            "issueQueue is greater than reorderBuffer: it could not be filled");
}
} // namespace
