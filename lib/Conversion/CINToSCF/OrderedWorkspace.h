//===- OrderedWorkspace.h - Workspaces gathered in order --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSCF_ORDEREDWORKSPACE_H
#define EMBER_LIB_CONVERSION_CINTOSCF_ORDEREDWORKSPACE_H

#include "WorkspaceCode.h"

namespace ember::cin {

/// Elements are added in any order to dense memory, beside which bits say where
/// there are any: a word for 64 elements, one for 64 such words, and one for 64
/// of these, so that what is stored is found in order, without sorting, in time
/// that hardly depends on the size.
class OrderedWorkspace : public WorkspaceCode {
public:
  OrderedWorkspace(mlir::ImplicitLocOpBuilder &builder, LevelCode &levels,
                   ArrayType type, llvm::ArrayRef<mlir::Value> sizes,
                   Allocate allocate);

  void store(llvm::ArrayRef<mlir::Value> coordinates, mlir::Value value,
             Function function) override;
  void gather() override;

private:
  /// A word of 64 bits that says of which there are any.
  static constexpr unsigned summaries = 3;

  void storeBit(unsigned summary, mlir::Value index);
  /// A loop over the bits of a word, which is 0 afterwards: `body` gets the
  /// index of each, and a count that it changes.
  mlir::Value
  forBits(unsigned summary, mlir::Value wordIndex, mlir::Value count,
          llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);
  mlir::Value gatherElement(mlir::Value position, mlir::Value count);
  mlir::Value word(int64_t value);

  /// Where elements are added.
  mlir::Value values;
  /// By summary: the words.
  llvm::SmallVector<mlir::Value> bits;
};

} // namespace ember::cin

#endif // EMBER_LIB_CONVERSION_CINTOSCF_ORDEREDWORKSPACE_H
