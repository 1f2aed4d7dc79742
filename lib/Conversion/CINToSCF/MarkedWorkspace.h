//===- MarkedWorkspace.h - Workspaces unmarked by their loops ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSCF_MARKEDWORKSPACE_H
#define EMBER_LIB_CONVERSION_CINTOSCF_MARKEDWORKSPACE_H

#include "WorkspaceCode.h"

namespace ember::cin {

/// A row is put in dense memory beside a bitmap of its elements. A small bitmap
/// is cleared as a whole; from others, the row is taken by the loop that put it
/// there, run again, as to read its coordinates once more takes less than to
/// list them.
class MarkedWorkspace : public WorkspaceCode {
public:
  MarkedWorkspace(mlir::ImplicitLocOpBuilder &builder, LevelCode &levels,
                  ArrayType type, llvm::ArrayRef<mlir::Value> sizes,
                  Allocate allocate);

  /// Whether what fills a workspace is such a loop.
  static bool takes(WhereOp where);

  void store(llvm::ArrayRef<mlir::Value> coordinates, mlir::Value value,
             Function function) override;
  void clear(llvm::function_ref<void()> storeAgain) override;

private:
  /// Elements of a bitmap that is small: some vectors are stored to in the time
  /// that the end of a loop over few coordinates takes, which nobody predicts.
  static constexpr int64_t mostCleared = 1024;
  /// Elements that are cleared without looking where the bitmap ends.
  static constexpr int64_t blockSize = 64;

  mlir::Value isMarked(bool isThere);
  /// Clears a small bitmap, and nothing of others.
  void clearBlocks();

  /// A multiple of a block, and what is beside its elements.
  mlir::Value mask, values;
  /// Whether the bitmap is cleared as a whole.
  mlir::Value isSmall;
  /// Whether loops take elements from it.
  bool isClearing = false;
};

} // namespace ember::cin

#endif // EMBER_LIB_CONVERSION_CINTOSCF_MARKEDWORKSPACE_H
