//===- AccessConfiguration.h - An access program on a unit ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_DLCTOTMU_ACCESSCONFIGURATION_H
#define EMBER_LIB_CONVERSION_DLCTOTMU_ACCESSCONFIGURATION_H

#include "StreamBuilder.h"

namespace ember {

/// Fills the region of a `tmu.program` with what the access region of a
/// `dlc.program` configures.
class AccessConfiguration {
public:
  AccessConfiguration(dlc::ProgramOp from, tmu::ProgramOp to,
                      llvm::ArrayRef<LanePlan> plans);

  void build();

private:
  void buildLayer(const LanePlan &plan, bool isBroadcast);
  mlir::Operation *buildUnit(const LanePlan &plan, int64_t lane,
                             mlir::Value parent, mlir::Value last);
  /// Where the units of a layer stop, if that is not where the traversal ends.
  mlir::Value buildUpperBound(const LanePlan &plan);
  /// `value`, a bound of the next layer: of the layer around, or fixed.
  mlir::Value getBound(mlir::Value value);
  void buildPushes();
  void buildOperand(dlc::RegisterOperandOp operand);
  void buildToken(dlc::RegisterCallbackOp callback);
  llvm::SmallVector<mlir::Value> buildMasks(mlir::Value mask, size_t depth);

  dlc::ProgramOp from;
  tmu::ProgramOp to;
  llvm::ArrayRef<LanePlan> plans;
  FixedValues fixed;
  mlir::OpBuilder builder;
  StreamBuilder streams;
  llvm::DenseMap<mlir::Value, size_t> depths;
};

} // namespace ember

#endif // EMBER_LIB_CONVERSION_DLCTOTMU_ACCESSCONFIGURATION_H
