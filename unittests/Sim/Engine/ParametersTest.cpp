//===- ParametersTest.cpp - Descriptions of machines
//-----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Machine/Parameters.h"

#include "gtest/gtest.h"

using namespace ember::sim;
namespace json = llvm::json;

namespace {
enum class Policy { oldest, random };

struct CacheExample {
  uint64_t ways = 8;
  Policy policy = Policy::oldest;
  void visit(ParameterVisitor &visitor) {
    visitor.integer({"ways", "", "lines of a set", Origin::stated, "figure 5"},
                    ways, {1, 64, true});
    visitor.choice({"policy", "", "what goes", Origin::unknown, "usual"},
                   policy, {"oldest", "random"});
  }
};

struct MachineExample {
  double clock = 2.4;
  bool shared = false;
  CacheExample cache;
  void visit(ParameterVisitor &visitor) {
    visitor.number({"clock", "GHz", "its clock", Origin::stated, "figure 5"},
                   clock, {0.1, 12});
    visitor.flag({"shared", "", "one for all", Origin::unknown, "none"},
                 shared);
    visitor.part("cache", "a cache", cache);
  }
};
} // namespace

static std::string read(llvm::StringRef text, MachineExample &machine) {
  llvm::Expected<json::Value> parsed = json::parse(text);
  EXPECT_TRUE(static_cast<bool>(parsed));
  ParameterReader reader(*parsed->getAsObject());
  machine.visit(reader);
  return llvm::toString(reader.takeError());
}

TEST(Parameters, AreReadAndLeftAsTheyWere) {
  MachineExample machine;
  EXPECT_EQ(read(R"({"$schema": "machine.schema.json", "clock": 3,
                     "cache": {"policy": "random"}})",
                 machine),
            "");
  EXPECT_EQ(machine.clock, 3);
  EXPECT_EQ(machine.cache.ways, 8u);
  EXPECT_EQ(machine.cache.policy, Policy::random);
}

TEST(Parameters, AreRefusedByTheirPath) {
  MachineExample machine;
  EXPECT_EQ(read(R"({"clock": 0, "shared": 1, "cache": {"ways": 65,
                     "policy": "newest", "wyas": 3}, "cores": 1})",
                 machine),
            "clock: 0 is no number from 0.1 to 12\n"
            "shared: 1 is neither true nor false\n"
            "cache.ways: 65 is no whole number from 1 to 64\n"
            "cache.policy: \"newest\" is none of oldest, random\n"
            "cache.wyas: no such parameter; the nearest is 'ways'\n"
            "cores: no such parameter; the nearest is 'clock'");
  EXPECT_EQ(read(R"({"cache": {"ways": 12}})", machine),
            "cache.ways: 12 is no power of two");
  EXPECT_EQ(read(R"({"cache": {"ways": -1}})", machine),
            "cache.ways: -1 is no whole number from 1 to 64");
  EXPECT_EQ(read(R"({"cache": 3})", machine),
            "cache: 3 is no object of parameters");
  EXPECT_EQ(machine.cache.ways, 8u);
}

TEST(Parameters, AreWrittenAsTheyAreRead) {
  MachineExample machine;
  machine.shared = true;
  machine.cache.ways = 16;
  ParameterWriter writer;
  machine.visit(writer);
  json::Value written(writer.take());
  MachineExample other;
  ParameterReader reader(*written.getAsObject());
  other.visit(reader);
  EXPECT_EQ(llvm::toString(reader.takeError()), "");
  EXPECT_TRUE(other.shared);
  EXPECT_EQ(other.cache.ways, 16u);
}

TEST(Parameters, HaveASchema) {
  MachineExample machine;
  ParameterSchema schema;
  machine.visit(schema);
  json::Object object = schema.take("machine");
  const json::Object *cache =
      object.getObject("properties")->getObject("cache");
  EXPECT_EQ(cache->getString("description"), "a cache");
  const json::Object *ways = cache->getObject("properties")->getObject("ways");
  EXPECT_EQ(ways->getInteger("default"), 8);
  EXPECT_EQ(ways->getInteger("maximum"), 64);
  EXPECT_EQ(ways->getString("description"),
            "lines of a set (stated: figure 5)");
  EXPECT_EQ(cache->getBoolean("additionalProperties"), false);
}
