//===- InlineCalls.h - Bring what a nest calls into it ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SLC_TRANSFORMS_INLINECALLS_H
#define EMBER_LIB_DIALECT_SLC_TRANSFORMS_INLINECALLS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember {

/// Replaces calls of private functions in the nest of `root` by what they do:
/// loads and arithmetic of a call may then be the access unit's, and what is
/// left of it is vectorised with the code around it. Calls of functions that
/// are long, recursive, branch, or are to be kept, stay.
void inlineCalls(mlir::scf::ForOp root);

/// True if a call in the nest of `root` runs loops: as compute code of a
/// decoupled nest they would be decoupled in turn. Gives the call.
mlir::Operation *findCallOfLoops(mlir::scf::ForOp root);

} // namespace ember

#endif // EMBER_LIB_DIALECT_SLC_TRANSFORMS_INLINECALLS_H
