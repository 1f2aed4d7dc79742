//===- ProgramPass.td - Passes on programs -----------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_TRANSFORMS_PROGRAMPASS_TD
#define EMBER_DIALECT_DLC_TRANSFORMS_PROGRAMPASS_TD

include "mlir/Pass/PassBase.td"

// Passes on programs run on all programs in the operation that they are nested on,
// a program itself, too. Pass managers go down by one level only, and programs
// also stand in loops, where a pass that took nothing but programs would miss
// them without a word.
class DLC_ProgramPass<string name> : Pass<name>;

#endif // EMBER_DIALECT_DLC_TRANSFORMS_PROGRAMPASS_TD
