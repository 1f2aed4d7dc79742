//===- TraceTest.cpp - Traces are read back -------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Memory/MemorySystem.h"
#include "ember/Sim/Trace/DRAMTrace.h"
#include "ember/Sim/Trace/KonataTrace.h"
#include "ember/Sim/Trace/PerfettoTrace.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <functional>
#include <map>
#include <random>

using namespace ember::sim;
using llvm::StringRef;
namespace json = llvm::json;

/// The events of a trace, its end put there where it is missing.
static json::Array parse(std::string text) {
  if (!StringRef(text).rtrim().ends_with("]"))
    text = StringRef(text).rsplit(",\n").first.str() + "]";
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    return {};
  }
  return std::move(*value->getAsArray());
}

static std::string perfetto(const std::function<void(PerfettoTrace &)> &use,
                            TraceWindow window = {}) {
  std::string text;
  {
    PerfettoTrace trace(std::make_unique<llvm::raw_string_ostream>(text),
                        window);
    use(trace);
  }
  return text;
}

static std::vector<const json::Object *> ofPhase(const json::Array &events,
                                                 StringRef phase) {
  std::vector<const json::Object *> found;
  for (const json::Value &event : events)
    if (event.getAsObject()->getString("ph") == phase)
      found.push_back(event.getAsObject());
  return found;
}

TEST(PerfettoTrace, IsReadBack) {
  json::Array events = parse(perfetto([](PerfettoTrace &trace) {
    auto queue = trace.addTrack("tmu 0", "queue \"1\"");
    auto bank = trace.addTrack("memory", "bank");
    trace.slice(queue, "read\n", 12, 31, {{"line", 7}, {"lane", 2}});
    trace.instant(bank, "refresh", 12001);
    trace.counter(queue, "held", 24, 3);
    trace.flowBegin(queue, 5, 12);
    trace.flowEnd(bank, 5, 12001);
  }));
  auto names = ofPhase(events, "M");
  ASSERT_EQ(names.size(), 4u);
  EXPECT_EQ(names[0]->getString("name"), "process_name");
  EXPECT_EQ(names[0]->getObject("args")->getString("name"), "tmu 0");
  EXPECT_EQ(names[1]->getObject("args")->getString("name"), "queue \"1\"");
  auto slices = ofPhase(events, "X");
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0]->getString("name"), "read\n");
  EXPECT_EQ(slices[0]->getNumber("ts"), 0.001);
  EXPECT_EQ(slices[0]->getNumber("dur"), 0.001583);
  EXPECT_EQ(slices[0]->getObject("args")->getInteger("lane"), 2);
  EXPECT_EQ(slices[0]->getInteger("tid"), names[1]->getInteger("tid"));
  auto instants = ofPhase(events, "i");
  ASSERT_EQ(instants.size(), 1u);
  EXPECT_EQ(instants[0]->getNumber("ts"), 1.000083);
  auto counters = ofPhase(events, "C");
  ASSERT_EQ(counters.size(), 1u);
  EXPECT_EQ(counters[0]->getObject("args")->getInteger("value"), 3);
  EXPECT_EQ(counters[0]->getInteger("pid"), slices[0]->getInteger("pid"));
  auto begins = ofPhase(events, "s");
  auto ends = ofPhase(events, "f");
  ASSERT_EQ(begins.size(), 1u);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(begins[0]->getInteger("id"), ends[0]->getInteger("id"));
}

TEST(PerfettoTrace, CutsOffWhatIsOutsideOfItsWindow) {
  json::Array events = parse(perfetto(
      [](PerfettoTrace &trace) {
        auto track = trace.addTrack("a", "b");
        trace.slice(track, "before", ticksOf(80), ticksOf(99));
        trace.slice(track, "into", ticksOf(90), ticksOf(110));
        trace.slice(track, "over", ticksOf(90), ticksOf(300));
        trace.slice(track, "after", ticksOf(201), ticksOf(202));
        trace.instant(track, "late", ticksOf(201));
        trace.counter(track, "early", ticksOf(99), 1);
        EXPECT_TRUE(trace.traces(ticksOf(200)));
        EXPECT_FALSE(trace.traces(ticksOf(200) + 1));
      },
      TraceWindow::ofNanoseconds(100, 200)));
  auto slices = ofPhase(events, "X");
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(slices[0]->getNumber("ts"), 0.1);
  EXPECT_EQ(slices[0]->getNumber("dur"), 0.01);
  EXPECT_EQ(slices[1]->getNumber("dur"), 0.1);
  EXPECT_EQ(events.size(), 4u);
}

