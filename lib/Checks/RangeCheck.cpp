//===- RangeCheck.cpp - One check of a range of indices -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RangeCheck.h"
#include "ember/Analysis/MemRefNames.h"
#include "ember/Analysis/SegmentBounds.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace ember::checks {

/// Constants beyond this are not reasoned about, so that no sum of a few of
/// them comes near to wrapping.
static constexpr int64_t smallConstant = int64_t(1) << 31;

/// Whether a guard says that `lower`, a constant, is below `upper`.
static bool hasGuard(const RangeCheck &check, int64_t lower,
                     const IndexExpr &upper) {
  return llvm::any_of(check.guards, [&](const auto &guard) {
    std::optional<int64_t> constant = guard.first.asConstant();
    return constant && *constant >= lower && guard.second == upper;
  });
}

/// Whether point `i` is no more than point `i + 1`, given that the points up to
/// `i` are in order and not negative as signed numbers: that is so when a guard
/// `a < b` with constant a >= 0 relates them as a + k and b - 1 + k.
static bool isStepProven(const RangeCheck &check, unsigned i) {
  std::optional<int64_t> from = check.points[i].asConstant();
  if (std::optional<int64_t> difference =
          (check.points[i + 1] - check.points[i]).asConstant())
    return *difference >= 0 && *difference < smallConstant;
  if (!from || *from < 0 || *from >= smallConstant)
    return false;
  for (const auto &[lower, upper] : check.guards) {
    std::optional<int64_t> constant = lower.asConstant();
    if (!constant || *constant < 0 || *constant >= smallConstant)
      continue;
    std::optional<int64_t> shift =
        (check.points[i + 1] - upper + 1).asConstant();
    if (shift && *shift > -smallConstant && *shift < smallConstant &&
        *constant + *shift >= *from)
      return true;
  }
  return false;
}

/// Drops guards that hold for certain. Returns false when one cannot hold, and
/// so nothing needs checking.
static bool simplifyGuards(RangeCheck &check) {
  bool possible = true;
  llvm::erase_if(check.guards, [&](const auto &guard) {
    auto less = guard.first.asConstant(), more = guard.second.asConstant();
    if (!less || !more)
      return false;
    possible &= *less < *more;
    return *less < *more;
  });
  return possible;
}

OpenComparisons findOpenComparisons(RangeCheck &check,
                                    const IndexExprs &exprs) {
  OpenComparisons open;
  if (!simplifyGuards(check)) {
    open.last = false;
    return open;
  }
  // What is proven starts from a first point known not to be negative.
  std::optional<int64_t> first = check.points.front().asConstant();
  bool inOrder = first && *first >= 0 && *first < smallConstant;
  inOrder |= exprs.isSize(check.points.front());
  for (unsigned i = 0; i + 1 < check.points.size(); ++i) {
    if (inOrder && isStepProven(check, i))
      continue;
    open.steps.push_back(i);
    inOrder = false;
  }
  if (!inOrder || check.activeLanes)
    return open;
  const IndexExpr &last = check.points.back();
  auto lastConstant = last.asConstant(), sizeConstant = check.size.asConstant();
  if (lastConstant && sizeConstant)
    open.last = *lastConstant >= *sizeConstant;
  // The points are in order up to a last one which is `size - d`: it did not
  // wrap, so it is below the size.
  std::optional<int64_t> distance = (check.size - last).asConstant();
  if (distance && *distance >= 1 && *distance < smallConstant)
    open.last = false;
  // One point that a guard keeps below the size.
  if (lastConstant && *lastConstant < smallConstant &&
      hasGuard(check, *lastConstant, check.size))
    open.last = false;
  return open;
}

Value loadPosition(Operation *op, OpBuilder &builder) {
  auto load = cast<memref::LoadOp>(op);
  return loadPosition(load.getLoc(), load.getMemRef(), load.getIndices(),
                      builder);
}

Value loadPosition(Location loc, Value memref, ValueRange indices,
                   OpBuilder &builder) {
  Value position;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    if (!position) {
      position = index;
      continue;
    }
    Value size = memref::DimOp::create(builder, loc, memref, int64_t(dim));
    Value row = arith::MulIOp::create(builder, loc, position, size);
    position = arith::AddIOp::create(builder, loc, row, index);
  }
  if (position)
    return position;
  return arith::ConstantIndexOp::create(builder, loc, 0);
}

namespace {
/// What a message says about a point that is out of range.
struct Report {
  IndexExpr value;
  Operation *load = nullptr;
};
} // namespace

