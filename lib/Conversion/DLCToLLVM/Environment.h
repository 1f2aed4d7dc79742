//===- Environment.h - What programs share with their function --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both programs of a pair run as functions of one pointer: to a structure on
// the stack of the function they came from. It holds the values they use and
// receives the results.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_DLCTOLLVM_ENVIRONMENT_H
#define EMBER_LIB_CONVERSION_DLCTOLLVM_ENVIRONMENT_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace ember {

/// The values a program uses of the function around it. Constants and what is
/// cheap to compute again are not passed: the program computes them itself, and
/// what follows sees what they are.
class Captures {
public:
  void add(mlir::Value value);
  /// What must be passed, in the order of the arguments of the program's body.
  llvm::ArrayRef<mlir::Value> passed() const { return values.getArrayRef(); }
  /// Maps everything that was added to what it is in the body, given the
  /// body's arguments; computes at `builder`.
  void map(mlir::OpBuilder &builder, mlir::ValueRange arguments,
           mlir::IRMapping &mapping) const;

private:
  llvm::SetVector<mlir::Value> values;
  /// Operations to repeat, operands first.
  llvm::SetVector<mlir::Operation *> repeated;
};

/// The structure that two programs share with their function.
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

#endif // EMBER_LIB_CONVERSION_DLCTOLLVM_ENVIRONMENT_H
