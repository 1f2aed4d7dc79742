//===- ColumnStatement.h - A column as a statement --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_COLTOCIN_COLUMNSTATEMENT_H
#define EMBER_LIB_CONVERSION_COLTOCIN_COLUMNSTATEMENT_H

#include "ember/Dialect/Col/IR/Col.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember {

/// What a lookup's ids are made by, from the operation that takes values from a
/// tensor on; an error if they come from anywhere else.
mlir::FailureOr<llvm::SmallVector<mlir::Operation *>>
findColumn(col::LookupOp lookup);

/// How many rows the batch has that `column` begins with.
mlir::OpFoldResult getBatchSize(mlir::ImplicitLocOpBuilder &builder,
                                mlir::Operation *source);

/// Writes, in front of the lookup, the statement that computes it in place of
/// `init`, and returns the result.
mlir::Value writeColumn(col::LookupOp lookup,
                        llvm::ArrayRef<mlir::Operation *> column,
                        mlir::Value init);

} // namespace ember

#endif // EMBER_LIB_CONVERSION_COLTOCIN_COLUMNSTATEMENT_H
