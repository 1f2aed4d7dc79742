//===- ExpandConcatenations.cpp - Columns are inserted one by one ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   concat(a, b)   ->   assert rows(a) = rows(b);
//                       insert b into (insert a into empty at 0) at width(a)
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Col/IR/Col.h"
#include "ember/Dialect/Col/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember::col {
#define GEN_PASS_DEF_EXPANDCONCATENATIONS
#include "ember/Dialect/Col/Transforms/Passes.h.inc"
} // namespace ember::col

using namespace mlir;
using namespace ember;

/// How many sizes one question is about: each branch is a block, and what is in
/// one block is compared with all else that is in it.
static constexpr unsigned sizesPerQuestion = 16;

/// Stops the program unless sizes along `dimension` are equal to `first`.
static void requireEqual(ImplicitLocOpBuilder &builder, OpFoldResult first,
                         ArrayRef<OpFoldResult> sizes, int64_t dimension) {
  auto get = [&](OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(builder, builder.getLoc(), size);
  };
  Value areEqual;
  for (OpFoldResult size : sizes) {
    Value isEqual = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                          get(first), get(size));
    areEqual =
        areEqual ? arith::AndIOp::create(builder, areEqual, isEqual) : isEqual;
  }
  cf::AssertOp::create(builder, areEqual,
                       "tensor.concat: parts have different sizes along "
                       "dimension " +
                           std::to_string(dimension));
}

/// Stops the program unless parts are as large as the first one, in dimensions
/// other than the one that they follow each other along.
static void requireEqualParts(ImplicitLocOpBuilder &builder,
                              tensor::ConcatOp concat) {
  for (int64_t dimension : llvm::seq(concat.getRank())) {
    if (dimension == int64_t(concat.getDim()))
      continue;
    OpFoldResult first = tensor::getMixedSize(
        builder, concat.getLoc(), concat.getInputs().front(), dimension);
    SmallVector<OpFoldResult> sizes;
    for (Value part : concat.getInputs().drop_front()) {
      OpFoldResult size =
          tensor::getMixedSize(builder, concat.getLoc(), part, dimension);
      if (!isEqualConstantIntOrValue(first, size))
        sizes.push_back(size);
    }
    for (ArrayRef<OpFoldResult> rest = sizes; !rest.empty();
         rest =
             rest.drop_front(std::min<size_t>(rest.size(), sizesPerQuestion)))
      requireEqual(builder, first, rest.take_front(sizesPerQuestion),
                   dimension);
  }
}

static LogicalResult expand(tensor::ConcatOp concat) {
  ImplicitLocOpBuilder builder(concat.getLoc(), concat);
  requireEqualParts(builder, concat);
  FailureOr<SmallVector<Value>> whole = concat.decomposeOperation(builder);
  if (failed(whole))
    return concat.emitOpError("has parts that cannot be inserted");
  concat->replaceAllUsesWith(*whole);
  concat.erase();
  return success();
}

/// Has sizes of results be those of what lookups read.
static void reifySizes(col::LookupOp lookup) {
  OpBuilder builder(lookup);
  ReifiedRankedShapedTypeDims shapes;
  for (Operation *user : llvm::make_early_inc_range(lookup->getUsers())) {
    auto size = dyn_cast<tensor::DimOp>(user);
    std::optional<int64_t> dimension =
        size ? size.getConstantIndex() : std::nullopt;
    if (!dimension || *dimension < 0 || *dimension > 1)
      continue;
    if (shapes.empty() && failed(lookup.reifyResultShapes(builder, shapes)))
      return;
    size.replaceAllUsesWith(getValueOrCreateConstantIndexOp(
        builder, lookup.getLoc(), shapes.front()[*dimension]));
    size.erase();
  }
}

namespace {
struct ExpandConcatenations
    : public col::impl::ExpandConcatenationsBase<ExpandConcatenations> {
  void runOnOperation() override {
    SmallVector<col::LookupOp> lookups;
    SmallVector<tensor::ConcatOp> concatenations;
    getOperation()->walk([&](Operation *op) {
      if (auto lookup = dyn_cast<col::LookupOp>(op))
        lookups.push_back(lookup);
      if (auto concatenation = dyn_cast<tensor::ConcatOp>(op))
        concatenations.push_back(concatenation);
    });
    // Those of anything else are not for columns to say.
    if (lookups.empty())
      return;
    for (tensor::ConcatOp concatenation : concatenations)
      if (failed(expand(concatenation)))
        return signalPassFailure();
    for (col::LookupOp lookup : lookups)
      reifySizes(lookup);
  }
};
} // namespace
