//===- LoopCarriedValues.h - Loops that carry more --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SLCV_TRANSFORMS_LOOPCARRIEDVALUES_H
#define EMBER_LIB_DIALECT_SLCV_TRANSFORMS_LOOPCARRIEDVALUES_H

#include "ember/Dialect/SLC/IR/SLC.h"

namespace ember::slcv {

/// Replaces `loop` by one that also carries a value, which begins as `init`
/// and is the last of getRegionIterArgs(). The loop yields it unchanged until
/// the caller sets the last operand of getYield().
slc::LoopOpInterface addIterArg(slc::LoopOpInterface loop, mlir::Value init);

/// Replaces `loop` by one that carries no values. Nothing may use its results
/// or carried values any more.
slc::LoopOpInterface dropIterArgs(slc::LoopOpInterface loop);

} // namespace ember::slcv

#endif // EMBER_LIB_DIALECT_SLCV_TRANSFORMS_LOOPCARRIEDVALUES_H
