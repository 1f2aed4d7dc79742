//===- StreamCode.h - Code for one element of a stream ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a stream produces in one iteration, as arith, memref and vector
// operations on ordinary values: scalars, or vectors with a value a lane.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_STREAMCODE_STREAMCODE_H
#define EMBER_CONVERSION_STREAMCODE_STREAMCODE_H

#include "ember/ABI/RuntimeCalls.h"
#include "ember/Dialect/SLC/IR/SLC.h"

#include "mlir/IR/Builders.h"

namespace ember {

/// `value` in every lane of `type`; `value` itself if it has that type or if
/// `type` has no lanes.
mlir::Value emitBroadcast(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, mlir::Type type);

/// `<0, 1, ..., lanes-1>` of type index.
mlir::Value emitLaneNumbers(mlir::OpBuilder &builder, mlir::Location loc,
                            int64_t lanes);

/// What a load or store of the access unit does in one iteration: lane `l` of a
/// vector accesses `memref[indices]` with lane `l` of each vector index.
struct StreamAccess {
  /// What `op` accesses; `lookup` gives the values of its operands.
  static StreamAccess of(slc::MemoryStreamOpInterface op,
                         llvm::function_ref<mlir::Value(mlir::Value)> lookup);

  mlir::Value memref;
  llvm::SmallVector<mlir::Value> indices;
  /// Switches the access or lanes of it off; null if nothing is switched off.
  mlir::Value mask;
  /// What a load gives where it is switched off; null for zero.
  mlir::Value otherwise;
  /// The lanes address consecutive elements, from lane 0 on.
  bool contiguous = false;
  /// How many lanes side by side share an element.
  int64_t repeat = 1;
  slc::CacheLevelAttr cacheLevel;
  bool nontemporal = false;
};

/// Loads an element of a stream, of type `element`. What the mask switches off
/// loads nothing and holds what the access has otherwise.
mlir::Value emitStreamLoad(mlir::OpBuilder &builder, mlir::Location loc,
                           const StreamAccess &access, mlir::Type element);

/// True if `mask` is true, or one of its lanes is.
mlir::Value emitAnyLane(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value mask);

/// Stores an element of a stream, lanes in order.
void emitStreamStore(mlir::OpBuilder &builder, mlir::Location loc,
                     const StreamAccess &access, mlir::Value value);

/// The element of a stream that `op` computes; `lookup` gives the values of its
/// inputs. A division does not look at the divisors of lanes that `mask` (which
/// may be null) switches off: they may be zero.
mlir::Value
emitStreamElement(mlir::OpBuilder &builder, slc::StreamOpInterface op,
                  llvm::function_ref<mlir::Value(mlir::Value)> lookup,
                  mlir::Value mask);

/// Reports one access of memref `name` to the run-time statistics: as many
/// elements as the mask has lanes switched on, or all of `element`.
void emitAccessCount(mlir::OpBuilder &builder, mlir::Location loc,
                     RuntimeCalls &calls, llvm::StringRef name,
                     const StreamAccess &access, mlir::Type element,
                     bool isStore);

} // namespace ember

#endif // EMBER_CONVERSION_STREAMCODE_STREAMCODE_H
