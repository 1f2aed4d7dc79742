//===- RefuseTensors.cpp - Refuse what is not lowered to memrefs ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Target/Native/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

namespace ember::native {
using namespace mlir;

#define GEN_PASS_DEF_REFUSETENSORS
#include "ember/Target/Native/Passes.h.inc"

static bool isTensor(Type type) { return isa<TensorType>(type); }

static bool isRefused(Operation *op) {
  // Casts are there because of the operation that is meant.
  if (isa<UnrealizedConversionCastOp, bufferization::ToTensorOp>(op))
    return false;
  if (isa_and_nonnull<sparse_tensor::SparseTensorDialect>(op->getDialect()))
    return !isa<sparse_tensor::StorageSpecifierInitOp,
                sparse_tensor::GetStorageSpecifierOp,
                sparse_tensor::SetStorageSpecifierOp>(op);
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

namespace {
struct RefuseTensors : impl::RefuseTensorsBase<RefuseTensors> {
  void runOnOperation() override {
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isRefused(op))
        return WalkResult::advance();
      op->emitError() << "'" << op->getName()
                      << "' is not lowered to loops over memrefs; mlir-opt "
                         "--sparsification-and-bufferization does that, where "
                         "it supports the formats of the operands";
      signalPassFailure();
      return WalkResult::interrupt();
    });
  }
};
} // namespace

} // namespace ember::native
