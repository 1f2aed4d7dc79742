//===- Passes.h - Access and compute as two functions -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_DLCTORING_PASSES_H
#define EMBER_CONVERSION_DLCTORING_PASSES_H

#include "ember/Dialect/Ember/Transforms/Choice.h"
#include "mlir/Pass/Pass.h"

namespace ember {

/// Which functions are made of a program.
enum class Halves { both, access, compute };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ember/Conversion/DLCToRing/Passes.h.inc"

} // namespace ember

#endif // EMBER_CONVERSION_DLCTORING_PASSES_H
