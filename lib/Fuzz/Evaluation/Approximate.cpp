//===- Approximate.cpp - Numbers with a bound of their error --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f32 is computed in double and rounded: with at least twice the precision plus
// two bits that is the same as rounding once.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Evaluation/Approximate.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace ember::fuzz {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Units that functions of the C library may be off by: two in the last place.
constexpr double kFunctionUnits = 4;

double ApproximateArithmetic::round(double value) const {
  return type == Scalar::F64 ? value : static_cast<float>(value);
}

double ApproximateArithmetic::largest() const {
  return type == Scalar::F64 ? std::numeric_limits<double>::max()
                             : std::numeric_limits<float>::max();
}

Approximate ApproximateArithmetic::finish(double value, double error) const {
  value = round(value);
  if (error == 0)
    return {value, 0};
  // Another operand may round, or overflow, otherwise.
  error += unit() * (std::fabs(value) + error) + smallest();
  if (!(std::fabs(value) + error < largest()))
    error = kInfinity;
  return {value, error};
}

Approximate ApproximateArithmetic::add(Approximate a, Approximate b) const {
  return finish(a.value + b.value, a.error + b.error);
}

Approximate ApproximateArithmetic::subtract(Approximate a,
                                            Approximate b) const {
  return add(a, negate(b));
}

double ApproximateArithmetic::productError(Approximate a, Approximate b) {
  double error = 0;
  // Not inf * 0 where one of them is exact.
  if (a.error > 0)
    error += a.error * (std::fabs(b.value) + b.error);
  if (b.error > 0)
    error += b.error * std::fabs(a.value);
  return std::isnan(error) ? kInfinity : error;
}

Approximate ApproximateArithmetic::multiply(Approximate a,
                                            Approximate b) const {
  double error = productError(a, b);
  // A zero whose sign is open has it open in products, though their error is
  // less than any number.
  if (error == 0 && a.error + b.error > 0)
    error = smallest();
  return finish(a.value * b.value, error);
}

/// Of f32 in f32: a double holds the product, but not always the sum.
Approximate ApproximateArithmetic::multiplyAdd(Approximate a, Approximate b,
                                               Approximate c) const {
  double value = type == Scalar::F64 ? std::fma(a.value, b.value, c.value)
                                     : std::fma(static_cast<float>(a.value),
                                                static_cast<float>(b.value),
                                                static_cast<float>(c.value));
  return finish(value, productError(a, b) + c.error);
}

Approximate ApproximateArithmetic::multiplyInSum(Approximate a,
                                                 Approximate b) const {
  Approximate product = multiply(a, b);
  bool isExact = std::fma(a.value, b.value, -product.value) == 0;
  if (isExact || !std::isfinite(a.value) || !std::isfinite(b.value))
    return product;
  // What overflows may still be brought back by what it is added to.
  if (!std::isfinite(product.value))
    return {product.value, kInfinity};
  return loosen(product, 0, 1);
}

Approximate ApproximateArithmetic::divide(Approximate a, int64_t count) const {
  double divisor = round(static_cast<double>(std::max<int64_t>(count, 1)));
  return finish(a.value / divisor, a.error / divisor);
}

Approximate ApproximateArithmetic::absolute(Approximate a) const {
  return {std::fabs(a.value), a.error};
}

Approximate ApproximateArithmetic::squareRoot(Approximate a) const {
  double root = std::sqrt(a.value);
  if (a.error == 0)
    return {round(root), 0};
  double above = std::sqrt(a.value + a.error) - root;
  double below = root - std::sqrt(std::max(0.0, a.value - a.error));
  return finish(root, std::max(above, below));
}

Approximate ApproximateArithmetic::exponential(Approximate a) const {
  double value = std::exp(a.value);
  double error = kFunctionUnits * unit() * value + smallest();
  if (a.error > 0)
    error += value * std::expm1(a.error);
  return finish(value, error);
}

Approximate ApproximateArithmetic::exponentialLess1(Approximate a) const {
  double value = std::expm1(a.value);
  double error = kFunctionUnits * unit() * std::fabs(value) + smallest();
  if (a.error > 0)
    error += std::exp(a.value) * std::expm1(a.error);
  return finish(value, error);
}

