//===- AnnotateSegments.cpp - Loops keep the name of their offsets --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/MemRefNames.h"
#include "ember/Analysis/SegmentBounds.h"
#include "ember/Checks/Passes.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember::checks {
using namespace mlir;

#define GEN_PASS_DEF_ANNOTATESEGMENTS
#include "ember/Checks/Passes.h.inc"

namespace {
struct AnnotateSegments : impl::AnnotateSegmentsBase<AnnotateSegments> {
  void runOnOperation() override {
    IndexExprs exprs;
    getOperation().walk([&](scf::ForOp loop) {
      auto [begin, end] =
          findSegmentBounds(loop.getLowerBound(), loop.getUpperBound(), exprs);
      if (begin)
        loop->setAttr(
            segmentAttr,
            StringAttr::get(&getContext(), memrefName(begin.getMemRef())));
    });
  }
};
} // namespace

} // namespace ember::checks
