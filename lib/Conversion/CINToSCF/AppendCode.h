//===- AppendCode.h - Arrays that are appended to ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSCF_APPENDCODE_H
#define EMBER_LIB_CONVERSION_CINTOSCF_APPENDCODE_H

#include "LevelCode.h"

namespace ember::cin {

/// Emits how an array in a format is assembled: its elements are assigned in
/// the order of its levels.
class AppendCode {
public:
  /// What loops do: append everything, or count what each row stores, or store
  /// each row where it belongs once all before it are counted.
  enum class Mode { append, countRows, fillRows };

  /// Emits what is done before any statement that assigns to `array`.
  AppendCode(mlir::ImplicitLocOpBuilder &builder, LevelCode &levels,
             AssembleOp array);

  /// From here on; but for appending, of an array with rows of their own.
  void setMode(Mode newMode);
  /// Behind loops that count rows: where each row begins. There are no rows
  /// from `end` on.
  void sumRows(mlir::Value end);

  /// In a loop over the coordinate of a level: what is done before its body,
  /// and behind it. `coordinates` are those of the levels above and its own.
  void enter(unsigned level, llvm::ArrayRef<mlir::Value> coordinates);
  void leave(unsigned level, llvm::ArrayRef<mlir::Value> coordinates);
  /// An element. Unless each level has a loop of its own, all of them learn of
  /// it here.
  void store(llvm::ArrayRef<mlir::Value> coordinates, mlir::Value value,
             bool isComputed);
  /// Elements are written from here on, but count only where a condition holds:
  /// otherwise the next one is written over them. Null for all.
  void setTentative(mlir::Value condition) { tentative = condition; }
  /// A condition that holds where there is room for one more element; null if
  /// nothing is written.
  mlir::Value hasRoom();
  /// As many more positions of the last level.
  void skip(mlir::Value positions);
  /// Begins anew.
  void reset();
  /// What is done behind all statements; for positions before `end`, or all if
  /// that is null.
  void finish(mlir::Value end = {});

private:
  /// The outermost of the levels that share their positions with `level`.
  unsigned getTop(unsigned level) const;
  /// How many positions a listed level has so far.
  mlir::Value getCount(unsigned level);
  void setCount(unsigned level, mlir::Value count);
  /// The position of the coordinate that a loop is at.
  mlir::Value getPosition(unsigned level,
                          llvm::ArrayRef<mlir::Value> coordinates);
  /// The level below, if its positions are between those of an array.
  bool isAboveSegments(unsigned level) const {
    return level + 1 < depth &&
           storage.level(level + 1).kind == LevelKind::compressed;
  }
  /// An error of the run unless a coordinate that counts is below `end`, which
  /// is how many there are of what `of` describes.
  void assertBelow(mlir::Value coordinate, mlir::Value end,
                   const std::string &of);
  void append(unsigned level, llvm::ArrayRef<mlir::Value> coordinates);
  /// Notes that a coordinate of a bitmap is stored.
  void mark(unsigned level, mlir::Value position);
  /// Whether nothing is stored but how much there would be.
  bool isCounting() const {
    return !!storage.counts || mode == Mode::countRows;
  }
  void storeCounts();
  /// Nothing if there is no array.
  void storeIndex(mlir::Value index, mlir::Value array, mlir::Value position);
  mlir::Value getLimit(mlir::Value array);
  /// Has positions of a level say how many elements there are, if they can.
  void storePosition(mlir::Value count, unsigned level, mlir::Value at);
  /// `body` for all positions of a one-dimensional array from `from` on.
  void forAll(mlir::Value from, mlir::Value to,
              llvm::function_ref<void(mlir::Value)> body);

  mlir::ImplicitLocOpBuilder &builder;
  LevelCode &levels;
  const Storage &storage;
  unsigned depth;
  /// By level: a count in memory; null for levels that share it, or have none.
  llvm::SmallVector<mlir::Value> counts;
  /// By level that a loop is in: the count of the level below before its body.
  llvm::SmallVector<mlir::Value> before;
  mlir::Value tentative;
  Mode mode = Mode::append;
  /// Of the row that loops are in, where it ends.
  mlir::Value rowEnd;
};

} // namespace ember::cin

#endif // EMBER_LIB_CONVERSION_CINTOSCF_APPENDCODE_H
