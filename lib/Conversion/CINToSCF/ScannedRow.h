//===- ScannedRow.h - Few coordinates in a register -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The coordinates of a short segment are loaded into one vector, in which one
// is looked for by comparing it with all of them at once. Merging two lists of
// a few coordinates takes a branch for each that nobody foresees; this takes
// one where the loop ends.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSCF_SCANNEDROW_H
#define EMBER_LIB_CONVERSION_CINTOSCF_SCANNEDROW_H

#include "LevelCode.h"

namespace ember::cin {

class ScannedRow {
public:
  /// Loads at most `most` coordinates, and checks that they increase: longer
  /// segments have to be kept out before.
  ScannedRow(mlir::ImplicitLocOpBuilder &builder, LevelCode &levels,
             const Fiber &fiber, Segment segment, int64_t most);

  /// Where a coordinate is, and whether it is there. Coordinates are each there
  /// at most once.
  Cursor find(mlir::Value coordinate);

private:
  /// A number with a bit for each lane.
  mlir::Value pack(mlir::Value lanes);
  void assertIncreasing(mlir::Value length, const std::string &name);

  mlir::ImplicitLocOpBuilder &builder;
  mlir::Value begin, mask, coordinates;
};

} // namespace ember::cin

#endif // EMBER_LIB_CONVERSION_CINTOSCF_SCANNEDROW_H
