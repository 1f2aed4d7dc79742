//===- Normalization.h - One form of loops ----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LOOPS_TRANSFORMS_NORMALIZATION_H
#define EMBER_LOOPS_TRANSFORMS_NORMALIZATION_H

#include "mlir/Pass/PassManager.h"

namespace ember::loops {

/// Adds the passes that turn every form of loops (affine, linalg on memrefs,
/// scf.forall, scf.parallel) into scf.for and scf.while, and casts of indices
/// into what canonicalization keeps.
void addLoopNormalization(mlir::OpPassManager &pm);

} // namespace ember::loops

#endif // EMBER_LOOPS_TRANSFORMS_NORMALIZATION_H
