//===- DropFunctions.cpp - Functions that nothing calls -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/CIN.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"

namespace ember::cin {
#define GEN_PASS_DEF_DROPFUNCTIONS
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

namespace {
struct DropFunctions
    : public ember::cin::impl::DropFunctionsBase<DropFunctions> {
  void runOnOperation() override {
    ember::cin::dropUnusedFunctions(getOperation());
  }
};
} // namespace
