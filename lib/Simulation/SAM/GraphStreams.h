//===- GraphStreams.h - Which streams are nested alike ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beside references and values are coordinates, of which none is missing, and
// around these are those of the level above. Blocks that need to know where
// lists begin ask for them.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATION_SAM_GRAPHSTREAMS_H
#define EMBER_LIB_SIMULATION_SAM_GRAPHSTREAMS_H

#include "ember/Dialect/SAM/IR/SAM.h"

namespace ember {

/// The coordinates in the same lists as a stream; null for the root, and where
/// nobody knows.
mlir::Value findCoordinatesBeside(mlir::Value stream);
/// The coordinates that the lists of a stream belong to; null for outermost
/// lists, and where nobody knows.
mlir::Value findCoordinatesAround(mlir::Value stream);

} // namespace ember

#endif // EMBER_LIB_SIMULATION_SAM_GRAPHSTREAMS_H
