//===- CallbackReads.h - Where callbacks read streams -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_STREAMCODE_CALLBACKREADS_H
#define EMBER_CONVERSION_STREAMCODE_CALLBACKREADS_H

#include "mlir/IR/Operation.h"

namespace ember {

/// Moves every `slc.str_to_val` in loops and branches of callbacks in `root` to
/// the callback's own block: an element crosses once for each callback,
/// whatever runs in it.
void readBeforeBranches(mlir::Operation *root);

} // namespace ember

#endif // EMBER_CONVERSION_STREAMCODE_CALLBACKREADS_H
