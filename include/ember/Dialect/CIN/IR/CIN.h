//===- CIN.h - Concrete index notation --------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_CIN_H
#define EMBER_DIALECT_CIN_IR_CIN_H

#include "ember/Analysis/IterationAlgebra/CoordinateSet.h"
#include "ember/Dialect/CIN/IR/Function.h"
#include "ember/Dialect/CIN/IR/Level.h"
#include "ember/Dialect/CIN/IR/Relation.h"
#include "ember/Dialect/CIN/IR/RowEncodings.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember::cin {
/// What messages call a variable: its name or, if it has none, its position.
std::string getVariableName(std::optional<mlir::ArrayAttr> names,
                            unsigned variable);
/// The same of a variable of a loop or a reduction.
std::string getVariableName(mlir::BlockArgument variable);
/// A dimension of an array of an evaluation, or of a workspace.
struct ArrayDimension {
  mlir::Value array;
  unsigned dimension;
  bool operator==(const ArrayDimension &) const = default;
};
/// The dimensions that `variable` is an index of by itself: it has as many
/// values as they have positions, if it has no range. Where a dimension has
/// other indices, too, that it is a part of, `x[i]` and `x[i + 1]`, it is as
/// long as these need it to be. Those that the program names first come first.
llvm::SmallVector<ArrayDimension>
getIndexedDimensions(mlir::BlockArgument variable);
/// Where the program first has `variable` as the index of `dimension`; of what
/// binds the variable, if it has it nowhere.
mlir::Location getIndexLocation(mlir::BlockArgument variable,
                                ArrayDimension dimension);
/// Has two dimensions that `variable` is an index of be of the same size: else
/// the run ends with an error at the place of `other`.
void requireSameSize(mlir::OpBuilder &builder, mlir::BlockArgument variable,
                     ArrayDimension first, ArrayDimension other);
/// Those that other indices need to be longer than `variable` has values.
llvm::SmallVector<ArrayDimension>
getLongerDimensions(mlir::BlockArgument variable);

/// Names the variables of a region for assembly.
void nameVariables(std::optional<mlir::ArrayAttr> names, mlir::Region &region,
                   mlir::OpAsmSetValueNameFn setName);
} // namespace ember::cin

#include "ember/Dialect/CIN/IR/CINDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/CIN/IR/CINAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ember/Dialect/CIN/IR/CINTypes.h.inc"

namespace ember::cin {
/// The function that `op` calls, none if it names none; an error if there is no
/// `cin.function` of its name.
llvm::FailureOr<Function> findCallee(mlir::Operation *op,
                                     mlir::Attribute callee,
                                     mlir::SymbolTableCollection &tables);

/// The name of a function of the table, or an error that there is none of that
/// name, or a symbol.
mlir::ParseResult parseCallee(mlir::AsmParser &parser, mlir::Attribute &callee);
/// What it reads.
void printCallee(mlir::AsmPrinter &printer, mlir::Attribute callee);
} // namespace ember::cin

#define GET_OP_CLASSES
#include "ember/Dialect/CIN/IR/CINOps.h.inc"

namespace ember::cin {
/// Erases what nothing calls any more, nor any function that it calls.
void dropUnusedFunctions(mlir::ModuleOp module);

/// Whether a function is one of the table that may be called with any values.
bool isTotal(CallOp call);
/// Adds the conditions that `condition` is the `and` of, in order.
void addConjuncts(mlir::Value condition,
                  llvm::SmallVectorImpl<mlir::Value> &conjuncts);

/// An error if a statement that is not concrete reads other elements of what it
/// assigns to than the one that it computes: which values those have would
/// depend on the order of loops.
llvm::LogicalResult verifyOwnReads(ForallOp statement);
/// An error if an assignment that combines nothing may assign to one element of
/// `array` for several values of the variables around it.
llvm::LogicalResult verifyDistinct(AssignOp assign, llvm::StringRef array);
/// Whether `value` is an array that statements know: a name of an evaluation or
/// of a workspace, an assembly or a temporary.
bool isNamedArray(mlir::Value value);
/// Whether an assignment surely is to each element of its array: its indices
/// are variables of all positions, each another one, and nothing is combined.
bool assignsAll(AssignOp assign);
/// An error if a temporary without an initial value may be read where it holds
/// nothing: what statements that are not concrete assign first is all of it.
llvm::LogicalResult verifyAssigned(TemporaryOp temporary);

/// The variables of a statement and of all loops and reductions in it, as they
/// stand.
llvm::SmallVector<mlir::BlockArgument> getBoundVariables(ForallOp statement);

/// An expression of a statement as schedules write it: `mul(A[i, k], B[k, j])`,
/// without conversions.
std::string describeExpression(mlir::Value value);

/// What is said of an array by hints, if anything is.
std::optional<double> getHintedDensity(mlir::Value array);
std::optional<int64_t> getHintedSize(ArrayDimension dimension);

/// What is wrong with a relation of a schedule.
struct ScheduleError {
  unsigned relation;
  /// Which of its variables is to blame; none for the relation as a whole.
  std::optional<unsigned> variable;
  std::string message;
};
/// A variable of a schedule that its statement has not, or that another one is
/// called like; none if there is none.
std::optional<ScheduleError> findUnknownVariable(ForallOp statement,
                                                 ScheduleAttr schedule);
} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_IR_CIN_H
