//===- GraphValues.h - The values and results of a statement's graph -*- C++
//-*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSAM_GRAPHVALUES_H
#define EMBER_LIB_CONVERSION_CINTOSAM_GRAPHVALUES_H

#include "GraphIteration.h"

namespace ember {

/// Loads, functions and reducers, and behind them writers.
class GraphValues {
public:
  GraphValues(StatementPaths &paths, GraphIteration &iteration,
              mlir::ImplicitLocOpBuilder &builder,
              const llvm::DenseMap<mlir::Value, mlir::Value> &tensors,
              bool drops)
      : paths(paths), iteration(iteration), builder(builder), tensors(tensors),
        drops(drops) {}

  /// Builds all of it.
  void build();

private:
  /// A stream of values, and the coordinates around it, outermost first, each
  /// of a variable.
  struct Computed {
    mlir::Value values;
    llvm::SmallVector<unsigned> variables;
    llvm::SmallVector<mlir::Value> coordinates;
  };

  /// Whether a value is the same for all variables.
  static bool isUniform(mlir::Value value);
  /// A value that is, once for each token around it.
  mlir::Value makeUniform(mlir::Value value, const Computed &around);
  /// `isLast` says that nothing is computed of it, and that a reduction of
  /// nothing is what is not stored.
  Computed compute(mlir::Value value, bool isLast);
  Computed computeAccess(cin::AccessOp access);
  Computed computeCall(cin::CallOp call);
  Computed computeReduction(cin::ReduceOp reduce, bool isLast);
  /// Takes the last variable of `body` that `reduce` binds away.
  void reduceLast(Computed &body, cin::ReduceOp reduce, bool isLast);
  /// Drops outer coordinates without inner ones, if both go by lists.
  void dropAt(Computed &computed, unsigned outer);
  /// Whether a level of the result has all coordinates of a variable.
  bool isWritten(unsigned variable, cin::LevelKind kind) const;

  void writeLevels(Computed &computed);
  void storeElements(const Computed &computed);

  StatementPaths &paths;
  GraphIteration &iteration;
  mlir::ImplicitLocOpBuilder &builder;
  const llvm::DenseMap<mlir::Value, mlir::Value> &tensors;
  bool drops;
};

} // namespace ember

#endif // EMBER_LIB_CONVERSION_CINTOSAM_GRAPHVALUES_H
