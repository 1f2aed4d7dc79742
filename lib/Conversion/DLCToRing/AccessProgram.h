//===- AccessProgram.h - The access program as loops ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_DLCTORING_ACCESSPROGRAM_H
#define EMBER_LIB_CONVERSION_DLCTORING_ACCESSPROGRAM_H

#include "Instrumentation.h"
#include "Rings.h"

#include "ember/Conversion/StreamCode/Traversal.h"
#include "ember/Dialect/DLC/IR/DLC.h"

#include "mlir/IR/IRMapping.h"

namespace ember {

/// Emits what the access region of a verified `dlc.program` configures: its
/// chain of traversal units as nested loops, with pushes where the registered
/// events happen.
class AccessProgram {
public:
  /// `values` maps what the program captures and uses here.
  /// `instrumentation` may be null.
  AccessProgram(dlc::ProgramOp program, mlir::IRMapping &values, Rings rings,
                Instrumentation *instrumentation);

  /// Emits the program, up to and with the token that ends it.
  void emit(mlir::OpBuilder &builder);

private:
  /// A traversal unit with what happens in its traversal, in program order.
  struct Unit {
    dlc::NewTUOp op;
    llvm::SmallVector<mlir::Operation *> streams;
    llvm::SmallVector<mlir::Operation *> atBegin, atIteration, atEnd;
    /// The toggled callbacks whose streams this unit compares from iteration to
    /// iteration: its own, and those at the end of the unit within.
    llvm::SmallVector<dlc::RegisterCallbackOp> toggled;
  };
  /// What a unit itself produces: visited values, iteration count, mask, and
  /// where a segment ends.
  struct Control {
    mlir::Value visited, count, mask, segmentEnd;
  };

  /// What a unit hands on from one iteration to the next: sums, the elements of
  /// streams that toggle callbacks, and, if there are any, whether the next
  /// iteration is the first.
  struct Carried {
    llvm::SmallVector<dlc::AccStrOp> sums;
    llvm::SmallSetVector<mlir::Value, 2> toggles;
    llvm::SmallVector<mlir::Value> initial;
  };

  void collectUnits();
  /// The toggled callback whose operands alone read `stream`; null if others
  /// do.
  dlc::RegisterCallbackOp findOnlyReader(mlir::Operation *stream);
  /// Puts the token of each callback in front of its operands.
  static void orderRegistrations(llvm::SmallVector<mlir::Operation *> &ops);

  void emitUnit(mlir::OpBuilder &builder, llvm::ArrayRef<Unit> chain);
  Control emitControl(mlir::OpBuilder &builder, dlc::NewTUOp unit,
                      const Traversal &traversal, const TraversalRange &range,
                      mlir::Value position);
  StreamAccess describeAccess(slc::MemoryStreamOpInterface op);
  void emitStore(mlir::OpBuilder &builder, dlc::StoreStrOp store);
  mlir::Value emitStream(mlir::OpBuilder &builder, mlir::Operation *op,
                         const Control &control);
  void emitToken(mlir::OpBuilder &builder, dlc::RegisterCallbackOp callback);
  /// Pushes the element `value` of `stream` as an operand of `token`.
  void emitOperand(mlir::OpBuilder &builder, mlir::Location loc, int64_t token,
                   mlir::Value stream, mlir::Value value);
  /// The current element of `stream`, or one lane of it.
  mlir::Value readStream(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value stream, std::optional<int64_t> lane);
  Carried collectCarried(mlir::OpBuilder &builder, const Unit &unit);
  void emitConditions(mlir::OpBuilder &builder, const Unit &unit,
                      const Carried &carried, mlir::ValueRange before);
  llvm::SmallVector<mlir::Value> emitNext(mlir::OpBuilder &builder,
                                          mlir::Location loc,
                                          const Carried &carried);
  /// Emits an iteration of the first unit of `chain`, and returns what it hands
  /// on to the next one.
  llvm::SmallVector<mlir::Value> emitIteration(mlir::OpBuilder &builder,
                                               llvm::ArrayRef<Unit> chain,
                                               const Control &control,
                                               const Carried &carried,
                                               mlir::ValueRange before);
  void emitSegments(mlir::OpBuilder &builder, llvm::ArrayRef<Unit> chain);
  /// Whether the callback of `token` is triggered here; null if it always is.
  mlir::Value getCondition(mlir::OpBuilder &builder, mlir::Location loc,
                           int64_t token);
  void emitRegistration(mlir::OpBuilder &builder, mlir::Operation *op);
  void emitRegistrations(mlir::OpBuilder &builder,
                         llvm::ArrayRef<mlir::Operation *> ops);

  mlir::Value lookup(mlir::Value value) { return values.lookup(value); }

  mlir::Block *body;
  llvm::SmallVector<Unit, 0> units;
  llvm::DenseMap<int64_t, dlc::RegisterCallbackOp> callbacks;
  /// By the id of a toggled callback, whether it is triggered in this iteration
  /// of the unit that compares.
  llvm::SmallDenseMap<int64_t, mlir::Value, 2> conditions;
  mlir::IRMapping &values;
  Rings rings;
  Instrumentation *instrumentation;
};

} // namespace ember

#endif // EMBER_LIB_CONVERSION_DLCTORING_ACCESSPROGRAM_H
