//===- ConfigurationTest.cpp - What configurations may say ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"

#include "ember/Sim/TMU/TMUParameters.h"

#include "llvm/Support/FileSystem.h"

using namespace ember::sim;

namespace {
std::string errorOf(const std::string &text) {
  llvm::Expected<Configuration> read = Configuration::parse(text);
  return read ? "" : llvm::toString(read.takeError());
}
/// The error of the program of bags where a part of its text is another one.
std::string errorWith(const std::string &what, const std::string &instead,
                      bool last = false) {
  std::string text = configuration({bagProgram({})});
  size_t at = last ? text.rfind(what) : text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return errorOf(text.replace(at, what.size(), instead));
}
} // namespace

TEST(Configuration, ReadsPrograms) {
  Configuration bags = configured(bagProgram({}));
  const TMUProgram &program = bags.programs.front();
  EXPECT_EQ(program.layers.size(), 3u);
  EXPECT_EQ(program.layers[2].units.size(), 8u);
  EXPECT_EQ(program.nextWord(), 3u);
  const Stream &row = program.layers[2].units[3].streams[3];
  EXPECT_EQ(row.kind, StreamKind::memory);
  EXPECT_EQ(row.elements, 2u);
  EXPECT_EQ(row.level, MemoryLevel::lastLevel);
  EXPECT_TRUE(program.tokens[0].hasReserve);
  EXPECT_FALSE(program.tokens[0].operandsFirst);
}

TEST(Configuration, TypesHaveTheirBits) {
  EXPECT_EQ(ElementType::parse("index")->bits, 64);
  EXPECT_EQ(ElementType::parse("i1")->bytes(), 1u);
  EXPECT_EQ(ElementType::parse("i24")->bytes(), 4u);
  EXPECT_EQ(ElementType::parse("bf16")->bytes(), 2u);
  EXPECT_EQ(ElementType::parse("f8E4M3FN")->bytes(), 1u);
  EXPECT_TRUE(ElementType::parse("f64")->isFloat);
  for (const char *name : {"", "i", "i0", "i65", "i08", "f128", "f", "tf32"})
    EXPECT_FALSE(ElementType::parse(name)) << name;
}

TEST(Configuration, ErrorsNameTheirPlace) {
  EXPECT_EQ(errorOf("[]"),
            "the configuration: an object, { ... }, is expected");
  EXPECT_EQ(errorOf("{}"), "the configuration: 'programs' is missing");
  EXPECT_EQ(errorOf("{").substr(0, 8), "no JSON:");
  EXPECT_EQ(errorOf(std::string(100000, '[')),
            "no configuration nests that deep");
  EXPECT_EQ(
      errorWith("\"lane\": 0, \"stream\": 3}", "\"lane\": 0, \"stream\": 9}"),
      "programs[0].layers[1].units[0].upper: there is no stream 9");
  EXPECT_EQ(errorWith("\"layer\": 1, \"lane\": 0, \"stream\": 1}",
                      "\"layer\": 2, \"lane\": 0, \"stream\": 1}"),
            "programs[0].layers[1].units[0].streams[2].inputs[0]: layer 2 is "
            "not around this");
  EXPECT_EQ(errorWith("\"layer\": 1, \"lane\": 0, \"stream\": 1}",
                      "\"layer\": 1, \"lane\": 0, \"stream\": 2}"),
            "programs[0].layers[1].units[0].streams[2].inputs[0]: stream 2 has "
            "no element yet where this one needs it");
  EXPECT_EQ(errorWith("\"layer\": 2, \"lane\": 5, \"stream\": 1}",
                      "\"layer\": 2, \"lane\": 4, \"stream\": 1}"),
            "programs[0].layers[2].units[5].streams[2].inputs[1]: lane 4 of "
            "the same layer is another unit");
  EXPECT_EQ(
      errorWith("\"capture\": 3,", "\"capture\": 4,"),
      "programs[0].layers[2].units[0].streams[3].capture: capture 4 is no "
      "memory");
  EXPECT_EQ(errorWith("\"capture\": 3,", "\"capture\": 7,"),
            "programs[0].layers[2].units[0].streams[3].capture: there are 5 "
            "captures");
  EXPECT_EQ(errorWith("\"elements\": 2", "\"elements\": 3"),
            "programs[0].layers[2].units[0].streams[3]: an element of a lane "
            "has at most 8 bytes, and this has 12");
  EXPECT_EQ(errorWith("\"broadcast\"", "\"single\""),
            "programs[0].layers[2].units: has 8 lanes, and the layer around 1, "
            "which is no broadcast layer");
  EXPECT_EQ(errorWith("\"broadcast\"", "\"conjunctive\""),
            "programs[0].layers[1].kind: 'conjunctive' is none of single, "
            "broadcast, lockstep");
  EXPECT_EQ(errorWith("\"type\": \"i32\"", "\"type\": \"i64\"", true),
            "programs[0].layers[1].units[0].streams[1].type: differs from that "
            "of capture 2");
  EXPECT_EQ(errorWith("\"type\": \"i32\"", "\"type\": \"int\""),
            "programs[0].captures[2].type: 'int' is no type of elements");
  EXPECT_EQ(errorWith("\"queue\": 8", "\"queue\": 0"),
            "programs[0].layers[1].units[0].queue: a whole number from 1 to "
            "65536 is expected");
  EXPECT_EQ(
      errorWith("\"step\": {\"constant\": 16}", "\"step\": {\"constant\": -1}"),
      "programs[0].layers[2].units[0].step: a step is positive");
  EXPECT_EQ(
      errorWith("\"token\": 1", "\"token\": 0"),
      "programs[0].layers[2].pushes.beg[0].token: token 0 is pushed in two "
      "places, and operands could not be told apart");
  EXPECT_EQ(errorWith("\"token\": 0", "\"token\": 3"),
            "programs[0].layers[2].pushes.beg[0].token: a whole number from 0 "
            "to 2 is expected");
  EXPECT_EQ(errorWith("\"operand\": 0", "\"operand\": 2"),
            "programs[0].layers[2].pushes.ite[0]: no token 2 is pushed that "
            "this could belong to");
  EXPECT_EQ(errorWith("\"bytes\": 64", "\"bytes\": 48", true),
            "programs[0].layers[2].pushes.ite[0].bytes: no power of two");
  EXPECT_EQ(errorWith("\"bytes\": 64", "\"bytes\": 32", true),
            "programs[0].layers[2].pushes.ite[0].bytes: the elements have 64");
  EXPECT_EQ(errorWith("\"tokenBytes\": 512", "\"tokenBytes\": 500"),
            "programs[0].chunk: bytes and tokenBytes are whole lines of 64 "
            "bytes");
  EXPECT_EQ(errorWith("\"reserve\"", "\"reserves\""),
            "programs[0].layers[2].pushes.beg[0]: 'reserves' is no name of "
            "anything here");
  EXPECT_EQ(errorWith("\"token\": 1}",
                      "\"token\": 1, \"on\": " + element(1, 0, 0) + "}"),
            "programs[0].layers[1].pushes.end[0].on: layer 1 is not around "
            "this");
  EXPECT_EQ(
      errorWith("\"ite\": []", "\"ite\": [{\"operand\": 0, \"streams\": [" +
                                   element(0, 0, 0) +
                                   "], \"type\": \"index\", \"bytes\": 8}]"),
      "");
  BagShape unknown;
  unknown.reserve = false;
  std::string text = configuration({bagProgram(unknown)});
  size_t at = text.find("\"ite\": []");
  text.replace(at, 9,
               "\"ite\": [{\"operand\": 0, \"streams\": [" + element(0, 0, 0) +
                   "], \"type\": \"index\", \"bytes\": 8}]");
  EXPECT_EQ(errorOf(text),
            "programs[0].layers[0].pushes.ite[0]: comes before token 0, which "
            "needs a 'reserve' then");
  EXPECT_EQ(llvm::toString(Configuration::readFile("none.json").takeError())
                .substr(0, 24),
            "configuration none.json:");
}

