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

#include "ember/Dialect/SLC/IR/SLC.h"
#include "ember/Target/Native/RuntimeCalls.h"

#include "mlir/IR/Builders.h"

namespace ember {

/// `value` in every lane of `type`; `value` itself if it has that type or if
/// `type` has no lanes.
mlir::Value emitBroadcast(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, mlir::Type type);

/// `<0, 1, ..., lanes-1>` of type index.
mlir::Value emitLaneNumbers(mlir::OpBuilder &builder, mlir::Location loc,
                            int64_t lanes);

/// The access of a memory stream: lane `l` of a vector `element` is
/// `memref[indices]` with lane `l` of each vector index. A lane that `mask`
/// (which may be null) switches off loads nothing and holds zero. `contiguous`
/// promises that the lanes address consecutive elements, from lane 0 on.
mlir::Value emitStreamLoad(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value memref, mlir::ValueRange indices,
                           mlir::Type element, mlir::Value mask,
                           bool contiguous);

/// The arithmetic of a stream of `type`, each operand in all lanes. A division
/// does not look at the divisors of lanes that `mask` (which may be null)
/// switches off: they may be zero.
mlir::Value emitStreamArithmetic(mlir::OpBuilder &builder, mlir::Location loc,
                                 slc::AluOp opcode, mlir::Value lhs,
                                 mlir::Value rhs, mlir::Type type,
                                 mlir::Value mask);

/// `lhs opcode rhs`, lane by lane if they are vectors.
mlir::Value emitIntegerOp(mlir::OpBuilder &builder, mlir::Location loc,
                          slc::AluOp opcode, mlir::Value lhs, mlir::Value rhs);

/// `value` converted between integers and index, lane by lane if it is a
/// vector.
mlir::Value emitIntegerCast(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value, mlir::Type type,
                            bool isUnsigned);

/// Reports one load of stream `name` to the run-time statistics: as many
/// elements as `mask` has lanes switched on, or all of `element`.
void emitLoadCount(mlir::OpBuilder &builder, mlir::Location loc,
                   native::RuntimeCalls &calls, llvm::StringRef name,
                   mlir::Type element, mlir::Value mask);

} // namespace ember

#endif // EMBER_CONVERSION_STREAMCODE_STREAMCODE_H
