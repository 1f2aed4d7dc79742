//===- SplitIndexCasts.cpp - Casts of indices that lose no truncation -----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_SPLITINDEXCASTS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {

/// The bits of an integer; an index is 64 bits wide.
unsigned getBits(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// Casts to a type of fewer bits by way of i64.
template <typename CastOp>
void splitIfNarrowing(CastOp cast, OpBuilder &builder) {
  Type from = getElementTypeOrSelf(cast.getIn());
  Type to = getElementTypeOrSelf(cast.getType());
  if (getBits(from) <= getBits(to))
    return;
  Type wide = builder.getI64Type();
  if (auto shaped = dyn_cast<ShapedType>(cast.getType()))
    wide = shaped.clone(wide);
  builder.setInsertionPoint(cast);
  Location loc = cast.getLoc();
  Value value;
  if (from.isIndex()) {
    value = CastOp::create(builder, loc, wide, cast.getIn());
    value = arith::TruncIOp::create(builder, loc, cast.getType(), value);
  } else {
    value = arith::TruncIOp::create(builder, loc, wide, cast.getIn());
    value = CastOp::create(builder, loc, cast.getType(), value);
  }
  cast.replaceAllUsesWith(value);
  cast.erase();
}

struct SplitIndexCasts : impl::SplitIndexCastsBase<SplitIndexCasts> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    getOperation()->walk([&](Operation *op) {
      if (auto cast = dyn_cast<arith::IndexCastOp>(op))
        splitIfNarrowing(cast, builder);
      else if (auto cast = dyn_cast<arith::IndexCastUIOp>(op))
        splitIfNarrowing(cast, builder);
    });
  }
};

} // namespace

} // namespace ember::loops
