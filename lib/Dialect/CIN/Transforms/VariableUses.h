//===- VariableUses.h - What expressions depend on --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_VARIABLEUSES_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_VARIABLEUSES_H

#include "ember/Dialect/CIN/IR/CIN.h"

#include "llvm/ADT/DenseSet.h"

namespace ember::cin {

/// The variables, and workspaces, that an expression depends on, but for those
/// bound in it.
class VariableUses {
public:
  const llvm::DenseSet<mlir::Value> &of(mlir::Value value);
  bool depends(mlir::Value value, mlir::Value variable) {
    return of(value).contains(variable);
  }

private:
  llvm::DenseMap<mlir::Value, llvm::DenseSet<mlir::Value>> known;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_VARIABLEUSES_H
