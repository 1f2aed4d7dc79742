//===- ListedWorkspace.h - Workspaces with a list of elements ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSCF_LISTEDWORKSPACE_H
#define EMBER_LIB_CONVERSION_CINTOSCF_LISTEDWORKSPACE_H

#include "WorkspaceCode.h"

namespace ember::cin {

/// Elements are added to dense memory beside a bitmap of them, and listed as
/// they come. A bitmap is read as it is, and cleared by the list; of an
/// unordered level the list is the coordinates.
class ListedWorkspace : public WorkspaceCode {
public:
  ListedWorkspace(mlir::ImplicitLocOpBuilder &builder, LevelCode &levels,
                  ArrayType type, llvm::ArrayRef<mlir::Value> sizes,
                  Allocate allocate);

  void store(llvm::ArrayRef<mlir::Value> coordinates, mlir::Value value,
             Function function) override;
  void gather() override;
  void clear(llvm::function_ref<void()> storeAgain) override;

private:
  bool isBitmap() const;
  mlir::Value getCount();
  void setCount(mlir::Value count);
  /// `body` for each element, by its place in the list and its number.
  void forListed(
      llvm::function_ref<void(mlir::Value place, mlir::Value position)> body);

  /// Where elements are added, which are there, those in the order in which
  /// they came, and how many there are.
  mlir::Value values, mask, list, count;
};

} // namespace ember::cin

#endif // EMBER_LIB_CONVERSION_CINTOSCF_LISTEDWORKSPACE_H
