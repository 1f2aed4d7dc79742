//===- NestBuilder.h - Loops, loads and checks of a lowered operation  -*- C++
//-*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_EMBEDTOSCF_NESTBUILDER_H
#define EMBER_CONVERSION_EMBEDTOSCF_NESTBUILDER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember {

/// Builds what the nests of all embedding operations are made of.
class NestBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using Body = llvm::function_ref<void(mlir::Value)>;
  using CarryingBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value, mlir::ValueRange)>;

  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  mlir::Value index(int64_t value);
  mlir::Value zero(mlir::Type type);

  /// The size of `memref` along `dim`: a constant where the type has it.
  mlir::Value size(mlir::Value memref, int64_t dim);

  /// Stops the program with "`operation`: `message`" if `a` is not `b`.
  void requireEqual(mlir::Value a, mlir::Value b, const llvm::Twine &message);

  /// Memory for the operation itself; errors that name it say `name`.
  mlir::Value allocate(llvm::ArrayRef<mlir::Value> sizes, mlir::Type element,
                       llvm::StringRef name);

  /// The same, for what an iteration of the outermost loop stores before it
  /// reads it.
  mlir::Value allocateScratch(llvm::ArrayRef<mlir::Value> sizes,
                              mlir::Type element, llvm::StringRef name);

  /// The element of an array of i32, i64 or index as an index.
  mlir::Value loadIndex(mlir::Value memref, mlir::ValueRange at);

  /// The element as a value of `type`, which is at least as wide.
  mlir::Value loadAs(mlir::FloatType type, mlir::Value memref,
                     mlir::ValueRange at);
  /// `value` in the memref's element type, rounded once.
  void storeAs(mlir::Value value, mlir::Value memref, mlir::ValueRange at);
  mlir::Value convert(mlir::Value value, mlir::FloatType type);

  /// What a sum of `count` (index) terms is divided by: at least 1.
  mlir::Value divisor(mlir::Value count, mlir::FloatType type);

  /// for (i = lower; i < upper; ++i)
  void loop(mlir::Value lower, mlir::Value upper, Body body);
  /// for (i = 0; i < upper; ++i)
  void loop(mlir::Value upper, Body body) { loop(index(0), upper, body); }
  /// The same, with values that go from one iteration to the next.
  llvm::SmallVector<mlir::Value> loop(mlir::Value lower, mlir::Value upper,
                                      mlir::ValueRange initial,
                                      CarryingBody body);
};

} // namespace ember

#endif // EMBER_CONVERSION_EMBEDTOSCF_NESTBUILDER_H
