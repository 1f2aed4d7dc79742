//===- GraphSimulation.h - Graphs of the dialect, simulated -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sam.graph becomes a graph of the simulator, with what its tensors store,
// and what the simulator's writers took becomes tensors again. A block that the
// simulator does not have is an error that names it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATION_SAM_GRAPHSIMULATION_H
#define EMBER_SIMULATION_SAM_GRAPHSIMULATION_H

#include "ember/Dialect/SAM/Evaluation/Storage.h"
#include "ember/Sim/SAM/Run.h"

namespace ember {

/// What is written of a result: levels and values, or values at references.
struct SimulatedResult {
  /// What the simulator calls it; empty if nothing is written.
  std::string name;
  /// The writers of references and of values at them.
  unsigned references = sim::sam::noIndex;
  unsigned values = sim::sam::noIndex;
};

/// A verified graph of the simulator; a result for each of the operation's.
struct SimulatedGraph {
  sim::sam::Graph graph;
  std::vector<SimulatedResult> results;
};

/// Errors are those of blocks.
llvm::FailureOr<SimulatedGraph>
translateGraph(sam::GraphOp graph, llvm::ArrayRef<sam::StoredTensor> inputs,
               llvm::ArrayRef<llvm::SmallVector<int64_t>> shapes);

/// The tensors that a run has written.
llvm::FailureOr<std::vector<sam::StoredTensor>>
collectResults(sam::GraphOp graph, const SimulatedGraph &simulated,
               const sim::sam::Run &run, sim::sam::Quirks quirks,
               llvm::ArrayRef<llvm::SmallVector<int64_t>> shapes);

} // namespace ember

#endif // EMBER_SIMULATION_SAM_GRAPHSIMULATION_H
