//===- GraphBlocks.h - Simulated blocks for those of the dialect *- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATION_SAM_GRAPHBLOCKS_H
#define EMBER_LIB_SIMULATION_SAM_GRAPHBLOCKS_H

#include "ember/Dialect/SAM/IR/SAM.h"
#include "ember/Sim/SAM/Graph.h"

namespace ember {

/// As what a level is simulated; nothing if it is not. A list of points has
/// each coordinate of its outermost level once a point.
std::optional<sim::sam::Level::Format>
findSimulatedFormat(mlir::Value tensor, const sam::TensorFormat &format,
                    unsigned level);

/// What scans a level.
sim::sam::BlockKind findScanner(sim::sam::Level::Format format);

/// The block that computes a function of two values, as reducers do too.
std::optional<sim::sam::BlockKind> findArithmetic(cin::Function function);

/// A block that computes any function of up to four numbers.
mlir::LogicalResult setComputation(sam::AluOp op, cin::Function function,
                                   sim::sam::Block &block);

} // namespace ember

#endif // EMBER_LIB_SIMULATION_SAM_GRAPHBLOCKS_H
