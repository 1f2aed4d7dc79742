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
#include "ember/Dialect/DLC/IR/DLC.h"
#include "ember/Dialect/SLC/IR/SLC.h"
#include "ember/Dialect/SLCV/IR/SLCV.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace llvm;
using namespace mlir;

StringRef ember::getLevel(func::FuncOp function) {
  bool hasLoop = false;
  bool hasSLC = false;
  bool hasSLCV = false;
  bool hasDLC = false;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    Dialect *dialect = op->getDialect();
    hasSLCV |= isa_and_present<slcv::SLCVDialect>(dialect);
    if (isa_and_present<slc::SLCDialect, slcv::SLCVDialect>(dialect)) {
      hasSLC = true;
      return WalkResult::advance();
    }
    if (isa_and_present<dlc::DLCDialect>(dialect)) {
      hasDLC = true;
      return WalkResult::skip();
    }
    // Code of the execute unit is at every level what it is.
    if (isa<slc::CallbackOp>(op->getParentOp()))
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
