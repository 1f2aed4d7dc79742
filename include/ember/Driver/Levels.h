//===- Levels.h - At which level a function is ------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of one module may be at different levels, and one function may mix
// them where a nest was not decoupled.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_LEVELS_H
#define EMBER_DRIVER_LEVELS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember {

/// "slc", "slcv" or "dlc" where the function has operations of that dialect,
/// "mixed" where some loops of it are at another level than the rest, and
/// "scf" otherwise. An slcv nest is made of slc operations too.
llvm::StringRef getLevel(mlir::func::FuncOp function);

} // namespace ember

#endif // EMBER_DRIVER_LEVELS_H
