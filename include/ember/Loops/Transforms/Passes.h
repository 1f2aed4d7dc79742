//===- Passes.h - Passes on plain loops -------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LOOPS_TRANSFORMS_PASSES_H
#define EMBER_LOOPS_TRANSFORMS_PASSES_H

#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace ember::loops {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ember/Loops/Transforms/Passes.h.inc"

} // namespace ember::loops

#endif // EMBER_LOOPS_TRANSFORMS_PASSES_H
