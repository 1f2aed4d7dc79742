//===- Conformance.h - Measured timing as tests -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks with the tokens that come in each cycle and those that are shown, and
// kernels with their cycles, in one form of JSON: some stand in the repository,
// those that were measured of the published simulator beside it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_UNITTESTS_SIM_SAM_CONFORMANCE_H
#define EMBER_UNITTESTS_SIM_SAM_CONFORMANCE_H

#include "ember/Sim/SAM/GraphFile.h"

namespace ember::sim::sam {

/// Files with "blocks" and "kernels", the repository's own first.
std::vector<std::string> conformanceFiles();
/// Fails a test if the file cannot be read.
llvm::json::Value readJSON(llvm::StringRef path);

/// A graph of the block, or of two scanners that gallop, which is fed.
struct BlockVector {
  std::string name;
  Graph graph;
  /// By names of output ports in the file: block, port, and the tokens by
  /// cycle.
  struct Output {
    unsigned block;
    unsigned port;
    std::string text;
  };
  std::vector<Output> outputs;
  std::vector<unsigned> checked;
  uint64_t doneCycle = 0;
  std::optional<std::string> stored;
  bool isQuirk = false;
};
BlockVector buildVector(const llvm::json::Object &object);

/// The shown tokens of an output, a word a cycle, `.` where there is none.
std::string printTimeline(llvm::ArrayRef<TimedToken> tokens, StreamType type);

/// What an expression such as `X(i,j)=B(i,k)*C(k,j)+D(i,j)` is, evaluated at
/// every point.
Elements evaluate(llvm::StringRef expression, const Graph &graph,
                  const llvm::json::Object &tensors,
                  const llvm::json::Object &dims);

/// Without explicit zeros.
Elements withoutZeros(Elements elements);

} // namespace ember::sim::sam

#endif
