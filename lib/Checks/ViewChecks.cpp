//===- ViewChecks.cpp - Run-time checks of views --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view must stay inside what it views: accesses are then checked against the
// view alone.
//
//===----------------------------------------------------------------------===//

#include "CheckCollector.h"
#include "ember/Analysis/MemRefNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"

using namespace mlir;

namespace ember::checks {

namespace {
/// Index arithmetic that notices when it overflows.
class CheckedArithmetic {
public:
  CheckedArithmetic(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc) {}

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value value(OpFoldResult operand) {
    return getValueOrCreateConstantIndexOp(builder, loc, operand);
  }
  Value compare(arith::CmpIPredicate predicate, Value left, Value right) {
    return arith::CmpIOp::create(builder, loc, predicate, left, right);
  }
  Value isNegative(Value number) {
    return compare(arith::CmpIPredicate::slt, number, constant(0));
  }
  void alsoBad(Value condition) {
    bad = bad ? arith::OrIOp::create(builder, loc, bad, condition) : condition;
  }

  Value multiply(Value left, Value right) {
    auto product = arith::MulSIExtendedOp::create(builder, loc, left, right);
    Value sign =
        arith::ShRSIOp::create(builder, loc, product.getLow(), constant(63));
    alsoBad(compare(arith::CmpIPredicate::ne, sign, product.getHigh()));
    return product.getLow();
  }
  Value add(Value left, Value right) {
    Value sum = arith::AddIOp::create(builder, loc, left, right);
    // Signed overflow: both operands have a sign that the sum does not have.
    Value flipped = arith::AndIOp::create(
        builder, loc, arith::XOrIOp::create(builder, loc, left, sum),
        arith::XOrIOp::create(builder, loc, right, sum));
    alsoBad(isNegative(flipped));
    return sum;
  }
  Value subtractOne(Value number) {
    return arith::SubIOp::create(builder, loc, number, constant(1));
  }
  Value negativePart(Value number) {
    return arith::MinSIOp::create(builder, loc, number, constant(0));
  }
  Value positivePart(Value number) {
    return arith::MaxSIOp::create(builder, loc, number, constant(0));
  }

  /// Whether anything so far was wrong; null if nothing could be.
  Value bad;

private:
  OpBuilder &builder;
  Location loc;
};
} // namespace

/// Whether `operand` is a constant that is not negative.
static bool isNonNegative(OpFoldResult operand) {
  std::optional<int64_t> constant = getConstantIntValue(operand);
  return constant && *constant >= 0;
}

/// A dimension of a subview whose stride is not 1: first and last element.
static void checkStridedDimension(memref::SubViewOp view, int64_t dim) {
  OpBuilder builder(view);
  Location loc = view.getLoc();
  CheckedArithmetic math(builder, loc);
  Value offset = math.value(view.getMixedOffsets()[dim]);
  Value size = math.value(view.getMixedSizes()[dim]);
  Value stride = math.value(view.getMixedStrides()[dim]);
  Value limit =
      memref::DimOp::create(builder, loc, view.getSource(), int64_t(dim));
  using arith::CmpIPredicate;
  Value last = math.add(offset, math.multiply(math.subtractOne(size), stride));
  math.alsoBad(math.compare(CmpIPredicate::uge, offset, limit));
  math.alsoBad(math.compare(CmpIPredicate::uge, last, limit));
  Value some = math.compare(CmpIPredicate::sgt, size, math.constant(0));
  Value bad = arith::AndIOp::create(builder, loc, some, math.bad);
  failIf(builder, loc, bad,
         messageAt("a view reaches out of dimension " + std::to_string(dim) +
                       " of " + memrefName(view.getSource()),
                   loc));
}

static void collectSubView(memref::SubViewOp view, IndexExprs &exprs,
                           std::vector<RangeCheck> &checks) {
  auto toExpr = [&](OpFoldResult operand) {
    if (std::optional<int64_t> constant = getConstantIntValue(operand))
      return IndexExpr(*constant);
    return exprs.of(cast<Value>(operand));
  };
  for (int64_t dim = 0; dim < view.getSourceType().getRank(); ++dim) {
    OpFoldResult size = view.getMixedSizes()[dim];
    if (!isNonNegative(size) && !exprs.isSize(toExpr(size))) {
      OpBuilder builder(view);
      CheckedArithmetic math(builder, view.getLoc());
      failIf(builder, view.getLoc(), math.isNegative(math.value(size)),
             messageAt("a view of " + memrefName(view.getSource()) +
                           " has a negative size",
                       view.getLoc()));
    }
    if (getConstantIntValue(view.getMixedStrides()[dim]) != 1) {
      checkStridedDimension(view, dim);
      continue;
    }
    RangeCheck check(view);
    IndexExpr offset = toExpr(view.getMixedOffsets()[dim]);
    IndexExpr length = toExpr(size);
    check.points = {offset, offset + length + (-1)};
    check.size = exprs.size(view.getSource(), dim);
    check.guards.push_back({IndexExpr(int64_t(0)), length});
    check.memref = view.getSource();
    check.dim = dim;
    checks.push_back(std::move(check));
  }
}

/// The elements from the first to the last that a strided block reaches,
/// relative to its base pointer.
static std::pair<Value, Value> extent(CheckedArithmetic &math, Value offset,
                                      ArrayRef<Value> sizes,
                                      ArrayRef<Value> strides) {
  Value first = offset, last = offset;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    Value reach = math.multiply(math.subtractOne(size), stride);
    first = math.add(first, math.negativePart(reach));
    last = math.add(last, math.positivePart(reach));
  }
  return {first, last};
}

