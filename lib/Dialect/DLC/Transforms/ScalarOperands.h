//===- ScalarOperands.h - Cases and their scalar operands -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_DLC_TRANSFORMS_SCALAROPERANDS_H
#define EMBER_LIB_DIALECT_DLC_TRANSFORMS_SCALAROPERANDS_H

#include "ember/Dialect/DLC/IR/DLC.h"

namespace ember::dlc {

/// A case with what belongs to it in both programs; the k-th push is the k-th
/// pop.
struct CaseParts {
  RegisterCallbackOp callback;
  llvm::SmallVector<RegisterOperandOp> pushes;
  llvm::SmallVector<PopOperandOp> pops;
  mlir::Block *body = nullptr;
};

/// The cases of `loop`, in its order.
llvm::SmallVector<CaseParts> collectCases(ComputeLoopOp loop);

/// Uses `value` for the scalar that `pop` pops, padded to a vector or not, and
/// does not pop it.
void replaceScalar(PopOperandOp pop, bool isPadded, mlir::Value value);

/// An operand that is a scalar, or one that queue alignment has padded to a
/// vector.
struct ScalarOperand {
  /// Null if the operand is none.
  static std::optional<ScalarOperand> of(RegisterOperandOp push,
                                         PopOperandOp pop);

  /// Uses `value` where the operand was popped, and does not push it any more.
  void replace(mlir::Value value);

  RegisterOperandOp push;
  PopOperandOp pop;
  /// The stream of scalars, or the lane of a stream of vectors.
  mlir::Value stream;
  mlir::IntegerAttr lane;
  mlir::Type type;
  bool isPadded = false;
};

} // namespace ember::dlc

#endif // EMBER_LIB_DIALECT_DLC_TRANSFORMS_SCALAROPERANDS_H