Approximate ApproximateArithmetic::logarithmOf1Plus(Approximate a) const {
  double value = std::log1p(a.value);
  double error = kFunctionUnits * unit() * std::fabs(value) + smallest();
  if (a.error > 0)
    error += value - std::log1p(a.value - a.error);
  return finish(value, error);
}

Approximate ApproximateArithmetic::errorFunction(Approximate a) const {
  double value = std::erf(a.value);
  // Its slope is less than 1.13 everywhere.
  return finish(value, kFunctionUnits * unit() * std::fabs(value) + smallest() +
                           1.13 * a.error);
}

Approximate ApproximateArithmetic::sigmoid(Approximate a) const {
  double value = 1 / (1 + std::exp(-a.value));
  // Where exp overflows, the quotient becomes zero.
  double error = 2 * kFunctionUnits * unit() * value + a.error / 4 +
                 (type == Scalar::F64 ? 0x1p-1021 : 0x1p-125);
  return finish(value, error);
}

Approximate ApproximateArithmetic::cosine(Approximate a) const {
  return finish(std::cos(a.value), kFunctionUnits * unit() + a.error);
}

Approximate ApproximateArithmetic::sine(Approximate a) const {
  return finish(std::sin(a.value), kFunctionUnits * unit() + a.error);
}

Approximate ApproximateArithmetic::maximum(Approximate old,
                                           Approximate value) const {
  double error = std::max(old.error, value.error);
  if (error > 0 && (std::isnan(old.value) || std::isnan(value.value)))
    error = kInfinity;
  return {value.value > old.value ? value.value : old.value, error};
}

/// The exponent of the lowest bit of `value` that is set.
static int lowestBit(double value) {
  int exponent;
  auto fraction =
      static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  return exponent - 53 + __builtin_ctzll(static_cast<uint64_t>(fraction));
}

Approximate
ApproximateArithmetic::sum(const std::vector<Approximate> &terms) const {
  Approximate sum;
  double error = 0, magnitude = 0;
  int lowest = 2000;
  for (const Approximate &term : terms) {
    sum.value = round(sum.value + term.value);
    error += term.error;
    magnitude += std::fabs(term.value);
    if (term.value != 0 && std::isfinite(term.value))
      lowest = std::min(lowest, lowestBit(term.value));
  }
  if (!std::isfinite(magnitude))
    return {sum.value, error > 0 ? kInfinity : 0};
  if (magnitude > largest())
    return {sum.value, kInfinity};
  int precision = type == Scalar::F64 ? 53 : 24;
  // Sums of multiples of 2^lowest below 2^(lowest + precision) are exact.
  bool isExact = error == 0 &&
                 (terms.size() < 2 ||
                  std::ldexp(magnitude, -lowest) < std::ldexp(1.0, precision));
  // The sign of zero depends on what the sum began with.
  if (isExact)
    return {sum.value, sum.value == 0 ? 0x1p-1074 : 0};
  auto count = static_cast<double>(terms.size());
  // Once for the sum here, once for that of the program.
  error += 2.02 * count * unit() * (magnitude + error);
  return finish(sum.value, error);
}

Approximate ApproximateArithmetic::loosen(Approximate a, double magnitude,
                                          int steps) const {
  return {a.value, a.error + steps * unit() * (magnitude + std::fabs(a.value)) +
                       smallest()};
}

uint64_t ApproximateArithmetic::store(Scalar to, Approximate a,
                                      double &error) const {
  uint64_t bits = encodeFloat(to, a.value);
  error = 0;
  if (a.error == 0)
    return bits;
  double stored = decodeFloat(to, bits);
  double above = decodeFloat(to, encodeFloat(to, a.value + a.error));
  double below = decodeFloat(to, encodeFloat(to, a.value - a.error));
  // At least the sign of zero may differ.
  error = std::max({above - stored, stored - below, 0x1p-1074});
  if (std::isnan(error) || std::isnan(stored))
    error = kInfinity;
  return bits;
}

} // namespace ember::fuzz
