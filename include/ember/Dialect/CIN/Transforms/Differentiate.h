//===- Differentiate.h - Gradients of statements ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_TRANSFORMS_DIFFERENTIATE_H
#define EMBER_DIALECT_CIN_TRANSFORMS_DIFFERENTIATE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace ember::cin {

/// A function `NAME_gradient`, or `NAME_gradient2` of a gradient, beside
/// `function`, which evaluates statements on
/// memrefs: it takes the gradients of the arrays in `of`, which the statements
/// assign to, and gives those of the arrays and numbers in `wrt`. Failure after
/// an error. `--cin-differentiate` describes it.
llvm::FailureOr<mlir::func::FuncOp>
differentiate(mlir::func::FuncOp function, llvm::ArrayRef<std::string> of,
              llvm::ArrayRef<std::string> wrt);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_TRANSFORMS_DIFFERENTIATE_H
