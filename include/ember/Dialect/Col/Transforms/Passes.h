//===- Passes.h - Passes on columns of features -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_COL_TRANSFORMS_PASSES_H
#define EMBER_DIALECT_COL_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace ember::col {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ember/Dialect/Col/Transforms/Passes.h.inc"

} // namespace ember::col

#endif // EMBER_DIALECT_COL_TRANSFORMS_PASSES_H
