//===- VectorizerDefects.h - What LLVM 22 never vectorises ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop vectoriser of LLVM 22 asks whether a value is the same in all
// iterations by asking that of its operands, and of theirs, each as often as
// there are paths to it: of sixty operations that have the one before twice,
// more often than a process lives.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TARGET_NATIVE_VECTORIZERDEFECTS_H
#define EMBER_LIB_TARGET_NATIVE_VECTORIZERDEFECTS_H

#include "llvm/IR/PassManager.h"

namespace ember::native {

/// Has the vectoriser pass over loops that it would not come to an end with;
/// where it begins, since what can be computed in front of loops is there then.
struct SkipEndlessLoops : llvm::PassInfoMixin<SkipEndlessLoops> {
  static llvm::PreservedAnalyses run(llvm::Function &function,
                                     llvm::FunctionAnalysisManager &analyses);
};

} // namespace ember::native

#endif // EMBER_LIB_TARGET_NATIVE_VECTORIZERDEFECTS_H
