//===- CallbackMerging.h - One callback instead of several ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SLCV_TRANSFORMS_CALLBACKMERGING_H
#define EMBER_LIB_DIALECT_SLCV_TRANSFORMS_CALLBACKMERGING_H

#include "ember/Dialect/SLC/IR/SLC.h"

namespace ember::slcv {

/// Merges callbacks that stand in one loop body, in order, and run one after
/// the other with nothing in between, into one that stands where the last one
/// stood. It reads each stream once, and rows last, so that these can be taken
/// from the queue while they arrive.
slc::CallbackOp mergeCallbacks(llvm::ArrayRef<slc::CallbackOp> callbacks);

/// Merges the callbacks in the body of the innermost loop `loop`: streams do
/// not depend on what callbacks do. Returns the one that is left; null if there
/// was none.
slc::CallbackOp mergeCallbacks(slc::LoopOpInterface loop);

/// Gives `callback` the further results `values`, which are defined in its
/// body. Returns the callback that replaces it.
slc::CallbackOp addResults(slc::CallbackOp callback, mlir::ValueRange values);

} // namespace ember::slcv

#endif // EMBER_LIB_DIALECT_SLCV_TRANSFORMS_CALLBACKMERGING_H
