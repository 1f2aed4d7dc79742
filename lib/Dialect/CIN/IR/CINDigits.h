//===- CINDigits.h - Indices as sums of digits ------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index such as `4 * i + j`, or `i * size(A, 1) + j`, is a number whose
// digits are variables. It tells each of them where a digit counts for more
// than all below it together.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_IR_CINDIGITS_H
#define EMBER_LIB_DIALECT_CIN_IR_CINDIGITS_H

#include "ember/Dialect/CIN/IR/CIN.h"

namespace ember::cin {

/// The number that `value` is, if it is one; null is none.
std::optional<int64_t> getLiteral(mlir::Value value);

/// By how much a variable of a statement varies, at most.
std::optional<int64_t> getSpread(mlir::Value value);

/// Whether two expressions have one value.
bool isSame(mlir::Value a, mlir::Value b);

/// What `value` is, in a type of another width.
mlir::Value skipConversions(mlir::Value value);

/// The weights of the dimensions of a linear expression; failure if it is none.
mlir::LogicalResult addWeights(mlir::AffineExpr expr, int64_t factor,
                               llvm::MutableArrayRef<int64_t> weights);

/// A number times sizes, by the groups that these are of.
struct Weight {
  int64_t factor = 1;
  /// Ascending.
  llvm::SmallVector<unsigned> sizes;

  std::optional<Weight> times(const Weight &other) const;
};

/// A variable in an index, or an element of an array.
struct Digit {
  mlir::Value value;
  Weight weight;
};

/// Takes indices of a statement apart.
class Digits {
public:
  /// `variables`: those of the statement.
  explicit Digits(llvm::ArrayRef<mlir::BlockArgument> variables)
      : variables(variables) {}

  /// What `index` is the sum of, but for constants and for what `isKnown`; none
  /// if it is no such sum.
  std::optional<llvm::SmallVector<Digit>>
  split(mlir::Value index, llvm::function_ref<bool(mlir::Value)> isKnown);
  /// Whether each value of the digits gives another sum.
  bool isInjective(llvm::SmallVector<Digit> digits);

private:
  mlir::LogicalResult add(mlir::Value index, const Weight &weight,
                          llvm::function_ref<bool(mlir::Value)> isKnown,
                          llvm::SmallVector<Digit> &digits);
  /// What a factor of a digit is; none if that is no product of numbers, and of
  /// sizes that something in the statement runs up to.
  std::optional<Weight> getWeight(mlir::Value factor);
  /// How many values a digit has, at most.
  std::optional<Weight> getCount(mlir::Value digit);
  std::optional<Weight> getWeightOf(ArrayDimension size);
  void findGroups();
  void addEqual(llvm::SmallVector<ArrayDimension> sizes);
  void addReached(ArrayDimension size);

  llvm::ArrayRef<mlir::BlockArgument> variables;
  /// Sizes that are the same, by what the evaluation asks for; empty before
  /// there is a size in an index.
  llvm::SmallVector<llvm::SmallVector<ArrayDimension>> groups;
  /// Sizes that a variable, or a coordinate, runs up to. Where there is
  /// something to assign, none is 0.
  llvm::SmallVector<ArrayDimension> reached;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_IR_CINDIGITS_H
