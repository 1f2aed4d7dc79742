//===- ColumnStatement.h - A column as a statement --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_COLTOCIN_COLUMNSTATEMENT_H
#define EMBER_LIB_CONVERSION_COLTOCIN_COLUMNSTATEMENT_H

#include "ember/Dialect/Col/IR/Col.h"

namespace ember {

/// Writes, in front of the lookup, the statement that computes it from what
/// `column` makes, in place of `init`, and returns the result. `hash` is the
/// function of the module that `col.hash` calls, if there is such.
mlir::Value writeColumn(col::LookupOp lookup,
                        llvm::ArrayRef<mlir::Operation *> column,
                        mlir::Value init, mlir::FlatSymbolRefAttr hash);

} // namespace ember

#endif // EMBER_LIB_CONVERSION_COLTOCIN_COLUMNSTATEMENT_H
