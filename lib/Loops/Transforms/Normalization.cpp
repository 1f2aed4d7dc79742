//===- Normalization.cpp - One form of loops ------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Loops/Transforms/Normalization.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"

using namespace mlir;

void ember::loops::addLoopNormalization(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createSplitIndexCasts());
  functions.addPass(createConvertLinalgToLoopsPass());
  functions.addPass(createLowerAffinePass());
  functions.addPass(createForallToForLoopPass());
  functions.addPass(createOrderParallelLoops());
}
