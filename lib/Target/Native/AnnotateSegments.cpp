//===- AnnotateSegments.cpp - Loops keep the name of their offsets --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RangeCheck.h"
#include "SegmentBounds.h"
#include "ember/Target/Native/MemRefNames.h"
#include "ember/Target/Native/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember::native {
using namespace mlir;

#define GEN_PASS_DEF_ANNOTATESEGMENTS
#include "ember/Target/Native/Passes.h.inc"

std::pair<memref::LoadOp, memref::LoadOp>
findSegmentBounds(Value lower, Value upper, IndexExprs &exprs) {
  auto begin = dyn_cast_if_present<memref::LoadOp>(findIndexLoad(lower));
  auto end = dyn_cast_if_present<memref::LoadOp>(findIndexLoad(upper));
  if (!begin || !end || begin.getMemRef() != end.getMemRef() ||
      begin.getIndices().empty())
    return {};
  unsigned last = begin.getIndices().size() - 1;
  for (unsigned i = 0; i < last; ++i)
    if (!(exprs.of(begin.getIndices()[i]) == exprs.of(end.getIndices()[i])))
      return {};
  IndexExpr distance =
      exprs.of(end.getIndices()[last]) - exprs.of(begin.getIndices()[last]);
  if (distance.asConstant() != 1)
    return {};
  return {begin, end};
}

namespace {
struct AnnotateSegments : impl::AnnotateSegmentsBase<AnnotateSegments> {
  void runOnOperation() override {
    IndexExprs exprs;
    getOperation().walk([&](scf::ForOp loop) {
      auto [begin, end] =
          findSegmentBounds(loop.getLowerBound(), loop.getUpperBound(), exprs);
      if (begin)
        loop->setAttr(
            kSegmentAttr,
            StringAttr::get(&getContext(), memrefName(begin.getMemRef())));
    });
  }
};
} // namespace

} // namespace ember::native
