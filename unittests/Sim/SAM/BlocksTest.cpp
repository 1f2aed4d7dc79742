//===- BlocksTest.cpp - Blocks that the published simulator lacks ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What they show in each cycle, a token a port and cycle, in both engines.
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace ember::sim::sam;

namespace {
using RunOf = ember::sim::sam::Run;
using Streams = std::vector<std::pair<std::string, std::string>>;

/// Words are tokens, a cycle each; `.` is a cycle without one.
std::vector<TimedToken> timedTokens(StringRef text, StreamType type) {
  SmallVector<StringRef> words;
  SplitString(text, words);
  std::vector<TimedToken> tokens;
  for (auto [cycle, word] : enumerate(words))
    if (word != ".")
      tokens.push_back({cantFail(parseToken(word, type)), cycle});
  return tokens;
}

Graph graphOf(Block block, const Streams &inputs,
              std::optional<Tensor> tensor) {
  Graph graph;
  block.name = "block";
  block.result = "X";
  if (tensor)
    block.tensor = cantFail(graph.addTensor(std::move(*tensor)));
  unsigned number = cantFail(graph.addBlock(block));
  for (const auto &[name, text] : inputs)
    for (const PortInfo &port : infoOf(block.kind).inputs)
      if (port.name == name)
        cantFail(graph.feed(number, name,
                            timedTokens(text, port.type == StreamType::any
                                                  ? StreamType::coordinate
                                                  : port.type)));
  return graph;
}

/// Both engines show the streams, by the names of the ports.
void expectShown(Block block, const Streams &inputs, const Streams &outputs,
                 std::optional<Tensor> tensor = std::nullopt) {
  SCOPED_TRACE(infoOf(block.kind).name.str());
  Graph graph = graphOf(block, inputs, std::move(tensor));
  ASSERT_EQ(toString(graph.verify()), "");
  RunOptions options;
  options.keepsStreams = true;
  for (auto *engine : {runByCycles, runByTimes}) {
    Expected<RunOf> run = engine(graph, {}, options);
    ASSERT_TRUE(!!run) << toString(run.takeError());
    for (const auto &[name, text] : outputs)
      for (auto [port, output] : enumerate(infoOf(block.kind).outputs))
        if (output.name == name) {
          StreamType type = output.type == StreamType::any
                                ? StreamType::coordinate
                                : output.type;
          EXPECT_EQ(StringRef(printTimeline(run->shown[0][port], type)).rtrim(),
                    text)
              << name;
        }
  }
}

/// Both engines fail with the text.
void expectError(Block block, const Streams &inputs, StringRef text,
                 std::optional<Tensor> tensor = std::nullopt) {
  Graph graph = graphOf(block, inputs, std::move(tensor));
  ASSERT_EQ(toString(graph.verify()), "");
  for (auto *engine : {runByCycles, runByTimes}) {
    Expected<RunOf> run = engine(graph, {}, {});
    ASSERT_FALSE(!!run);
    EXPECT_EQ(toString(run.takeError()), "block 'block', cycle " + text.str());
  }
}

Block ofKind(BlockKind kind) { return {"", kind}; }

TEST(SAMBlocks, scanPoints) {
  // Three points, of which two have the first coordinate in common.
  Tensor points =
      buildTensor("P", {Level::Format::pointList, Level::Format::singleton},
                  {5, 5}, {{{1, 0}, 1}, {{1, 3}, 2}, {{4, 2}, 3}});
  cantFail(points.verify());
  EXPECT_EQ(elementsOf(points).size(), 3u);
  Block scan = ofKind(BlockKind::scanCompressed);
  expectShown(scan, {{"ref", "0 D"}},
              {{"crd", "1 4 S0 D"}, {"ref", "0 2 S0 D"}}, points);
  scan.kind = BlockKind::scanSingleton;
  scan.level = 1;
  expectShown(scan, {{"ref", "0 2 S0 D"}},
              {{"crd", "0 3 S0 2 S1 D"}, {"ref", "0 1 S0 2 S1 D"}}, points);
}

TEST(SAMBlocks, scanBitvector) {
  Tensor tensor =
      buildTensor("B", Level::Format::bitvector, 200, {{{3}, 1}, {{150}, 2}});
  EXPECT_EQ(bitsOf(tensor.levels[0]),
            (std::vector<uint64_t>{8, 0, uint64_t(1) << 22, 0}));
  // No look at what comes next is needed inside of a fiber.
  expectShown(ofKind(BlockKind::scanBitvector), {{"ref", "0 . . . N D"}},
              {{"crd", "3 150 . . S0 N S0 D"}, {"ref", "0 1 . . S0 N S0 D"}},
              tensor);
}

TEST(SAMBlocks, scanLinkedList) {
  Tensor tensor;
  tensor.name = "L";
  tensor.levels = {
      {}, cantFail(linkedListLevel(9, {2, -1}, {-1, 0, 1}, {8, 5, 2}))};
  tensor.levels[0].format = Level::Format::dense;
  tensor.levels[0].size = 2;
  tensor.values = {80, 50, 20};
  cantFail(tensor.verify());
  Block scan = ofKind(BlockKind::scanLinkedList);
  scan.level = 1;
  expectShown(scan, {{"ref", "0 1 S0 D"}},
              {{"crd", "2 5 8 S0 S1 D"}, {"ref", "2 1 0 S0 S1 D"}}, tensor);
}

TEST(SAMBlocks, linkedListsThatLeadBack) {
  auto error = [](ArrayRef<int64_t> heads, ArrayRef<int64_t> next) {
    std::vector<int64_t> coordinates(next.size(), 1);
    return toString(linkedListLevel(9, heads, next, coordinates).takeError());
  };
  EXPECT_EQ(error({0}, {1, 0}), "linked list: fiber 0 leads to position 0, "
                                "which a fiber has had");
  EXPECT_EQ(error({3}, {-1}),
            "linked list: fiber 0 leads to position 3, and there are 1");
}

TEST(SAMBlocks, flatten) {
  Block flatten = ofKind(BlockKind::flatten);
  expectShown(flatten, {{"inner", "3 S0 7 S0 12 S1 S1 D"}},
              {{"out", "3 . 7 . 12 S0 S0 D"}});
  flatten.keepsCoordinate = false;
  flatten.factor = 4;
  // The second coordinate around has nothing inside.
  expectShown(flatten, {{"inner", "3 S0 S0 0 1 S1 D"}, {"outer", "0 1 3 S0 D"}},
              {{"out", "3 . . 12 13 S0 D"}});
  expectShown(flatten, {{"inner", "3 S0 S1 D"}, {"outer", "0 2 S0 D"}},
              {{"out", "3 . . S0 D"}});
  expectError(flatten, {{"inner", "3 S1 D"}, {"outer", "S0 D"}},
              "0: 'inner' has 3 where 'outer' has S0");
  expectError(flatten, {{"inner", "3 S2 D"}, {"outer", "0 S0 D"}},
              "1: 'inner' has S2 where 'outer' has S0");
}

TEST(SAMBlocks, lanes) {
  Block parallelize = ofKind(BlockKind::parallelize);
  parallelize.lanes = 3;
  expectShown(parallelize, {{"in", "0 2 5 7 S0 1 S1 D"}},
              {{"out1", "0 . . 7 S0 1 S1 D"},
               {"out2", ". 2 . . S0 . S1 D"},
               {"out3", ". . 5 . S0 . S1 D"}});
  Block serialize = ofKind(BlockKind::serialize);
  expectShown(serialize,
              {{"in1", "0 5 S0 1 S1 D"},
               {"outer", "0 2 5 S0 1 S1 D"},
               {"in2", ". . 2 S0 S1 D"}},
              {{"out", "0 . 2 5 S0 1 S1 D"}});
  // Items that are lists; the second list of items is empty.
  serialize.itemDepth = 1;
  expectShown(serialize,
              {{"in1", "10 11 S0 50 S1 S2 D"},
               {"outer", "0 2 5 S0 S1 D"},
               {"in2", "20 S1 S2 D"}},
              {{"out", "10 11 S0 20 S0 50 S1 S2 D"}});
  // An empty item takes a cycle to be dealt and one to end.
  expectShown(serialize,
              {{"in1", "S1 D"}, {"outer", "0 2 S0 D"}, {"in2", "20 S1 D"}},
              {{"out", ". S0 20 S1 D"}});
  expectError(serialize,
              {{"in1", "1 S1 D"}, {"outer", "0 2 S0 D"}, {"in2", "2 S2 D"}},
              "3: 'in2' has S2 where 'outer' has S0");
  expectError(
      serialize,
      {{"in1", "1 S0 3 S2 D"}, {"outer", "0 2 5 S1 D"}, {"in2", "2 S1 D"}},
      "5: a lane has ended with S1, and 'outer' has S1");
  expectError(
      serialize,
      {{"in1", "1 S0 3 S1 D"}, {"outer", "0 2 S0 D"}, {"in2", "2 S1 D"}},
      "3: 'in1' has 3 where 'outer' has S0");
}

TEST(SAMBlocks, lanesThatAreConnected) {
  Graph graph;
  Block parallelize{"deal", BlockKind::parallelize};
  parallelize.lanes = 2;
  unsigned deal = cantFail(graph.addBlock(parallelize));
  unsigned drop = cantFail(graph.addBlock({"drop", BlockKind::stopDrop}));
  cantFail(graph.feed(deal, "in", {{Token::done(), 0}}));
  cantFail(graph.connect(deal, "out3", drop, "in"));
  EXPECT_EQ(toString(graph.verify()),
            "'deal.out3' is connected, and block 'deal' has 2 lanes");
}

TEST(SAMBlocks, sumsAlongLevels) {
  Block reduce = ofKind(BlockKind::reduceAlong);
  expectShown(reduce, {{"val", "1 2 S0 3 S1 D"}, {"inner", "4 7 S0 4 S1 D"}},
              {{"inner", ". . . . . 4 7 S0 D"}, {"val", ". . . . . 4 2 S0 D"}});
  // Two levels: the matrices {(1, 2): 1, (3, 2): 2} and {(1, 0): 3, (1, 2): 4}.
  expectShown(reduce,
              {{"val", "1 S0 2 S1 3 4 S2 D"},
               {"inner", "2 S0 2 S1 0 2 S2 D"},
               {"outer", "1 3 S0 1 S1 D"}},
              {{"outer", ". . . . . . . 1 . . 3 S0 D"},
               {"inner", ". . . . . . . 0 2 S0 2 S1 D"},
               {"val", ". . . . . . . 3 5 S0 2 S1 D"}});
  // A coordinate with nothing below it, and a list without coordinates.
  expectShown(reduce,
              {{"val", "S1 S1 1 S2 D"},
               {"inner", "S1 S1 2 S2 D"},
               {"outer", "5 S0 S0 1 S1 D"}},
              {{"outer", ". . . . . 1 S0 D"},
               {"inner", ". . . . . 2 S1 D"},
               {"val", ". . . . . 1 S1 D"}});
  reduce.combiner = BlockKind::maximum;
  expectShown(reduce, {{"val", "1 S0 3 S1 D"}, {"inner", "4 S0 4 S1 D"}},
              {{"val", ". . . . 3 S0 D"}});
  expectError(reduce, {{"val", "1 S0 D"}, {"inner", "1 S1 D"}},
              "1: 'val' has S0 where 'inner' has S1");
  expectError(reduce,
              {{"val", "1 S1 D"}, {"inner", "1 S1 D"}, {"outer", "S0 D"}},
              "0: 'outer' has S0 where 'inner' has 1");
}

TEST(SAMBlocks, combiners) {
  Block reduce = ofKind(BlockKind::reduce);
  for (auto [combiner, sums] :
       {std::pair(BlockKind::multiply, ". . . 6 1 S0 D"),
        std::pair(BlockKind::maximum, ". . . 3 -inf S0 D"),
        std::pair(BlockKind::minimum, ". . . 1 inf S0 D")}) {
    reduce.combiner = combiner;
    expectShown(reduce, {{"val", "1 2 3 S0 S1 D"}}, {{"val", sums}});
  }
}

TEST(SAMBlocks, functions) {
  Block alu = ofKind(BlockKind::compute);
  alu.numOperands = 3;
  alu.function = [](ArrayRef<double> x) { return x[0] * x[1] + x[2]; };
  expectShown(alu,
              {{"in1", "2 N S0 D"}, {"in2", "3 4 S0 D"}, {"in3", "1 5 S0 D"}},
              {{"val", "7 5 S0 D"}});
  expectError(alu, {{"in1", "2 S0 D"}, {"in2", "3 S0 D"}, {"in3", "1 2 D"}},
              "1: 'in1' has S0 where 'in3' has 2");
}

TEST(SAMBlocks, unionOfBits) {
  expectShown(ofKind(BlockKind::bitsUnion),
              {{"bv1", "5 4 S0 D"},
               {"ref1", "0 2 S0 D"},
               {"bv2", "3 0 S0 D"},
               {"ref2", "7 9 S0 D"}},
              {{"bv", "7 . . 4 S0 D"},
               {"ref1", "0 N 1 2 S0 D"},
               {"ref2", "7 8 N N S0 D"}});
}

TEST(SAMBlocks, wideBits) {
  Graph graph;
  Block convert{"convert", BlockKind::bitsConvert};
  convert.size = 128;
  Block chunk{"chunk", BlockKind::bitsChunk};
  chunk.size = 128;
  chunk.width = 32;
  unsigned converter = cantFail(graph.addBlock(convert));
  unsigned chunker = cantFail(graph.addBlock(chunk));
  cantFail(graph.feed(converter, "crd",
                      timedTokens("1 33 64 127 S0 D", StreamType::coordinate)));
  cantFail(graph.connect(converter, "bv", chunker, "bv"));
  cantFail(graph.verify());
  RunOptions options;
  options.keepsStreams = true;
  for (auto *engine : {runByCycles, runByTimes}) {
    RunOf run = cantFail(engine(graph, {}, options));
    EXPECT_EQ(printTimeline(run.shown[chunker][0], StreamType::bits),
              ". . . . . 2 2 1 2147483648 S0 D ");
    EXPECT_EQ(printTimeline(run.shown[chunker][1], StreamType::reference),
              ". . . . . 0 1 2 3 S0 D ");
  }
}

TEST(SAMBlocks, wideBitsAreTakenApartFirst) {
  Graph graph;
  Block convert{"convert", BlockKind::bitsConvert};
  convert.size = 128;
  unsigned converter = cantFail(graph.addBlock(convert));
  unsigned join = cantFail(graph.addBlock({"join", BlockKind::bitsUnion}));
  cantFail(graph.feed(converter, "crd", {{Token::done(), 0}}));
  for (const char *port : {"ref1", "bv2", "ref2"})
    cantFail(graph.feed(join, port, {{Token::done(), 0}}));
  cantFail(graph.connect(converter, "bv", join, "bv1"));
  EXPECT_EQ(toString(graph.verify()),
            "'convert.bv -> join.bv1': words of 128 bits are taken apart by "
            "bv_chunk first");
}

TEST(SAMBlocks, storesByReference) {
  Block store = ofKind(BlockKind::store);
  Tensor shape = buildTensor("S", {Level::Format::dense, Level::Format::dense},
                             {2, 3}, {});
  Graph graph =
      graphOf(store, {{"ref", "4 1 N 4 S0 D"}, {"val", "1 2 9 3 S0 D"}}, shape);
  cantFail(graph.verify());
  for (auto *engine : {runByCycles, runByTimes}) {
    RunOf run = cantFail(engine(graph, {}, {}));
    EXPECT_EQ(run.cycles, 6u);
    EXPECT_EQ(cantFail(resultOf(graph, run, "X", Quirks::none)),
              (Elements{{{0, 1}, 2}, {{1, 1}, 3}}));
  }
  expectError(store, {{"ref", "6 D"}, {"val", "1 D"}},
              "0: reference 6 on 'ref' is past its array, which has 6 values",
              shape);
}

TEST(SAMBlocks, buffersHaveRoomOfTheirOwn) {
  // Without one, whoever feeds the repeater is held up by the machine's queue.
  for (bool hasBuffer : {false, true}) {
    Graph graph;
    unsigned drop = cantFail(graph.addBlock({"drop", BlockKind::stopDrop}));
    Block buffer{"buffer", BlockKind::buffer};
    buffer.capacity = 100;
    unsigned repeat = cantFail(graph.addBlock({"repeat", BlockKind::repeat}));
    std::vector<TimedToken> references;
    for (uint64_t at = 0; at < 20; ++at)
      references.push_back({Token::integer(int64_t(at)), at});
    references.push_back({Token::stop(0), 20});
    references.push_back({Token::done(), 21});
    unsigned from = drop;
    cantFail(graph.feed(drop, "in", references));
    if (hasBuffer) {
      from = cantFail(graph.addBlock(buffer));
      cantFail(graph.connect(drop, "out", from, "in"));
    }
    cantFail(graph.connect(from, "out", repeat, "ref"));
    std::vector<TimedToken> signals;
    for (uint64_t at = 0; at < 20; ++at)
      signals.push_back({Token::stop(0), 100 + at});
    signals.push_back({Token::done(), 120});
    cantFail(graph.feed(repeat, "repsig", signals));
    cantFail(graph.verify());
    Parameters parameters;
    parameters.queueDepth = 2;
    RunOf run = cantFail(runByCycles(graph, parameters));
    EXPECT_EQ(run.blocks[drop].held > 50, !hasBuffer);
  }
}
} // namespace
