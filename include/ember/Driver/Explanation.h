//===- Explanation.h - What loops of statements visit, and why --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_EXPLANATION_H
#define EMBER_DRIVER_EXPLANATION_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace ember {

/// Takes the statements of `module` to loops, and tells of each loop that walks
/// arrays in a format: its variable, operands, the set of coordinates that it
/// visits, each region with whether and why, and the points of its lattice.
/// Fails with diagnostics.
llvm::Expected<llvm::json::Value> explainIteration(mlir::ModuleOp module);

} // namespace ember

#endif // EMBER_DRIVER_EXPLANATION_H
