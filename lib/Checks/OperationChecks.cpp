//===- OperationChecks.cpp - Run-time checks of what is no access ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCollector.h"
#include "ember/Analysis/MemRefNames.h"
#include "ember/Analysis/SegmentBounds.h"
#include "ember/Checks/SegmentCheck.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace ember::checks {

void failIf(OpBuilder &builder, Location loc, Value bad, StringRef message) {
  OpBuilder inner = CheckOp::create(builder, loc, bad).getBodyBuilder();
  FailWithMessageOp::create(inner, loc, message);
}

/// A constant of `type`, an integer, index, or vector of them.
static Value splat(OpBuilder &builder, Location loc, Type type,
                   const APInt &value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attribute = builder.getIntegerAttr(element, value);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(builder, loc, attribute);
}

/// Whether any lane of `condition`, or the one bit that it is, is set.
static Value anyLane(OpBuilder &builder, Location loc, Value condition) {
  auto vector = dyn_cast<VectorType>(condition.getType());
  if (!vector)
    return condition;
  if (vector.getRank() != 1) {
    auto flat = VectorType::get(vector.getNumElements(), builder.getI1Type());
    condition = vector::ShapeCastOp::create(builder, loc, flat, condition);
  }
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR,
                                     condition);
}

/// Whether `divisor` is a constant without zero, and, in a signed division,
/// without -1.
static bool isSafeDivisor(Value divisor, bool isSigned) {
  auto isSafe = [&](const APInt &value) {
    return !value.isZero() && !(isSigned && value.isAllOnes());
  };
  APInt number;
  if (matchPattern(divisor, m_ConstantInt(&number)))
    return isSafe(number);
  DenseElementsAttr elements;
  if (!matchPattern(divisor, m_Constant(&elements)))
    return false;
  return llvm::all_of(elements.getValues<APInt>(), isSafe);
}

/// Division by zero, and of the lowest number by -1, end a program.
static void checkDivision(Operation *op, bool isSigned) {
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  if (isSafeDivisor(divisor, isSigned))
    return;
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type type = divisor.getType();
  Type element = getElementTypeOrSelf(type);
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  auto equals = [&](Value value, const APInt &constant) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value,
                                 splat(builder, loc, type, constant));
  };
  Value zero = equals(divisor, APInt::getZero(width));
  failIf(builder, loc, anyLane(builder, loc, zero),
         messageAt("division by zero", loc));
  if (!isSigned)
    return;
  Value overflow = arith::AndIOp::create(
      builder, loc, equals(divisor, APInt::getAllOnes(width)),
      equals(dividend, APInt::getSignedMinValue(width)));
  failIf(builder, loc, anyLane(builder, loc, overflow),
         messageAt("the quotient is too large for its type", loc));
}

/// The size of an allocation: not negative in any dimension, and in bytes no
/// more than an address can tell apart.
static void checkAllocation(memref::AllocOp alloc) {
  if (alloc.getDynamicSizes().empty())
    return;
  OpBuilder builder(alloc);
  Location loc = alloc.getLoc();
  MemRefType type = alloc.getType();
  // An element of any supported type is no larger than this, and sizes are kept
  // far enough from 2^63 that strides and alignments do not reach it.
  constexpr int64_t elementBytes = 256;
  int64_t fixed = elementBytes;
  bool overflows = false;
  for (int64_t size : type.getShape())
    if (ShapedType::isStatic(size))
      overflows |=
          llvm::MulOverflow<int64_t>(fixed, std::max<int64_t>(size, 1), fixed);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value total = arith::ConstantIndexOp::create(builder, loc, fixed);
  Value bad = arith::ConstantIntOp::create(builder, loc, overflows, 1);
  auto alsoBad = [&](arith::CmpIPredicate predicate, Value left, Value right) {
    Value next = arith::CmpIOp::create(builder, loc, predicate, left, right);
    bad = arith::OrIOp::create(builder, loc, bad, next);
  };
  for (Value size : alloc.getDynamicSizes()) {
    alsoBad(arith::CmpIPredicate::slt, size, zero);
    // A dimension without elements must not hide that others are too large.
    Value length = arith::MaxSIOp::create(builder, loc, size, one);
    auto product = arith::MulUIExtendedOp::create(builder, loc, total, length);
    total = product.getLow();
    alsoBad(arith::CmpIPredicate::ne, product.getHigh(), zero);
    alsoBad(arith::CmpIPredicate::slt, total, zero);
  }
  failIf(builder, loc, bad,
         messageAt("the size of a local buffer is negative or too large", loc));
}

