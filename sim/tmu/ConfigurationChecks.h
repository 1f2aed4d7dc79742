//===- ConfigurationChecks.h - How pushes belong together -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TMU_CONFIGURATIONCHECKS_H
#define EMBER_SIM_TMU_CONFIGURATIONCHECKS_H

#include "ConfigurationReader.h"

#include "ember/Sim/TMU/Configuration.h"

namespace ember::sim {

/// Where a push was read.
struct PushOrigin {
  JSONPart part;
  OperandRef on;
  bool same;
  uint32_t layer;
  PushEvent event;
  uint32_t index;
};

/// Finds the token of each operand, the layers in which conditions change, and
/// what is loaded on a condition only.
void connectPushes(TMUProgram &program, llvm::ArrayRef<PushOrigin> origins);

/// Whether flags are pushed as bits: where they do not fit as bytes.
bool isPackedFlags(const Push &push);

} // namespace ember::sim

#endif
