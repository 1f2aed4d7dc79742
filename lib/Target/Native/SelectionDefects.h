//===- SelectionDefects.h - What LLVM 22 selects wrongly --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instruction selection of LLVM 22 ends the process, or makes code that writes
// too much, for a few accesses. Modules are rewritten so that they have none.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TARGET_NATIVE_SELECTIONDEFECTS_H
#define EMBER_LIB_TARGET_NATIVE_SELECTIONDEFECTS_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace ember::native {

/// Rewrites what the process ends at; before the optimiser, which makes none.
void avoidSelectionCrashes(llvm::Module &module);

/// Rewrites what is selected wrongly, or not at all; after the optimiser, which
/// makes it.
///
/// - On x86 with AVX-512, a masked store of truncated elements of which one
/// lane
///   is on is selected as a store of the element before it was truncated, which
///   overwrites what lies behind.
/// - On x86 with AVX-512, a masked access of eight bytes is one of sixteen with
///   the upper half of the mask cleared by a move (`kmovb`), which the register
///   allocator takes for a copy of all of it: what is there is read, or
///   overwritten, too.
/// - On AArch64, -(a * b + c) is selected as -a * b - c, which is another zero
///   where a * b and c are zeros of different signs.
/// - On AArch64, the process ends at masked accesses that are non-temporal.
void avoidWrongSelections(llvm::Module &module,
                          const llvm::TargetMachine &machine);

} // namespace ember::native

#endif // EMBER_LIB_TARGET_NATIVE_SELECTIONDEFECTS_H
