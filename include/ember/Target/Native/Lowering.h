//===- Lowering.h - From scf functions to the llvm dialect ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything between "functions over memrefs, in scf, vector, arith" and a
// module in the llvm dialect that holds kernel entries and nothing unsafe:
//
//   optimise (prefetches, accumulators in registers)
//   -> run-time checks of every access -> kernel entries -> llvm dialect
//
// For which processor, and whether arguments may overlap, the module says
// (`ember.target`, `ember.may_alias`).
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TARGET_NATIVE_LOWERING_H
#define EMBER_TARGET_NATIVE_LOWERING_H

#include "ember/Loops/Transforms/PrefetchSettings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallBitVector.h"

namespace ember::native {

struct LoweringOptions {
  /// 0 lowers what is there; from 1 on the scf-level CPU passes run too
  /// (prefetch-lookups, unroll-lookups, promote-accumulators,
  /// pair-bfloat16-lanes).
  unsigned optLevel = 3;
  /// Checks of indices, offsets, divisors and assertions. A module lowered
  /// without them may read out of bounds: only for code already checked.
  bool runtimeChecks = true;
  loops::PrefetchSettings prefetch;
  /// Loops are divided among threads and otherwise left as they are to LLVM,
  /// which sees what any compiler of loops would.
  bool leavesLoops = false;
  /// Each core has an engine that prefetches rows, and is told which.
  bool describesLookups = false;
  /// Outermost loops with independent iterations may run on several threads.
  bool parallel = true;
  /// Rows of bf16 are taken apart two elements at a time.
  bool pairLanes = true;
  /// Vectors that a loop sums are reduced over their lanes once, behind it.
  bool reduceLanesLast = true;
  /// Sines and cosines that may be approximated are polynomials.
  bool approximateTrigonometry = true;
  /// Short segments of one length run one after the other, where loops may run
  /// on several threads.
  bool orderSegments = true;
  /// Tables that each iteration of a loop reads whole are read tile by tile,
  /// where loops may run on several threads.
  bool tileSweeps = true;
  /// Whole vectors of rows whose length is not known are accessed without
  /// masks.
  bool peelMasks = true;
  /// The smallest output, in bytes, that is written past the caches, where
  /// loops may run on several threads; 0 for none, -1 chooses.
  int64_t streamMinOutput = 0;
  /// Loops over rows of known length may be unrolled.
  bool unroll = true;
  /// Rows longer than the registers are summed strip by strip, where loops may
  /// be unrolled.
  bool stripRows = true;
};

/// Adds the passes that take scf-level functions to the llvm dialect.
void buildLoweringPipeline(mlir::OpPassManager &pm,
                           const LoweringOptions &options);

/// Runs that pipeline on `module`. Diagnoses and fails when an operation has no
/// lowering.
llvm::LogicalResult lowerToLLVMDialect(mlir::ModuleOp module,
                                       const LoweringOptions &options);

/// The dialects a module may hold before lowering, those that lowering
/// creates, and the external interface models its passes and the translation
/// to LLVM IR need.
void registerLoweringDialects(mlir::DialectRegistry &registry);

/// Adds `buildLoweringPipeline` to the command line as `--lower-to-native`.
void registerLoweringPipeline();

/// Which arguments of `func` the function stores to, directly, through views,
/// or in functions it calls. What cannot be seen (a function without a body, an
/// unknown operation) counts as a store. A function that carries the attribute
/// `ember.written_arguments` (see the pass annotate-written-arguments) is
/// believed.
llvm::SmallBitVector findWrittenArguments(mlir::func::FuncOp func);

/// The symbol of the kernel entry of function `name`.
std::string kernelEntrySymbol(llvm::StringRef name);

} // namespace ember::native

#endif // EMBER_TARGET_NATIVE_LOWERING_H
