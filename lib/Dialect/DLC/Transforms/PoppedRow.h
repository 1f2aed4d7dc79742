//===- PoppedRow.h - Rows of memory that cases pop --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_DLC_TRANSFORMS_POPPEDROW_H
#define EMBER_LIB_DIALECT_DLC_TRANSFORMS_POPPEDROW_H

#include "ScalarOperands.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember::dlc {

/// A row of memory that a loop of a case pops, a part in each iteration: the
/// k-th iteration gets elements begin + k * lanes and on.
struct PoppedRow {
  /// More elements are no row that one keeps beside others.
  static constexpr int64_t mostElements = 4096;

  /// The row that is the `number`-th operand of the case; none if that is
  /// something else, or not known.
  static std::optional<PoppedRow> of(CaseParts &parts, size_t number);

  RegisterOperandOp push;
  PopOperandOp pop;
  /// Loads the row; of its indices all but the last one select it.
  MemStrOp source;
  NewTUOp unit;
  mlir::scf::ForOp walk;
  /// Elements of an operand, and where the row begins and ends in the memory's
  /// last dimension.
  int64_t lanes = 1, begin = 0, end = 0;
};

} // namespace ember::dlc

#endif // EMBER_LIB_DIALECT_DLC_TRANSFORMS_POPPEDROW_H
