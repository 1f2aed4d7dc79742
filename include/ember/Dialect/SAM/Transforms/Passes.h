//===- Passes.h - Graphs of blocks as other graphs --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SAM_TRANSFORMS_PASSES_H
#define EMBER_DIALECT_SAM_TRANSFORMS_PASSES_H

#include "ember/Dialect/SAM/IR/SAM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace ember::sam {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ember/Dialect/SAM/Transforms/Passes.h.inc"

} // namespace ember::sam

#endif // EMBER_DIALECT_SAM_TRANSFORMS_PASSES_H
