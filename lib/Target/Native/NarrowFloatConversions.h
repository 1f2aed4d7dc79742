//===- NarrowFloatConversions.h - Small floats to f32 and back --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TARGET_NATIVE_NARROWFLOATCONVERSIONS_H
#define EMBER_LIB_TARGET_NATIVE_NARROWFLOATCONVERSIONS_H

#include "mlir/IR/PatternMatch.h"

namespace ember::native {

/// Rewrites extensions of 8-bit floats to f32, and truncations of f32 to them,
/// as arithmetic on their bits.
void populateExpandNarrowFloats(mlir::RewritePatternSet &patterns);

} // namespace ember::native

#endif // EMBER_LIB_TARGET_NATIVE_NARROWFLOATCONVERSIONS_H
