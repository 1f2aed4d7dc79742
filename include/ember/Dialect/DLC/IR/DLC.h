//===- DLC.h - The Decoupled Lookup-Compute dialect -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_IR_DLC_H
#define EMBER_DIALECT_DLC_IR_DLC_H

#include "ember/Dialect/SLC/IR/SLC.h"
#include "ember/Dialect/SLCV/IR/SLCV.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember::dlc {
class ComputeLoopOp;
class ProgramOp;

/// True if a token can carry a value of `type`.
bool isTokenValueType(mlir::Type type);

/// The queues between access and compute programs, as what operations have an
/// effect on.
struct QueueResource : public mlir::SideEffects::Resource::Base<QueueResource> {
  llvm::StringRef getName() final { return "Queues"; }
};

/// What configures the access unit: it may stand in the access region of a
/// program, and nowhere else.
template <typename Op>
class OfAccessProgram : public mlir::OpTrait::TraitBase<Op, OfAccessProgram> {};
} // namespace ember::dlc

#include "ember/Dialect/DLC/IR/DLCDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ember/Dialect/DLC/IR/DLCTypes.h.inc"

#define GET_OP_CLASSES
#include "ember/Dialect/DLC/IR/DLCOps.h.inc"

namespace ember::dlc {
/// What the program around it captures as `value`; null if `value` is no
/// argument of a region of a program.
mlir::Value getCaptured(mlir::Value value);

/// The programs in `root`, itself included, each behind those within its cases.
/// In this order, symbols made of the programs of a function and reports of
/// runs number them.
llvm::SmallVector<ProgramOp> getNumberedPrograms(mlir::Operation *root);
} // namespace ember::dlc

#endif // EMBER_DIALECT_DLC_IR_DLC_H
