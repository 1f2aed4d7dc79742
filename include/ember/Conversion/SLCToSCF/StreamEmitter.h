//===- StreamEmitter.h - Streams as values of an scf program ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_SLCTOSCF_STREAMEMITTER_H
#define EMBER_CONVERSION_SLCTOSCF_STREAMEMITTER_H

#include "ember/ABI/RuntimeCalls.h"
#include "ember/Conversion/StreamCode/StreamCode.h"
#include "ember/Conversion/StreamCode/Traversal.h"
#include "ember/Dialect/SLC/IR/SLC.h"
#include "ember/Dialect/SLCV/IR/SLCV.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include <functional>

namespace ember {

/// Computes the current elements of streams where compute code needs them.
class StreamEmitter {
public:
  /// `calls`, if given, makes every emitted access report itself to the
  /// run-time statistics.
  StreamEmitter(mlir::OpBuilder &builder, RuntimeCalls *calls)
      : builder(builder), calls(calls) {}

  /// What `loop` traverses, with the mapped values of its operands.
  Traversal describe(slc::LoopOpInterface loop, mlir::IRMapping &values);

  /// Maps the induction variable, mask and, if it is used or `needsCount` is
  /// set, iteration count of `loop` for the iteration that the scf loop over
  /// `range` numbers `position`.
  void mapControl(slc::LoopOpInterface loop, const Traversal &traversal,
                  const TraversalRange &range, mlir::Value position,
                  bool needsCount, mlir::IRMapping &values);

  /// Counts each load of a coordinate, if accesses are counted.
  std::function<void(mlir::OpBuilder &, mlir::Value)>
  countCoordinates(mlir::Value coordinates);

  /// Emits the stream operation `op` on the mapped operands and maps its
  /// result.
  void emitStream(mlir::Operation *op, mlir::IRMapping &values);

  void emitStore(slc::MemoryStreamOpInterface store, mlir::IRMapping &values);

  /// The mapped value of `stream`, emitting the streams it is computed from
  /// where they have no value yet.
  mlir::Value materialize(mlir::Value stream, mlir::IRMapping &values);

private:
  /// What `op` accesses, counted if accesses are.
  StreamAccess emitAccess(slc::MemoryStreamOpInterface op,
                          mlir::IRMapping &values);

  mlir::OpBuilder &builder;
  RuntimeCalls *calls;
};

} // namespace ember

#endif // EMBER_CONVERSION_SLCTOSCF_STREAMEMITTER_H
