//===- Comparison.h - Simulated results against others ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATION_COMPARISON_H
#define EMBER_LIB_SIMULATION_COMPARISON_H

#include "ember/Driver/Arguments.h"

namespace ember {

/// Fails if a parameter or a result differs in a bit, and says where. Numbers
/// that are none are alike. Where sums `mayReassociate`, processors add in
/// orders of their own: floats may differ by what rounding makes of numbers as
/// large as the largest of their array.
llvm::Error compareValues(const KernelArguments &simulated,
                          const KernelArguments &expected, bool mayReassociate);

} // namespace ember

#endif // EMBER_LIB_SIMULATION_COMPARISON_H
