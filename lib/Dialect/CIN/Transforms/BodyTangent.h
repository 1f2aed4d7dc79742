//===- BodyTangent.h - Derivatives of bodies of functions -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_BODYTANGENT_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_BODYTANGENT_H

#include "ExpressionBuilder.h"
#include "FunctionDerivatives.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace ember::cin {

/// The values of a body that change with one of its arguments as floats do.
class ActiveValues {
public:
  ActiveValues(mlir::Region &body, mlir::Value argument);

  bool contains(mlir::Value value) const { return values.contains(value); }
  /// Those of some, by number.
  llvm::SmallVector<unsigned> numbersOf(mlir::ValueRange some) const;

private:
  /// `to` changes if `from` does.
  void add(mlir::Value from, mlir::Value to);
  /// The same for each of `from` and what has its number.
  void addAll(mlir::ValueRange from, mlir::ValueRange to);
  void visit(mlir::Operation *op);

  llvm::DenseSet<mlir::Value> values;
  bool isChanged = false;
};

/// Computes a body, and beside each value how it changes with an argument:
/// derivatives by forward mode.
class BodyTangent {
public:
  /// At the insertion point of `builder`. `caller` is where errors are.
  BodyTangent(mlir::OpBuilder &builder, FunctionDerivatives &functions,
              mlir::Location caller)
      : builder(builder), functions(functions), caller(caller),
        make(builder, caller, /*isOfFunction=*/true) {}

  /// How what `body` returns changes if `argument` does by `change`, where its
  /// arguments are `arguments`. Null if it does not; failure after an error.
  llvm::FailureOr<mlir::Value> build(mlir::Region &body,
                                     mlir::BlockArgument argument,
                                     mlir::ValueRange arguments,
                                     mlir::Value change);

private:
  /// Operations of a block but for its terminator.
  llvm::LogicalResult copy(mlir::Block &block);
  llvm::LogicalResult copy(mlir::scf::IfOp branch);
  llvm::LogicalResult copy(mlir::scf::ForOp loop);
  llvm::LogicalResult copy(mlir::scf::WhileOp loop);
  llvm::LogicalResult derive(mlir::Operation *op);
  /// The changes of what a function of users gives, and of anything else.
  llvm::FailureOr<mlir::Value> deriveCall(CallOp call, FunctionOp callee);
  llvm::FailureOr<mlir::Value> deriveOperation(mlir::Operation *op);
  llvm::LogicalResult refuse(mlir::Operation *op);

  /// `values`, and behind them the changes of those with some numbers, 0 if
  /// there is none.
  llvm::SmallVector<mlir::Value> withChanges(mlir::ValueRange values,
                                             llvm::ArrayRef<unsigned> numbers);
  llvm::SmallVector<mlir::Type> withChanges(mlir::TypeRange types,
                                            llvm::ArrayRef<unsigned> numbers);
  /// `values` are computed by the first of `made`, and changes of those with
  /// some numbers by the rest.
  void setAll(mlir::ValueRange values, llvm::ArrayRef<unsigned> numbers,
              mlir::ValueRange made);

  mlir::OpBuilder &builder;
  FunctionDerivatives &functions;
  mlir::Location caller;
  ExpressionBuilder make;
  const ActiveValues *active = nullptr;
  mlir::BlockArgument argument;
  mlir::IRMapping mapping;
  llvm::DenseMap<mlir::Value, mlir::Value> changes;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_BODYTANGENT_H
