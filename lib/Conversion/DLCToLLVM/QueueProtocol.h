//===- QueueProtocol.h - How programs use the queues ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The protocol between an access and a compute program: the producer acquires
// room, writes and commits; the consumer waits for data, reads and releases.
// Another target joins its two sides by implementing the same steps.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_DLCTOLLVM_QUEUEPROTOCOL_H
#define EMBER_LIB_CONVERSION_DLCTOLLVM_QUEUEPROTOCOL_H

#include "ember/ABI/RuntimeCalls.h"

#include "mlir/IR/Builders.h"

namespace ember {

/// True if values of `type` can stand in the data queue.
bool isOperandType(mlir::Type type);

/// Bits of one lane of `type` in a slot: its width rounded up to a power of two
/// of at least a byte, or a single bit in masks.
int64_t getLaneBits(mlir::Type type);

/// What an operand of `type` takes in the data queue, a multiple of 8.
int64_t getOperandBytes(mlir::Type type);

/// Emits uses of the queues of one program.
class QueueProtocol {
public:
  QueueProtocol(RuntimeCalls &calls, mlir::Value queues)
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

#endif // EMBER_LIB_CONVERSION_DLCTOLLVM_QUEUEPROTOCOL_H
