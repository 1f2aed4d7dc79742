//===- Passes.h - Passes of the native target -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TARGET_NATIVE_PASSES_H
#define EMBER_TARGET_NATIVE_PASSES_H

#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace ember::native {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ember/Target/Native/Passes.h.inc"

} // namespace ember::native

#endif // EMBER_TARGET_NATIVE_PASSES_H
