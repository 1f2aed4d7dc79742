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

/// A list of values that say where they are, in a tensor of some shape.
struct SparseValues {
  mlir::Value places, values, shape;
};

/// A column, read from the last node that combines the rows of a table.
struct GraphColumn {
  /// Whether all was found, and whether rows of unique ids are combined, which
  /// other nodes are not expected to do.
  bool isRead = false, isFound = false;
  Combiner combiner;
  /// The rows' table, or the handle of a variable that has it; of what type it
  /// is.
  mlir::Value table;
  mlir::RankedTensorType tableType;
  /// A matrix, or a vector of one value a row. With places and a shape, a list
  /// of values, each in the row that its place says.
  mlir::Value values, places, shape;
  /// What rows are multiplied by, a number for each value, if there are such;
  /// and whether values of others than positive ones are dropped.
  mlir::Value weights;
  bool keepsPositive = false;
  /// What stands for nothing among integers, and whether the empty text does.
  std::optional<int64_t> absent;
  bool dropsEmpty = false;
  /// What texts are split at.
  std::optional<llvm::StringRef> separator;
  /// How values become ids: by boundaries if there are any, by a hash if there
  /// are buckets, else they are.
  llvm::SmallVector<float> boundaries;
  std::optional<int64_t> buckets;
  llvm::SmallVector<int64_t> key;
  std::optional<Replacement> replacement;
  /// Whether ids that are negative are dropped.
  bool dropsNegative = false;
  mlir::Type idType;
  /// The id of rows that have none, which `fill` patches.
  int64_t fillId;
  NodeOp fill;
  /// The node that ends the column, which stays, and what is behind it is
  /// raised; empty if there is none.
  std::string cut;

  mlir::Type getValueType() const {
    return llvm::cast<mlir::RankedTensorType>(values.getType())
        .getElementType();
  }
};

/// Finds out what ids are made of, which are a list, and says so in the column.
/// Otherwise the column stays as it was, and the pattern has the reason.
bool readSource(const SparseValues &ids, GraphColumn &column,
                GraphPattern &pattern);

/// The column that a node combines the rows of; if it is none, the pattern has
/// the reason.
GraphColumn findColumn(NodeOp reduction, GraphPattern &pattern);

/// Whether a node may be the last one that combines rows.
bool mayCombine(NodeOp node);

/// Whether a value is zeros for rows that had no ids, and what the reduction
/// makes for others.
bool isZeroed(mlir::Value value, NodeOp reduction, NodeOp fill);

} // namespace ember::col

#endif // EMBER_LIB_DIALECT_COL_TRANSFORMS_GRAPHCOLUMN_H