/// A memref of another shape over the same memory must reach no further than
/// the memref it is made from.
static LogicalResult checkReinterpretCast(memref::ReinterpretCastOp view) {
  if (!isa<MemRefType>(view.getSource().getType()))
    return view.emitError("views of unranked memrefs cannot be checked");
  OpBuilder builder(view);
  Location loc = view.getLoc();
  CheckedArithmetic math(builder, loc);
  auto values = [&](ArrayRef<OpFoldResult> operands) {
    return llvm::map_to_vector(
        operands, [&](OpFoldResult operand) { return math.value(operand); });
  };
  auto source =
      memref::ExtractStridedMetadataOp::create(builder, loc, view.getSource());
  auto [sourceFirst, sourceLast] = extent(
      math, source.getOffset(), llvm::to_vector_of<Value>(source.getSizes()),
      llvm::to_vector_of<Value>(source.getStrides()));
  // The source is what it is; only the view's own arithmetic can be wrong.
  math.bad = Value();
  SmallVector<Value> sizes = values(view.getMixedSizes());
  auto [first, last] = extent(math, math.value(view.getMixedOffsets().front()),
                              sizes, values(view.getMixedStrides()));
  using arith::CmpIPredicate;
  math.alsoBad(math.compare(CmpIPredicate::slt, first, sourceFirst));
  math.alsoBad(math.compare(CmpIPredicate::sgt, last, sourceLast));
  // A view without elements reaches nothing; a size below zero is no size.
  Value empty, negative;
  for (Value size : sizes) {
    Value none = math.compare(CmpIPredicate::eq, size, math.constant(0));
    empty = empty ? arith::OrIOp::create(builder, loc, empty, none) : none;
    Value below = math.isNegative(size);
    negative =
        negative ? arith::OrIOp::create(builder, loc, negative, below) : below;
  }
  // So is a source without elements nothing to view.
  for (Value size : source.getSizes())
    math.alsoBad(math.compare(CmpIPredicate::eq, size, math.constant(0)));
  Value bad = math.bad;
  if (empty) {
    Value some = arith::XOrIOp::create(
        builder, loc, empty, arith::ConstantIntOp::create(builder, loc, 1, 1));
    bad = arith::AndIOp::create(builder, loc, some, bad);
    bad = arith::OrIOp::create(builder, loc, bad, negative);
  }
  failIf(
      builder, loc, bad,
      messageAt("a view reaches out of " + memrefName(view.getSource()), loc));
  return success();
}

