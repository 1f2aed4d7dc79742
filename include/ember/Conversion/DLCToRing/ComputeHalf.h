//===- ComputeHalf.h - The compute program as a function --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every machine does with a program whose compute program is code of a
// core, whatever fills the rings.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_DLCTORING_COMPUTEHALF_H
#define EMBER_CONVERSION_DLCTORING_COMPUTEHALF_H

#include "ember/Dialect/DLC/IR/DLC.h"
#include "ember/Dialect/Ring/IR/Ring.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace ember {

/// What joins the halves of a program.
struct RingTypes {
  ring::DataType data;
  ring::TokensType tokens;
};

/// Fails, with a diagnostic, for a program that stands in no function of
/// `module`, whose symbols halves become.
llvm::LogicalResult verifyInFunctions(mlir::ModuleOp module);

/// The rings of `program`; fails, with a diagnostic, for what none can hold.
llvm::FailureOr<RingTypes> chooseRingTypes(dlc::ProgramOp program);

/// Offsets loaded in front of `program` bound its outermost unit as plain
/// numbers: emits their check.
void checkRootSegment(dlc::ProgramOp program);

/// A compute program as a function.
struct ComputeHalf {
  mlir::func::FuncOp function;
  /// What it is called with, before its rings.
  llvm::SmallVector<mlir::Value> arguments;
};

/// Makes a function, `@NAME.compute.NUMBER`, of the compute region of a
/// verified program, which stays as it is. Its last arguments are the rings of
/// operands and tokens.
ComputeHalf emitComputeHalf(dlc::ProgramOp program, llvm::StringRef name,
                            unsigned number, RingTypes types,
                            mlir::SymbolTable &symbols);

} // namespace ember

#endif // EMBER_CONVERSION_DLCTORING_COMPUTEHALF_H
