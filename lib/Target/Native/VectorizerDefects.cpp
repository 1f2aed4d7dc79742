//===- VectorizerDefects.cpp - What LLVM 22 never vectorises --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorizerDefects.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace ember::native {

/// More paths than code has that somebody writes, and few enough to be walked.
static constexpr uint64_t mostPaths = 1 << 16;

/// How many paths lead from a value of a loop that is the same in all of its
/// iterations to what it is computed from; the most that there are.
static uint64_t countUniformPaths(const llvm::Loop &loop,
                                  llvm::LoopInfo &loops) {
  llvm::LoopBlocksRPO blocks(const_cast<llvm::Loop *>(&loop));
  blocks.perform(&loops);
  // Of values that are the same in all iterations.
  llvm::DenseMap<const llvm::Value *, uint64_t> paths;
  uint64_t most = 0;
  for (const llvm::BasicBlock *block : blocks)
    for (const llvm::Instruction &instruction : *block) {
      if (llvm::isa<llvm::PHINode>(instruction) || instruction.isTerminator())
        continue;
      uint64_t mine = 1;
      bool isUniform = true;
      for (const llvm::Value *operand : instruction.operands()) {
        if (loop.isLoopInvariant(operand))
          continue;
        auto known = paths.find(operand);
        isUniform &= known != paths.end();
        if (isUniform)
          mine = llvm::SaturatingAdd(mine, known->second);
      }
      if (isUniform)
        paths[&instruction] = mine;
      most = std::max(most, mine);
    }
  return most;
}

llvm::PreservedAnalyses
SkipEndlessLoops::run(llvm::Function &function,
                      llvm::FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  for (llvm::Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && countUniformPaths(*loop, loops) > mostPaths)
      llvm::addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
  return llvm::PreservedAnalyses::all();
}

} // namespace ember::native
