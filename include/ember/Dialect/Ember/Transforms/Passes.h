//===- Passes.h - Passes on what modules say of themselves ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMBER_TRANSFORMS_PASSES_H
#define EMBER_DIALECT_EMBER_TRANSFORMS_PASSES_H

#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Target/Processor/TargetInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace ember {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ember/Dialect/Ember/Transforms/Passes.h.inc"

/// What passes and the pass set-target call `target`.
TargetAttr describe(const TargetInfo &target, mlir::MLIRContext *context);

/// How code generation finds the processor of a module's target.
TargetSpec getSpec(TargetAttr target);

/// Says in `module` that it is for the processor of `spec`. A module that says
/// for which one it is keeps that with `keep`.
llvm::Error setTarget(mlir::ModuleOp module, const TargetSpec &spec,
                      bool keep = false);

/// Begins a pipeline with set-target: what the module says of its target stays,
/// unless `cpu` or `triple` say something else.
void addSetTarget(mlir::OpPassManager &manager, llvm::StringRef cpu,
                  llvm::StringRef triple, bool mayAlias);

} // namespace ember

#endif // EMBER_DIALECT_EMBER_TRANSFORMS_PASSES_H
