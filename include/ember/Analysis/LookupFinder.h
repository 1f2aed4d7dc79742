//===- LookupFinder.h - The rows that a loop looks up -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_LOOKUPFINDER_H
#define EMBER_ANALYSIS_LOOKUPFINDER_H

#include "ember/Analysis/MemoryAccess.h"
#include "ember/Analysis/MemoryAliasing.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember {

/// A row of `table` that the index loaded by `index` selects.
struct Lookup {
  mlir::memref::LoadOp index;
  mlir::Value table;
  /// The indices of the row's first element; they may be computed in the loop.
  llvm::SmallVector<mlir::Value> start;
  /// Counters of loops inside, and where they start.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> counters;
  /// The loop inside that goes from row to row of a block that the index
  /// selects; null where it selects one row.
  mlir::scf::ForOp rows;
  /// Whether the index says where in a row, and not only which row.
  bool selectsElement = false;
  /// How near the cache is that should keep the row, where its stream says so:
  /// 3 is the first, 0 none.
  std::optional<unsigned> locality;
  /// The position in the row of the first element that is read, and how many
  /// elements are from there on, if these are constants.
  std::optional<int64_t> first, length;

  /// Covers what `other`, of the same row, reads as well.
  void merge(const Lookup &other);
  int64_t countRows() const {
    return rows ? mlir::scf::ForOp(rows).getStaticTripCount()->getZExtValue()
                : 1;
  }
};

/// Finds the lookups of one loop.
class LookupFinder {
public:
  LookupFinder(mlir::scf::ForOp loop, const MemoryAliasing &aliasing)
      : loop(loop), memory(loop, aliasing) {}

  llvm::SmallVector<Lookup> find();
  /// What is read element after element, one an iteration: indices, weights.
  llvm::SmallVector<mlir::memref::LoadOp> findSequences();

private:
  bool isPositionOfLoop(mlir::memref::LoadOp load);
  bool isBeginOfSegment(mlir::memref::LoadOp load);
  std::optional<int64_t> getFirst(const Lookup &lookup, mlir::Value index);
  std::optional<Lookup> asLookup(const MemoryAccess &access);

  mlir::scf::ForOp loop;
  NestMemory memory;
  IndexExprs exprs;
};

/// Whether `rows` runs from 0 through a few rows one by one.
bool isOverBlock(mlir::scf::ForOp rows);

} // namespace ember

#endif // EMBER_ANALYSIS_LOOKUPFINDER_H
