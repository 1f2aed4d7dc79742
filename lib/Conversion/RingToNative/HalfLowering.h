//===- HalfLowering.h - Halves of programs on the runtime -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_RINGTONATIVE_HALFLOWERING_H
#define EMBER_LIB_CONVERSION_RINGTONATIVE_HALFLOWERING_H

#include "ember/ABI/RuntimeCalls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember {

/// Replaces the ring arguments of `function`, half of a program, by a last one:
/// a pointer to the queues of the runtime, which is used instead. Refuses more
/// than one ring of a kind.
llvm::LogicalResult lowerHalf(mlir::func::FuncOp function, RuntimeCalls &calls);

} // namespace ember

#endif // EMBER_LIB_CONVERSION_RINGTONATIVE_HALFLOWERING_H
