//===- ColToCIN.cpp - Columns of features as statements -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/ColToCIN/Passes.h"

#include "ColumnStatement.h"
#include "HashFunction.h"

#include "ember/Conversion/EmbedToCIN/StatementBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// Asks whether there is the offset that the first row begins at.
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

/// A tensor that a lookup overwrites: where its result is inserted, if that is
/// all that it is for, or one of its own.
static Value makePlace(col::LookupOp lookup) {
  RankedTensorType type = lookup.getResult().getType();
  if (lookup->hasOneUse())
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(*lookup->user_begin());
        insert && insert.getSource() == lookup.getResult() &&
        insert->getBlock() == lookup->getBlock()) {
      lookup->moveBefore(insert);
      OpBuilder builder(lookup);
      return tensor::ExtractSliceOp::create(
          builder, lookup.getLoc(), type, insert.getDest(),
          insert.getMixedOffsets(), insert.getMixedSizes(),
          insert.getMixedStrides());
    }
  OpBuilder builder(lookup);
  ReifiedRankedShapedTypeDims shapes;
  // Which cannot fail, as its ids are made here. Statements compare the sizes
  // that its type says.
  (void)lookup.reifyResultShapes(builder, shapes);
  Value place = tensor::EmptyOp::create(builder, lookup.getLoc(),
                                        shapes.front(), type.getElementType());
  // Which may know less of its size than what it is made of does.
  if (place.getType() == type)
    return place;
  return tensor::CastOp::create(builder, lookup.getLoc(), type, place);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Erases operations that make what nothing reads, and says why others stay.
static LogicalResult dropRest(func::FuncOp function) {
  SmallVector<Operation *> rest;
  function->walk([&](Operation *op) {
    // Columns of a function that is called are statements there, and what is in
    // memory in front of columns is no batch.
    if (isa_and_present<col::ColDialect>(op->getDialect()) &&
        !isa<col::InsertColumnsOp, col::TextIdsOp, col::PartIdsOp,
             col::OrderRowsOp>(op))
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
    SymbolTable symbols(getOperation());
    SmallVector<col::LookupOp> lookups;
    FlatSymbolRefAttr hash;
    getOperation()->walk([&](Operation *op) {
      if (auto lookup = dyn_cast<col::LookupOp>(op))
        lookups.push_back(lookup);
      if (isa<col::HashOp>(op) && !hash)
        hash = FlatSymbolRefAttr::get(
            makeHashFunction(getOperation(), symbols).getSymNameAttr());
    });
    for (col::LookupOp lookup : lookups)
      if (failed(convert(lookup, hash)))
        return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(dropRest(function)))
        return signalPassFailure();
  }

  static LogicalResult convert(col::LookupOp lookup, FlatSymbolRefAttr hash) {
    FailureOr<SmallVector<Operation *>> column = lookup.findColumn();
    if (failed(column))
      return lookup.emitOpError("has ids that are not made of a tensor in this "
                                "function");
    requireOffset(lookup, column->front());
    Value place = makePlace(lookup);
    lookup.getResult().replaceAllUsesWith(
        writeColumn(lookup, *column, place, hash));
    lookup.erase();
    return success();
  }
};
} // namespace
