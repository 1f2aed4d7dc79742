//===- StudentDistribution.cpp - How far means may be off -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Engine/StudentDistribution.h"

#include <cmath>
#include <numbers>

using namespace ember::sim;

double ember::sim::studentDistance(double probability,
                                   uint64_t degreesOfFreedom) {
  // With t = sqrt(n) tan(a), the density of t is that of a, cos(a)^(n-1), up to
  // a factor. Beyond 10000 degrees it changes no more.
  constexpr uint64_t enough = 10000;
  constexpr unsigned steps = 100000;
  constexpr double width = std::numbers::pi / 2 / steps;
  auto degrees = static_cast<double>(
      degreesOfFreedom < enough ? degreesOfFreedom : enough);
  auto density = [&](unsigned step) {
    return std::pow(std::cos((step + 0.5) * width), degrees - 1);
  };
  double total = 0;
  for (unsigned step = 0; step < steps; ++step)
    total += density(step);
  double sum = 0;
  for (unsigned step = 0; step < steps; ++step) {
    double part = density(step);
    if (sum + part >= probability * total) {
      double within = part > 0 ? (probability * total - sum) / part : 0;
      return std::sqrt(degrees) * std::tan((step + within) * width);
    }
    sum += part;
  }
  return HUGE_VAL;
}
