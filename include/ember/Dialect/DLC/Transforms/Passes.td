//===- Passes.td - Passes on separated programs ------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_TRANSFORMS_PASSES_TD
#define EMBER_DIALECT_DLC_TRANSFORMS_PASSES_TD

include "ember/Dialect/DLC/Transforms/CasePasses.td"
include "ember/Dialect/DLC/Transforms/OperandPasses.td"

#endif // EMBER_DIALECT_DLC_TRANSFORMS_PASSES_TD
