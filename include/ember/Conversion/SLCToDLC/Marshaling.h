//===- Marshaling.h - Operands from streams to cases ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns callbacks into cases of a compute loop: registers their tokens and
// operands with the access program, and replaces their stream reads by pops.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_SLCTODLC_MARSHALING_H
#define EMBER_CONVERSION_SLCTODLC_MARSHALING_H

#include "ember/Conversion/SLCToDLC/ComputeRegisters.h"
#include "ember/Dialect/DLC/IR/DLC.h"

#include "mlir/IR/IRMapping.h"

namespace ember {

/// An event of a traversal unit.
struct TraversalPoint {
  mlir::Value tu;
  slc::Event event;
};

/// True if `callback` reads a buffer.
bool readsBuffer(slc::CallbackOp callback);

class Marshaling {
public:
  Marshaling(slc::LoopOpInterface root, const ComputeRegisters &registers)
      : root(root), registers(registers) {}

  /// Makes one case of `callbacks`, which run one after the other at `point`,
  /// and of the `copies` between registers after them. `filled` is the loop
  /// that has just ended, whose pushes fill the buffers they read. `builder`
  /// stands in the access program; `streams` maps slc to dlc streams.
  llvm::LogicalResult addCase(mlir::OpBuilder &builder,
                              llvm::ArrayRef<slc::CallbackOp> callbacks,
                              TraversalPoint point, slc::LoopOpInterface filled,
                              llvm::ArrayRef<RegisterCopy> copies,
                              mlir::IRMapping &streams);

  /// Creates the compute loop, and yields the results of the nest.
  void finish(mlir::OpBuilder &builder);

private:
  class CaseBuilder;

  slc::LoopOpInterface root;
  const ComputeRegisters &registers;
  llvm::SmallVector<std::unique_ptr<mlir::Region>> regions;
};

} // namespace ember

#endif // EMBER_CONVERSION_SLCTODLC_MARSHALING_H
