//===- Features.h - What the compiler made of a program ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names for what a module shows of the compiler's work: without programs that
// are decoupled, vectorised and so on, a campaign that passes says little.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_FUZZ_EXECUTION_FEATURES_H
#define EMBER_LIB_FUZZ_EXECUTION_FEATURES_H

#include "mlir/IR/BuiltinOps.h"
#include <set>
#include <string>

namespace ember::fuzz {

void collectFeatures(mlir::ModuleOp module, std::set<std::string> &features);

} // namespace ember::fuzz

#endif // EMBER_LIB_FUZZ_EXECUTION_FEATURES_H
