//===- DeadCarriedValues.h - What loops carry for nobody --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SLC_TRANSFORMS_DEADCARRIEDVALUES_H
#define EMBER_LIB_DIALECT_SLC_TRANSFORMS_DEADCARRIEDVALUES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember {

/// Removes from the loops of the nest at `root` the carried values from which
/// nothing follows but themselves, such as a counter that nobody reads: each
/// would cost the execute unit a register, and a token to write it. Replaces
/// `root` if it carries one.
void dropDeadCarriedValues(mlir::scf::ForOp &root);

} // namespace ember

#endif // EMBER_LIB_DIALECT_SLC_TRANSFORMS_DEADCARRIEDVALUES_H
