//===- Targets.h - The table of targets -------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What machine a kernel is for. A new target is a row of the table in
// Targets.cpp: command lines, their errors and --help, and Python follow it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_TARGETS_H
#define EMBER_DRIVER_TARGETS_H

#include "ember/Dialect/SLC/Transforms/Passes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ember {

/// A row of the table.
struct KernelTarget {
  /// Of --target.
  llvm::StringRef name;
  llvm::StringRef summary;
  /// The stage (see Levels.h) that native code is made from.
  llvm::StringRef stage;
  /// Callbacks that choose to store what was there are left out.
  bool masksSelects = true;
  /// Loops that do little else than look single elements up stay scalar where
  /// the processor would load lanes one after the other.
  bool vectorizesLookups = true;
  /// The cache that keeps what is looked up.
  LookupLevel lookupLevel = LookupLevel::automatic;
  /// Rows of results are counted before several threads fill them.
  bool countsRows = false;
  /// Cases keep rows that they work on, in registers where these hold them.
  bool keepsRows = false;
  /// A run counts how often cases occur, and --profile orders them by it.
  bool ordersCases = false;
};

/// All targets; the first one is the default.
llvm::ArrayRef<KernelTarget> getTargets();

/// What cores beside access units get. It is in no table, because the simulator
/// alone has units.
const KernelTarget &getUnitTarget();

/// The target of that name, or null.
const KernelTarget *findTarget(llvm::StringRef name);

} // namespace ember

#endif // EMBER_DRIVER_TARGETS_H
