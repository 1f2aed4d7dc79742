//===- Captures.h - What a program uses of its function ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_DLCTORING_CAPTURES_H
#define EMBER_LIB_CONVERSION_DLCTORING_CAPTURES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
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

} // namespace ember

#endif // EMBER_LIB_CONVERSION_DLCTORING_CAPTURES_H
