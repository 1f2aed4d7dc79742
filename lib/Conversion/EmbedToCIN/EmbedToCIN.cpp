//===- EmbedToCIN.cpp - Embedding operations as statements ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/EmbedToCIN/Passes.h"
#include "ember/Conversion/EmbedToCIN/Statements.h"
#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ember {
#define GEN_PASS_DEF_EMBEDTOCIN
#include "ember/Conversion/EmbedToCIN/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;

namespace {
struct EmbedToCIN : public ember::impl::EmbedToCINBase<EmbedToCIN> {
  using EmbedToCINBase::EmbedToCINBase;

  void runOnOperation() override {
    SmallVector<Operation *> operations;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_present<embed::EmbedDialect>(op->getDialect()))
        operations.push_back(op);
    });
    for (Operation *operation : operations)
      llvm::TypeSwitch<Operation *>(operation)
          .Case<embed::SpMMOp, embed::SDDMMOp, embed::MessageOp, embed::ScoreOp,
                embed::GatherOp, embed::BlockScoresOp, embed::BlockValuesOp>(
              [](auto op) { writeStatements(op); })
          .Case<embed::BagOp>(
              [&](auto bag) { writeStatements(bag, mostCopiedBytes); });
  }
};
} // namespace
