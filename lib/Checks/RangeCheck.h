//===- RangeCheck.h - One check of a range of indices -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A check that a range of indices lies inside a dimension of a memref; how it
// moves out of loops, when it holds for certain, and the code it becomes.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CHECKS_RANGECHECK_H
#define EMBER_LIB_CHECKS_RANGECHECK_H

#include "ember/Analysis/IndexExpr.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember::checks {

/// Under all guards, points[0] <= points[1] <= ... < size as unsigned numbers.
///
/// As sizes are not negative, the last comparison keeps the last point within
/// [0, size), and the others keep the ones before it in [0, that point]. So no
/// point is negative, and no index between two of them wrapped around, whatever
/// arithmetic led to them.
struct RangeCheck {
  /// The operation the check stands in front of.
  mlir::Operation *anchor = nullptr;
  mlir::Location loc;
  llvm::SmallVector<IndexExpr, 3> points;
  IndexExpr size;
  /// Pairs of which the first must be less than the second, signed, for the
  /// access to happen: loops that run, masks with active lanes.
  llvm::SmallVector<std::pair<IndexExpr, IndexExpr>, 2> guards;
  /// Further conditions under which the access happens.
  llvm::SmallVector<mlir::Value, 1> conditions;
  /// Of a masked access: it reaches from points[0] for as many elements as are
  /// active, at most `lanes`.
  std::optional<IndexExpr> activeLanes;
  int64_t lanes = 1;
  /// What is accessed, and its size for the message where that is not `size`;
  /// null for an assertion.
  mlir::Value memref;
  int64_t dim = 0;
  /// What indices are of, where it is not that dimension: of an assertion what
  /// it says, and of an access to where a row begins or ends what rows are of.
  mlir::StringAttr bounds;
  /// Of such an access, by how much points are more than the number of the row.
  int64_t pastRow = 0;

  explicit RangeCheck(mlir::Operation *anchor)
      : anchor(anchor), loc(anchor->getLoc()) {}
};

/// Moves `check` out of as many loops as it can leave. Returns how many.
unsigned hoistCheck(RangeCheck &check, IndexExprs &exprs);

/// Whether `check` holds because of the bounds of the loops around it.
bool isProvenByLoops(RangeCheck check, IndexExprs &exprs);

/// What is left to compare after what holds for certain is dropped.
struct OpenComparisons {
  /// Positions i with points[i] <= points[i + 1] to be checked.
  llvm::SmallVector<unsigned, 2> steps;
  bool last = true;
  bool empty() const { return steps.empty() && !last; }
};
OpenComparisons findOpenComparisons(RangeCheck &check, const IndexExprs &exprs);

/// Emits the code of `check`: one condition, and a call that does not return.
void emitCheck(const RangeCheck &check, const OpenComparisons &open,
               IndexExprs &exprs);

/// Where in its memref, in row-major order, `load` reads; as an index.
mlir::Value loadPosition(mlir::Operation *load, mlir::OpBuilder &builder);
/// The same of the element of `memref` at `indices`.
mlir::Value loadPosition(mlir::Location loc, mlir::Value memref,
                         mlir::ValueRange indices, mlir::OpBuilder &builder);

} // namespace ember::checks

#endif // EMBER_LIB_CHECKS_RANGECHECK_H