/// Where a segment is checked: in front of its loop, and of the conditions that
/// the loop is not to run in pieces and that it runs at all, under which no
/// offsets would ever decrease.
static Operation *segmentPlace(scf::ForOp loop) {
  Operation *parent = loop->getParentOp();
  if (parent->hasAttr(piecesAttr))
    parent = parent->getParentOp();
  auto guard = dyn_cast<scf::IfOp>(parent);
  auto compare =
      guard ? guard.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
  if (!compare)
    return loop;
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  bool isLess = compare.getPredicate() == arith::CmpIPredicate::slt &&
                compare.getLhs() == lower && compare.getRhs() == upper;
  bool isGreater = compare.getPredicate() == arith::CmpIPredicate::sgt &&
                   compare.getLhs() == upper && compare.getRhs() == lower;
  return isLess || isGreater ? guard.getOperation() : loop.getOperation();
}

/// Fails at `builder` if the offsets that `lower` and `upper` come from
/// decrease. Where they are not loaded here, `source` is what they are called.
static void emitSegmentCheck(OpBuilder &builder, Location loc, Value lower,
                             Value upper, StringAttr source,
                             IndexExprs &exprs) {
  auto [begin, end] = findSegmentBounds(lower, upper, exprs);
  if (!begin && !source)
    return;
  Value decreases = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sgt, lower, upper);
  OpBuilder inner = CheckOp::create(builder, loc, decreases).getBodyBuilder();
  Type i64 = inner.getI64Type();
  auto widen = [&](Value value) -> Value {
    if (value.getType().isIndex() || value.getType() == i64)
      return value;
    return arith::ExtSIOp::create(inner, loc, i64, value);
  };
  Value position = begin ? loadPosition(begin, inner)
                         : arith::ConstantIndexOp::create(inner, loc, -1);
  FailSegmentOp::create(inner, loc,
                        begin ? memrefName(begin.getMemRef())
                              : source.getValue().str(),
                        position, widen(lower), widen(upper));
}

/// Checks the bounds of a loop in front of `place`. A segment may also be
/// counted from zero, as what was put into a buffer is.
static void checkBounds(Operation *place, Value lower, Value upper,
                        StringAttr source, IndexExprs &exprs) {
  OpBuilder builder(place);
  // Vectors of so many elements, of which the last may have fewer.
  Value counted = upper;
  if (auto groups = upper.getDefiningOp<arith::CeilDivSIOp>();
      groups && getConstantIntValue(groups.getRhs()))
    counted = groups.getLhs();
  if (getConstantIntValue(lower) == 0)
    if (std::optional<CountedRange> range = findCountedRange(counted)) {
      lower = range->lower;
      upper = range->upper;
    }
  emitSegmentCheck(builder, place->getLoc(), lower, upper, source, exprs);
}

/// The bounds of loops in another function, which does not see where they come
/// from.
static void checkParallelCall(ParallelCallOp call, IndexExprs &exprs) {
  for (unsigned loop = 0; loop < call.getNumLoops(); ++loop)
    checkBounds(call, call.getLowerBound(loop), call.getUpperBound(loop),
                /*source=*/nullptr, exprs);
}

void checkSegment(OpBuilder &builder, Location loc, Value lower, Value upper) {
  IndexExprs exprs;
  emitSegmentCheck(builder, loc, lower, upper, /*source=*/nullptr, exprs);
}

/// A loop must get nearer to its end, and stop there: a step that is not
/// positive, or that carries the counter past the largest number, never does.
static void checkStep(scf::ForOp loop, IndexExprs &exprs) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  Type type = loop.getStep().getType();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  bool isUnsigned = loop.getUnsignedCmp();
  auto less =
      isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  if (!step || *step <= 0) {
    Value one = splat(builder, loc, type, APInt(width, 1));
    Value bad = arith::CmpIOp::create(builder, loc, less, loop.getStep(), one);
    failIf(builder, loc, bad,
           messageAt("the step of a loop is not positive", loc));
  }
  APInt constantStep, constantUpper;
  bool wraps = true;
  if (matchPattern(loop.getStep(), m_ConstantInt(&constantStep)) &&
      matchPattern(loop.getUpperBound(), m_ConstantInt(&constantUpper)))
    (void)(isUnsigned ? constantUpper.uadd_ov(constantStep, wraps)
                      : constantUpper.sadd_ov(constantStep, wraps));
  if (step == 1 || !wraps ||
      (type.isIndex() && exprs.isSize(exprs.of(loop.getUpperBound()))))
    return;
  // Counters stay below the bound, so that a bound this far from the largest
  // number is safe. Only nearer to it does it matter whether the loop runs, and
  // where its last iteration is.
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  APInt most =
      isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  Value room = arith::SubIOp::create(
      builder, loc, splat(builder, loc, type, most), loop.getStep());
  Value isNear = arith::CmpIOp::create(builder, loc, less, room, upper);
  Value runs = arith::CmpIOp::create(builder, loc, less, lower, upper);
  Value suspicious = arith::AndIOp::create(builder, loc, isNear, runs);
  auto rare = scf::IfOp::create(builder, loc, suspicious, /*withElse=*/false);
  OpBuilder inner = rare.getThenBodyBuilder();
  Value one = splat(inner, loc, type, APInt(width, 1));
  Value end = arith::SubIOp::create(inner, loc, upper, one);
  Value span = arith::SubIOp::create(inner, loc, end, lower);
  Value rest = arith::RemUIOp::create(inner, loc, span, loop.getStep());
  Value last = arith::SubIOp::create(inner, loc, end, rest);
  Value bad = arith::CmpIOp::create(inner, loc, less, room, last);
  failIf(inner, loc, bad,
         messageAt("the bound of a loop is too large for its step", loc));
}

