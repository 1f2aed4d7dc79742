//===- Storage.h - Tensors in memory, in formats ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SAM_EVALUATION_STORAGE_H
#define EMBER_DIALECT_SAM_EVALUATION_STORAGE_H

#include "ember/Dialect/SAM/IR/SAM.h"

#include <vector>

namespace ember::sam {

/// The arrays of a level, those that its kind has.
struct StoredLevel {
  /// Of a compressed level: where the fiber of each position above begins, and
  /// the last one ends.
  std::vector<int64_t> positions;
  /// Of a compressed level or a singleton.
  std::vector<int64_t> coordinates;
  /// Of a bitmap: whether each coordinate of each fiber is stored.
  std::vector<bool> stored;
};

/// A tensor, or a number, which has no level and one value.
struct StoredTensor {
  TensorFormat format;
  /// By dimension.
  llvm::SmallVector<int64_t> shape;
  std::vector<StoredLevel> levels;
  std::vector<mlir::TypedAttr> values;

  int64_t sizeOfLevel(unsigned level) const {
    return shape[format.order[level]];
  }
  /// Calls `visit` with the coordinate and the position of each element of the
  /// fiber of `level` below a position, in the order of coordinates. Of a
  /// coordinate that a level lists several times, the first position stands for
  /// all of them.
  void scan(unsigned level, int64_t above,
            llvm::function_ref<void(int64_t, int64_t)> visit) const;

private:
  /// Where the positions of a singleton end that have all coordinates above it
  /// in common with the one at `begin`.
  int64_t findRunEnd(unsigned level, int64_t begin) const;
};

/// Stores what differs from what the format does not store, of elements in
/// row-major order.
StoredTensor store(const TensorFormat &format, llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<mlir::TypedAttr> elements);
/// Stores the elements of a tensor whose levels, of any kind, have positions
/// and coordinates as if all were compressed.
StoredTensor storeLists(const StoredTensor &lists);
/// All elements, in row-major order.
std::vector<mlir::TypedAttr> getElements(const StoredTensor &tensor);

} // namespace ember::sam

#endif // EMBER_DIALECT_SAM_EVALUATION_STORAGE_H
