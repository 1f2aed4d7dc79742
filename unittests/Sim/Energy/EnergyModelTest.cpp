//===- EnergyModelTest.cpp - What runs cost -------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Energy/EnergyModel.h"
#include "ember/Sim/Machine/Machine.h"
#include "gtest/gtest.h"

#include <cmath>
#include <functional>

using namespace ember::sim;
namespace json = llvm::json;

namespace {
using Part = EnergyAccount::Part;

constexpr double nanoseconds = 1000;

/// What a machine counts in a microsecond in which nothing happens.
json::Object nothing(const MachineParameters &parameters) {
  Machine machine(parameters);
  json::Object counts = machine.statistics();
  (*counts.getObject("machine"))["nanoseconds"] = nanoseconds;
  for (uint64_t i = 0; i < parameters.cores; ++i) {
    json::Object &core = *counts.getObject("core" + std::to_string(i));
    for (const char *name : {"instructions", "operations", "loads", "stores"})
      core[name] = 0;
    core["issued"] = json::Object{
        {"branch", 0}, {"simple", 0},    {"complex", 0}, {"integer", 0},
        {"memory", 0}, {"storeData", 0}, {"vector", 0}};
  }
  return counts;
}

/// A core that did a thousand of everything.
json::Object busy(const MachineParameters &parameters) {
  json::Object counts = nothing(parameters);
  std::function<void(json::Object &)> fill = [&](json::Object &object) {
    for (auto &[key, value] : object) {
      if (json::Object *part = value.getAsObject())
        fill(*part);
      else if (value.getAsNumber())
        value = 1000;
    }
  };
  fill(counts);
  return counts;
}

/// Picojoules of events that a count of one more makes.
double costOf(const MachineParameters &parameters, Part part,
              std::initializer_list<const char *> path) {
  json::Object counts = nothing(parameters);
  json::Object *place = &counts;
  for (const char *key : llvm::ArrayRef(path).drop_back())
    place = place->getObject(key);
  double before = EnergyAccount(parameters, counts).dynamic(part);
  (*place)[*(path.end() - 1)] = 1;
  EnergyAccount after(parameters, counts);
  EXPECT_TRUE(after.missing().empty());
  return (after.dynamic(part) - before) * 1e12;
}
} // namespace

TEST(EnergyModel, EventsHaveClosedForms) {
  MachineParameters parameters;
  parameters.energy.arrayExponent = 0.5;
  parameters.energy.arrayWord = 8;
  parameters.energy.searchedEntry = 0.25;
  auto cost = [&](Part part, std::initializer_list<const char *> path) {
    return costOf(parameters, part, path);
  };
  EXPECT_NEAR(cost(Part::memory, {"memory", "activates"}), 909, 1e-6);
  EXPECT_NEAR(cost(Part::memory, {"memory", "refreshes"}), 64 * 909, 1e-6);
  EXPECT_NEAR(cost(Part::memory, {"memory", "bytesRead"}), 8 * 3.48, 1e-6);
  EXPECT_NEAR(cost(Part::cores, {"core3", "instructions"}), 21, 1e-6);
  // 64 KiB are 8 times 8 KiB; a line is 8 words, of 8 pJ.
  double line = 64 * std::sqrt(8.0);
  EXPECT_NEAR(cost(Part::l1d, {"core0", "l1d", "hits"}), line, 1e-6);
  EXPECT_NEAR(cost(Part::l1d, {"core0", "l1d", "misses"}), line + 32 * 0.25,
              1e-6);
  EXPECT_NEAR(cost(Part::l2, {"core7", "l2", "hits"}), 64 * 8, 1e-6);
  // 16 bytes, twice, in queues of 96 times 16 bytes, and a search of the other.
  EXPECT_NEAR(cost(Part::cores, {"core0", "loads"}),
              2 * 16 * std::sqrt(96 * 16 / 8192.0) + 96 * 0.25, 1e-6);
  EXPECT_NEAR(cost(Part::mesh, {"mesh", "flitHops"}),
              2.5 * static_cast<double>(parameters.mesh.linkBytes), 1e-6);
}