/// The index and the size that an assertion of bounds compares, in either
/// order, alone or beside what makes the index not matter.
static std::optional<std::pair<Value, Value>> findCompared(Value holds) {
  if (auto either = holds.getDefiningOp<arith::OrIOp>()) {
    auto compared = findCompared(either.getLhs());
    return compared ? compared : findCompared(either.getRhs());
  }
  auto compare = holds.getDefiningOp<arith::CmpIOp>();
  if (!compare || !compare.getLhs().getType().isIndex())
    return std::nullopt;
  if (compare.getPredicate() == arith::CmpIPredicate::ult)
    return std::pair(compare.getLhs(), compare.getRhs());
  if (compare.getPredicate() == arith::CmpIPredicate::ugt)
    return std::pair(compare.getRhs(), compare.getLhs());
  return std::nullopt;
}

/// Ends the program because of the index that an assertion of bounds is about.
static void failBounds(OpBuilder &builder, Location loc, StringAttr what,
                       Value index, Value size) {
  StringAttr source;
  Value position;
  auto load = dyn_cast_if_present<memref::LoadOp>(findIndexLoad(index));
  // Places in scratch memory say nothing to a user.
  if (load && (givenName(load.getMemRef()) ||
               !isa_and_present<memref::AllocOp, memref::AllocaOp>(
                   load.getMemRef().getDefiningOp()))) {
    source = builder.getStringAttr(memrefName(load.getMemRef()));
    position = loadPosition(load, builder);
  }
  FailIndexOp::create(builder, loc, what, index, size, source, position);
}

/// An assertion of the program, or of upstream's checks.
static void replaceAssertion(cf::AssertOp assertion, IndexExprs &exprs) {
  OpBuilder builder(assertion);
  Location loc = assertion.getLoc();
  auto segment = assertion->getAttrOfType<StringAttr>(segmentAttr);
  auto compare = assertion.getArg().getDefiningOp<arith::CmpIOp>();
  if (segment && compare &&
      compare.getPredicate() == arith::CmpIPredicate::sle) {
    emitSegmentCheck(builder, loc, compare.getLhs(), compare.getRhs(), segment,
                     exprs);
    assertion.erase();
    return;
  }
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
  Value bad = arith::XOrIOp::create(builder, loc, assertion.getArg(), yes);
  auto bounded = assertion->getAttrOfType<StringAttr>(boundsAttr);
  auto compared = bounded ? findCompared(assertion.getArg()) : std::nullopt;
  if (compared) {
    OpBuilder inner = CheckOp::create(builder, loc, bad).getBodyBuilder();
    failBounds(inner, loc, bounded, compared->first, compared->second);
  } else {
    failIf(builder, loc, bad, assertion.getMsg());
  }
  assertion.erase();
}

bool collectBounds(Operation *op, IndexExprs &exprs,
                   std::vector<RangeCheck> &checks) {
  auto assertion = dyn_cast<cf::AssertOp>(op);
  auto bounds =
      assertion ? op->getAttrOfType<StringAttr>(boundsAttr) : StringAttr();
  if (!bounds || assertion.getArg().getDefiningOp<arith::OrIOp>())
    return false;
  auto compared = findCompared(assertion.getArg());
  if (!compared)
    return false;
  RangeCheck check(op);
  check.points = {exprs.of(compared->first)};
  check.size = exprs.of(compared->second);
  check.bounds = bounds;
  checks.push_back(std::move(check));
  return true;
}

void emitOperationChecks(Operation *op, IndexExprs &exprs) {
  if (isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp,
          arith::CeilDivSIOp, index::DivSOp, index::RemSOp, index::FloorDivSOp,
          index::CeilDivSOp>(op))
    return checkDivision(op, /*isSigned=*/true);
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, index::DivUOp,
          index::RemUOp, index::CeilDivUOp>(op))
    return checkDivision(op, /*isSigned=*/false);
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return checkAllocation(alloc);
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    return replaceAssertion(assertion, exprs);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    checkStep(loop, exprs);
    checkBounds(segmentPlace(loop), loop.getLowerBound(), loop.getUpperBound(),
                loop->getAttrOfType<StringAttr>(segmentAttr), exprs);
  }
  if (auto call = dyn_cast<ParallelCallOp>(op))
    checkParallelCall(call, exprs);
}

} // namespace ember::checks
