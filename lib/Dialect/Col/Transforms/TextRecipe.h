//===- TextRecipe.h - How texts become ids ----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_COL_TRANSFORMS_TEXTRECIPE_H
#define EMBER_LIB_DIALECT_COL_TRANSFORMS_TEXTRECIPE_H

#include "ember/Dialect/Col/IR/Col.h"

#include <optional>

namespace ember::col {

/// What operations on texts do, up to the one that makes ids of them, as words
/// that the runtime reads (ember/Runtime/ColumnCalls.h).
class TextRecipe {
public:
  /// Of `col.hash` or `col.find`.
  explicit TextRecipe(mlir::Operation *ids) : ids(ids) {}

  /// Whether an operation in front of those known so far is part of it.
  bool addBefore(mlir::Operation *op);

  bool isSplit() const { return separator.has_value(); }
  /// Whether there are texts without an id, for which it is -1.
  bool makesNone() const;
  llvm::SmallVector<int64_t> getWords() const;

private:
  mlir::Operation *ids;
  std::optional<llvm::StringRef> separator;
  /// Empty texts, before and after they are split.
  bool dropsTexts = false, dropsParts = false;
};

} // namespace ember::col

#endif // EMBER_LIB_DIALECT_COL_TRANSFORMS_TEXTRECIPE_H
