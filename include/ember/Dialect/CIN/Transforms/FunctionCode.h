//===- FunctionCode.h - What functions of statements compute ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_TRANSFORMS_FUNCTIONCODE_H
#define EMBER_DIALECT_CIN_TRANSFORMS_FUNCTIONCODE_H

#include "ember/Dialect/CIN/IR/Function.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember::cin {

/// The value of `function` of `operands`, which it takes, as a `result`. Of
/// `known` operands, by number, the value is known where it is not null: if the
/// function has a body for these, that one is emitted. All are unknown if it is
/// empty.
mlir::Value emitCall(mlir::ImplicitLocOpBuilder &builder, Function function,
                     mlir::ValueRange operands, mlir::Type result,
                     llvm::ArrayRef<mlir::TypedAttr> known = {});

/// The number of the case of `function` that is for operands of which this much
/// is known; none if only its body is.
std::optional<unsigned> findCase(Function function,
                                 llvm::ArrayRef<mlir::TypedAttr> known);

/// The number that `function` of numbers is, as its code computes it; null if
/// that is not known before it runs, as a division of an integer by zero, or
/// takes too many steps.
mlir::TypedAttr foldCall(Function function,
                         llvm::ArrayRef<mlir::TypedAttr> operands,
                         mlir::Type result);
/// The same of one of its cases: `operands` are those without a value.
mlir::TypedAttr foldCase(const FunctionCase &given,
                         llvm::ArrayRef<mlir::TypedAttr> operands);

/// The float that a value is, as a literal of a statement or a constant of
/// code; null if it is none.
mlir::FloatAttr getFloat(mlir::Value value);
/// Whether a value is the zero that no sum shows: it is negative.
bool addsNothing(mlir::Value value);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_TRANSFORMS_FUNCTIONCODE_H