TEST(EnergyModel, EnginesCostWhatTheyAskFor) {
  MachineParameters parameters;
  json::Object counts = nothing(parameters);
  double without = EnergyAccount(parameters, counts).total();
  json::Object &core = *counts.getObject("core0");
  core["indirection"] = json::Object{{"indexLines", 0}, {"rowLines", 0}};
  EnergyAccount idle(parameters, counts);
  EXPECT_GT(idle.total(), without);
  EXPECT_EQ(idle.dynamic(Part::units), 0);
  auto cost = [&](const char *name) {
    json::Object &engine = *core.getObject("indirection");
    engine[name] = 1;
    double joules = EnergyAccount(parameters, counts).dynamic(Part::units);
    engine[name] = 0;
    return joules;
  };
  EXPECT_GT(cost("rowLines"), 0);
  EXPECT_GT(cost("indexLines"), cost("rowLines"));
}

TEST(EnergyModel, PowerIsDrawnAllTheTime) {
  MachineParameters parameters;
  json::Object counts = nothing(parameters);
  EnergyAccount account(parameters, counts);
  EXPECT_NEAR(account.idle(Part::cores),
              8 * (0.25 + (224 + 120 + 96 + 96) * 1e-4) * nanoseconds * 1e-9,
              1e-15);
  EXPECT_NEAR(account.idle(Part::memory), 0.8 * nanoseconds * 1e-9, 1e-15);
  for (unsigned part = 0; part < EnergyAccount::partCount; ++part)
    EXPECT_EQ(account.dynamic(static_cast<Part>(part)), 0);
  double watts = account.watts();
  (*counts.getObject("machine"))["nanoseconds"] = 3 * nanoseconds;
  EnergyAccount longer(parameters, counts);
  EXPECT_NEAR(longer.total(), 3 * account.total(), 1e-15);
  EXPECT_NEAR(longer.watts(), watts, 1e-9);
}

TEST(EnergyModel, PartsAreTheTotal) {
  MachineParameters parameters;
  json::Object counts = busy(parameters);
  EnergyAccount account(parameters, counts);
  EXPECT_TRUE(account.missing().empty());
  json::Object text = account.toJSON();
  double sum = 0;
  for (auto &[name, part] : *text.getObject("joules"))
    sum += *part.getAsObject()->getNumber("dynamic") +
           *part.getAsObject()->getNumber("static");
  EXPECT_NEAR(sum, *text.getNumber("totalJoules"), sum * 1e-12);
  EXPECT_NEAR(*text.getNumber("watts"), sum / 1000e-9, sum * 1e-3);
  EXPECT_EQ(text.getBoolean("isRelative"), true);
}

TEST(EnergyModel, LargerStructuresCostMore) {
  MachineParameters parameters;
  json::Object counts = busy(parameters);
  double before = EnergyAccount(parameters, counts).total();
  auto larger = [&](uint64_t &size) {
    uint64_t was = size;
    size *= 2;
    double after = EnergyAccount(parameters, counts).total();
    EXPECT_GT(after, before);
    // No single one of them is most of a machine.
    EXPECT_LT(after, before * 1.5);
    size = was;
  };
  larger(parameters.core.reorderBuffer);
  larger(parameters.core.issueQueue);
  larger(parameters.core.loadQueue);
  larger(parameters.core.storeQueue);
  larger(parameters.core.generalRegisters);
  larger(parameters.core.vectorRegisters);
  larger(parameters.l1d.mshrs);
  larger(parameters.l1d.size);
  larger(parameters.l2.mshrs);
  larger(parameters.l2.size);
  larger(parameters.l2Tlb.entries);
  larger(parameters.lastLevel.mshrs);
  larger(parameters.lastLevel.size);
}

TEST(EnergyModel, CountsThatAreNotThereAreNamed) {
  MachineParameters parameters;
  json::Object counts = nothing(parameters);
  counts.getObject("memory")->erase("activates");
  EnergyAccount account(parameters, counts);
  EXPECT_EQ(account.missing(), std::vector<std::string>{".memory.activates"});
}
