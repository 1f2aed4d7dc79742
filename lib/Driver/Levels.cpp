//===- Levels.cpp - At which level a function is --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dialects tell the level. Loops make a function scf only where they stand
// outside of slc and dlc operations, whose callbacks and cases are scf code.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Levels.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace llvm;
using namespace mlir;

StringRef ember::getLevel(func::FuncOp function) {
  bool hasLoop = false;
  bool hasSLC = false;
  bool hasSLCV = false;
  bool hasDLC = false;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    hasSLCV |= dialect == "slcv";
    if (dialect == "slc" || dialect == "slcv") {
      hasSLC = true;
      return WalkResult::advance();
    }
    if (dialect == "dlc") {
      hasDLC = true;
      return WalkResult::skip();
    }
    // Code of the execute unit is at every level what it is.
    if (op->getParentOp()->getName().getDialectNamespace() == "slc")
      return WalkResult::skip();
    hasLoop |= isa<LoopLikeOpInterface>(op);
    return WalkResult::advance();
  });
  if (hasLoop + hasSLC + hasDLC > 1)
    return "mixed";
  if (hasDLC)
    return "dlc";
  if (hasSLC)
    return hasSLCV ? "slcv" : "slc";
  return "scf";
}
