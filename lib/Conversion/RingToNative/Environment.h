//===- Environment.h - What halves share with their function ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime runs both halves of a program as functions of one pointer: to a
// structure on the stack of the function that runs them. It holds their
// arguments and receives the results.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_RINGTONATIVE_ENVIRONMENT_H
#define EMBER_LIB_CONVERSION_RINGTONATIVE_ENVIRONMENT_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace ember {

/// The structure that both halves share with the function that runs them.
class Environment {
public:
  explicit Environment(mlir::MLIRContext *context);

  /// Makes room for a value; fails if its type has no form in memory.
  llvm::LogicalResult addField(mlir::Value value);

  mlir::LLVM::LLVMStructType getType() const;

  void store(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value field,
             mlir::Value value, mlir::Value environment) const;
  mlir::Value load(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value field, mlir::Value environment) const;

private:
  mlir::Value address(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value field, mlir::Value environment) const;

  mlir::MLIRContext *context;
  mlir::LLVMTypeConverter types;
  llvm::MapVector<mlir::Value, mlir::Type> fields;
};

} // namespace ember

#endif // EMBER_LIB_CONVERSION_RINGTONATIVE_ENVIRONMENT_H
