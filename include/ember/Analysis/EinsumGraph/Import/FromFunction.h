//===- FromFunction.h - Functions as tensor operations ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a function of tensors as a program of operations: statements of
// `cin.evaluate` and operations of linalg by their index expressions, all else
// that computes a tensor, or a scalar of tensors, as an operation that needs
// all of its operands. The loop is the first `scf.for` or `scf.while` of the
// function that carries tensors.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_EINSUMGRAPH_IMPORT_FROMFUNCTION_H
#define EMBER_ANALYSIS_EINSUMGRAPH_IMPORT_FROMFUNCTION_H

#include "ember/Analysis/EinsumGraph/Program.h"
#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace ember::einsum {

/// The sizes of a tensor, and how many elements a sparse matrix stores.
struct GivenShape {
  llvm::SmallVector<int64_t, 2> sizes;
  std::optional<int64_t> nonzeros;
};

struct FunctionOptions {
  /// Sizes of tensors by name, where types do not say them.
  llvm::StringMap<GivenShape> shapes;
  /// What a loop carries is asked for behind it, whether or not the function
  /// does: GOGETA counts X, R and P.
  bool keepsCarried = true;
};

/// What each operation of a program was read from: of `before`, `body` and
/// `after`, in this order.
using Origins = llvm::SmallVector<mlir::Operation *>;

/// The program of a function; a diagnostic says where it cannot be read.
mlir::FailureOr<Program> readFunction(mlir::func::FuncOp function,
                                      const FunctionOptions &options,
                                      Origins *origins = nullptr);

/// The same of the statements of one evaluation, on tensors or memrefs, which
/// leaves all that it assigns to.
mlir::FailureOr<Program> readEvaluation(cin::EvaluateOp evaluate,
                                        const FunctionOptions &options,
                                        Origins *origins = nullptr);

} // namespace ember::einsum

#endif // EMBER_ANALYSIS_EINSUMGRAPH_IMPORT_FROMFUNCTION_H
