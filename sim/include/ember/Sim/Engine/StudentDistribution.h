//===- StudentDistribution.h - How far means may be off ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_ENGINE_STUDENTDISTRIBUTION_H
#define EMBER_SIM_ENGINE_STUDENTDISTRIBUTION_H

#include <cstdint>

namespace ember::sim {

/// The distance from 0 within which a variable of Student's distribution lies
/// with a probability, 0 to 1: 2.262 for 0.95 and 9 degrees of freedom.
double studentDistance(double probability, uint64_t degreesOfFreedom);

} // namespace ember::sim

#endif
