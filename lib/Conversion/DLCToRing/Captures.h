//===- Captures.h - What half a program captures ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_DLCTORING_CAPTURES_H
#define EMBER_LIB_CONVERSION_DLCTORING_CAPTURES_H

#include "Rings.h"

#include "ember/Conversion/DLCToRing/ComputeHalf.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace ember {

/// What one region of a program uses of what the program captures. Constants
/// and what is cheap to compute again are not passed: the function made of the
/// region computes them itself, and what follows sees what they are.
class Captures {
public:
  explicit Captures(mlir::Region &region);
  /// What must be passed, in the order of the function's arguments.
  llvm::ArrayRef<mlir::Value> passed() const { return values.getArrayRef(); }
  /// Maps all arguments of the region that it uses to what they are in the
  /// function, given its arguments; computes at `builder`.
  void map(mlir::OpBuilder &builder, mlir::ValueRange arguments,
           mlir::IRMapping &mapping) const;

private:
  void add(mlir::Value value);

  /// The arguments of the region that it uses.
  llvm::SetVector<mlir::Value> used;
  llvm::SetVector<mlir::Value> values;
  /// Operations to repeat, operands first.
  llvm::SetVector<mlir::Operation *> repeated;
};

/// Declares the function of a half, which takes what the half uses and then the
/// rings. Memrefs keep their names, as failures are reported with them.
mlir::func::FuncOp createHalf(dlc::ProgramOp program,
                              llvm::StringRef functionName, ring::Half half,
                              const Captures &captures, RingTypes types,
                              mlir::TypeRange results,
                              mlir::SymbolTable &symbols);

/// The rings of a half, its last arguments.
Rings getRings(mlir::func::FuncOp half);

} // namespace ember

#endif // EMBER_LIB_CONVERSION_DLCTORING_CAPTURES_H
