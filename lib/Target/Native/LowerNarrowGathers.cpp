//===- LowerNarrowGathers.cpp - Gathers that LLVM cannot select -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Target/Native/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ember::native {
using namespace mlir;

#define GEN_PASS_DEF_LOWERNARROWGATHERS
#include "ember/Target/Native/Passes.h.inc"

namespace {
struct LowerNarrowGathers : impl::LowerNarrowGathersBase<LowerNarrowGathers> {
  void runOnOperation() override {
    auto target = TargetAttr::of(getOperation());
    if (!target.getTriple().starts_with("aarch64"))
      return;
    SmallVector<Operation *> gathers;
    getOperation().walk([&](vector::GatherOp gather) {
      auto element =
          dyn_cast<IntegerType>(gather.getVectorType().getElementType());
      if (element && element.getWidth() < 32)
        gathers.push_back(gather);
    });
    RewritePatternSet patterns(&getContext());
    vector::populateVectorGatherToConditionalLoadPatterns(patterns);
    (void)applyOpPatternsGreedily(gathers, std::move(patterns),
                                  GreedyRewriteConfig().setStrictness(
                                      GreedyRewriteStrictness::ExistingOps));
  }
};
} // namespace

} // namespace ember::native
