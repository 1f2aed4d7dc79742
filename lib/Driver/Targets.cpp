//===- Targets.cpp - The table of targets ---------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Targets.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace ember;

ArrayRef<KernelTarget> ember::getTargets() {
  static constexpr KernelTarget targets[] = {
      {.name = "cpu",
       .summary = "access and compute in one program, lookups prefetched, "
                  "loops on several threads",
       .stage = "scf",
       // Choosing costs it less than a branch that it cannot foresee.
       .masksSelects = false,
       // Lanes that are loaded by masked branches cost more than they save.
       .vectorizesLookups = false,
       // A core reads through all its caches.
       .lookupLevel = LookupLevel::none,
       .countsRows = true},
      {.name = "dae-threads",
       .summary = "access and compute as two threads joined by queues",
       .stage = "ring",
       .ordersCases = true},
  };
  return targets;
}

const KernelTarget &ember::getUnitTarget() {
  static constexpr KernelTarget target = {
      .name = "tmu",
      .summary = "access programs on Tensor Marshaling Units",
      .stage = "tmu",
      // What it pops is at known places, so that loops over rows are unrolled.
      .keepsRows = true};
  return target;
}

const KernelTarget *ember::findTarget(StringRef name) {
  const auto *row = llvm::find_if(
      getTargets(), [&](const KernelTarget &row) { return row.name == name; });
  return row == getTargets().end() ? nullptr : row;
}
