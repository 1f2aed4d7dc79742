//===- RowCopy.h - Rows that do not lie in one piece ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_EMBEDTOCIN_ROWCOPY_H
#define EMBER_LIB_CONVERSION_EMBEDTOCIN_ROWCOPY_H

#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace ember {

/// A copy of a table, made for one call, in which rows lie in one piece.
struct RowCopy {
  /// The copy: of no rows, unless it is used.
  mlir::Value table;
  /// Whether it is (i1); otherwise the table itself is to be read.
  mlir::Value isUsed;
};

/// Copies `table` in front of `op` when the program runs, if it has at most as
/// many rows as there are `indices` and the copy takes at most `mostBytes`.
/// Nothing if rows of that type are known to lie in one piece, or no copy may
/// take any bytes.
std::optional<RowCopy> copyRows(mlir::Operation *op, mlir::Value table,
                                mlir::Value indices, int64_t mostBytes);

} // namespace ember

#endif // EMBER_LIB_CONVERSION_EMBEDTOCIN_ROWCOPY_H
