//===- Summary.cpp - What a simulation says in short ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Simulation/Summary.h"

#include "llvm/Support/FormatVariadic.h"

#include <array>

using namespace llvm;
using namespace ember;

namespace {
/// A cause that cores' cycles are counted under, in words.
struct Cause {
  StringRef key, text, advice;
};
} // namespace

/// As in sim/include/ember/Sim/Core/OutOfOrderCore.h.
static constexpr std::array<Cause, 9> causes = {{
    {"base", "instructions retire", "the width of the core"},
    {"memory", "a load waits for memory",
     "the latency of memory, and how many loads are on their way at a time"},
    {"execution", "an instruction is being executed",
     "how long instructions take that depend on one another"},
    {"dependences", "an instruction waits for its operands",
     "how long instructions take that depend on one another"},
    {"ports", "a unit is taken", "the units of the core"},
    {"branch", "a branch was predicted wrongly", "the prediction of branches"},
    {"frontEnd", "instructions are fetched", "the front end"},
    {"storeQueue", "a store waits for memory", "the store queue"},
    {"queue", "the access unit's queue is empty", "the access unit"},
}};

/// A number at a path of keys; 0 where there is none.
static double numberAt(const json::Object &object,
                       std::initializer_list<StringRef> path) {
  const json::Object *place = &object;
  for (StringRef key : ArrayRef(path).drop_back())
    if (!(place = place->getObject(key)))
      return 0;
  return place->getNumber(*(path.end() - 1)).value_or(0);
}

static double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

static void printEstimate(const json::Object &sampled, raw_ostream &os) {
  auto microseconds = [&](StringRef key) {
    return numberAt(sampled, {key}) / 1000;
  };
  os << formatv(
      "{0:f2} us in all, with {1:f0} % certainty {2:f2} to {3:f2}, by "
      "{4:f0} windows; {5:f0} instructions, of which {6:f1} % follow "
      "in detail:\n",
      microseconds("nanoseconds"), 100 * numberAt(sampled, {"confidence"}),
      microseconds("low"), microseconds("high"), numberAt(sampled, {"windows"}),
      numberAt(sampled, {"instructions"}),
      percent(numberAt(sampled, {"detailedInstructions"}),
              numberAt(sampled, {"instructions"})));
}

void ember::printSummary(const SimulationResult &result,
                         const sim::MachineParameters &machine,
                         raw_ostream &os) {
  const json::Object &statistics = result.statistics;
  double nanoseconds = numberAt(statistics, {"machine", "nanoseconds"});
  double instructions = 0, cycles = 0, loads = 0;
  uint64_t working = 0;
  std::array<double, causes.size()> spent = {};
  for (uint64_t i = 0; i < machine.cores; ++i) {
    const json::Object *core = statistics.getObject("core" + std::to_string(i));
    if (!core || !numberAt(*core, {"instructions"}))
      continue;
    ++working;
    instructions += numberAt(*core, {"instructions"});
    cycles += numberAt(*core, {"cycles"});
    loads += numberAt(*core, {"loads"});
    for (auto [cause, sum] : zip_equal(causes, spent))
      sum += numberAt(*core, {"stack", cause.key});
  }
  auto misses = [&](StringRef level) {
    double sum = 0;
    for (uint64_t i = 0; i < machine.cores; ++i)
      sum +=
          numberAt(statistics, {"core" + std::to_string(i), level, "misses"});
    return sum;
  };
  auto energyOf = [&](StringRef part) {
    return percent(
        numberAt(statistics, {"energy", "joules", part, "dynamic"}) +
            numberAt(statistics, {"energy", "joules", part, "static"}),
        numberAt(statistics, {"energy", "totalJoules"}));
  };
  double bytes = numberAt(statistics, {"memory", "bytesRead"}) +
                 numberAt(statistics, {"memory", "bytesWritten"});
  // Bytes in a nanosecond are as many gigabytes in a second.
  double bandwidth = nanoseconds > 0 ? bytes / nanoseconds : 0;
  double peak = machine.memory.peakBandwidth();

  if (const json::Object *sampled = statistics.getObject("sampled"))
    printEstimate(*sampled, os);
  os << formatv("{0:f2} us on {1} of {2} cores; {3:f0} instructions, {4:f2} a "
                "cycle and core\n",
                nanoseconds / 1000, working, machine.cores, instructions,
                cycles > 0 ? instructions / cycles : 0);
  os << formatv("loads: {0:f0}; lines missed in the L1D {1:f0}, in the L2 "
                "{2:f0}\n",
                loads, misses("l1d"), misses("l2"));
  os << formatv("memory: {0:f0} bytes, {1:f1} GB/s of {2:f1} ({3:f1} %)\n",
                bytes, bandwidth, peak, percent(bandwidth, peak));
  os << "cycles in which\n";
  size_t most = 0;
  for (size_t i = 0; i < causes.size(); ++i) {
    if (spent[i] > spent[most])
      most = i;
    if (percent(spent[i], cycles) >= 0.05)
      os << formatv("  {0,-38} {1,5:f1} %\n", causes[i].text,
                    percent(spent[i], cycles));
  }
  // A memory that is busy all the time looks like one that is slow.
  bool isFull = percent(bandwidth, peak) > 75;
  os << "what limits it: "
     << (isFull ? "the bandwidth of memory" : causes[most].advice) << "\n";
  os << formatv("energy: {0:f2} mJ, {1:f2} W, of which cores {2:f0} %, memory "
                "{3:f0} % (good for comparisons only)\n",
                numberAt(statistics, {"energy", "totalJoules"}) * 1e3,
                numberAt(statistics, {"energy", "watts"}), energyOf("cores"),
                energyOf("memory"));
  os << formatv("simulated in {0:f2} s, {1:f2} million instructions a second\n",
                result.seconds,
                result.seconds > 0 ? instructions / result.seconds / 1e6 : 0);
  if (!result.isCompared)
    os << "results were not compared with those of this processor\n";
}
