//===- FixedValues.h - What is known before a program runs ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_DLCTOTMU_FIXEDVALUES_H
#define EMBER_LIB_CONVERSION_DLCTOTMU_FIXEDVALUES_H

#include "ember/Dialect/DLC/IR/DLC.h"
#include "ember/Dialect/TMU/IR/TMU.h"

namespace ember {

/// What does not change while a program runs: computed in front of it, by code,
/// and captured by its configuration, or a constant there.
class FixedValues {
public:
  /// `to` gets captures as they are needed.
  FixedValues(dlc::ProgramOp from, tmu::ProgramOp to);

  /// What `value`, captured by the access program or one of its constants, is
  /// in front of the program.
  mlir::Value getOutside(mlir::Value value);
  /// What `outside` is in the configuration.
  mlir::Value capture(mlir::Value outside);
  /// What `value` of the access program is in the configuration; lane `lane` of
  /// a vector.
  mlir::Value get(mlir::Value value, int64_t lane);

  /// Arithmetic in front of the program, on values there.
  mlir::Value index(int64_t value);
  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value multiply(mlir::Value lhs, mlir::Value rhs);
  /// `lower + distance`, or `upper` where that is no number any more.
  mlir::Value advance(mlir::Value lower, mlir::Value distance,
                      mlir::Value upper);
  /// `lower` and a multiple of `stride` that reaches `upper`, or `upper` where
  /// nothing lies between.
  mlir::Value roundUp(mlir::Value lower, mlir::Value upper, mlir::Value stride);
  /// How far elements that differ by one in `dimension` are apart.
  mlir::Value getStride(mlir::Value memref, unsigned dimension);

  /// Erases what was made for nothing.
  void eraseUnused();

  /// Fails at run time if `step` is not positive.
  void checkStep(mlir::Value step, mlir::Location loc);

private:
  mlir::Value copyConstant(mlir::Operation *constant);

  dlc::ProgramOp from;
  tmu::ProgramOp to;
  /// What stood in front of the program at first; null for nothing.
  mlir::Operation *before;
  /// In front of the program.
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Value, mlir::Value> inside, constantsOutside;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants, constantsInside;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> lanes;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> strides;
};

} // namespace ember

#endif // EMBER_LIB_CONVERSION_DLCTOTMU_FIXEDVALUES_H
