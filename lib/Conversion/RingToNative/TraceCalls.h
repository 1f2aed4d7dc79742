//===- TraceCalls.h - Reports to the collector of traces --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_RINGTONATIVE_TRACECALLS_H
#define EMBER_LIB_CONVERSION_RINGTONATIVE_TRACECALLS_H

#include "ember/ABI/RuntimeCalls.h"
#include "ember/Dialect/Ring/IR/Ring.h"

namespace ember {

/// Calls the collector for an operand, which stands at `slot`.
void traceOperand(mlir::OpBuilder &builder, ring::TraceOperandOp trace,
                  mlir::Value slot, RuntimeCalls &calls);

/// Calls the collector for a token.
void traceToken(mlir::OpBuilder &builder, ring::TraceTokenOp trace,
                RuntimeCalls &calls);

} // namespace ember

#endif // EMBER_LIB_CONVERSION_RINGTONATIVE_TRACECALLS_H
