//===- Passes.h - Statements as graphs of blocks ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_CINTOSAM_PASSES_H
#define EMBER_CONVERSION_CINTOSAM_PASSES_H

#include "mlir/Pass/Pass.h"

namespace ember {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ember/Conversion/CINToSAM/Passes.h.inc"

} // namespace ember

#endif // EMBER_CONVERSION_CINTOSAM_PASSES_H
