//===- EmbedToSCF.cpp - Embedding operations to loops ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/EmbedToSCF/Lowerings.h"
#include "ember/Conversion/EmbedToSCF/Passes.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember {
#define GEN_PASS_DEF_CONVERTEMBEDTOSCF
#include "ember/Conversion/EmbedToSCF/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;

namespace {
struct ConvertEmbedToSCF
    : public ember::impl::ConvertEmbedToSCFBase<ConvertEmbedToSCF> {
  using ConvertEmbedToSCFBase::ConvertEmbedToSCFBase;

  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](Operation *op) {
      if (!isa_and_present<embed::EmbedDialect>(op->getDialect()))
        return WalkResult::advance();
      if (!cast<DestinationStyleOpInterface>(op).hasPureBufferSemantics()) {
        op->emitOpError("is still on tensors; the pipeline 'embed-to-scf' "
                        "bufferises it first");
        return WalkResult::interrupt();
      }
      auto bag = dyn_cast<embed::BagOp>(op);
      if (!bag) {
        op->emitOpError("is the name of statements, which '--embed-to-cin' "
                        "writes out first");
        return WalkResult::interrupt();
      }
      NestBuilder builder(op->getLoc(), op);
      emitLoops(builder, bag, mostCopiedBytes, sumLengths);
      op->erase();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
