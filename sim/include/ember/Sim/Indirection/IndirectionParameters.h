//===- IndirectionParameters.h - Of a prefetch engine -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_INDIRECTION_INDIRECTIONPARAMETERS_H
#define EMBER_SIM_INDIRECTION_INDIRECTIONPARAMETERS_H

#include "ember/Sim/Engine/Time.h"
#include "ember/Sim/Machine/Parameters.h"

#include "llvm/Support/Error.h"

namespace ember::sim {

/// The cache that a prefetch engine fills.
enum class PrefetchTarget : uint8_t { l1, l2 };

struct IndirectionParameters {
  double clock = 1.2;
  uint64_t lookups = 16;
  uint64_t distance = 32;
  uint64_t outstanding = 64;
  uint64_t queue = 512;
  PrefetchTarget target = PrefetchTarget::l2;
  uint64_t deviceCycles = 4;

  /// Of the clock, in ticks.
  Tick period() const;

  void visit(ParameterVisitor &visitor);
  llvm::Error validate() const;
};

} // namespace ember::sim

#endif
