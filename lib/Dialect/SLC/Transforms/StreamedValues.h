//===- StreamedValues.h - Values of callbacks as streams --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SLC_TRANSFORMS_STREAMEDVALUES_H
#define EMBER_LIB_DIALECT_SLC_TRANSFORMS_STREAMEDVALUES_H

#include "ember/Dialect/SLC/IR/SLC.h"

#include "mlir/IR/IRMapping.h"

namespace ember {

/// What callbacks of one nest compute from streams, computed by the access
/// unit.
class StreamedValues {
public:
  explicit StreamedValues(slc::LoopOpInterface root) : root(root) {}

  /// True if the access unit can compute `value`, of a callback, at any time of
  /// the nest at which its operands are there.
  bool canStream(mlir::Value value);

  /// Where what is between the streams and `value`, for which that does not
  /// hold, ends: an operation that the access unit does not do; null for a
  /// value that a loop carries.
  mlir::Operation *findObstacle(mlir::Value value);

  /// `value` as the access unit has it in front of `callback`. Arithmetic
  /// happens in the outermost loop in which it can.
  mlir::Value create(mlir::Value value, slc::CallbackOp callback);

  /// The stream that is true where the masks `lhs` and `rhs` both are.
  mlir::Value createAnd(mlir::Value lhs, mlir::Value rhs,
                        slc::CallbackOp callback);

private:
  mlir::OpBuilder getBuilder(mlir::ValueRange operands,
                             slc::CallbackOp callback);
  bool isArithmetic(mlir::Operation *op);

  slc::LoopOpInterface root;
  llvm::DenseMap<mlir::Value, bool> streamable;
  mlir::IRMapping created;
};

} // namespace ember

#endif // EMBER_LIB_DIALECT_SLC_TRANSFORMS_STREAMEDVALUES_H
