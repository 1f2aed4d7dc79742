//===- ScatterPlaces.h - Where scatters combine elements --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_SCATTERPLACES_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_SCATTERPLACES_H

#include "ember/Dialect/CIN/IR/CIN.h"

#include <optional>
#include <string>

namespace ember::cin {

/// Places that elements have: an array of one dimension, or what one of more
/// has behind some numbers as its first indices.
struct Places {
  mlir::BlockArgument array;
  llvm::SmallVector<int64_t> row;

  bool operator==(const Places &other) const = default;
  unsigned getDimension() const { return row.size(); }
};

/// What is called `target`, or `edges[1]`, in an evaluation; none if it has no
/// array of integers that is so.
std::optional<Places> findPlaces(EvaluateOp evaluate, llvm::StringRef text);

/// The places that an access is an element of, that of the variable.
std::optional<Places> getElementOf(AccessOp access,
                                   mlir::BlockArgument variable);

/// What parameters for places are called by: `target`, `edges_1`.
std::string spell(const Places &places, EvaluateOp evaluate);

/// What an integer was before it got a wider type.
mlir::Value getNarrow(mlir::Value value);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_SCATTERPLACES_H
