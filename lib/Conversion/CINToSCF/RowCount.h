//===- RowCount.h - How many elements rows have -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSCF_ROWCOUNT_H
#define EMBER_LIB_CONVERSION_CINTOSCF_ROWCOUNT_H

#include "WorkspaceCode.h"

namespace ember::cin {

/// A bit for each element says whether it is there; words with any are listed
/// as they come, so that few are looked at in the end.
class RowCount : public WorkspaceCode {
public:
  RowCount(mlir::ImplicitLocOpBuilder &builder, LevelCode &levels,
           ArrayType type, llvm::ArrayRef<mlir::Value> sizes,
           Allocate allocate);

  void store(llvm::ArrayRef<mlir::Value> coordinates, mlir::Value value,
             Function function) override;
  /// How many elements there are; none is afterwards.
  mlir::Value take();

private:
  /// Words of bits, those with any, and how many these are.
  mlir::Value bits, list, listed;
};

} // namespace ember::cin

#endif // EMBER_LIB_CONVERSION_CINTOSCF_ROWCOUNT_H
