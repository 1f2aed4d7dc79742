//===- Tangent.h - How numbers change with an element -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward differentiation, against which gradients, which are computed
// backwards, are compared: it shares neither code nor order with them.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_FUZZ_STATEMENTS_TANGENT_H
#define EMBER_LIB_FUZZ_STATEMENTS_TANGENT_H

#include "ember/Fuzz/Evaluation/Approximate.h"
#include <optional>
#include <string>
#include <vector>

namespace ember::fuzz {

/// The derivative of a number by one element of an array.
struct Tangent {
  double value = 0;
  /// What the errors of numbers that it is computed from make of it.
  double error = 0;
  /// The sum of what is added up in it, without signs: rounding is relative to
  /// that.
  double magnitude = 0;

  bool isNothing() const { return magnitude == 0 && error == 0; }
  Tangent operator+(const Tangent &other) const;
  /// Of a function with the partial derivative `partial`.
  Tangent times(Approximate partial) const;
};

/// The partial derivatives of a function by name, for each of its operands. Of
/// equal operands max and min give each its half, and abs and relu at 0 have 0.
/// None where the operands' errors leave open which derivative it is.
std::optional<std::vector<Approximate>>
partialsOf(const ApproximateArithmetic &arithmetic, const std::string &name,
           const std::vector<Approximate> &operands, Approximate result);

/// The same of a reduction: of a sum, of a product, where each has the product
/// of the others, and of max and min, where what is equal to the result has
/// equal shares.
std::optional<std::vector<Approximate>>
partialsOfReduction(const std::string &name,
                    const std::vector<Approximate> &values, Approximate result);

} // namespace ember::fuzz

#endif // EMBER_LIB_FUZZ_STATEMENTS_TANGENT_H
