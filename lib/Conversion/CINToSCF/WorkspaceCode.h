//===- WorkspaceCode.h - Workspaces that know what is in them ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSCF_WORKSPACECODE_H
#define EMBER_LIB_CONVERSION_CINTOSCF_WORKSPACECODE_H

#include "LevelCode.h"

namespace ember::cin {

/// A workspace in a format, to which elements are added in any order.
class WorkspaceCode {
public:
  /// Gives memory of a type for a number of elements.
  using Allocate =
      llvm::function_ref<mlir::Value(mlir::MemRefType type, mlir::Value count)>;

  /// The one for the last level of `type`: emits its memory, in which nothing
  /// is stored.
  static std::unique_ptr<WorkspaceCode>
  create(mlir::ImplicitLocOpBuilder &builder, LevelCode &levels, ArrayType type,
         llvm::ArrayRef<mlir::Value> sizes, Allocate allocate);
  virtual ~WorkspaceCode() = default;

  /// Stores an element, or adds to it if it is there.
  virtual void store(llvm::ArrayRef<mlir::Value> coordinates, mlir::Value value,
                     Function function) = 0;
  /// What is done before elements are read: moves them to the storage, like
  /// that of any array, unless they are there already.
  virtual void gather() {}
  /// What is done behind it, if something is still stored then; `storeAgain`
  /// emits what stored it.
  virtual void clear(llvm::function_ref<void()> storeAgain) {}
  const Storage &getStorage() const { return storage; }

  /// Has messages call its dimensions what they are those of.
  void describeDimensions(llvm::ArrayRef<std::string> dimensions);
  /// Has messages about indices of memory, which is made here, name the
  /// dimension that they are of, if it has one alone.
  static void nameIndices(mlir::Value memory,
                          llvm::ArrayRef<std::string> dimensions);

protected:
  /// Bits of a word, as a power of two.
  static constexpr int64_t wordShift = 6;

  WorkspaceCode(mlir::ImplicitLocOpBuilder &builder, LevelCode &levels,
                ArrayType type, llvm::ArrayRef<mlir::Value> sizes);

  /// The number of an element among all.
  mlir::Value linearize(llvm::ArrayRef<mlir::Value> coordinates);
  void zero(mlir::Value memory);

  mlir::ImplicitLocOpBuilder &builder;
  LevelCode &levels;
  Storage storage;
  /// The memory that coordinates are looked up in as they are.
  llvm::SmallVector<mlir::Value> located;
};

} // namespace ember::cin

#endif // EMBER_LIB_CONVERSION_CINTOSCF_WORKSPACECODE_H
