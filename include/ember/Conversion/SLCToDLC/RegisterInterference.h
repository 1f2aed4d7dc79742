//===- RegisterInterference.h - Values needed at the same time --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_SLCTODLC_REGISTERINTERFERENCE_H
#define EMBER_CONVERSION_SLCTODLC_REGISTERINTERFERENCE_H

#include "ember/Dialect/SLC/IR/SLC.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ember {

/// True if some value that flows between callbacks of the nest under `root` is
/// written while another one for which `share` answers true is still needed.
/// Liveness is computed on the nest as it will run: callbacks in order, loops
/// entered, repeated and left through copies of the loop-carried values.
bool interferes(slc::LoopOpInterface root,
                llvm::function_ref<bool(mlir::Value, mlir::Value)> share);

} // namespace ember

#endif // EMBER_CONVERSION_SLCTODLC_REGISTERINTERFERENCE_H