/// Names where `point` comes from. The last position of a segment is one before
/// the offset that ends it: the offset is what the user wrote, and names the
/// error as well.
static Report reportOf(const IndexExpr &point, bool isLast) {
  for (const IndexExpr &candidate : {point, point + 1}) {
    Operation *load = findIndexLoad(candidate.asValue());
    if (load)
      return {candidate, load};
    if (!isLast)
      break;
  }
  return {point, nullptr};
}

/// Whether a user knows the memory that an index comes from. Places in scratch
/// memory say nothing.
static bool isKnown(Value memref) {
  return givenName(memref) ||
         !isa_and_present<memref::AllocOp, memref::AllocaOp>(
             memref.getDefiningOp());
}

/// How many indices there are of what a check is about.
static Value emitSize(const RangeCheck &check, OpBuilder &builder) {
  if (!check.memref)
    return check.size.materialize(builder, check.loc);
  Value size = memref::DimOp::create(builder, check.loc, check.memref,
                                     int64_t(check.dim));
  if (!check.bounds)
    return size;
  // The last row ends where the last element says.
  Value one = arith::ConstantIndexOp::create(builder, check.loc, 1);
  return arith::SubIOp::create(builder, check.loc, size, one);
}

static void emitFailure(const RangeCheck &check, const Report &report,
                        OpBuilder &builder) {
  Location loc = check.loc;
  Value size = emitSize(check, builder);
  StringAttr what = check.bounds;
  if (!what)
    what = builder.getStringAttr(dimensionName(check.memref, check.dim));
  Value value = report.value.materialize(builder, loc);
  StringAttr source;
  Value position;
  auto load = cast_if_present<memref::LoadOp>(report.load);
  if (load && (check.memref || isKnown(load.getMemRef()))) {
    source = builder.getStringAttr(memrefName(load.getMemRef()));
    position = loadPosition(load, builder);
  }
  FailIndexOp::create(builder, loc, what, value, size, source, position);
}

void emitCheck(const RangeCheck &check, const OpenComparisons &open,
               IndexExprs &exprs) {
  using arith::CmpIPredicate;
  OpBuilder builder(check.anchor);
  Location loc = check.loc;
  auto points = llvm::to_vector(check.points);
  if (check.activeLanes) {
    Value active = arith::MinSIOp::create(
        builder, loc, check.activeLanes->materialize(builder, loc),
        arith::ConstantIndexOp::create(builder, loc, check.lanes));
    points.push_back(points.front() + IndexExpr(active) + (-1));
  }
  SmallVector<Value> values;
  for (const IndexExpr &point : points)
    values.push_back(point.materialize(builder, loc));
  Value size = check.size.materialize(builder, loc);

  Value bad;
  auto alsoBad = [&](CmpIPredicate predicate, Value left, Value right) {
    Value next = arith::CmpIOp::create(builder, loc, predicate, left, right);
    bad = bad ? arith::OrIOp::create(builder, loc, bad, next) : next;
  };
  for (unsigned step : open.steps)
    alsoBad(CmpIPredicate::ugt, values[step], values[step + 1]);
  if (check.activeLanes)
    alsoBad(CmpIPredicate::ugt, values.front(), values.back());
  if (open.last)
    alsoBad(CmpIPredicate::uge, values.back(), size);
  for (const auto &[less, more] : check.guards) {
    Value holds = arith::CmpIOp::create(builder, loc, CmpIPredicate::slt,
                                        less.materialize(builder, loc),
                                        more.materialize(builder, loc));
    bad = arith::AndIOp::create(builder, loc, holds, bad);
  }
  for (Value condition : check.conditions)
    bad = arith::AndIOp::create(builder, loc, condition, bad);

  builder.setInsertionPointToStart(
      CheckOp::create(builder, loc, bad).getBody());
  if (points.size() > 1) {
    // Ranges run over the end, unless they begin below zero or their end is
    // inside.
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value below = arith::CmpIOp::create(builder, loc, CmpIPredicate::slt,
                                        values.front(), zero);
    Value inside = arith::CmpIOp::create(builder, loc, CmpIPredicate::ult,
                                         values.back(), size);
    Value atStart = arith::OrIOp::create(builder, loc, below, inside);
    auto start = scf::IfOp::create(builder, loc, atStart, /*withElse=*/false);
    OpBuilder inner = start.getThenBodyBuilder();
    emitFailure(check,
                reportOf(points.front() + (-check.pastRow), /*isLast=*/false),
                inner);
  }
  emitFailure(check,
              reportOf(points.back() + (-check.pastRow), points.size() > 1),
              builder);
}

} // namespace ember::checks
