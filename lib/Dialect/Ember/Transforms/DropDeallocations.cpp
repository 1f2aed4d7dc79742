//===- DropDeallocations.cpp - Frees that follow from who owns memory -----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Ember/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace ember {
#define GEN_PASS_DEF_DROPDEALLOCATIONS
#include "ember/Dialect/Ember/Transforms/Passes.h.inc"
} // namespace ember

using namespace mlir;

namespace {
struct DropDeallocations
    : public ember::impl::DropDeallocationsBase<DropDeallocations> {
  void runOnOperation() override {
    getOperation()->walk([](memref::DeallocOp free) { free->erase(); });
  }
};
} // namespace
