//===- ErrorTest.cpp - What is wrong with a graph, a tensor or a stream ---===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/SAM/GraphFile.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace ember::sim::sam;

namespace {
std::string textOf(Error error) { return toString(std::move(error)); }

template <typename T> std::string textOf(Expected<T> expected) {
  return expected ? "no error" : toString(expected.takeError());
}

std::vector<TimedToken> at(StringRef text,
                           StreamType type = StreamType::coordinate) {
  std::vector<TimedToken> tokens;
  for (const Token &token : cantFail(parseTokens(text, type)))
    tokens.push_back({token, tokens.size()});
  return tokens;
}

/// Both engines say the same of a block that is fed.
std::string
runBlock(Block block,
         std::vector<std::pair<StringRef, std::vector<TimedToken>>> inputs,
         Parameters parameters = {}) {
  Graph graph;
  block.name = "block";
  Elements elements{{{0, 1}, 1}, {{1, 2}, 1}};
  block.tensor = cantFail(graph.addTensor(
      buildTensor("T", {Level::Format::dense, Level::Format::compressed},
                  {2, 3}, elements)));
  block.level = block.kind == BlockKind::scanDense ? 0 : 1;
  unsigned number = cantFail(graph.addBlock(block));
  for (auto &[port, tokens] : inputs)
    cantFail(graph.feed(number, port, tokens));
  cantFail(graph.verify());
  std::string byCycles = textOf(runByCycles(graph, parameters));
  std::string byTimes = textOf(runByTimes(graph, parameters));
  if (!StringRef(byCycles).starts_with("nothing moves"))
    EXPECT_EQ(byCycles, byTimes);
  return byCycles;
}

TEST(SAMTokens, roundTrip) {
  auto check = [](StringRef text, StreamType type) {
    EXPECT_EQ(printTokens(cantFail(parseTokens(text, type)), type), text);
  };
  check("0 2 S0 N S0 1 S1 D", StreamType::coordinate);
  check("2.5 -1 S0 1e+300 S2 D", StreamType::value);
  check("R R S R S S D", StreamType::signal);
  check("18446744073709551615 S0 D", StreamType::bits);
}

TEST(SAMTokens, errors) {
  auto error = [](StringRef text, StreamType type) {
    return textOf(parseTokens(text, type));
  };
  EXPECT_EQ(error("0 x S0", StreamType::coordinate),
            "token 1: 'x': expected an integer from 0, S0, N or D in a stream "
            "of type 'crd'");
  EXPECT_EQ(error("0 D 1", StreamType::reference),
            "token 2: '1' follows D, which ends a stream");
  EXPECT_EQ(error("R 1", StreamType::signal),
            "token 1: '1': expected R, S or D in a stream of type 'sig'");
  EXPECT_EQ(error("S256", StreamType::value),
            "token 0: 'S256': expected the level of a stop, S0 to S255, in a "
            "stream of type 'val'");
  EXPECT_EQ(error("-1", StreamType::coordinate),
            "token 0: '-1': expected an integer from 0, S0, N or D in a stream "
            "of type 'crd'");
}

TEST(SAMTensor, errors) {
  auto error = [](std::vector<int64_t> segments,
                  std::vector<int64_t> coordinates) {
    Tensor tensor;
    tensor.name = "B";
    tensor.values.resize(coordinates.size());
    Level &level = tensor.levels.emplace_back();
    level.size = 5;
    level.segments = std::move(segments);
    level.coordinates = std::move(coordinates);
    return textOf(tensor.verify());
  };
  EXPECT_EQ(error({0, 2}, {3, 1}), "tensor 'B', level 0: coordinate 1 at "
                                   "position 1 follows 3; fibers ascend");
  EXPECT_EQ(error({0, 1}, {5}), "tensor 'B', level 0: coordinate 5 at position "
                                "0 is not below its size 5");
  EXPECT_EQ(
      error({0}, {}),
      "tensor 'B', level 0: 1 fibers need 2 segment bounds, but there are 1");
  EXPECT_EQ(error({0, 3}, {1}), "tensor 'B', level 0: segments reach from 0 to "
                                "3, but there are 1 coordinates");
}

TEST(SAMGraph, connections) {
  Graph graph;
  unsigned scan = cantFail(graph.addBlock({"scan", BlockKind::scanCompressed}));
  unsigned join = cantFail(graph.addBlock({"join", BlockKind::intersect}));
  EXPECT_EQ(textOf(graph.addBlock({"scan", BlockKind::add})),
            "there are two blocks 'scan'");
  EXPECT_EQ(textOf(graph.connect(scan, "val", join, "crd1")),
            "block 'scan' of kind scan_compressed has no output 'val'; it has: "
            "crd, ref");
  EXPECT_EQ(textOf(graph.connect(scan, "crd", join, "crd3")),
            "block 'join' of kind intersect has no input 'crd3'; it has: crd1, "
            "ref1, crd2, ref2");
  cantFail(graph.connect(scan, "crd", join, "crd1"));
  EXPECT_EQ(textOf(graph.connect(scan, "crd", join, "crd1")),
            "input 'join.crd1' is connected twice");
  EXPECT_EQ(textOf(graph.connect(join, "crd", scan, "skip")),
            "'join.crd -> scan.skip' joins a stream of skips and another one; "
            "gallop edges lead "
            "from skip1 or skip2 of a joiner to skip of a scanner");
  EXPECT_EQ(textOf(graph.verify()),
            "block 'scan': nothing is connected to its input 'ref'");
}

TEST(SAMGraph, typesOfStreams) {
  Graph graph;
  Tensor tensor = buildTensor("b", Level::Format::compressed, 3, {{{1}, 1.0}});
  Block scan{"scan", BlockKind::scanCompressed};
  scan.tensor = cantFail(graph.addTensor(tensor));
  unsigned scanner = cantFail(graph.addBlock(scan));
  Block write{"write", BlockKind::writeValues};
  write.result = "x";
  unsigned writer = cantFail(graph.addBlock(write));
  cantFail(graph.addRoot(scanner));
  cantFail(graph.connect(scanner, "crd", writer, "in"));
  EXPECT_EQ(textOf(graph.verify()), "'scan.crd -> write.in' joins a stream of "
                                    "type crd and an input of type val");
}

TEST(SAMGraph, cyclesNeedGallopEdges) {
  Graph graph;
  unsigned first = cantFail(graph.addBlock({"first", BlockKind::stopDrop}));
  unsigned second = cantFail(graph.addBlock({"second", BlockKind::stopDrop}));
  cantFail(graph.connect(first, "out", second, "in"));
  cantFail(graph.connect(second, "out", first, "in"));
  EXPECT_EQ(textOf(graph.verify()),
            "blocks wait for each other: first -> second -> first. Only "
            "gallop edges may lead back");
}

TEST(SAMGraph, unlikeDepths) {
  Graph graph;
  Tensor tensor =
      buildTensor("B", {Level::Format::compressed, Level::Format::compressed},
                  {3, 3}, {{{1, 2}, 1.0}});
  unsigned number = cantFail(graph.addTensor(tensor));
  Block scan{"scan_i", BlockKind::scanCompressed};
  scan.tensor = number;
  unsigned outer = cantFail(graph.addBlock(scan));
  scan.name = "scan_j";
  scan.level = 1;
  unsigned inner = cantFail(graph.addBlock(scan));
  unsigned join = cantFail(graph.addBlock({"join", BlockKind::intersect}));
  cantFail(graph.addRoot(outer));
  cantFail(graph.connect(outer, "ref", inner, "ref"));
  cantFail(graph.connect(outer, "crd", join, "crd1"));
  cantFail(graph.connect(outer, "ref", join, "ref1"));
  cantFail(graph.connect(inner, "crd", join, "crd2"));
  cantFail(graph.connect(inner, "ref", join, "ref2"));
  EXPECT_EQ(textOf(graph.verify()),
            "block 'join': stops that cannot meet. Input 'crd2', from "
            "'scan_j.crd', is nested 2 "
            "deep; with 'crd1', from 'scan_i.crd', it would have to be 1");
}

TEST(SAMRun, errorsOfTokens) {
  EXPECT_EQ(runBlock({"", BlockKind::scanCompressed}, {{"ref", at("7 D")}}),
            "block 'block', cycle 0: reference 7 on 'ref' is past its array, "
            "which has 2 fibers");
  EXPECT_EQ(runBlock({"", BlockKind::array}, {{"ref", at("1 2 D")}}),
            "block 'block', cycle 1: reference 2 on 'ref' is past its array, "
            "which has 2 values");
  EXPECT_EQ(
      runBlock({"", BlockKind::add}, {{"in1", at("1 S0 D", StreamType::value)},
                                      {"in2", at("1 2 D", StreamType::value)}}),
      "block 'block', cycle 1: 'in1' has S0 where 'in2' has 2");
  EXPECT_EQ(runBlock({"", BlockKind::intersect}, {{"crd1", at("1 S0 D")},
                                                  {"ref1", at("1 S0 D")},
                                                  {"crd2", at("1 S1 D")},
                                                  {"ref2", at("1 S1 D")}}),
            "block 'block', cycle 2: 'crd1' is at S0 while 'crd2' is at S1");
  for (BlockKind joiner : {BlockKind::intersect, BlockKind::unite})
    EXPECT_EQ(
        runBlock({"", joiner}, {{"crd1", at("0 5 3 S0 D")},
                                {"ref1", at("0 1 2 S0 D")},
                                {"crd2", at("0 4 6 S0 D")},
                                {"ref2", at("0 1 2 S0 D")}}),
        "block 'block', cycle 3: 'crd1' has coordinate 3 behind 5; fibers "
        "ascend");
  EXPECT_EQ(runBlock({"", BlockKind::repeat},
                     {{"ref", at("S0 D")},
                      {"repsig", at("R S D", StreamType::signal)}}),
            "block 'block', cycle 0: signal R comes while S0 is held");
  EXPECT_EQ(runBlock({"", BlockKind::bitsConvert}, {{"crd", at("64 S0 D")}}),
            "block 'block', cycle 0: coordinate 64 has no place in 64 bits");
  EXPECT_EQ(runBlock({"", BlockKind::accumulate1},
                     {{"outer", at("1 D")},
                      {"inner", at("S0 D")},
                      {"val", at("1 D", StreamType::value)}}),
            "block 'block', cycle 0: 1, S0 and 1 make no point; stops are to "
            "be dropped before");
  EXPECT_EQ(runBlock({"", BlockKind::coordinateDrop},
                     {{"outer", at("1 S0 D")}, {"inner", at("3 D")}}),
            "block 'block', cycle 1: 'inner' ends inside of the fiber of "
            "coordinate 1");
}

TEST(SAMRun, whoWaitsForWhom) {
  EXPECT_EQ(
      runBlock({"", BlockKind::add}, {{"in1", at("1 S0 D", StreamType::value)},
                                      {"in2", at("1", StreamType::value)}}),
      "nothing moves any more after cycle 0:\n  block waits for a token on in2 "
      "from outside");
}

TEST(SAMRun, finiteQueuesMayBeTooSmall) {
  // Repeats wait for the end of a fiber that a full queue holds back.
  Graph graph;
  Elements elements;
  for (int64_t i = 0; i < 20; ++i)
    elements[{i}] = 1;
  Block scan{"scan", BlockKind::scanCompressed};
  scan.tensor = cantFail(graph.addTensor(
      buildTensor("b", Level::Format::compressed, 20, elements)));
  unsigned scanner = cantFail(graph.addBlock(scan));
  Block array{"array", BlockKind::array};
  array.tensor = scan.tensor;
  unsigned values = cantFail(graph.addBlock(array));
  unsigned sum = cantFail(graph.addBlock({"sum", BlockKind::reduce}));
  unsigned signal =
      cantFail(graph.addBlock({"signal", BlockKind::repeatSignal}));
  unsigned repeat = cantFail(graph.addBlock({"repeat", BlockKind::repeat}));
  Block write{"write", BlockKind::writeCompressed};
  write.result = "x";
  unsigned writer = cantFail(graph.addBlock(write));
  cantFail(graph.addRoot(scanner));
  cantFail(graph.connect(scanner, "ref", values, "ref"));
  cantFail(graph.connect(scanner, "crd", signal, "crd"));
  cantFail(graph.connect(values, "val", sum, "val"));
  cantFail(graph.connect(signal, "repsig", repeat, "repsig"));
  // A reference that comes only after the fiber has ended.
  cantFail(graph.feed(repeat, "ref",
                      {{Token::integer(0), 100000}, {Token::done(), 100001}}));
  cantFail(graph.connect(repeat, "ref", writer, "in"));
  cantFail(graph.verify());
  Parameters parameters;
  parameters.queueDepth = 2;
  auto held = cantFail(runByCycles(graph, parameters));
  auto free = cantFail(runByCycles(graph, {}));
  EXPECT_GT(held.blocks[scanner].held, 99000u);
  EXPECT_EQ(held.peakQueues[repeat][1], 4u);
  EXPECT_EQ(free.peakQueues[repeat][1], 22u);
  EXPECT_EQ(held.written, free.written);
}

TEST(SAMRun, deadlockNamesWhoWaitsForWhom) {
  // What is repeated comes once all has been summed, which waits for room in
  // the queue of signals that are not used before.
  json::Value file = cantFail(json::parse(R"({
    "tensors": {"B": {"indices": "ij", "format": "ss"}},
    "dims": {"i": 3, "j": 9},
    "graph": {
      "nodes": {
        "scan_i": {"kind": "scan_compressed", "tensor": "B", "index": "i"},
        "scan_j": {"kind": "scan_compressed", "tensor": "B", "index": "j"},
        "values": {"kind": "array", "tensor": "B"},
        "sum": {"kind": "reduce_along"},
        "signal": {"kind": "repeat_signal"},
        "repeat": {"kind": "repeat"},
        "write": {"kind": "write_compressed", "tensor": "X", "level": "0"}},
      "edges": ["scan_i.ref -> scan_j.ref", "scan_j.ref -> values.ref",
                "values.val -> sum.val", "scan_j.crd -> sum.inner",
                "scan_j.crd -> signal.crd", "signal.repsig -> repeat.repsig",
                "sum.inner -> repeat.ref", "repeat.ref -> write.in"],
      "roots": ["scan_i"]}})"));
  Graph graph = cantFail(readGraph(*file.getAsObject(), *file.getAsObject()));
  Parameters parameters;
  parameters.queueDepth = 4;
  EXPECT_EQ(
      textOf(runByCycles(graph, parameters)),
      "nothing moves any more after cycle 14, with queues of depth 4:\n"
      "  scan_j waits for room in the queue of signal.crd, which has 6\n"
      "  signal waits for room in the queue of repeat.repsig, which has 6\n"
      "  values waits for a token on ref from scan_j.ref\n"
      "  sum waits for a token on val from values.val, and for a token on "
      "inner "
      "from scan_j.crd\n"
      "  repeat waits for a token on ref from sum.inner\n"
      "  write waits for a token on in from repeat.ref");
  parameters.queueDepth = 100;
  EXPECT_TRUE(StringRef(textOf(runByCycles(graph, parameters)))
                  .contains("comes while"));
}

TEST(SAMFile, errors) {
  auto error = [](StringRef text) {
    json::Value value = cantFail(json::parse(text));
    return textOf(readGraph(*value.getAsObject(), *value.getAsObject()));
  };
  EXPECT_EQ(error("{}"), "the file has no 'tensors'");
  EXPECT_EQ(error(R"({"tensors": {"b": {"indices": "i", "format": "s"}}})"),
            "tensor 'b': 'dims' has no size for index 'i'");
  EXPECT_EQ(
      error(
          R"({"tensors": {"b": {"indices": "i", "format": "x"}}, "dims": {"i": 2}})"),
      "tensor 'b': a level is d (dense), s (compressed), u (a list of points), "
      "q (a singleton), b (a bitvector) or l (a linked list), not 'x'");
  EXPECT_EQ(error(R"({"tensors": {"b": {"indices": "i", "format": "s",
                      "elements": [[[2], 1]]}}, "dims": {"i": 2}})"),
            "tensor 'b': element 0 has a coordinate that is not below 2");
  EXPECT_EQ(
      error(
          R"({"tensors": {}, "graph": {"nodes": {"a": {"kind": "foo"}}, "edges": [],
                      "roots": []}})"),
      "node 'a' is of the unknown kind 'foo'");
  EXPECT_EQ(
      error(R"({"tensors": {}, "graph": {"nodes": {"a": {"kind": "repeat"}},
                      "edges": ["a.ref -> c.ref"], "roots": []}})"),
      "edge 'a.ref -> c.ref'\nthere is no node 'c'");
  EXPECT_EQ(
      error(
          R"({"tensors": {}, "graph": {"nodes": {"a": {"kind": "array"}}, "edges": [],
                      "roots": ["a"]}})"),
      "block 'a' of kind array names no tensor");
  EXPECT_EQ(textOf(readParameters(json::Object{{"queueDepth", 0}})),
            "'queueDepth': expected an integer from 1 to 1099511627776");
  EXPECT_EQ(
      textOf(readParameters(json::Object{{"depth", 1}})),
      "'depth' is unknown; there are queueDepth, arrayLatency, arrayPorts, "
      "blockCounts, memoryLevels, elementBytes and quirks");
}
} // namespace
