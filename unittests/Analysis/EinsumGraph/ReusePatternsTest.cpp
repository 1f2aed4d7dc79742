//===- ReusePatternsTest.cpp - Patterns of known graphs -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/ReusePatterns.h"
#include "Programs.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace ember::einsum;

namespace {

/// `1 -S-> 2` and its pattern, for each edge; `*` marks a multicast.
std::map<std::string, std::string> describe(const Graph &graph) {
  ReuseAnalysis reuse = analyzeReuse(graph, defaults);
  std::map<std::string, std::string> patterns;
  for (auto [number, edge] : llvm::enumerate(graph.edges)) {
    std::string key = graph.nameOf(edge.source) + " -" +
                      graph.tensorOf(edge).name + "-> " +
                      graph.nameOf(edge.target);
    patterns[key] = nameOf(reuse.edges[number].pattern).str() +
                    (reuse.edges[number].isMulticast ? "*" : "");
  }
  return patterns;
}

std::vector<std::string> criticalPath(const Graph &graph) {
  std::vector<std::string> names;
  for (unsigned node : graph.findCriticalPath())
    names.push_back(graph.nameOf(node));
  return names;
}

Program
withTensors(std::initializer_list<std::pair<const char *, std::vector<int64_t>>>
                tensors,
            std::initializer_list<const char *> inputs) {
  Program program;
  for (auto &[name, shape] : tensors)
    program.addTensor(name, shape);
  for (const char *name : inputs)
    program.tensors[*program.findTensor(name)].isInput = true;
  return program;
}

TEST(ReusePatterns, ConjugateGradient) {
  Graph graph = buildGraph(makeConjugateGradient(1000000, 4996000, 8), 2);
  using Patterns = std::map<std::string, std::string>;
  EXPECT_EQ(describe(graph), (Patterns{
                                 {"1 -S-> 2", "pipelineable"},
                                 {"1 -S-> 4", "pipeline_with_writeback"},
                                 {"2 -D-> 2s", "sequential"},
                                 {"2s -L-> 3", "sequential*"},
                                 {"2s -L-> 4", "sequential*"},
                                 {"3 -X-> 3'", "sequential"},
                                 {"4 -R-> 5", "pipelineable"},
                                 {"4 -R-> 7", "pipeline_with_writeback"},
                                 {"4 -R-> 4'", "pipeline_with_writeback"},
                                 {"5 -Gnew-> 6", "sequential"},
                                 {"5 -Gnew-> 2s'", "sequential"},
                                 {"5 -Gnew-> 6'", "sequential"},
                                 {"6 -F-> 7", "sequential"},
                                 {"7 -P-> 1'", "sequential"},
                                 {"7 -P-> 2'", "pipeline_with_writeback"},
                                 {"7 -P-> 3'", "sequential"},
                                 {"7 -P-> 7'", "pipeline_with_writeback"},
                                 {"1' -S-> 2'", "pipelineable"},
                                 {"1' -S-> 4'", "pipeline_with_writeback"},
                                 {"2' -D-> 2s'", "sequential"},
                                 {"2s' -L-> 3'", "sequential*"},
                                 {"2s' -L-> 4'", "sequential*"},
                                 {"4' -R-> 5'", "pipelineable"},
                                 {"4' -R-> 7'", "pipeline_with_writeback"},
                                 {"5' -Gnew-> 6'", "sequential"},
                                 {"6' -F-> 7'", "sequential"},
                             }));
  EXPECT_EQ(criticalPath(graph),
            (std::vector<std::string>{"1", "2", "2s", "4", "5", "6", "7", "1'",
                                      "2'", "2s'", "4'", "5'", "6'", "7'"}));
  ReuseAnalysis reuse = analyzeReuse(graph, defaults);
  std::string dominance;
  for (unsigned node = 0; node < 8; ++node)
    dominance += nameOf(reuse.nodes[node].dominance).str() + " ";
  EXPECT_EQ(dominance, "U C small U U C small U ");
}

TEST(ReusePatterns, SkipOfResidualBlockIsHeld) {
  Program program = withTensors({{"X", {56, 56, 64}},
                                 {"V", {56, 56, 64}},
                                 {"Y", {56, 56, 64}},
                                 {"W1", {64, 64}},
                                 {"W2", {3, 3, 64, 64}},
                                 {"T", {56, 56, 64}},
                                 {"U", {56, 56, 64}},
                                 {"I", {56, 56, 64}}},
                                {"I", "W1", "W2"});
  add(program, "in", "X[h,w,c] = I[h,w,c]", OperationKind::elementwise);
  add(program, "conv1", "T[h,w,c] = X[h,w,k] W1[k,c]");
  add(program, "relu", "U[h,w,c] = T[h,w,c]", OperationKind::elementwise);
  add(program, "conv2", "V[h,w,c] = U[h,w,k] W2[r,s,k,c]");
  add(program, "add", "Y[h,w,c] = V[h,w,c] + X[h,w,c]");
  auto patterns = describe(buildGraph(program));
  EXPECT_EQ(patterns["in -X-> add"], "pipeline_with_hold");
  for (const char *edge : {"in -X-> conv1", "conv1 -T-> relu",
                           "relu -U-> conv2", "conv2 -V-> add"})
    EXPECT_EQ(patterns[edge], "pipelineable") << edge;
}

TEST(ReusePatterns, HoldNeedsAllOfThePath) {
  // No node between is contracted, but B waits for all of X: its dominant rank
  // is not what it reads X by.
  Program program = withTensors({{"I", {100000, 8}},
                                 {"X", {100000, 8}},
                                 {"Y", {100000, 8}},
                                 {"Z", {100000, 8}}},
                                {"I"});
  unsigned matrix = program.addMatrix("A", 100000, 100000, 400000);
  program.tensors[matrix].isInput = true;
  add(program, "a", "X[m,n] = I[m,n]", OperationKind::elementwise);
  add(program, "b", "Y[m,n] = A[m,k] X[k,n]");
  add(program, "c", "Z[m,n] = Y[m,n] + X[m,n]");
  auto patterns = describe(buildGraph(program));
  EXPECT_EQ(patterns["a -X-> b"], "sequential");
  EXPECT_EQ(patterns["b -Y-> c"], "pipelineable");
  EXPECT_EQ(patterns["a -X-> c"], "pipeline_with_writeback");
}

TEST(ReusePatterns, LayerOfGraphConvolution) {
  Program program = withTensors({{"X0", {2708, 1433}},
                                 {"Z", {2708, 1433}},
                                 {"W", {1433, 7}},
                                 {"X1", {2708, 7}}},
                                {"X0", "W"});
  program.tensors[program.addMatrix("A", 2708, 2708, 9464)].isInput = true;
  add(program, "aggregate", "Z[m,n] = A[m,k] X0[k,n]");
  add(program, "combine", "X1[m,o] = Z[m,j] W[j,o]");
  EXPECT_EQ(describe(buildGraph(program))["aggregate -Z-> combine"],
            "pipelineable");
}

TEST(ReusePatterns, Attention) {
  Program program = withTensors({{"Q", {512, 64}},
                                 {"K", {512, 64}},
                                 {"V", {512, 64}},
                                 {"S", {512, 512}},
                                 {"M", {512}},
                                 {"E", {512, 512}},
                                 {"L", {512}},
                                 {"B", {512, 512}},
                                 {"O", {512, 64}}},
                                {"Q", "K", "V"});
  add(program, "scores", "S[i,j] = Q[i,d] K[j,d]");
  add(program, "max", "M[i] = S[i,j]");
  add(program, "exp", "E[i,j] = S[i,j] M[i]", OperationKind::elementwise);
  add(program, "sum", "L[i] = E[i,j]");
  add(program, "divide", "B[i,j] = E[i,j] L[i]", OperationKind::elementwise);
  add(program, "values", "O[i,d] = B[i,j] V[j,d]");
  auto patterns = describe(buildGraph(program));
  using Patterns = std::map<std::string, std::string>;
  // Rows of scores are kept until their largest is known.
  EXPECT_EQ(patterns, (Patterns{{"scores -S-> max", "pipelineable"},
                                {"scores -S-> exp", "pipeline_with_hold"},
                                {"max -M-> exp", "pipelineable"},
                                {"exp -E-> sum", "pipelineable"},
                                {"exp -E-> divide", "pipeline_with_hold"},
                                {"sum -L-> divide", "pipelineable"},
                                {"divide -B-> values", "pipelineable"}}));
}

TEST(ReusePatterns, ChainOfLayers) {
  Program program = withTensors({{"H0", {4096, 32}},
                                 {"H1", {4096, 32}},
                                 {"H2", {4096, 32}},
                                 {"H3", {4096, 32}},
                                 {"W", {32, 32}}},
                                {"H0", "W"});
  add(program, "l1", "H1[b,o] = H0[b,i] W[i,o]");
  add(program, "l2", "H2[b,o] = H1[b,i] W[i,o]");
  add(program, "l3", "H3[b,o] = H2[b,i] W[i,o]");
  auto patterns = describe(buildGraph(program));
  EXPECT_EQ(patterns["l1 -H1-> l2"], "pipelineable");
  EXPECT_EQ(patterns["l2 -H2-> l3"], "pipelineable");
}

TEST(ReusePatterns, BiConjugateGradientStabilized) {
  Program program = withTensors({{"p", {100000}},
                                 {"r", {100000}},
                                 {"rhat", {100000}},
                                 {"x", {100000}},
                                 {"h", {100000}},
                                 {"v", {100000}},
                                 {"s", {100000}},
                                 {"t", {100000}},
                                 {"rho", {}},
                                 {"rv", {}},
                                 {"alpha", {}},
                                 {"ts", {}},
                                 {"tt", {}},
                                 {"omega", {}},
                                 {"rhonew", {}},
                                 {"beta", {}}},
                                {"p", "r", "rhat", "x", "rho"});
  program.isLoop = true;
  program.tensors[program.addMatrix("A", 100000, 100000, 500000)].isInput =
      true;
  const OperationKind whole = OperationKind::whole;
  add(program, "v", "v[i] = A[i,k] p[k]");
  add(program, "rv", "rv[] = rhat[i] v[i]");
  add(program, "alpha", "alpha[] = rho rv", whole);
  add(program, "h", "h[i] = x[i] + alpha p[i]");
  add(program, "s", "s[i] = r[i] - alpha v[i]");
  add(program, "t", "t[i] = A[i,k] s[k]");
  add(program, "ts", "ts[] = t[i] s[i]");
  add(program, "tt", "tt[] = t[i] t[i]");
  add(program, "omega", "omega[] = ts tt", whole);
  add(program, "x", "x[i] = h[i] + omega s[i]");
  add(program, "r", "r[i] = s[i] - omega t[i]");
  add(program, "rho", "rhonew[] = rhat[i] r[i]");
  add(program, "beta", "beta[] = rhonew rho alpha omega", whole);
  add(program, "p", "p[i] = r[i] + beta p[i] - beta omega v[i]");
  program.carried.push_back(
      {*program.findTensor("rho"), *program.findTensor("rhonew")});
  auto patterns = describe(buildGraph(program, 2));
  EXPECT_EQ(patterns["v -v-> rv"], "pipelineable");
  EXPECT_EQ(patterns["v -v-> s"], "pipeline_with_writeback");
  EXPECT_EQ(patterns["s -s-> t"], "sequential");
  // Both dot products read t while it is computed.
  EXPECT_EQ(patterns["t -t-> ts"], "pipelineable*");
  EXPECT_EQ(patterns["t -t-> tt"], "pipelineable*");
  EXPECT_EQ(patterns["r -r-> rho"], "pipelineable");
  EXPECT_EQ(patterns["r -r-> p"], "pipeline_with_writeback");
  EXPECT_EQ(patterns["r -r-> s'"], "pipeline_with_writeback");
}

Dominance classifyProduct(int64_t m, int64_t k, int64_t n) {
  Program program =
      withTensors({{"A", {m, k}}, {"B", {k, n}}, {"C", {m, n}}}, {});
  add(program, "product", "C[m,n] = A[m,k] B[k,n]");
  return classify(program.body[0], defaults);
}

TEST(ReusePatterns, ThresholdsOfDominance) {
  // Above 1000 ...
  EXPECT_EQ(classifyProduct(1000, 4, 4), Dominance::small);
  EXPECT_EQ(classifyProduct(1001, 4, 4), Dominance::uncontracted);
  // ... and above a hundred times each other rank.
  EXPECT_EQ(classifyProduct(2000, 20, 4), Dominance::small);
  EXPECT_EQ(classifyProduct(2001, 20, 4), Dominance::uncontracted);
  EXPECT_EQ(classifyProduct(20, 2000, 4), Dominance::small);
  EXPECT_EQ(classifyProduct(20, 2001, 4), Dominance::contracted);
  // All ranks from 50.
  EXPECT_EQ(classifyProduct(49, 60, 60), Dominance::small);
  EXPECT_EQ(classifyProduct(50, 60, 60), Dominance::balanced);
  EXPECT_EQ(classifyProduct(50000, 50000, 50), Dominance::balanced);
}

TEST(ReusePatterns, OccupancyOfCompressedRank) {
  Program program = withTensors({{"B", {50000, 4}}, {"C", {50000, 4}}}, {"B"});
  program.addMatrix("A", 50000, 50000, 50000 * 499);
  add(program, "few", "C[m,n] = A[m,k] B[k,n]");
  EXPECT_EQ(classify(program.body[0], defaults), Dominance::uncontracted);
  program.tensors[*program.findTensor("A")].nonzeros = 50000 * 500;
  add(program, "many", "C[m,n] = A[m,k] B[k,n]");
  EXPECT_EQ(classify(program.body[1], defaults), Dominance::small);
}

TEST(ReusePatterns, FirstOfPathsThatAreAsLong) {
  Program program = withTensors({{"I", {60, 60}},
                                 {"X", {60, 60}},
                                 {"Y", {60, 60}},
                                 {"Z", {60, 60}},
                                 {"O", {60, 60}}},
                                {"I"});
  add(program, "x", "X[i,j] = I[i,j]");
  add(program, "z", "Z[i,j] = X[i,j]");
  add(program, "y", "Y[i,j] = X[i,j]");
  add(program, "o", "O[i,j] = Y[i,j] Z[i,j]");
  EXPECT_EQ(criticalPath(buildGraph(program)),
            (std::vector<std::string>{"x", "z", "o"}));
}

std::string errorOf(llvm::Expected<Graph> graph) {
  return graph ? "" : llvm::toString(graph.takeError());
}

TEST(ReusePatterns, Errors) {
  Program sizes =
      withTensors({{"A", {4, 5}}, {"B", {6, 3}}, {"C", {4, 3}}}, {});
  EXPECT_EQ(llvm::toString(sizes.add("1", "C[m,n] = A[m,k] B[k,n]")),
            "rank 'k' of operation '1' has size 5 in 'A' and 6 in 'B'");
  EXPECT_EQ(llvm::toString(sizes.add("1", "C[m,n] = A[m,k")),
            "operation '1' has a '[' without ']'");
  EXPECT_EQ(llvm::toString(sizes.add("1", "C[m,n] = D[m,n]")),
            "operation '1' names 'D', which is no tensor");
  EXPECT_EQ(llvm::toString(sizes.add("1", "C[m,n] = A[m]")),
            "operation '1' has 1 indices of 'A', which has 2 dimensions");
  Program empty = withTensors({{"A", {0, 5}}, {"B", {0, 5}}}, {"A"});
  EXPECT_EQ(llvm::toString(empty.add("1", "B[m,n] = A[m,n]")),
            "dimension 0 of tensor 'B' has size 0, which has to be positive");
  Program cycle = withTensors({{"A", {4, 5}}, {"B", {4, 5}}}, {});
  add(cycle, "1", "A[m,n] = B[m,n]");
  add(cycle, "2", "B[m,n] = A[m,n]");
  EXPECT_EQ(errorOf(Graph::build(cycle, {})),
            "operation '1' reads 'B', which operation '2' writes behind it: "
            "that is a cycle without a loop");
}

} // namespace
