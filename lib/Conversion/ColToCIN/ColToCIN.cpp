//===- ColToCIN.cpp - Columns of features as statements -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/ColToCIN/Passes.h"

#include "ColumnStatement.h"

#include "ember/Conversion/EmbedToCIN/StatementBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember {
#define GEN_PASS_DEF_CONVERTCOLTOCIN
#include "ember/Conversion/ColToCIN/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;

//===----------------------------------------------------------------------===//
// Where lookups are computed
//===----------------------------------------------------------------------===//

/// Writes a concatenation out as insertions, one for each part, which have to
/// be as large as each other in all other dimensions.
static LogicalResult writeInsertions(tensor::ConcatOp concat) {
  ImplicitLocOpBuilder builder(concat.getLoc(), concat);
  for (Value part : concat.getInputs().drop_front())
    for (int64_t dimension : llvm::seq(concat.getRank()))
      if (dimension != int64_t(concat.getDim()))
        StatementBuilder::requireEqual(
            builder,
            StatementBuilder::size(builder, concat.getInputs().front(),
                                   dimension),
            StatementBuilder::size(builder, part, dimension),
            "tensor.concat: parts have different sizes along dimension " +
                Twine(dimension));
  FailureOr<SmallVector<Value>> whole = concat.decomposeOperation(builder);
  if (failed(whole))
    return concat.emitOpError("cannot be written as insertions");
  concat->replaceAllUsesWith(*whole);
  concat.erase();
  return success();
}

/// There is an offset more than rows.
static void requireOffset(col::LookupOp lookup, Operation *source) {
  auto segments = dyn_cast<col::FromOffsetsOp>(source);
  if (!segments || !segments.getOffsets().getType().isDynamicDim(0))
    return;
  ImplicitLocOpBuilder builder(lookup.getLoc(), lookup);
  Value count = StatementBuilder::size(builder, segments.getOffsets(), 0);
  Value none = arith::ConstantIndexOp::create(builder, 0);
  cf::AssertOp::create(
      builder,
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, count, none),
      "col.from_offsets: there is no offset, and the first row begins at one");
}

/// How large the result of a lookup is follows from what it reads, so that
/// nobody has to wait for it to know.
static void replaceSizes(col::LookupOp lookup, Operation *source) {
  ImplicitLocOpBuilder builder(lookup.getLoc(), lookup);
  for (Operation *user : llvm::make_early_inc_range(lookup->getUsers())) {
    auto size = dyn_cast<tensor::DimOp>(user);
    std::optional<int64_t> dimension =
        size ? size.getConstantIndex() : std::nullopt;
    if (!dimension || *dimension > 1)
      continue;
    OpFoldResult known = *dimension == 0
                             ? getBatchSize(builder, source)
                             : tensor::getMixedSize(builder, lookup.getLoc(),
                                                    lookup.getTable(), 1);
    size.replaceAllUsesWith(
        getValueOrCreateConstantIndexOp(builder, lookup.getLoc(), known));
    size.erase();
  }
}

/// A tensor that a lookup overwrites: where its result is inserted, if that is
/// all that it is for, or one of its own.
static Value makePlace(col::LookupOp lookup, Operation *source) {
  RankedTensorType type = lookup.getResult().getType();
  if (lookup->hasOneUse())
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(*lookup->user_begin());
        insert && insert.getSource() == lookup.getResult()) {
      lookup->moveBefore(insert);
      OpBuilder builder(lookup);
      return tensor::ExtractSliceOp::create(
          builder, lookup.getLoc(), type, insert.getDest(),
          insert.getMixedOffsets(), insert.getMixedSizes(),
          insert.getMixedStrides());
    }
  // Statements compare sizes of types with those of what is read.
  ImplicitLocOpBuilder builder(lookup.getLoc(), lookup);
  SmallVector<Value> sizes;
  if (type.isDynamicDim(0))
    sizes.push_back(getValueOrCreateConstantIndexOp(
        builder, lookup.getLoc(), getBatchSize(builder, source)));
  if (type.isDynamicDim(1))
    sizes.push_back(
        tensor::DimOp::create(builder, lookup.getTable(), 1).getResult());
  return tensor::EmptyOp::create(builder, type, sizes);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Erases operations that make what nothing reads, and says why others stay.
static LogicalResult dropRest(func::FuncOp function) {
  SmallVector<Operation *> rest;
  function->walk([&](Operation *op) {
    if (isa_and_present<col::ColDialect>(op->getDialect()))
      rest.push_back(op);
  });
  // Readers stand behind what they read.
  for (Operation *op : llvm::reverse(rest)) {
    if (isOpTriviallyDead(op)) {
      op->erase();
      continue;
    }
    if (auto node = dyn_cast<col::NodeOp>(op))
      return node.emitOpError()
             << "'" << node.getLabel() << "' is computed by TensorFlow alone ("
             << node.getKind() << ")";
    return op->emitOpError("makes a batch that something else than a lookup "
                           "reads");
  }
  return success();
}

namespace {
struct ConvertColToCIN
    : public ember::impl::ConvertColToCINBase<ConvertColToCIN> {
  void runOnOperation() override {
    SmallVector<col::LookupOp> lookups;
    SmallVector<tensor::ConcatOp> concatenations;
    getOperation()->walk([&](Operation *op) {
      if (auto lookup = dyn_cast<col::LookupOp>(op))
        lookups.push_back(lookup);
      if (auto concatenation = dyn_cast<tensor::ConcatOp>(op))
        concatenations.push_back(concatenation);
    });
    // Concatenations of anything else are not for columns to say.
    if (lookups.empty())
      concatenations.clear();
    for (tensor::ConcatOp concatenation : concatenations)
      if (failed(writeInsertions(concatenation)))
        return signalPassFailure();
    for (col::LookupOp lookup : lookups)
      if (failed(convert(lookup)))
        return signalPassFailure();
    if (failed(dropRest(getOperation())))
      signalPassFailure();
  }

  static LogicalResult convert(col::LookupOp lookup) {
    FailureOr<SmallVector<Operation *>> column = findColumn(lookup);
    if (failed(column))
      return failure();
    requireOffset(lookup, column->front());
    replaceSizes(lookup, column->front());
    Value place = makePlace(lookup, column->front());
    lookup.getResult().replaceAllUsesWith(writeColumn(lookup, *column, place));
    lookup.erase();
    return success();
  }
};
} // namespace
