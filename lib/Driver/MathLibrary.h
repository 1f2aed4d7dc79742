//===- MathLibrary.h - Functions of the C library ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DRIVER_MATHLIBRARY_H
#define EMBER_LIB_DRIVER_MATHLIBRARY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember {

/// Whether a declaration is that of a function of the C library on floats.
bool isOfMathLibrary(mlir::func::FuncOp declaration);

} // namespace ember

#endif // EMBER_LIB_DRIVER_MATHLIBRARY_H
