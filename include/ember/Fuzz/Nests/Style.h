//===- Style.h - What one program is made of --------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each program draws its own mixture of features and sizes ("swarm testing"):
// programs that all have a bit of everything rarely reach the corners that need
// much of one thing and none of another.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_NESTS_STYLE_H
#define EMBER_FUZZ_NESTS_STYLE_H

#include "ember/Fuzz/Program/Ast.h"
#include "ember/Fuzz/Program/Random.h"

namespace ember::fuzz {

/// Probabilities unless said otherwise.
struct Style {
  /// Element types of tables and outputs.
  std::vector<Scalar> data;
  /// Element types of index and offset arrays.
  Scalar index = Scalar::Index;
  Scalar offset = Scalar::Index;
  /// Sizes that dimensions and loops share, so that they fit each other.
  std::vector<int64_t> sizes;
  int maxDepth = 3;

  double openDimensions = 0;
  double scalarBounds = 0;
  double lowerBounds = 0;
  double wideSteps = 0;
  double farRanges = 0;
  double segments = 0;
  double iterArgs = 0;
  double workspaces = 0;
  double siblings = 0;
  double branches = 0;
  double views = 0;
  double allocations = 0;
  double stridedIndices = 0;
  double mixedTypes = 0;
  double writtenLoads = 0;
  double recurrences = 0;
  double indexStores = 0;
  double localConstants = 0;
  double loopCalls = 0;
  double copies = 0;
  double assertions = 0;
  double emptySizes = 0;
};

Style drawStyle(Random &random);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_NESTS_STYLE_H
