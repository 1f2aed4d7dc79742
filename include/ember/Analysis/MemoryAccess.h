//===- MemoryAccess.h - One access, whatever its operation ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_MEMORYACCESS_H
#define EMBER_ANALYSIS_MEMORYACCESS_H

#include "ember/Analysis/IndexExpr.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace ember {

/// A load or store of the memref or vector dialect.
struct MemoryAccess {
  mlir::Operation *op = nullptr;
  mlir::Value memref;
  mlir::ValueRange indices;
  /// Of a masked access; null otherwise.
  mlir::Value mask;
  /// What inactive lanes of a masked load yield.
  mlir::Value passThrough;
  /// What is stored; null for a load.
  mlir::Value stored;
  /// The type that is loaded or stored.
  mlir::Type type;

  bool isStore() const { return bool(stored); }

  /// How many elements the access covers along dimension `dim` of the memref.
  int64_t extent(int64_t dim) const;

  /// `op` as an access, if it is one this knows.
  static std::optional<MemoryAccess> of(mlir::Operation *op);
};

/// Calls `note` with each memref that `op`, no plain access, reads or writes.
/// False if that is not all it does, or not known.
bool forEachMemRefEffect(
    mlir::Operation *op,
    llvm::function_ref<void(mlir::Value memref, bool isWrite)> note);

/// Whether two accesses are of one type at one address, under one mask.
bool isSameAddress(const MemoryAccess &a, const MemoryAccess &b,
                   IndexExprs &exprs);

/// Whether two accesses of the same memref value can have no element in common:
/// in some dimension they are a constant distance apart that is too long.
bool areDisjoint(const MemoryAccess &a, const MemoryAccess &b,
                 IndexExprs &exprs);

} // namespace ember

#endif // EMBER_ANALYSIS_MEMORYACCESS_H
