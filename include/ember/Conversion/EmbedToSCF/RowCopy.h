//===- RowCopy.h - Rows that do not lie in one piece ----------- -*- C++
//-*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_EMBEDTOSCF_ROWCOPY_H
#define EMBER_CONVERSION_EMBEDTOSCF_ROWCOPY_H

#include "ember/Conversion/EmbedToSCF/NestBuilder.h"

namespace ember {

/// A copy of a table, made for one call, in which rows lie in one piece.
struct RowCopy {
  /// The copy: of no rows, unless it is used.
  mlir::Value table;
  /// Whether it is (i1); otherwise the table itself is to be read.
  mlir::Value isUsed;
};

/// Copies `table` at run time if it has at most as many rows as there are
/// `lookups` (index) and the copy takes at most `mostBytes`. Nothing if rows of
/// that type are known to lie in one piece, or no copy may take any bytes.
std::optional<RowCopy> copyRows(NestBuilder &builder, mlir::Value table,
                                mlir::Value lookups, int64_t mostBytes);

} // namespace ember

#endif // EMBER_CONVERSION_EMBEDTOSCF_ROWCOPY_H
