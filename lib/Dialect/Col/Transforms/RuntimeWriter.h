//===- RuntimeWriter.h - Calls of what makes ids of texts -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_COL_TRANSFORMS_RUNTIMEWRITER_H
#define EMBER_LIB_DIALECT_COL_TRANSFORMS_RUNTIMEWRITER_H

#include "ember/Dialect/Col/IR/Col.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember::col {

/// Writes an operation as a call of the runtime: addresses are integers, so
/// that a function of the func dialect declares it. Returns memory for each
/// result.
class RuntimeWriter {
public:
  RuntimeWriter(mlir::OpBuilder &builder, mlir::Operation *op)
      : builder(op->getLoc(), builder), op(op) {}

  using Buffers = llvm::ArrayRef<mlir::Value>;
  llvm::SmallVector<mlir::Value> write(TextIdsOp op, Buffers buffers);
  llvm::SmallVector<mlir::Value> write(PartIdsOp op, Buffers buffers);
  llvm::SmallVector<mlir::Value> write(OrderRowsOp op, Buffers buffers);

private:
  mlir::Value getAddress(mlir::Value buffer);
  mlir::Value getSize(mlir::Value buffer, int64_t dimension);
  /// The product of the first dimensions' sizes.
  mlir::Value countElements(mlir::Value buffer, int64_t dimensions);
  mlir::Value toWord(mlir::Value index);
  mlir::Value allocate(mlir::ShapedType type, mlir::ValueRange sizes);
  mlir::Value allocateList(mlir::Value size);
  mlir::Value addOne(mlir::Value index);
  /// Calls a function of words that returns one, or nothing.
  mlir::Value call(llvm::StringRef name, mlir::ValueRange operands,
                   bool returns = false);

  mlir::ImplicitLocOpBuilder builder;
  mlir::Operation *op;
};

} // namespace ember::col

#endif // EMBER_LIB_DIALECT_COL_TRANSFORMS_RUNTIMEWRITER_H
