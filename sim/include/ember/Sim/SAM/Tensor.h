//===- Tensor.h - Tensors as levels in memory -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor is a level an index, outermost first, and its values: dense levels
// have all coordinates below their size, compressed ones list those of each
// fiber. Coordinate lists become levels, and levels coordinate lists.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_SAM_TENSOR_H
#define EMBER_SIM_SAM_TENSOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ember::sim::sam {

/// References count to here at most, so that products of two sizes and a
/// coordinate stay in range.
inline constexpr int64_t mostPositions = int64_t(1) << 48;

struct Level {
  /// `pointList` is the outermost level of a list of points, in which each
  /// coordinate comes once a point, and singletons are those inside of it.
  enum class Format : uint8_t {
    dense,
    compressed,
    pointList,
    singleton,
    bitvector,
    linkedList
  };

  Format format = Format::compressed;
  int64_t size = 0;
  /// Of all but dense levels: fiber f has coordinates[segments[f]] and on, up
  /// to coordinates[segments[f + 1]].
  std::vector<int64_t> segments = {};
  std::vector<int64_t> coordinates = {};
  /// Where these are, if not one after the other: of several points with the
  /// same coordinate the first one, and what a linked list leads to.
  std::vector<int64_t> positions = {};
  /// How many positions there are, of a level that says where they are.
  int64_t numPositions = -1;

  int64_t positionOf(int64_t number) const {
    return positions.empty() ? number : positions[number];
  }
  int64_t countPositions() const {
    return numPositions < 0 ? int64_t(coordinates.size()) : numPositions;
  }
};

/// A level whose fiber f begins at heads[f] (-1: empty) and goes on from a
/// position to next[position]. An error names the position that leads outside
/// or back.
llvm::Expected<Level> linkedListLevel(int64_t size,
                                      llvm::ArrayRef<int64_t> heads,
                                      llvm::ArrayRef<int64_t> next,
                                      llvm::ArrayRef<int64_t> coordinates);

/// The bits of a level, fiber by fiber, each in words of its own of 64 bits.
std::vector<uint64_t> bitsOf(const Level &level);

struct Tensor {
  std::string name;
  /// A name for each level's index, by which blocks may ask for a level.
  std::vector<std::string> indices;
  std::vector<Level> levels;
  std::vector<double> values;

  /// An error that names the level and the position: segments that descend,
  /// coordinates that do not ascend or are too large, an unlike number of
  /// values.
  llvm::Error verify() const;
};

/// Values by their coordinates, which are in order.
using Elements = std::map<std::vector<int64_t>, double>;

/// The tensor of elements, whose coordinates are in the order of its levels.
Tensor buildTensor(llvm::StringRef name, llvm::ArrayRef<Level::Format> formats,
                   llvm::ArrayRef<int64_t> sizes, const Elements &elements);

/// All that a tensor stores, explicit zeros too.
Elements elementsOf(const Tensor &tensor);

} // namespace ember::sim::sam

#endif
