//===- GraphColumn.h - A column of an input layer ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_COL_TRANSFORMS_GRAPHCOLUMN_H
#define EMBER_LIB_DIALECT_COL_TRANSFORMS_GRAPHCOLUMN_H

#include "GraphPattern.h"

namespace ember::col {

/// An id that others become, those that are not in [0, `count`).
struct Replacement {
  int64_t count, id;
};

/// A column, read from the node that combines the rows of a table.
struct GraphColumn {
  Combiner combiner;
  /// The rows' table, or the handle of a variable that has it; of what type it
  /// is.
  mlir::Value table;
  mlir::RankedTensorType tableType;
  /// A matrix, or a vector of one value a row.
  mlir::Value values;
  /// What stands for nothing among the values.
  std::optional<int64_t> absent;
  /// How values become ids: by boundaries if there are any, by a hash if there
  /// are buckets, else they are.
  llvm::SmallVector<float> boundaries;
  std::optional<int64_t> buckets;
  std::optional<Replacement> replacement;
  mlir::Type idType;
  /// The id of rows that have none, which `fill` patches.
  int64_t fillId;
  NodeOp fill;
};

/// The column that a node combines the rows of, if it is one; otherwise why it
/// is none.
std::optional<GraphColumn> findColumn(NodeOp reduction, GraphPattern &pattern);

/// The combiner of a kind of node that adds up rows, if it is one.
std::optional<Combiner> getCombiner(llvm::StringRef kind);

/// Whether a value is zeros for rows that had no ids, and what the reduction
/// makes for others.
bool isZeroed(mlir::Value value, NodeOp reduction, NodeOp fill);

} // namespace ember::col

#endif // EMBER_LIB_DIALECT_COL_TRANSFORMS_GRAPHCOLUMN_H
