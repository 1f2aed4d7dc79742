//===- QueueCalls.h - Calls of the runtime's queues -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring operation is a call of a queue function, and slots are memory. The
// queues are one pointer, to both rings of a program.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_RINGTONATIVE_QUEUECALLS_H
#define EMBER_LIB_CONVERSION_RINGTONATIVE_QUEUECALLS_H

#include "ember/ABI/RuntimeCalls.h"

#include "mlir/IR/Builders.h"

namespace ember {

/// Emits uses of the queues of one program.
class QueueCalls {
public:
  QueueCalls(RuntimeCalls &calls, mlir::Value queues)
      : calls(calls), queues(queues) {}

  /// Producer: room for an operand; after `commit` the consumer sees it.
  mlir::Value acquire(mlir::OpBuilder &builder, mlir::Location loc,
                      int64_t bytes);
  void commit(mlir::OpBuilder &builder, mlir::Location loc, int64_t bytes);
  void pushToken(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Value token);

  /// Consumer: the oldest operand; after `release` its memory may change.
  mlir::Value wait(mlir::OpBuilder &builder, mlir::Location loc, int64_t bytes);
  void release(mlir::OpBuilder &builder, mlir::Location loc, int64_t bytes);
  /// The oldest token, an i64.
  mlir::Value popToken(mlir::OpBuilder &builder, mlir::Location loc);

  /// Writes `value` into, and reads a value of `type` from, a slot that
  /// `acquire` or `wait` gave.
  void store(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
             mlir::Value slot);
  mlir::Value load(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Type type, mlir::Value slot);

private:
  /// Calls a queue function on the queues and, if not null, `argument`.
  mlir::Value call(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::LLVM::LLVMFuncOp function, mlir::Value argument);

  RuntimeCalls &calls;
  mlir::Value queues;
};

} // namespace ember

#endif // EMBER_LIB_CONVERSION_RINGTONATIVE_QUEUECALLS_H