TEST(PerfettoTrace, CanBeReadWhereverItBreaksOff) {
  std::string text = perfetto([](PerfettoTrace &trace) {
    auto track = trace.addTrack("group", "track");
    for (Tick at = 0; at < 20; ++at)
      trace.slice(track, "slice", at * 10, at * 10 + 5, {{"at", at}});
  });
  size_t before = 0;
  for (size_t size = text.find(",\n") + 2; size < text.size(); ++size) {
    size_t events = parse(text.substr(0, size)).size();
    EXPECT_GE(events, before);
    before = events;
  }
  EXPECT_GE(before, 20u);
}

TEST(PerfettoTrace, HoldsLittleBack) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("trace", "json", path));
  auto trace = PerfettoTrace::open(path);
  ASSERT_TRUE(static_cast<bool>(trace));
  auto track = (*trace)->addTrack("group", "track");
  for (Tick at = 0; at < 10000; ++at)
    (*trace)->instant(track, "instant", at);
  // Not ended and not flushed, as when a run dies.
  auto buffer = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(static_cast<bool>(buffer));
  EXPECT_GT(parse((*buffer)->getBuffer().str()).size(), 8500u);
  trace->reset();
  buffer = llvm::MemoryBuffer::getFile(path);
  EXPECT_EQ(parse((*buffer)->getBuffer().str()).size(), 10002u);
  llvm::sys::fs::remove(path);
}

TEST(PerfettoTrace, SaysThatItCannotWrite) {
  auto trace = PerfettoTrace::open("/no/such/folder/trace.json");
  ASSERT_FALSE(static_cast<bool>(trace));
  EXPECT_EQ(llvm::toString(trace.takeError()),
            "cannot write the trace '/no/such/folder/trace.json': No such file "
            "or directory");
}

TEST(DRAMTrace, ShowsTheRowsOfBanks) {
  MemoryParameters parameters = hbm2();
  unsigned activates = 0;
  unsigned reads = 0;
  json::Array events = parse(perfetto([&](PerfettoTrace &trace) {
    Engine engine;
    MemorySystem memory(engine, parameters);
    DRAMTrace banks(trace, parameters.geometry);
    memory.observe(banks);
    std::mt19937_64 random(1);
    for (unsigned i = 0; i < 500; ++i) {
      Request request;
      request.line = random() % 100000;
      EXPECT_TRUE(memory.accept(request));
      engine.runUntil(engine.now() + 100);
      while (i % 100 == 0 && engine.step()) {
      }
    }
    while (engine.step()) {
    }
    banks.finish(engine.now());
    activates = memory.total(&MemoryCounters::activates);
    reads = memory.total(&MemoryCounters::reads);
  }));
  EXPECT_EQ(ofPhase(events, "X").size(), activates);
  unsigned shown = 0;
  std::map<int64_t, double> ends;
  for (const json::Object *instant : ofPhase(events, "i"))
    shown += instant->getString("name") == "read";
  EXPECT_EQ(shown, 2 * reads);
  // The rows of a bank are open one after another.
  for (const json::Object *slice : ofPhase(events, "X")) {
    double &end = ends[*slice->getInteger("tid")];
    EXPECT_GE(*slice->getNumber("ts"), end);
    end = *slice->getNumber("ts") + *slice->getNumber("dur");
  }
}

namespace {
/// What a Kanata log says of an instruction.
struct Logged {
  std::string text;
  std::vector<std::pair<std::string, uint64_t>> stages;
  uint64_t end = 0;
  bool discarded = false;
};

struct Log {
  std::map<uint64_t, Logged> instructions;
  std::vector<std::pair<uint64_t, uint64_t>> dependences;
};
} // namespace

