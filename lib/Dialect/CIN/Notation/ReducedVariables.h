//===- ReducedVariables.h - What `for` says of reductions -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_NOTATION_REDUCEDVARIABLES_H
#define EMBER_LIB_DIALECT_CIN_NOTATION_REDUCEDVARIABLES_H

#include "Ast.h"

#include "mlir/IR/MLIRContext.h"

namespace ember::cin {

/// Has ranges and the condition behind a statement hold in those reductions
/// whose variables they are of: `sum[p](v[p]) for p in 0:n if m[p]` becomes
/// `sum[p in 0:n if m[p]](v[p])`. Failure after an error, where the statement
/// has the variable, too, or nothing has it.
llvm::LogicalResult bindReducedVariables(Statement &statement,
                                         mlir::MLIRContext *context);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_NOTATION_REDUCEDVARIABLES_H
