//===- OrderSegments.cpp - Segments of one length one after the other -----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for b = lower to upper { for p = offsets[b] to offsets[b + 1] { ... } }
//     ->
//   if table is small {
//     for k = 0 to upper - lower step 256 {
//       ember_order_segments(offsets, ..., order)
//       for q = 0 to min(256, upper - lower - k) {
//         b = lower + k + order[q]
//         for p = offsets[b] to offsets[b + 1] { ... }
//       }
//     }
//   } else { the loop as it was }
//
//===----------------------------------------------------------------------===//

#include "ember/ABI/RuntimeCalls.h"
#include "ember/Analysis/MemoryAccess.h"
#include "ember/Analysis/SegmentBounds.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "ember/Runtime/Runtime.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_ORDERSEGMENTS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// What iterations of a loop take segments from.
struct Segments {
  /// That of iteration i begins at offset `first` + i. Null where there are
  /// none.
  Value offsets;
  IndexExpr first;
  /// The loop over one.
  scf::ForOp elements;
};

struct OrderSegments : impl::OrderSegmentsBase<OrderSegments> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// The first loop over segments in `loop`.
static Segments findSegments(scf::ForOp loop) {
  Segments found;
  IndexExprs exprs;
  loop.getBody()->walk([&](scf::ForOp inner) {
    auto [begin, end] =
        findSegmentBounds(inner.getLowerBound(), inner.getUpperBound(), exprs);
    if (inner->getParentOfType<scf::ForOp>() != loop || !begin ||
        begin.getIndices().size() != 1 ||
        !loop.isDefinedOutsideOfLoop(begin.getMemRef()))
      return WalkResult::advance();
    Type element = begin.getMemRefType().getElementType();
    IndexExpr first = exprs.of(begin.getIndices().front()) -
                      IndexExpr(loop.getInductionVar());
    bool isOfLoop = llvm::all_of(first.getTerms(), [&](auto term) {
      return loop.isDefinedOutsideOfLoop(term.first);
    });
    if (!isOfLoop ||
        !(element.isIndex() || element.isInteger(32) || element.isInteger(64)))
      return WalkResult::advance();
    found = {begin.getMemRef(), first, inner};
    return WalkResult::interrupt();
  });
  return found;
}

