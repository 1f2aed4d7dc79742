//===- LoopIndependence.h - Iterations that may run at once -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_LOOPINDEPENDENCE_H
#define EMBER_ANALYSIS_LOOPINDEPENDENCE_H

#include "ember/Analysis/IndexExpr.h"
#include "ember/Analysis/MemoryAccess.h"
#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Dialect/Ember/IR/Ember.h"

namespace ember {

/// How many values the counter of a loop over a tile takes at most, from where
/// it begins to no more than a number behind that; none if nothing says it.
std::optional<int64_t> findMostIterations(mlir::scf::ForOp loop,
                                          IndexExprs &exprs);

/// Whether `op`, which stands outside of loops that use `scratch`, does nothing
/// but store to it.
bool isFillOf(mlir::Operation *op, mlir::Value scratch);

/// Whether `op` allocates a scratch buffer that, but for its deallocation and
/// what fills it in front, only `loop` uses.
bool isScratchOf(mlir::Operation *op, mlir::scf::ForOp loop);

/// What the iterations of one loop read and write, as far as they share it:
/// buffers made in an iteration are its own.
class LoopIndependence {
public:
  LoopIndependence(mlir::scf::ForOp loop, const MemoryAliasing &aliasing,
                   IndexExprs &exprs);

  /// Whether no iteration touches what another one stores.
  bool isParallel() const { return refusal.empty(); }

  /// Why not, for a remark.
  llvm::StringRef getRefusal() const { return refusal; }

  /// Whether neither loop touches what the other one stores.
  bool isIndependentOf(const LoopIndependence &other) const;

  /// Whether an iteration may store to memory of `memref`.
  bool mayStoreTo(mlir::Value memref) const;

private:
  /// What an access covers along one dimension in iteration i:
  /// base + coefficient * i + [first, last], and with offsets each position
  /// from offsets[firstOffset + i] to offsets[firstOffset + i + 1] added.
  struct Extent {
    IndexExpr base;
    int64_t coefficient = 0;
    int64_t first = 0, last = 0;
    mlir::Value offsets;
    IndexExpr firstOffset;
  };
  struct Footprint {
    /// Not a view with steps of one: the array around it.
    mlir::Value memref;
    bool isStore;
    /// A dimension of which nothing is known has none. Without any dimensions:
    /// all of the memref.
    llvm::SmallVector<std::optional<Extent>> extents;
  };

  void collect(IndexExprs &exprs);
  /// Whether the loop says that iterations store to different places of it.
  bool isDeclaredApart(mlir::Value memref) const;
  bool isOwn(mlir::Value memref);
  bool addTerm(Extent &extent, mlir::Value value, int64_t factor,
               IndexExprs &exprs);
  bool addTile(Extent &extent, mlir::Value counter, int64_t factor,
               IndexExprs &exprs);
  bool addSegment(Extent &extent, mlir::Value position, IndexExprs &exprs);
  std::optional<Extent> extentOf(const IndexExpr &index, int64_t length,
                                 IndexExprs &exprs);
  Footprint footprintOf(const MemoryAccess &access, IndexExprs &exprs);
  bool areApartInIterations(const Footprint &store,
                            const Footprint &other) const;
  bool areApartInIterations(const Extent &a, const Extent &b) const;
  static bool areApart(const Footprint &a, const Footprint &b);
  void findConflicts();

  mlir::scf::ForOp loop;
  /// Of the loop, or 1 where that is not known, which is the least.
  int64_t step;
  const MemoryAliasing *aliasing;
  llvm::SmallVector<Footprint> footprints;
  std::string refusal;
};

} // namespace ember

#endif // EMBER_ANALYSIS_LOOPINDEPENDENCE_H
