//===- ArrayVersions.h - What arrays hold in between ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_ARRAYVERSIONS_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_ARRAYVERSIONS_H

#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember::cin {

/// What `array`, a temporary or a memref of `function`, holds before statements
/// assign to it; null if nothing is said.
mlir::TypedAttr getInitialValue(mlir::func::FuncOp function,
                                EvaluateOp evaluate, mlir::Value array);

/// Puts what the array that `statement` multiplies holds before, and the
/// product of the factors, in temporaries. Nothing happens to a statement that
/// does something else, or that is the first one that assigns to its array.
void splitProduct(mlir::func::FuncOp function, EvaluateOp evaluate,
                  ForallOp statement);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_ARRAYVERSIONS_H
