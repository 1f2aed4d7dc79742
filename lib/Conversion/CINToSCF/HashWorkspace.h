//===- HashWorkspace.h - Workspaces that are as large as a row --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSCF_HASHWORKSPACE_H
#define EMBER_LIB_CONVERSION_CINTOSCF_HASHWORKSPACE_H

#include "WorkspaceCode.h"

namespace ember::cin {

/// Elements of one dimension are added in any order to a table of open
/// addressing, and listed as they come. The list is sorted where elements are
/// wanted in order; the table is cleared by it.
class HashWorkspace : public WorkspaceCode {
public:
  /// `most`: how often is stored at most before elements are gathered.
  HashWorkspace(mlir::ImplicitLocOpBuilder &builder, LevelCode &levels,
                ArrayType type, llvm::ArrayRef<mlir::Value> sizes,
                mlir::Value most, Allocate allocate);

  /// Whether there is one for a workspace of that type.
  static bool takes(ArrayType type);

  void store(llvm::ArrayRef<mlir::Value> coordinates, mlir::Value value,
             Function function) override;
  void gather() override;

private:
  /// The slot in which a coordinate is, or would be.
  mlir::Value find(mlir::Value coordinate);
  mlir::Value getKey(mlir::Value slot);
  /// Sorts the list of `count` slots by their coordinates.
  void sort(mlir::Value count);
  /// Moves the slot at a place of the list in front of those that are `gap`
  /// apart from it and have larger coordinates.
  void insert(mlir::Value place, mlir::Value gap);

  /// By slot: the coordinate, or -1, and the value.
  mlir::Value keys, values;
  /// Slots as they were taken, and how many these are.
  mlir::Value list, count;
  /// The last slot, and by how much a product with a coordinate is shifted.
  mlir::Value mask, shift;
};

} // namespace ember::cin

#endif // EMBER_LIB_CONVERSION_CINTOSCF_HASHWORKSPACE_H
