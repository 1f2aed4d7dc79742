//===- TMU.h - The Tensor Marshaling Unit's dialect -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_TMU_IR_TMU_H
#define EMBER_DIALECT_TMU_IR_TMU_H

#include "ember/Dialect/SLC/IR/SLC.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"

namespace ember::tmu {
class TUOpInterface;

/// Verifies what units of all kinds have in common.
llvm::LogicalResult verifyUnit(TUOpInterface unit);

/// What configures the unit: it may stand in a program, and nowhere else.
template <typename Op>
class OfProgram : public mlir::OpTrait::TraitBase<Op, OfProgram> {};
} // namespace ember::tmu

#include "ember/Dialect/TMU/IR/TMUDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ember/Dialect/TMU/IR/TMUTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/TMU/IR/TMUAttributes.h.inc"

#include "ember/Dialect/TMU/IR/TMUInterfaces.h.inc"

#define GET_OP_CLASSES
#include "ember/Dialect/TMU/IR/TMUOps.h.inc"

namespace ember::tmu {
/// The layer in which a unit stands; null if it stands in none.
LayerOpInterface getLayerOf(mlir::Value tu);

/// The layer around the units of `layer`; null for the outermost one.
LayerOpInterface getParentLayer(LayerOpInterface layer);

/// The layers of a program, outermost first.
llvm::SmallVector<LayerOpInterface> getLayers(ProgramOp program);

/// The unit that advances a stream of a program.
mlir::Value getUnit(mlir::Value stream);

/// The streams of a unit that take queues: its positions, what is read of what
/// else it gives, and those that advance with it, but for stores.
llvm::SmallVector<mlir::Value> getStreams(mlir::Value tu);

/// Bytes of an entry in the queues of all streams of a unit of `machine`.
int64_t getEntryBytes(mlir::Value tu, MachineAttr machine);

/// Bytes of an operand in the output queue, which it is aligned to.
int64_t getOperandBytes(mlir::Type type);

/// Bytes of an element in the queue of a lane's stream.
int64_t getElementBytes(mlir::Type element);

/// What a lane loads and stores at once, and what its queues hold an entry of.
constexpr int64_t laneBytes = 8;

/// A token.
constexpr int64_t wordBytes = 8;

/// The largest operand of the output queue: a cache line.
constexpr int64_t maxOperandBytes = 64;

/// Verifies what no operation of a program can see alone: that layers form a
/// chain, that each unit stands in one, and that streams are read where they
/// have elements.
llvm::LogicalResult verifyStructure(ProgramOp program);

/// Verifies that what is mapped to a machine keeps to what that has.
llvm::LogicalResult verifyMapping(ProgramOp program);
} // namespace ember::tmu

#endif // EMBER_DIALECT_TMU_IR_TMU_H
