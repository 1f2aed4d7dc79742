//===- RandomTest.cpp - Random inputs, in both engines and at any depth ---===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace ember::sim::sam;

namespace {
using RunType = ember::sim::sam::Run;

/// Two runs show the same tokens in the same cycles.
void expectAlike(const Graph &graph, const Run &first, const Run &second) {
  for (auto [number, block] : enumerate(graph.getBlocks())) {
    EXPECT_EQ(first.blocks[number].doneCycle, second.blocks[number].doneCycle)
        << block.name;
    for (auto [port, output] : enumerate(infoOf(block.kind).outputs))
      if (output.type != StreamType::skip) {
        StreamType type = graph.typeOf(number, port);
        EXPECT_EQ(printTimeline(first.shown[number][port], type),
                  printTimeline(second.shown[number][port], type))
            << graph.nameOfOutput({unsigned(number), unsigned(port)});
      }
    for (auto &[writer, tokens] : first.written)
      EXPECT_EQ(tokens, second.written.at(writer));
  }
}

/// From the end of the run, each link ends where the one before it began, back
/// to what came from outside in its first two cycles.
void expectWholeChain(const RunType &run) {
  ASSERT_FALSE(run.chain.empty());
  uint64_t at = run.cycles;
  for (const ChainLink &link : run.chain) {
    EXPECT_EQ(link.firstCycle + link.cycles, at);
    at = link.firstCycle;
  }
  EXPECT_LE(at, 1u);
}

class RandomStreams : public testing::TestWithParam<unsigned> {
protected:
  SplitMix64 random{GetParam()};

  uint64_t below(uint64_t bound) { return random() % bound; }

  /// What closes the list at which a stream is: level 0 most often.
  std::vector<uint64_t> stopsOfLists(uint64_t levels) {
    std::vector<uint64_t> stops(1 + below(6));
    for (uint64_t &stop : stops)
      stop = below(4) ? 0 : below(levels);
    stops.back() = levels - 1;
    return stops;
  }

  std::vector<Token> coordinates(int64_t bound) {
    std::vector<Token> tokens;
    for (int64_t coordinate = below(3); coordinate < bound;
         coordinate += 1 + below(3))
      tokens.push_back(Token::integer(coordinate));
    return tokens;
  }

  /// Lists with the same stops, which both sides of a block have.
  std::vector<Token> streamOf(ArrayRef<uint64_t> stops,
                              function_ref<std::vector<Token>()> list) {
    std::vector<Token> stream;
    for (uint64_t stop : stops) {
      append_range(stream, list());
      stream.push_back(Token::stop(stop));
    }
    stream.push_back(Token::done());
    return stream;
  }

  std::vector<TimedToken> late(const std::vector<Token> &tokens) {
    std::vector<TimedToken> timed;
    uint64_t cycle = below(3), gaps = below(4);
    for (const Token &token : tokens) {
      timed.push_back({token, cycle});
      cycle += 1 + (gaps && !below(4) ? below(2 * gaps) : 0);
    }
    return timed;
  }

  /// Runs a block in both engines.
  void check(Block block,
             std::vector<std::pair<StringRef, std::vector<Token>>> inputs,
             std::optional<Tensor> tensor = std::nullopt) {
    Graph graph;
    block.name = "block";
    block.result = "X";
    if (tensor)
      block.tensor = cantFail(graph.addTensor(std::move(*tensor)));
    unsigned number = cantFail(graph.addBlock(block));
    for (auto &[port, tokens] : inputs)
      cantFail(graph.feed(number, port, late(tokens)));
    cantFail(graph.verify());
    for (Quirks quirks : {Quirks::none, Quirks::reference}) {
      SCOPED_TRACE(infoOf(block.kind).name.str());
      Parameters parameters;
      parameters.quirks = quirks;
      parameters.arrayLatency = 1 + GetParam() % 4;
      RunOptions options;
      options.keepsStreams = true;
      auto byCycles = runByCycles(graph, parameters, options);
      auto byTimes = runByTimes(graph, parameters, options);
      ASSERT_TRUE(!!byCycles) << toString(byCycles.takeError());
      ASSERT_TRUE(!!byTimes) << toString(byTimes.takeError());
      expectAlike(graph, *byCycles, *byTimes);
    }
  }

