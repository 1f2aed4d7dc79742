//===- Approximate.h - Numbers with a bound of their error ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Embedding operations leave open in which order a row is summed, and how
// exactly exp and its like are computed. Numbers carry how far a correct
// program may be from them; where nothing was left open, or every order gives
// the same, that is nothing at all.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_EVALUATION_APPROXIMATE_H
#define EMBER_FUZZ_EVALUATION_APPROXIMATE_H

#include "ember/Fuzz/Program/Scalar.h"
#include <vector>

namespace ember::fuzz {

struct Approximate {
  double value = 0;
  double error = 0;
};

/// Operations in f32 or f64, rounded once each.
class ApproximateArithmetic {
public:
  explicit ApproximateArithmetic(Scalar type) : type(type) {}

  Approximate add(Approximate a, Approximate b) const;
  Approximate subtract(Approximate a, Approximate b) const;
  Approximate multiply(Approximate a, Approximate b) const;
  /// a * b + c, rounded once.
  Approximate multiplyAdd(Approximate a, Approximate b, Approximate c) const;
  /// A product that may be added to others before it is rounded.
  Approximate multiplyInSum(Approximate a, Approximate b) const;
  Approximate divide(Approximate a, int64_t count) const;
  Approximate negate(Approximate a) const { return {-a.value, a.error}; }
  Approximate absolute(Approximate a) const;
  Approximate squareRoot(Approximate a) const;
  Approximate exponential(Approximate a) const;
  /// e^a - 1.
  Approximate exponentialLess1(Approximate a) const;
  Approximate logarithmOf1Plus(Approximate a) const;
  Approximate errorFunction(Approximate a) const;
  Approximate sigmoid(Approximate a) const;
  Approximate cosine(Approximate a) const;
  Approximate sine(Approximate a) const;
  /// The larger one; the old one where they are equal or `value` is no number.
  Approximate maximum(Approximate old, Approximate value) const;

  /// The sum in whatever order.
  Approximate sum(const std::vector<Approximate> &terms) const;

  /// `a` as a formula that may be computed in other steps has it: with the
  /// error of those it took, of which `magnitude` is the largest intermediate
  /// result.
  Approximate loosen(Approximate a, double magnitude, int steps) const;

  /// The pattern of `a` rounded to `to`, and its bound there.
  uint64_t store(Scalar to, Approximate a, double &error) const;

private:
  double round(double value) const;
  static double productError(Approximate a, Approximate b);
  /// Rounds a result whose operands' errors add up to `error`.
  Approximate finish(double value, double error) const;
  /// Half a unit in the last place of 1.
  double unit() const { return type == Scalar::F64 ? 0x1p-53 : 0x1p-24; }
  double smallest() const { return type == Scalar::F64 ? 0x1p-1074 : 0x1p-149; }
  double largest() const;

  Scalar type;
};

} // namespace ember::fuzz

#endif // EMBER_FUZZ_EVALUATION_APPROXIMATE_H
