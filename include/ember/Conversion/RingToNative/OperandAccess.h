//===- OperandAccess.h - Operands in memory ---------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How an operand stands in a slot of a queue: lanes side by side, each of whole
// bytes, flags as bits.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_RINGTONATIVE_OPERANDACCESS_H
#define EMBER_CONVERSION_RINGTONATIVE_OPERANDACCESS_H

#include "mlir/IR/Builders.h"

namespace ember {

/// Writes `value` to, and reads a value of `type` from, a slot: a pointer that
/// is a multiple of `alignment`.
void storeOperand(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value value, mlir::Value slot, int64_t alignment);
mlir::Value loadOperand(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Type type, mlir::Value slot, int64_t alignment);

} // namespace ember

#endif // EMBER_CONVERSION_RINGTONATIVE_OPERANDACCESS_H
