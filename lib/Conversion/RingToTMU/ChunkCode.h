//===- ChunkCode.h - Tokens and operands out of chunks ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_RINGTOTMU_CHUNKCODE_H
#define EMBER_LIB_CONVERSION_RINGTOTMU_CHUNKCODE_H

#include "ember/Dialect/TMU/IR/TMU.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember {

/// Replaces the rings of `compute`, the compute half of `program`, by a last
/// argument: the address of the unit's registers.
llvm::LogicalResult lowerComputeHalf(mlir::func::FuncOp compute,
                                     tmu::ProgramOp program);

} // namespace ember

#endif // EMBER_LIB_CONVERSION_RINGTOTMU_CHUNKCODE_H
