//===- Coordinates.h - Which coordinates lists belong to --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tokens do not tell a list without lists from one with an empty list, and
// blocks of points need all coordinates of a value: who looks for these asks
// the graph.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SAM_IR_COORDINATES_H
#define EMBER_DIALECT_SAM_IR_COORDINATES_H

#include "ember/Dialect/SAM/IR/SAM.h"

namespace ember::sam {

/// The coordinates in the same lists as a stream; null for the root, and where
/// nobody knows.
mlir::Value findCoordinatesBeside(mlir::Value stream);
/// The coordinates that the lists of a stream belong to; null for outermost
/// lists, and where nobody knows.
mlir::Value findCoordinatesAround(mlir::Value stream);

} // namespace ember::sam

#endif // EMBER_DIALECT_SAM_IR_COORDINATES_H