/// A typed view of a buffer of bytes.
static void checkView(memref::ViewOp view) {
  OpBuilder builder(view);
  Location loc = view.getLoc();
  CheckedArithmetic math(builder, loc);
  auto type = cast<MemRefType>(view.getType());
  unsigned bits = type.getElementType().isIndex()
                      ? 64
                      : type.getElementType().getIntOrFloatBitWidth();
  Value end = math.constant((bits + 7) / 8);
  auto dynamic = view.getSizes().begin();
  for (int64_t size : type.getShape()) {
    Value length =
        ShapedType::isDynamic(size) ? *dynamic++ : math.constant(size);
    math.alsoBad(math.isNegative(length));
    end = math.multiply(end, length);
  }
  math.alsoBad(math.isNegative(view.getByteShift()));
  end = math.add(end, view.getByteShift());
  Value limit = memref::DimOp::create(builder, loc, view.getSource(), 0);
  math.alsoBad(math.compare(arith::CmpIPredicate::sgt, end, limit));
  failIf(
      builder, loc, math.bad,
      messageAt("a view reaches out of " + memrefName(view.getSource()), loc));
}

/// Upstream's own checks, as assertions: they become failures when the
/// assertions of the program do.
static void emitUpstreamChecks(RuntimeVerifiableOpInterface verifiable) {
  OpBuilder builder(verifiable);
  verifiable.generateRuntimeVerification(
      builder, verifiable.getLoc(), [](Operation *op, StringRef message) {
        return messageAt(
            (message + " in " + op->getName().getStringRef()).str(),
            op->getLoc());
      });
}

/// Whether the type of a cast's result says nothing that that of its source
/// does not say.
static bool onlyForgets(memref::CastOp cast) {
  auto source = dyn_cast<MemRefType>(cast.getSource().getType());
  auto result = dyn_cast<MemRefType>(cast.getType());
  SmallVector<int64_t> before, after;
  int64_t offsetBefore, offsetAfter;
  if (!source || !result ||
      failed(source.getStridesAndOffset(before, offsetBefore)) ||
      failed(result.getStridesAndOffset(after, offsetAfter)))
    return false;
  before.push_back(offsetBefore);
  after.push_back(offsetAfter);
  llvm::append_range(before, source.getShape());
  llvm::append_range(after, result.getShape());
  return llvm::all_of(llvm::zip_equal(before, after), [](auto numbers) {
    auto [known, expected] = numbers;
    return ShapedType::isDynamic(expected) || expected == known;
  });
}

LogicalResult collectViewChecks(Operation *op, IndexExprs &exprs,
                                std::vector<RangeCheck> &checks) {
  if (auto view = dyn_cast<memref::SubViewOp>(op)) {
    collectSubView(view, exprs, checks);
    return success();
  }
  if (auto view = dyn_cast<memref::ReinterpretCastOp>(op))
    return checkReinterpretCast(view);
  if (auto view = dyn_cast<memref::ViewOp>(op)) {
    if (!view.getType().getElementType().isIntOrIndexOrFloat())
      return op->emitError("views of elements of this type cannot be checked");
    checkView(view);
    return success();
  }
  if (isa<memref::ReshapeOp>(op))
    return op->emitError("views shaped by a memref cannot be checked");
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (type && index && *index >= 0 && *index < type.getRank())
      return success();
  }
  if (auto cast = dyn_cast<memref::CastOp>(op); cast && onlyForgets(cast))
    return success();
  if (isa<memref::CastOp, memref::ExpandShapeOp, memref::CopyOp, memref::DimOp>(
          op))
    emitUpstreamChecks(cast<RuntimeVerifiableOpInterface>(op));
  return success();
}

} // namespace ember::checks
