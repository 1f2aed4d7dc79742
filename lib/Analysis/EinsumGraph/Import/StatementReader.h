//===- StatementReader.h - Statements as tensor operations ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_ANALYSIS_EINSUMGRAPH_IMPORT_STATEMENTREADER_H
#define EMBER_LIB_ANALYSIS_EINSUMGRAPH_IMPORT_STATEMENTREADER_H

#include "ember/Analysis/EinsumGraph/Import/FromFunction.h"
#include "ember/Dialect/CIN/IR/CIN.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace ember::einsum {

/// The tensors of values, and the program that they are of.
class TensorTable {
public:
  TensorTable(Program &program, const FunctionOptions &options)
      : program(program), options(options) {}

  /// A new tensor of a type, with sizes that the type or the user says.
  unsigned add(llvm::StringRef name, mlir::ShapedType type);
  /// A tensor of no dimensions, for a scalar.
  unsigned addScalar(llvm::StringRef name);
  /// The tensor of a value; a new input if nothing is known of it.
  unsigned find(mlir::Value value);
  bool isKnown(mlir::Value value) const { return tensors.contains(value); }
  void set(mlir::Value value, unsigned tensor) { tensors[value] = tensor; }

  /// Calls a tensor what a statement calls it, and takes over what is said of
  /// it there.
  void describe(unsigned tensor, llvm::StringRef name, mlir::Value array);

  /// What holds nothing that anybody waits for: room, or a constant.
  llvm::DenseSet<mlir::Value> blank;

  /// CSR matrices by their values.
  llvm::DenseMap<mlir::Value, unsigned> matrices;

  /// What operations were read from, in the order in which they were added.
  Origins origins;

  Program &program;
  const FunctionOptions &options;

private:
  llvm::DenseMap<mlir::Value, unsigned> tensors;
  llvm::DenseSet<unsigned> named;
};

/// Adds the statements of `evaluate` to `part`.
mlir::LogicalResult readStatements(cin::EvaluateOp evaluate, TensorTable &table,
                                   std::vector<Operation> &part);

} // namespace ember::einsum

#endif // EMBER_LIB_ANALYSIS_EINSUMGRAPH_IMPORT_STATEMENTREADER_H
