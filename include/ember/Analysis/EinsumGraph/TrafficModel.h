//===- TrafficModel.h - Words that a schedule moves -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How much a graph of operations reads from DRAM and writes to it, for the
// schemes that GOGETA compares (table 3). The SRAM is managed by tensors: it
// holds the first words of each, and where it is full, last words of the tensor
// leave it that is needed latest (section 5.3). Words are real numbers: tensors
// share the memory in any proportion.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_EINSUMGRAPH_TRAFFICMODEL_H
#define EMBER_ANALYSIS_EINSUMGRAPH_TRAFFICMODEL_H

#include "ember/Analysis/EinsumGraph/Schedule.h"
#include "ember/Analysis/EinsumGraph/SpatialMachine.h"

namespace ember::einsum {

enum class Scheme : uint8_t {
  /// An operation at a time, all operands and results in DRAM.
  seqFlex,
  /// The same, but what fits stays in the SRAM, first come first served.
  seqOverflow,
  /// Pipelines whose operations have clusters of their own, and the SRAM for
  /// what is needed soonest.
  gogetaDf,
  /// The same, but each cluster has a part of the dominant rank and runs all
  /// operations of the pipeline on it.
  gogetaMap,
  /// An SRAM without end.
  ideal,
};
inline constexpr Scheme allSchemes[] = {Scheme::seqFlex, Scheme::seqOverflow,
                                        Scheme::gogetaDf, Scheme::gogetaMap,
                                        Scheme::ideal};
/// `SEQ-Flex` and so on, as in table 3.
llvm::StringRef nameOf(Scheme scheme);

/// When operations of one step that read the same tensor read it once.
enum class SharedReads : uint8_t {
  never,
  /// If both go through it with their outermost loops.
  aligned,
  always,
};

/// What the paper leaves open.
struct TrafficOptions {
  /// Tensors of which no dimension has as many values stay in registers; 0:
  /// none do.
  double smallDimension = 50;
  /// To schemes of an operation at a time, a transposed operand is another
  /// tensor, which takes memory and is read by itself.
  bool separatesTransposes = true;
  /// Sparse matrices may stay in the SRAM, too.
  bool keepsMatrices = true;
  /// What is read from DRAM may stay in the SRAM, not only what is written.
  bool keepsReads = true;
  /// What the program finds there is read, and what it leaves is written.
  bool countsInputs = true, countsOutputs = true;
  SharedReads sharedReads = SharedReads::aligned;
};

struct StepTraffic {
  Step nodes;
  double reads = 0, writes = 0;
  /// Words times links between clusters.
  double traversals = 0;
};

/// What a schedule does to what a tensor holds between two times that it is
/// written. Least traffic follows from these alone.
struct ValueUses {
  unsigned tensor;
  double words;
  bool isKept, isOutput, isTransposedCopy;
  struct StepUse {
    unsigned step, reads;
    bool isWritten;
  };
  std::vector<StepUse> uses;
};

struct Traffic {
  /// Words of DRAM, and what each tensor of the program has part in.
  double reads = 0, writes = 0;
  std::vector<double> readsOf, writesOf;
  /// Words times links between clusters.
  double traversals = 0;
  std::vector<StepTraffic> steps;
  std::vector<ValueUses> values;

  double words() const { return reads + writes; }
};

Traffic predictTraffic(const Graph &graph, const LoopOrders &orders,
                       const SpatialMachine &machine, Scheme scheme,
                       const TrafficOptions &options = {});

/// What one operation of the program would need by itself: multiplications by
/// words that it has to move (section 3).
double bestIntensity(const Program &program, const Operation &operation);

} // namespace ember::einsum

#endif // EMBER_ANALYSIS_EINSUMGRAPH_TRAFFICMODEL_H
