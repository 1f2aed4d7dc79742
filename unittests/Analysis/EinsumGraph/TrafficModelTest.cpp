//===- TrafficModelTest.cpp - Words against what has to move --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/TrafficModel.h"
#include "Programs.h"

#include <cmath>

using namespace ember::einsum;

namespace {

double wordsOf(const Graph &graph, int64_t sramWords, Scheme scheme,
               const TrafficOptions &options = {}) {
  SpatialMachine machine;
  machine.sram = sramWords * machine.wordBytes;
  LoopOrders orders =
      findLoopOrders(graph, analyzeReuse(graph, defaults), defaults);
  return predictTraffic(graph, orders, machine, scheme, options).words();
}

TEST(TrafficModel, ConjugateGradientAtItsLimits) {
  const double m = 15606, nonzeros = 61484, n = 16;
  const double matrix = 2 * nonzeros + m, block = m * n;
  Graph graph = buildGraph(makeConjugateGradient(m, nonzeros, n), 10);
  EXPECT_DOUBLE_EQ(wordsOf(graph, 1 << 18, Scheme::seqFlex),
                   10 * (matrix + 15 * block));
  EXPECT_DOUBLE_EQ(wordsOf(graph, 1 << 18, Scheme::ideal), matrix + 6 * block);
  // All of it fits.
  EXPECT_DOUBLE_EQ(wordsOf(graph, 1 << 24, Scheme::gogetaMap),
                   matrix + 6 * block);
  // Next to nothing does: S is not read again where it is written, nor R, of
  // which no transposed copy is read either.
  EXPECT_NEAR(wordsOf(graph, 1, Scheme::gogetaMap), 10 * (matrix + 12 * block),
              1000);
  TrafficOptions shared;
  shared.sharedReads = SharedReads::always;
  EXPECT_NEAR(wordsOf(graph, 1, Scheme::gogetaMap, shared),
              10 * (matrix + 11 * block), 1000);
  TrafficOptions untransposed;
  untransposed.separatesTransposes = false;
  EXPECT_DOUBLE_EQ(wordsOf(graph, 1, Scheme::seqFlex, untransposed),
                   10 * (matrix + 14 * block));
}

TEST(TrafficModel, LastWordsOfWhatIsNeededLatestLeave) {
  // X is needed in step 3, Y in step 2, and 150 words fit.
  Program program;
  for (const char *name : {"I", "X", "Y", "Z", "W"})
    program.addTensor(name, {100});
  program.tensors[0].isInput = true;
  program.tensors[4].isOutput = true;
  const OperationKind whole = OperationKind::whole;
  add(program, "x", "X[i] = I[i]", whole);
  add(program, "y", "Y[i] = I[i]", whole);
  add(program, "z", "Z[i] = Y[i]", whole);
  add(program, "w", "W[i] = X[i] Z[i]", whole);
  Graph graph = buildGraph(program);
  SpatialMachine machine;
  machine.sram = 150 * 4;
  LoopOrders orders =
      findLoopOrders(graph, analyzeReuse(graph, defaults), defaults);
  Traffic traffic = predictTraffic(graph, orders, machine, Scheme::gogetaMap);
  // I is read once, and what is left of it, 100 words, comes first: X keeps 50.
  EXPECT_DOUBLE_EQ(traffic.readsOf[0], 100);
  // Behind y, Y has 100 and X 50, and behind z Z has 75 and X 50, since X and Z
  // are needed at once.
  EXPECT_DOUBLE_EQ(traffic.writesOf[1], 50);
  EXPECT_DOUBLE_EQ(traffic.readsOf[1], 50);
  EXPECT_DOUBLE_EQ(traffic.writesOf[2], 0);
  EXPECT_DOUBLE_EQ(traffic.readsOf[2], 0);
  EXPECT_DOUBLE_EQ(traffic.writesOf[3], 0);
  EXPECT_DOUBLE_EQ(traffic.writesOf[4], 100);
}

TEST(TrafficModel, SchemesAreInOrder) {
  for (int64_t sram : {1 << 10, 1 << 14, 1 << 18, 1 << 20})
    for (int64_t n : {1, 8, 16}) {
      Graph graph = buildGraph(makeConjugateGradient(15606, 61484, n), 10);
      double flex = wordsOf(graph, sram, Scheme::seqFlex);
      double overflow = wordsOf(graph, sram, Scheme::seqOverflow);
      double mapped = wordsOf(graph, sram, Scheme::gogetaMap);
      double ideal = wordsOf(graph, sram, Scheme::ideal);
      EXPECT_LE(ideal, mapped);
      EXPECT_LE(mapped, overflow);
      EXPECT_LE(overflow, flex);
      EXPECT_EQ(mapped, wordsOf(graph, sram, Scheme::gogetaDf));
    }
}

struct Matrix {
  int64_t rows, nonzeros;
};
/// Table 2.
constexpr Matrix aft02{8184, 127762}, ecology1{1000000, 4996000},
    barth5{15606, 61484}, nasa4704{4704, 104756};

TEST(TrafficModel, PublishedReductions) {
  double sum = 0, least = 1e9, most = 0;
  unsigned count = 0;
  for (const Matrix &matrix : {aft02, ecology1, barth5, nasa4704})
    for (int64_t n : {1, 8, 16})
      for (int64_t megabytes : {1, 4, 16}) {
        Graph graph = buildGraph(
            makeConjugateGradient(matrix.rows, matrix.nonzeros, n), 10);
        double ratio = wordsOf(graph, megabytes << 18, Scheme::seqFlex) /
                       wordsOf(graph, megabytes << 18, Scheme::gogetaMap);
        sum += std::log(ratio);
        least = std::min(least, ratio);
        most = std::max(most, ratio);
        ++count;
      }
  // Section 6.2.1: 6.7, from 1.18 to 23.7; the introduction says 1.19 and 23.8.
  EXPECT_NEAR(std::exp(sum / count), 6.7, 0.2);
  EXPECT_NEAR(least, 1.18, 0.03);
  EXPECT_NEAR(most, 23.7, 0.1);
}

Program makeGraphConvolution(int64_t m, int64_t nonzeros, int64_t n,
                             int64_t o) {
  Program program;
  program.addMatrix("A", m, m, nonzeros);
  program.addTensor("X0", {m, n});
  program.addTensor("W", {n, o});
  for (Tensor &tensor : program.tensors)
    tensor.isInput = true;
  program.addTensor("Z", {m, n});
  program.addTensor("X1", {m, o});
  program.tensors.back().isOutput = true;
  add(program, "aggregate", "Z[m,n] = A[m,k] X0[k,n]");
  add(program, "combine", "X1[m,o] = Z[m,j] W[j,o]");
  return program;
}

TEST(TrafficModel, GraphConvolutionsAsInFigure11) {
  const int64_t sram = 1 << 18;
  Graph cora = buildGraph(makeGraphConvolution(2708, 9464, 1433, 7));
  double flex = wordsOf(cora, sram, Scheme::seqFlex);
  double overflow = wordsOf(cora, sram, Scheme::seqOverflow);
  // A marginal improvement, and a considerable one that is all there is.
  EXPECT_LT(overflow, flex);
  EXPECT_GT(overflow, 0.9 * flex);
  EXPECT_DOUBLE_EQ(wordsOf(cora, sram, Scheme::gogetaMap),
                   wordsOf(cora, sram, Scheme::ideal));
  EXPECT_LT(wordsOf(cora, sram, Scheme::ideal), 0.7 * overflow);
  Graph protein = buildGraph(makeGraphConvolution(3786, 14456, 29, 2));
  EXPECT_DOUBLE_EQ(wordsOf(protein, sram, Scheme::seqOverflow),
                   wordsOf(protein, sram, Scheme::ideal));
  EXPECT_DOUBLE_EQ(wordsOf(protein, sram, Scheme::gogetaMap),
                   wordsOf(protein, sram, Scheme::ideal));
}

TEST(TrafficModel, ClustersSendEachOtherSmallTensors) {
  const int64_t m = 15606, n = 8;
  Graph graph = buildGraph(makeConjugateGradient(m, 61484, n));
  LoopOrders orders =
      findLoopOrders(graph, analyzeReuse(graph, defaults), defaults);
  auto traversalsOfUpdate = [&](Scheme scheme) {
    Traffic traffic = predictTraffic(graph, orders, SpatialMachine(), scheme);
    for (const StepTraffic &step : traffic.steps)
      if (llvm::is_contained(step.nodes, 4u)) {
        EXPECT_EQ(step.nodes, (Step{3, 4, 5}));
        return step.traversals;
      }
    return -1.0;
  };
  // Section 6.2.3, of lines 4 and 5.
  EXPECT_EQ(traversalsOfUpdate(Scheme::gogetaDf), double(m * n));
  EXPECT_EQ(traversalsOfUpdate(Scheme::gogetaMap), double(2 * n * n * 15));
}

std::string errorOf(llvm::StringRef json) {
  auto machine = parseMachine(json);
  return machine ? "" : llvm::toString(machine.takeError());
}

TEST(TrafficModel, Machines) {
  auto machine = parseMachine(R"({"sram": 4194304, "wordBytes": 8})");
  ASSERT_TRUE(bool(machine));
  EXPECT_EQ(machine->sramWords(), 524288);
  EXPECT_EQ(machine->clusters, 16);
  EXPECT_EQ(errorOf(R"({"sram": 0})"),
            "field 'sram' of a machine has to be a whole number from 1 to "
            "1125899906842624");
  EXPECT_EQ(errorOf(R"({"srams": 1})"),
            "a machine has no field 'srams'; it has clusters, "
            "processingElements, registerFile, sram, wordBytes, pipelineHops");
  EXPECT_EQ(errorOf(R"({"sram": 2})"),
            "the SRAM of a machine holds at least a word");
  EXPECT_EQ(errorOf("[]"), "a machine is a JSON object");
  EXPECT_NE(errorOf("{"), "");
}

} // namespace
