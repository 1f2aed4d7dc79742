//===- DropReturnedArguments.cpp - Results that are an argument's memory --===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's drop-equivalent-buffer-results does this for private functions;
// kernels are public.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Ember/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/BitVector.h"

namespace ember {
#define GEN_PASS_DEF_DROPRETURNEDARGUMENTS
#include "ember/Dialect/Ember/Transforms/Passes.h.inc"
} // namespace ember

using namespace mlir;

/// The results that every return takes from an argument, cast or not.
static llvm::BitVector findReturnedArguments(func::FuncOp function) {
  llvm::BitVector found(function.getNumResults(), true);
  function.walk([&](func::ReturnOp exit) {
    for (auto [position, value] : llvm::enumerate(exit.getOperands())) {
      while (auto cast = value.getDefiningOp<memref::CastOp>())
        value = cast.getSource();
      auto argument = dyn_cast<BlockArgument>(value);
      if (!isa<MemRefType>(value.getType()) || !argument ||
          argument.getOwner() != &function.front())
        found.reset(position);
    }
  });
  return found;
}

namespace {
struct DropReturnedArguments
    : public ember::impl::DropReturnedArgumentsBase<DropReturnedArguments> {
  void runOnOperation() override {
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration() || !function.isPublic() ||
          !users.useEmpty(function))
        continue;
      llvm::BitVector dropped = findReturnedArguments(function);
      if (dropped.none() || failed(function.eraseResults(dropped)))
        continue;
      function.walk([&](func::ReturnOp exit) { exit->eraseOperands(dropped); });
    }
  }
};
} // namespace