  Tensor levelOf(Level::Format format, int64_t fibers) {
    Elements elements;
    for (int64_t fiber = 0; fiber < fibers; ++fiber)
      for (const Token &token : coordinates(9))
        elements[{fiber, token.integer()}] = 1;
    return buildTensor("T", {Level::Format::dense, format}, {fibers, 9},
                       elements);
  }
};

TEST_P(RandomStreams, enginesAgreeOnBlocks) {
  std::vector<uint64_t> stops = stopsOfLists(3);
  auto crd = [&] { return coordinates(12); };
  auto references = [&] {
    std::vector<Token> tokens(below(4));
    for (Token &token : tokens)
      token = below(5) ? Token::integer(below(5)) : Token::empty();
    return tokens;
  };
  auto numbers = [&] {
    std::vector<Token> tokens(below(4));
    for (Token &token : tokens)
      token = Token::number(below(9));
    return tokens;
  };
  std::vector<Token> refs = streamOf(stops, references);
  Block scan{"", BlockKind::scanCompressed};
  scan.level = 1;
  check(scan, {{"ref", refs}}, levelOf(Level::Format::compressed, 5));
  scan.kind = BlockKind::scanDense;
  check(scan, {{"ref", refs}}, levelOf(Level::Format::dense, 5));
  Block array{"", BlockKind::array};
  check(array, {{"ref", refs}}, levelOf(Level::Format::dense, 5));
  check({"", BlockKind::repeatSignal}, {{"crd", streamOf(stops, crd)}});
  check({"", BlockKind::reduce}, {{"val", streamOf(stops, numbers)}});
  check({"", BlockKind::flatten}, {{"inner", streamOf(stops, crd)}});
  check({"", BlockKind::buffer}, {{"in", streamOf(stops, crd)}});
  Block parallelize{"", BlockKind::parallelize};
  parallelize.lanes = 1 + below(4);
  check(parallelize, {{"in", streamOf(stops, crd)}});
  check({"", BlockKind::stopDrop}, {{"in", streamOf(stops, crd)}});
  check({"", BlockKind::emptyFiberStopDrop}, {{"in", streamOf(stops, crd)}});
  check({"", BlockKind::writeCompressed}, {{"in", streamOf(stops, crd)}});
  check({"", BlockKind::bitsConvert}, {{"crd", streamOf(stops, crd)}});
  Block split{"", BlockKind::split};
  split.factor = 1 + below(5);
  split.keepsCoordinate = below(2);
  check(split, {{"crd", streamOf(stops, crd)}});
  for (BlockKind kind : {BlockKind::intersect, BlockKind::unite}) {
    std::vector<Token> first = streamOf(stops, crd),
                       second = streamOf(stops, crd);
    check(
        {"", kind},
        {{"crd1", first}, {"ref1", first}, {"crd2", second}, {"ref2", second}});
  }
  std::vector<Token> first, second;
  for (uint64_t stop : stops) {
    for (uint64_t count = below(4); count; --count) {
      first.push_back(Token::number(below(9)));
      second.push_back(below(5) ? Token::number(below(9)) : Token::empty());
    }
    first.push_back(Token::stop(stop));
    second.push_back(first.back());
  }
  first.push_back(Token::done());
  second.push_back(first.back());
  for (BlockKind kind : {BlockKind::add, BlockKind::multiply,
                         BlockKind::maximum, BlockKind::minimum})
    check({"", kind}, {{"in1", first}, {"in2", second}});
}

TEST_P(RandomStreams, enginesAgreeOnTwoLevels) {
  // Outer tokens and, for each, a list inside.
  std::vector<Token> outer, inner, signals;
  auto endList = [&](uint64_t level) {
    inner.push_back(Token::stop(level));
    signals.push_back(Token::stop(0));
  };
  for (uint64_t stop : stopsOfLists(2)) {
    uint64_t elements = below(4);
    for (uint64_t element = 0; element < elements; ++element) {
      outer.push_back(Token::integer(3 * element + below(3)));
      for (const Token &token : coordinates(6)) {
        inner.push_back(token);
        signals.push_back(Token::integer(0));
      }
      endList(element + 1 == elements ? stop + 1 : 0);
    }
    if (!elements)
      endList(stop + 1);
    outer.push_back(Token::stop(stop));
  }
  for (auto *stream : {&outer, &inner, &signals})
    stream->push_back(Token::done());
  check({"", BlockKind::repeat}, {{"ref", outer}, {"repsig", signals}});
  check({"", BlockKind::coordinateHold}, {{"outer", outer}, {"inner", inner}});
  check({"", BlockKind::coordinateDrop}, {{"outer", outer}, {"inner", inner}});
  Block flatten{"", BlockKind::flatten};
  flatten.factor = 6;
  flatten.keepsCoordinate = false;
  check(flatten, {{"outer", outer}, {"inner", inner}});
  std::vector<Token> rows, columns, values;
  for (int64_t row = 0, count = below(20); count; --count) {
    row += !below(3);
    rows.push_back(Token::integer(row));
    columns.push_back(Token::integer(below(6)));
    values.push_back(Token::number(below(9)));
  }
  for (auto *stream : {&rows, &columns, &values})
    stream->push_back(Token::done());
  for (BlockKind kind : {BlockKind::accumulate1, BlockKind::accumulate2})
    check({"", kind}, {{"outer", rows}, {"inner", columns}, {"val", values}});
}

/// Sums along two and three levels are those of the elements, by coordinates.
TEST_P(RandomStreams, sumsAlongLevels) {
  for (unsigned levels : {1u, 2u, 3u}) {
    Elements sums;
    std::vector<std::vector<Token>> streams(levels + 1);
    // Lists of `level` coordinates more, and what ends with the last of them.
    std::function<void(unsigned, std::vector<int64_t>, uint64_t)> fill =
        [&](unsigned level, std::vector<int64_t> key, uint64_t ended) {
          uint64_t count = below(level ? 3 : 4);
          int64_t coordinate = 0;
          for (uint64_t at = 0; at < count; ++at) {
            key.push_back(coordinate += 1 + below(2));
            streams[level].push_back(Token::integer(coordinate));
            bool isLast = at + 1 == count;
            if (level + 1 < levels) {
              fill(level + 1, key, isLast ? ended + 1 : 0);
            } else {
              double value = 1 + below(9);
              streams[levels].push_back(Token::number(value));
              sums[key] += value;
            }
            key.pop_back();
          }
          streams[level].push_back(Token::stop(ended));
          if (!count)
            for (unsigned below = level + 1; below < levels; ++below)
              streams[below].push_back(Token::stop(ended + below - level));
          if (level + 1 == levels)
            streams[levels].push_back(Token::stop(ended));
          else if (!count)
            streams[levels].push_back(Token::stop(ended + levels - 1 - level));
        };
    uint64_t parts = 1 + below(4);
    for (uint64_t part = 0; part < parts; ++part)
      fill(0, {}, part + 1 == parts ? 1 : 0);
    for (auto &stream : streams)
      stream.push_back(Token::done());
    Graph graph;
    unsigned reduce =
        cantFail(graph.addBlock({"reduce", BlockKind::reduceAlong}));
    static constexpr const char *ports[] = {"inner", "outer", "outer2"};
    static constexpr unsigned outputs[] = {0, 2, 3};
    for (unsigned level = 0; level < levels; ++level) {
      unsigned around = levels - 1 - level;
      cantFail(graph.feed(reduce, ports[around], late(streams[level])));
      Block write{"write" + std::to_string(level), BlockKind::writeCompressed};
      write.result = "X";
      write.level = level;
      unsigned writer = cantFail(graph.addBlock(write));
      cantFail(graph.connect(
          reduce, infoOf(BlockKind::reduceAlong).outputs[outputs[around]].name,
          writer, "in"));
    }
    cantFail(graph.feed(reduce, "val", late(streams[levels])));
    Block write{"values", BlockKind::writeValues};
    write.result = "X";
    unsigned writer = cantFail(graph.addBlock(write));
    cantFail(graph.connect(reduce, "val", writer, "in"));
    cantFail(graph.verify());
    RunOptions options;
    options.keepsStreams = true;
    auto byCycles = runByCycles(graph, {}, options);
    ASSERT_TRUE(!!byCycles) << toString(byCycles.takeError());
    auto byTimes = runByTimes(graph, {}, options);
    ASSERT_TRUE(!!byTimes) << toString(byTimes.takeError());
    expectAlike(graph, *byCycles, *byTimes);
    EXPECT_EQ(cantFail(resultOf(graph, *byCycles, "X", Quirks::none)), sums);
  }
}

/// What is dealt to lanes and taken from these again is what it was.
TEST_P(RandomStreams, lanesKeepTheirOrder) {
  std::vector<Token> dealt = streamOf(stopsOfLists(2), [&] {
    std::vector<Token> tokens(below(6));
    for (Token &token : tokens)
      token = Token::integer(int64_t(below(5)));
    return tokens;
  });
  Tensor tensor = levelOf(Level::Format::compressed, 5);
  std::array<std::vector<Token>, 2> written;
  for (unsigned lanes : {1 + unsigned(below(4)), 0u}) {
    // Without lanes, one scanner scans the fibers of all.
    Graph graph;
    unsigned number = cantFail(graph.addTensor(tensor));
    auto addScan = [&](unsigned lane) {
      Block scan{"scan" + std::to_string(lane), BlockKind::scanCompressed};
      scan.tensor = number;
      scan.level = 1;
      return cantFail(graph.addBlock(scan));
    };
    Block write{"write", BlockKind::writeCompressed};
    write.result = "X";
    unsigned writer = cantFail(graph.addBlock(write));
    if (!lanes) {
      unsigned scan = addScan(0);
      cantFail(graph.feed(scan, "ref", late(dealt)));
      cantFail(graph.connect(scan, "crd", writer, "in"));
    } else {
      Block deal{"deal", BlockKind::parallelize},
          take{"take", BlockKind::serialize};
      deal.lanes = take.lanes = lanes;
      take.itemDepth = 1;
      unsigned dealer = cantFail(graph.addBlock(deal));
      unsigned taker = cantFail(graph.addBlock(take));
      cantFail(graph.feed(dealer, "in", late(dealt)));
      cantFail(graph.feed(taker, "outer", late(dealt)));
      for (unsigned lane = 0; lane < lanes; ++lane) {
        std::string name = std::to_string(lane + 1);
        unsigned scan = addScan(lane);
        cantFail(graph.connect(dealer, "out" + name, scan, "ref"));
        cantFail(graph.connect(scan, "crd", taker, "in" + name));
      }
      cantFail(graph.connect(taker, "out", writer, "in"));
    }
    cantFail(graph.verify());
    auto byCycles = runByCycles(graph, {});
    ASSERT_TRUE(!!byCycles) << toString(byCycles.takeError());
    auto byTimes = runByTimes(graph, {});
    ASSERT_TRUE(!!byTimes) << toString(byTimes.takeError());
    EXPECT_EQ(byCycles->cycles, byTimes->cycles);
    EXPECT_EQ(byCycles->written, byTimes->written);
    written[lanes != 0] = byCycles->written.at(writer);
  }
  EXPECT_EQ(written[0], written[1]);
}

/// Values are those of a dense evaluation, however empty the tensors are, and
/// whatever the depth of queues; both engines show the same.
TEST(SAMRandom, kernels) {
  SplitMix64 random(5);
  unsigned deadlocks = 0, refused = 0, runs = 0;
  for (const std::string &file : conformanceFiles()) {
    json::Value value = readJSON(file);
    std::map<std::string, const json::Object *> kernels;
    for (const auto &[name, entry] : *value.getAsObject()->getObject("kernels"))
      kernels[name.str()] = entry.getAsObject();
    for (const auto &[name, kernel] : kernels)
      for (unsigned repetition = 0; repetition < 50; ++repetition) {
        json::Object dims, densities;
        for (const char *index : {"i", "j", "k", "l"})
          dims[index] = int64_t(random() % 5);
        const json::Object &tensors = *kernel->getObject("tensors");
        for (const auto &[tensor, description] : tensors)
          if (!StringRef(*description.getAsObject()->getString("format"))
                   .contains('d'))
            densities[tensor] = double(random() % 4) / 4;
        json::Object filling{{"dims", json::Object(dims)},
                             {"density", std::move(densities)},
                             {"seed", int64_t(random() % 1000)}};
        SCOPED_TRACE(formatv("{0}, {1}, {2}", file, name,
                             json::Value(json::Object(filling)))
                         .str());
        Expected<Graph> graph = readGraph(*kernel, filling);
        ASSERT_TRUE(!!graph) << toString(graph.takeError());
        Elements expected =
            evaluate(*kernel->getString("expression"), *graph, tensors, dims);
        RunOptions options;
        options.keepsStreams = true;
        auto byCycles = runByCycles(*graph, {}, options);
        auto byTimes = runByTimes(*graph, {}, options);
        if (!byCycles) {
          // A reducer takes the stop of a list without rows for an empty row;
          // graphs that add to its sums cannot tell, but say so.
          EXPECT_TRUE(expected.empty());
          std::string error = toString(byCycles.takeError());
          EXPECT_TRUE(StringRef(error).contains("'in1' has")) << error;
          EXPECT_EQ(toString(byTimes.takeError()), error);
          ++refused;
          continue;
        }
        ASSERT_TRUE(!!byTimes) << toString(byTimes.takeError());
        expectAlike(*graph, *byCycles, *byTimes);
        options.threads = 2 + random() % 2;
        auto together = runByTimes(*graph, {}, options);
        ASSERT_TRUE(!!together) << toString(together.takeError());
        expectAlike(*graph, *byTimes, *together);
        auto results = resultsOf(*graph, *byCycles, Quirks::none);
        ASSERT_TRUE(!!results) << toString(results.takeError());
        EXPECT_EQ(withoutZeros(results->begin()->second), expected);
        EXPECT_EQ(byCycles->cycles, byTimes->cycles);
        EXPECT_EQ(byCycles->tokens(), byTimes->tokens());
        Parameters finite;
        finite.queueDepth = 1 + random() % 4;
        RunOptions withChain;
        withChain.findsCriticalChain = true;
        auto held = runByCycles(*graph, finite, withChain);
        ++runs;
        if (!held) {
          // A small queue may be too small; that is said.
          EXPECT_TRUE(StringRef(toString(held.takeError()))
                          .contains("for room in the queue"));
          ++deadlocks;
        } else {
          EXPECT_EQ(held->written, byCycles->written);
          EXPECT_GE(held->cycles, byCycles->cycles);
          expectWholeChain(*held);
        }
      }
  }
  EXPECT_LE(deadlocks * 5, runs);
  EXPECT_LE(refused * 20, runs);
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomStreams, testing::Range(0u, 150u));
} // namespace
