//===- Tangent.cpp - How numbers change with an element -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tangent.h"
#include <algorithm>
#include <cmath>

namespace ember::fuzz {

using Partials = std::optional<std::vector<Approximate>>;

Tangent Tangent::operator+(const Tangent &other) const {
  return {value + other.value, error + other.error,
          magnitude + other.magnitude};
}

Tangent Tangent::times(Approximate partial) const {
  // Not inf * 0.
  if (isNothing())
    return {};
  double factor = std::fabs(partial.value);
  return {value * partial.value,
          error * factor + partial.error * (std::fabs(value) + error),
          magnitude * factor};
}

/// Whether errors leave open which of two numbers is larger.
static bool isUnclear(Approximate a, Approximate b) {
  double error = a.error + b.error;
  return error > 0 && !(std::fabs(a.value - b.value) > error);
}

static Partials choose(Approximate a, Approximate b, bool isLarger) {
  if (isUnclear(a, b))
    return std::nullopt;
  if (a.value == b.value)
    return {{{0.5, 0}, {0.5, 0}}};
  bool isFirst = isLarger == (a.value > b.value);
  return {{{isFirst ? 1.0 : 0.0, 0}, {isFirst ? 0.0 : 1.0, 0}}};
}

Partials partialsOf(const ApproximateArithmetic &arithmetic,
                    const std::string &name,
                    const std::vector<Approximate> &operands,
                    Approximate result) {
  Approximate a = operands[0];
  if (operands.size() == 2) {
    Approximate b = operands[1];
    if (name == "+")
      return {{{1, 0}, {1, 0}}};
    if (name == "-")
      return {{{1, 0}, {-1, 0}}};
    if (name == "*")
      return {{b, a}};
    return choose(a, b, /*isLarger=*/name == "max");
  }
  if (name == "-")
    return {{{-1, 0}}};
  if (name == "exp")
    return {{result}};
  if (name == "expm1")
    return {{arithmetic.exponential(a)}};
  if (name == "log1p") {
    double sum = 1 + a.value;
    if (!(sum > a.error))
      return std::nullopt;
    return {{{1 / sum, a.error / sum / (sum - a.error)}}};
  }
  if (name == "erf") {
    Approximate power =
        arithmetic.exponential(arithmetic.negate(arithmetic.multiply(a, a)));
    constexpr double factor = 1.1283791670955126; // 2 / sqrt(pi)
    return {{{factor * power.value, factor * power.error}}};
  }
  if (name == "sigmoid")
    return {{{result.value * (1 - result.value), 2 * result.error}}};
  if (name == "sin")
    return {{arithmetic.cosine(a)}};
  if (name == "cos")
    return {{arithmetic.negate(arithmetic.sine(a))}};
  if (name == "sqrt") {
    double half = 0.5 / result.value;
    if (!(result.value > result.error))
      return std::nullopt;
    return {{{half, half * result.error / (result.value - result.error)}}};
  }
  if (name == "floor" || name == "ceil" || name == "trunc" || name == "round" ||
      name == "detach")
    return {{{0, 0}}};
  // abs and relu.
  if (isUnclear(a, {}))
    return std::nullopt;
  double below = name == "abs" ? -1 : 0;
  return {{{a.value > 0 ? 1.0 : a.value < 0 ? below : 0.0, 0}}};
}

static std::vector<Approximate>
productsOfOthers(const std::vector<Approximate> &values) {
  std::vector<Approximate> products;
  for (size_t mine = 0; mine < values.size(); ++mine) {
    double product = 1, largest = 1;
    for (size_t i = 0; i < values.size(); ++i) {
      if (i == mine)
        continue;
      product *= values[i].value;
      largest *= std::fabs(values[i].value) + values[i].error;
    }
    products.push_back({product, largest - std::fabs(product)});
  }
  return products;
}

Partials partialsOfReduction(const std::string &name,
                             const std::vector<Approximate> &values,
                             Approximate result) {
  if (name == "+")
    return std::vector<Approximate>(values.size(), {1, 0});
  if (name == "*") {
    // What is 0 is asked of each.
    for (Approximate value : values)
      if (isUnclear(value, {}))
        return std::nullopt;
    return productsOfOthers(values);
  }
  std::vector<Approximate> shares;
  double equal = 0;
  for (Approximate value : values) {
    bool isResult = value.value == result.value;
    if (!isResult && isUnclear(value, result))
      return std::nullopt;
    shares.push_back({isResult ? 1.0 : 0.0, 0});
    equal += isResult;
  }
  bool isExact = result.error == 0;
  if (equal > 1 && !isExact)
    return std::nullopt;
  for (Approximate &share : shares)
    share.value /= std::max(equal, 1.0);
  return shares;
}

} // namespace ember::fuzz