/// Whether rows are added up in memory, because they do not fit the registers:
/// then the end of a segment is not what its time goes into.
static bool addsInMemory(scf::ForOp elements) {
  return elements
      ->walk([&](Operation *op) {
        std::optional<MemoryAccess> access = MemoryAccess::of(op);
        bool isOfRow = op->getParentOfType<scf::ForOp>() != elements;
        return access && access->isStore() && isOfRow ? WalkResult::interrupt()
                                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the elements of a segment are gone through more than once, for one
/// strip of their rows after the other: such rows are long.
static bool readsInStrips(scf::ForOp loop, scf::ForOp elements) {
  return loop
      ->walk([&](scf::ForOp other) {
        bool isAgain = other != elements &&
                       other.getLowerBound() == elements.getLowerBound() &&
                       other.getUpperBound() == elements.getUpperBound();
        return isAgain ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The tables whose rows are read for the elements of segments of `loop`.
static SmallVector<Value> findTables(scf::ForOp loop, scf::ForOp elements) {
  llvm::SetVector<Value> tables;
  elements->walk([&](Operation *op) {
    std::optional<MemoryAccess> access = MemoryAccess::of(op);
    if (access && !access->isStore() && access->indices.size() >= 2 &&
        getElementTypeOrSelf(access->memref).isIntOrIndexOrFloat() &&
        loop.isDefinedOutsideOfLoop(access->memref))
      tables.insert(access->memref);
  });
  return tables.takeVector();
}

/// Whether none of `tables` has more than `most` bytes.
static Value areSmall(OpBuilder &builder, Location loc, ArrayRef<Value> tables,
                      int64_t most) {
  Value result;
  for (Value table : tables) {
    auto type = cast<MemRefType>(table.getType());
    Type element = type.getElementType();
    int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    Value elements = arith::ConstantIndexOp::create(builder, loc, 1);
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      elements = arith::MulIOp::create(
          builder, loc, elements,
          memref::DimOp::create(builder, loc, table, dim));
    Value limit = arith::ConstantIndexOp::create(builder, loc, most * 8 / bits);
    Value isSmall = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ule, elements, limit);
    result =
        result ? arith::AndIOp::create(builder, loc, result, isSmall) : isSmall;
  }
  return result;
}

static void dropPrefetches(scf::ForOp loop) {
  SmallVector<memref::PrefetchOp> prefetches;
  loop->walk([&](memref::PrefetchOp op) { prefetches.push_back(op); });
  for (memref::PrefetchOp prefetch : prefetches)
    prefetch.erase();
}

/// Calls the runtime for the order of `count` iterations from `start` on.
static void callOrder(OpBuilder &builder, Location loc,
                      const Segments &segments, Value start, Value count,
                      Value order, RuntimeCalls &runtime) {
  MLIRContext *context = builder.getContext();
  LLVMTypeConverter types(context);
  auto type = cast<MemRefType>(segments.offsets.getType());
  Type i64 = builder.getI64Type();
  auto converted = [&](Value value, Type to) {
    return UnrealizedConversionCastOp::create(builder, loc, to, value)
        .getResult(0);
  };
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc, i64,
                                    builder.getI64IntegerAttr(value));
  };
  MemRefDescriptor offsets(
      converted(segments.offsets, types.convertType(type)));
  int64_t bytes = type.getElementType().isInteger(32) ? 4 : 8;
  Value stride = LLVM::MulOp::create(
      builder, loc, offsets.stride(builder, loc, 0), constant(bytes));
  IndexExpr first = segments.first + IndexExpr(start);
  Value operands[] = {offsets.bufferPtr(builder, loc, types, type),
                      constant(bytes),
                      stride,
                      converted(first.materialize(builder, loc), i64),
                      offsets.size(builder, loc, 0),
                      converted(count, i64),
                      order};
  LLVM::LLVMFuncOp function =
      runtime.declare(EMBER_RUNTIME(ember_order_segments));
  LLVM::CallOp::create(builder, loc, function, operands);
}

/// Runs the iterations of `loop` block by block, each in an order of its own.
static void orderIterations(scf::ForOp loop, const Segments &segments,
                            RuntimeCalls &runtime) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Type i8 = builder.getI8Type(),
       ptr = LLVM::LLVMPointerType::get(i8.getContext());
  auto function = loop->getParentOfType<func::FuncOp>();
  OpBuilder entry = OpBuilder::atBlockBegin(&function.getBody().front());
  Value most = LLVM::ConstantOp::create(
      entry, loc, entry.getI64Type(),
      entry.getI64IntegerAttr(EMBER_ORDERED_ITERATIONS));
  Value order = LLVM::AllocaOp::create(entry, loc, ptr, i8, most);

  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value zero = index(0), one = index(1);
  Value size = index(EMBER_ORDERED_ITERATIONS);
  Value lower = loop.getLowerBound();
  Value trips =
      arith::SubIOp::create(builder, loc, loop.getUpperBound(), lower);
  auto blocks = scf::ForOp::create(builder, loc, zero, trips, size);
  builder.setInsertionPointToStart(blocks.getBody());
  Value done = blocks.getInductionVar();
  Value start = arith::AddIOp::create(builder, loc, lower, done);
  Value left = arith::SubIOp::create(builder, loc, trips, done);
  Value count = arith::MinSIOp::create(builder, loc, left, size);
  callOrder(builder, loc, segments, start, count, order, runtime);

  loop->moveBefore(blocks.getBody()->getTerminator());
  loop.setLowerBound(zero);
  loop.setUpperBound(count);
  loop.setStep(one);
  Value counter = loop.getInductionVar();
  builder.setInsertionPointToStart(loop.getBody());
  Value position =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), counter);
  Value place = LLVM::GEPOp::create(builder, loc, ptr, i8, order, position);
  Value number = arith::IndexCastUIOp::create(
      builder, loc, builder.getIndexType(),
      LLVM::LoadOp::create(builder, loc, i8, place));
  Value iteration = arith::AddIOp::create(builder, loc, start, number);
  counter.replaceAllUsesExcept(iteration, position.getDefiningOp());
}

void OrderSegments::runOnOperation() {
  // Beside the output, and what else is read.
  int64_t second = TargetAttr::of(getOperation()).getSecondCacheBytes();
  int64_t mostBytes = (secondCacheBytes ? secondCacheBytes : second) / 4;
  RuntimeCalls runtime(getOperation());
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) {
    if (loop->hasAttr(independentAttr) && !loop->hasAttr(groupAttr))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    loop->removeAttr(independentAttr);
    bool isPlain = isa<func::FuncOp>(loop->getParentOp()) &&
                   loop->getNumResults() == 0 && !loop.getUnsignedCmp() &&
                   loop.getInductionVar().getType().isIndex() &&
                   getConstantIntValue(loop.getStep()) == 1;
    Segments segments = isPlain ? findSegments(loop) : Segments();
    if (!segments.offsets || addsInMemory(segments.elements) ||
        readsInStrips(loop, segments.elements))
      continue;
    SmallVector<Value> tables = findTables(loop, segments.elements);
    if (tables.empty())
      continue;
    OpBuilder builder(loop);
    Value isSmall = areSmall(builder, loop.getLoc(), tables, mostBytes);
    auto choice = scf::IfOp::create(builder, loop.getLoc(), isSmall,
                                    /*withElseRegion=*/true);
    OpBuilder::atBlockBegin(choice.elseBlock()).clone(*loop);
    loop->moveBefore(choice.thenBlock()->getTerminator());
    dropPrefetches(loop);
    orderIterations(loop, segments, runtime);
    ++ordered;
  }
}

} // namespace ember::loops