TEST(Configuration, NoTextHarms) {
  std::mt19937_64 random(1);
  unsigned valid = 0, invalid = 0;
  for (uint64_t seed = 0; seed < 80; ++seed) {
    std::string whole = RandomProgram(seed).make();
    for (unsigned change = 0; change < 12; ++change) {
      std::string text = whole;
      for (uint64_t left = 1 + random() % 3; left; --left) {
        size_t at = random() % text.size();
        switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(' ' + random() % 95);
          break;
        case 1:
          text.erase(at, random() % 20);
          break;
        case 2:
          // Digits for digits, so that more of it stays JSON.
          at = text.find_first_of("0123456789", at);
          if (at != std::string::npos)
            text[at] = static_cast<char>('0' + random() % 10);
          break;
        default:
          at = text.find_first_of("0123456789", at);
          if (at != std::string::npos)
            text.replace(at, 1, random() % 2 ? "-1" : "99999999999999999999");
        }
        if (text.empty())
          text = " ";
      }
      (errorOf(text).empty() ? valid : invalid) += 1;
    }
  }
  EXPECT_GT(valid, 30u);
  EXPECT_GT(invalid, 300u);
}

TEST(Configuration, ProgramsFitUnitsOrSayWhatDoesNot) {
  Configuration bags = configured(bagProgram({}));
  TMUParameters unit;
  EXPECT_EQ(llvm::toString(unit.fits(bags.programs[0])), "");
  unit.lanes = 4;
  EXPECT_EQ(llvm::toString(unit.fits(bags.programs[0])),
            "program test does not fit the unit: 8 lanes of 4");
  unit.lanes = 8;
  unit.laneStorage = 128;
  // 4 entries of two positions, 8 of one, and 8 of an f32.
  EXPECT_EQ(llvm::toString(unit.fits(bags.programs[0])),
            "program test does not fit the unit: queues of 160 bytes in lane "
            "0, which has 128");
  unit.laneStorage = 512;
  EXPECT_EQ(llvm::toString(unit.fits(bags.programs[0])), "");
  unit.computedQueues = true;
  // 4 entries of 4 streams, 8 of 3, and 8 of 4, of which one is of f32.
  EXPECT_EQ(llvm::toString(unit.fits(bags.programs[0])),
            "program test does not fit the unit: queues of 544 bytes in lane "
            "0, which has 512");
  unit = {};
  unit.layers = 2;
  EXPECT_EQ(llvm::toString(unit.fits(bags.programs[0])),
            "program test does not fit the unit: 3 layers of 2");
}