/// Reads a log, and complains about lines out of order.
static Log readLog(StringRef text) {
  Log log;
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  EXPECT_EQ(lines.front(), "Kanata\t0004");
  uint64_t cycle = 0;
  for (StringRef line : llvm::ArrayRef(lines).drop_front()) {
    llvm::SmallVector<StringRef> fields;
    line.split(fields, '\t');
    auto number = [&](unsigned field) {
      return std::stoull(fields[field].str());
    };
    if (fields[0] == "C=") {
      cycle = number(1);
      continue;
    }
    if (fields[0] == "C") {
      EXPECT_GT(number(1), 0u);
      cycle += number(1);
      continue;
    }
    if (fields[0] != "I")
      EXPECT_TRUE(log.instructions.count(number(1))) << line.str();
    Logged &logged = log.instructions[number(1)];
    if (fields[0] == "L" && fields[2] == "0")
      logged.text = fields[3].str();
    else if (fields[0] == "S")
      logged.stages.push_back({fields[3].str(), cycle});
    else if (fields[0] == "W")
      log.dependences.push_back({number(1), number(2)});
    else if (fields[0] == "R") {
      logged.end = cycle;
      logged.discarded = fields[3] == "1";
    }
  }
  return log;
}

TEST(KonataTrace, IsReadBackInTheOrderOfTime) {
  std::string text;
  {
    KonataTrace trace(std::make_unique<llvm::raw_string_ostream>(text),
                      Clock(5));
    auto first = trace.begin(0, "ldr\tx0, [x1]", 500);
    trace.stage(first, "F", 500);
    // Known early: what the load will do.
    trace.stage(first, "X", 515);
    trace.stage(first, "C", 530);
    trace.retire(first, 540);
    auto second = trace.begin(0, "add x0, x0, 1", 505);
    trace.stage(second, "F", 505);
    trace.depends(second, first, 505);
    trace.describe(second, "waits", 506);
    trace.advance(510);
    trace.stage(second, "X", 530);
    trace.discard(second, 535);
  }
  Log log = readLog(text);
  ASSERT_EQ(log.instructions.size(), 2u);
  const Logged &first = log.instructions[0];
  EXPECT_EQ(first.text, "ldr x0, [x1]");
  using Stages = std::vector<std::pair<std::string, uint64_t>>;
  EXPECT_EQ(first.stages, (Stages{{"F", 100}, {"X", 103}, {"C", 106}}));
  EXPECT_EQ(first.end, 108u);
  EXPECT_FALSE(first.discarded);
  const Logged &second = log.instructions[1];
  EXPECT_EQ(second.stages, (Stages{{"F", 101}, {"X", 106}}));
  EXPECT_EQ(second.end, 107u);
  EXPECT_TRUE(second.discarded);
  EXPECT_EQ(log.dependences.size(), 1u);
}

TEST(KonataTrace, TracesInstructionsThatBeginInItsWindow) {
  std::string text;
  {
    KonataTrace trace(std::make_unique<llvm::raw_string_ostream>(text),
                      Clock(5), TraceWindow::ofNanoseconds(10, 20));
    for (Tick at = 0; at < ticksOf(40); at += 60) {
      auto instruction = trace.begin(0, std::to_string(at), at);
      EXPECT_EQ(instruction == KonataTrace::untraced,
                at < ticksOf(10) || at > ticksOf(20));
      trace.stage(instruction, "F", at);
      trace.retire(instruction, at + 100);
    }
  }
  Log log = readLog(text);
  EXPECT_EQ(log.instructions.size(), 3u);
  for (const auto &[number, logged] : log.instructions)
    EXPECT_EQ(logged.end, (std::stoull(logged.text) + 100) / 5);
}

TEST(KonataTrace, HoldsBackSoMuchAndStaysInOrder) {
  std::string text;
  {
    KonataTrace trace(std::make_unique<llvm::raw_string_ostream>(text),
                      Clock(5), {}, /*heldBack=*/50);
    std::mt19937 random(1);
    for (unsigned i = 0; i < 1000; ++i) {
      Tick at = i * 10;
      auto instruction = trace.begin(0, "i", at);
      trace.stage(instruction, "F", at);
      trace.stage(instruction, "X", at + random() % 100);
      trace.retire(instruction, at + 100);
    }
  }
  Log log = readLog(text);
  EXPECT_EQ(log.instructions.size(), 1000u);
  for (const auto &[number, logged] : log.instructions) {
    EXPECT_EQ(logged.stages.size(), 2u);
    EXPECT_EQ(logged.stages[0].second, number * 2);
    EXPECT_EQ(logged.end, number * 2 + 20);
  }
}
