//===- LevelCode.h - Positions of arrays in a format ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSCF_LEVELCODE_H
#define EMBER_LIB_CONVERSION_CINTOSCF_LEVELCODE_H

#include "ember/Dialect/CIN/IR/LevelOperands.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

#include <functional>

namespace ember::cin {

/// The memory that an array in a format is stored in.
struct Storage {
  ArrayType type;
  /// By level: positions and coordinates, coordinates, or booleans. These and
  /// values are null where there are counts.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> levels;
  mlir::Value values;
  /// Whether elements are positions of values instead of these.
  bool isLocating = false;
  /// How many positions each level has, of an array of which no more is wanted.
  mlir::Value counts;
  /// By dimension.
  llvm::SmallVector<mlir::Value> sizes;
  /// What messages call it, and its dimensions where those are of another
  /// array.
  std::string name;
  llvm::SmallVector<std::string> dimensions = {};

  FormatAttr format() const { return type.getFormat(); }
  const Level &level(unsigned number) const {
    return type.getFormat().getLevels()[number];
  }
  mlir::Value positions(unsigned level) const { return levels[level][0]; }
  mlir::Value coordinates(unsigned level) const { return levels[level].back(); }
  mlir::Value sizeOfLevel(unsigned level) const {
    return sizes[type.getFormat().getOrder()[level]];
  }
  /// What messages call it: "'A'".
  std::string describe() const;
  /// What messages call a dimension: "dimension 0 of 'A'".
  std::string describe(unsigned dimension) const;
};

/// Where a fiber is.
struct Cursor {
  /// Null if it is surely not stored.
  mlir::Value position;
  /// Behind the last position, of a level of coordinates that are not unique;
  /// null for one position.
  mlir::Value end = {};
  /// Whether it is stored; null if it surely is.
  mlir::Value isStored = {};
  /// Whether there is an element at the position even where it is not stored.
  bool isInBounds = false;
};

/// Positions from `begin` to `end`.
struct Segment {
  mlir::Value begin, end;
};

/// Emits how elements of arrays in formats are reached.
class LevelCode {
public:
  /// `index` gives an expression of the statement as an index.
  LevelCode(mlir::ImplicitLocOpBuilder &builder,
            std::function<mlir::Value(mlir::Value)> index)
      : builder(builder), index(std::move(index)) {}

  void setStorage(mlir::Value array, Storage storage) {
    std::unique_ptr<Storage> &place = storages[array];
    if (!place)
      place = std::make_unique<Storage>();
    *place = std::move(storage);
  }
  const Storage &getStorage(mlir::Value array) const {
    return *storages.find(array)->second;
  }

  /// In a loop that walks it, a fiber is where the loop has come to.
  void bind(const Fiber &fiber, Cursor cursor);
  void unbind(const Fiber &fiber);

  /// Fibers of which the loops around surely know that they are stored, or that
  /// they are not.
  llvm::SmallVector<Fiber> getStored() const;
  llvm::SmallVector<Fiber> getAbsent() const;

  /// Where a fiber is: where a loop has come to, or else where it is found.
  Cursor find(const Fiber &fiber);
  /// The positions of the level of a fiber's last coordinate that have the
  /// coordinates above: empty where these are not stored.
  Segment getSegment(const Fiber &fiber);
  /// The coordinate at a position of a level.
  mlir::Value getCoordinate(const Fiber &fiber, mlir::Value position);
  /// That at the next position; at the last one any, as nothing asks for it.
  mlir::Value getNextCoordinate(const Fiber &fiber, mlir::Value position);
  /// The value of an element: the fill where it is not stored.
  mlir::Value load(AccessOp access);
  /// A condition that holds where an element is stored.
  mlir::Value isStored(AccessOp access);
  /// A condition that holds where a fiber is stored.
  mlir::Value isStored(const Fiber &fiber);
  /// The first position from `segment.begin` on whose coordinate is
  /// `coordinate` or more; of an unordered level, that has it.
  mlir::Value search(const Fiber &fiber, Segment segment,
                     mlir::Value coordinate);

  /// The same of an ordered level, in time that depends on how far it is: looks
  /// twice as far each time, and searches what it has stepped over last.
  mlir::Value gallop(const Fiber &fiber, Segment segment,
                     mlir::Value coordinate);

  /// An error of the run unless an index of what `of` describes is inside,
  /// which a comparison with a size says: it names that, and the index.
  void emitBoundsAssertion(mlir::Value isInside, const std::string &of);

  mlir::Value constant(int64_t value);
  mlir::Value loadIndex(mlir::Value array, mlir::Value position);
  mlir::Value add(mlir::Value value, int64_t more);

  /// An error of the run where a coordinate is past its dimension, unless sizes
  /// are compared ahead of loops.
  void assertInside(const Fiber &fiber, mlir::Value coordinate);

private:
  /// An error of the run where a segment of an array that is given ends before
  /// it begins, and would be taken for an empty one by what is no plain loop.
  void assertIncreasing(const Fiber &fiber, Segment segment);
  Cursor locate(const Fiber &fiber);
  Cursor locateListed(const Fiber &fiber);
  Cursor findAbove(const Fiber &fiber);

  mlir::ImplicitLocOpBuilder &builder;
  std::function<mlir::Value(mlir::Value)> index;
  /// Each stays where it is: what appends to an array keeps it while workspaces
  /// come.
  llvm::DenseMap<mlir::Value, std::unique_ptr<Storage>> storages;
  llvm::SmallVector<std::pair<Fiber, Cursor>> bound;
};

} // namespace ember::cin

#endif // EMBER_LIB_CONVERSION_CINTOSCF_LEVELCODE_H
