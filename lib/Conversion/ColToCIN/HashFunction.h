//===- HashFunction.h - The bucket of an integer ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_COLTOCIN_HASHFUNCTION_H
#define EMBER_LIB_CONVERSION_COLTOCIN_HASHFUNCTION_H

#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace ember {

/// Makes a function of i64 and a number of buckets: FarmHash's Fingerprint64 of
/// the integer's decimal text, modulo the number.
cin::FunctionOp makeHashFunction(mlir::ModuleOp module,
                                 mlir::SymbolTable &symbols);

} // namespace ember

#endif // EMBER_LIB_CONVERSION_COLTOCIN_HASHFUNCTION_H
