//===- Traversal.cpp - Code for what a loop or unit visits ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/StreamCode/Traversal.h"

#include "ember/ABI/RuntimeCalls.h"
#include "ember/Analysis/SegmentBounds.h"
#include "ember/Conversion/StreamCode/StreamCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember;
using ember::slcv::LoopConfig;

/// Over more than 2^39 iterations, which take hours if they do nothing, may
/// signed differences of what such a stride visits overflow.
static constexpr int64_t maxSmallStride = int64_t(1) << 24;

static Value index(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

static Value withoutCapture(Value value) {
  Value captured = dlc::getCaptured(value);
  return captured ? captured : value;
}

/// True if `value` comes from an integer of fewer bits than indices have.
static bool isNarrow(Value value) {
  if (auto read = value.getDefiningOp<slc::StrToValOp>())
    value = read.getStream();
  Operation *cast = value.getDefiningOp();
  if (!isa_and_present<arith::IndexCastOp, slc::CastStrOp>(cast))
    return false;
  Type from = slc::stripStream(cast->getOperand(0).getType());
  return from.isInteger() && from.getIntOrFloatBitWidth() < 64;
}

/// True if `upper` cannot be near the largest index.
static bool isSizeLike(Value upper) {
  upper = withoutCapture(upper);
  if (std::optional<int64_t> constant = getConstantIntValue(upper))
    return *constant <= INT64_MAX - maxSmallStride;
  return isNarrow(upper) || upper.getDefiningOp<memref::DimOp>() != nullptr;
}

/// True if no range from `lower` to `upper` is longer than the largest index.
static bool hasSignedLength(Value lower, Value upper) {
  lower = withoutCapture(lower);
  if (std::optional<int64_t> constant = getConstantIntValue(lower))
    return *constant >= 0;
  return isNarrow(lower) && isNarrow(withoutCapture(upper));
}

/// True if each element of `visited` is an index of memory, in each iteration
/// of `unit` (null: of the loop whose body has it) and in each lane but those
/// that `mask` (which may be null) switches off.
static bool addressesMemory(Value visited, Value mask, Value unit) {
  auto addresses = [&](auto access) {
    return llvm::is_contained(access.getIndices(), visited);
  };
  return llvm::any_of(visited.getUsers(), [&](Operation *user) {
    return user->getBlock() == visited.getParentBlock() &&
           TypeSwitch<Operation *, bool>(user)
               .Case<memref::LoadOp, memref::StoreOp>(addresses)
               .Case([&](slc::MemoryStreamOpInterface access) {
                 bool isEach = !access.getMask() || access.getMask() == mask;
                 return isEach && !access.isStore() && addresses(access) &&
                        (!unit || access->getOperand(0) == unit);
               })
               .Default(false);
  });
}

Traversal Traversal::of(slc::LoopOpInterface loop, Lookup lookup) {
  Traversal traversal;
  traversal.lower = lookup(loop.getLowerBound());
  traversal.upper = lookup(loop.getUpperBound());
  traversal.step = lookup(loop.getStep());
  Value mask;
  if (auto vectorLoop = dyn_cast<slcv::VecForOp>(loop.getOperation())) {
    traversal.lanes = static_cast<int64_t>(vectorLoop.getVectorLength());
    traversal.config = vectorLoop.getConfig();
    if (vectorLoop.getInMask())
      traversal.inMask = lookup(vectorLoop.getInMask());
    mask = vectorLoop.getMask();
  }
  traversal.endsFarFromLargest =
      isSizeLike(loop.getUpperBound()) ||
      (!traversal.inMask &&
       addressesMemory(loop.getInductionVar(), mask, Value()));
  return traversal;
}

Traversal Traversal::of(slc::LoopOpInterface loop) {
  return of(loop, [](Value value) { return value; });
}

Traversal Traversal::of(dlc::NewTUOp unit, Lookup lookup) {
  Traversal traversal;
  traversal.lower = lookup(unit.getLowerBound());
  traversal.upper = lookup(unit.getUpperBound());
  traversal.step = lookup(unit.getStep());
  traversal.lanes = static_cast<int64_t>(unit.getVectorLength().value_or(0));
  traversal.config = unit.getConfig();
  if (unit.getInMask())
    traversal.inMask = lookup(unit.getInMask());
  Value mask;
  for (Operation *user : unit.getResult().getUsers())
    if (auto getMask = dyn_cast<dlc::GetMaskOp>(user))
      mask = getMask.getResult();
  traversal.endsFarFromLargest = isSizeLike(unit.getUpperBound());
  for (Operation *user : unit.getResult().getUsers())
    if (auto visited = dyn_cast<dlc::GetIndVarOp>(user))
      traversal.endsFarFromLargest |=
          !traversal.inMask &&
          addressesMemory(visited.getResult(), mask, unit.getResult());
  return traversal;
}

Traversal Traversal::of(scf::ForOp loop, int64_t lanes) {
  Traversal traversal;
  traversal.lower = loop.getLowerBound();
  traversal.upper = loop.getUpperBound();
  traversal.step = loop.getStep();
  traversal.lanes = lanes;
  traversal.endsFarFromLargest =
      isSizeLike(traversal.upper) ||
      addressesMemory(loop.getInductionVar(), Value(), Value());
  return traversal;
}

bool Traversal::isLockstep() const {
  return slc::lanesOf(lower.getType()) || slc::lanesOf(upper.getType());
}

bool Traversal::spreadsOverLanes() const {
  return lanes && config == LoopConfig::vector && !isLockstep();
}

int64_t Traversal::getLanesPerIteration() const {
  return spreadsOverLanes() ? lanes : 1;
}

std::optional<int64_t> Traversal::getSmallStride() const {
  std::optional<int64_t> constant = getConstantIntValue(step);
  int64_t stride;
  if (!constant || *constant < 1 || isLockstep() ||
      llvm::MulOverflow(*constant, getLanesPerIteration(), stride) ||
      stride > maxSmallStride)
    return std::nullopt;
  return stride;
}

std::optional<int64_t> Traversal::getStaticVisits() const {
  std::optional<int64_t> first = getConstantIntValue(lower);
  std::optional<int64_t> end = getConstantIntValue(upper);
  std::optional<int64_t> distance = getConstantIntValue(step);
  int64_t length;
  if (!first || !end || !distance || *distance < 1 ||
      llvm::SubOverflow(*end, *first, length))
    return std::nullopt;
  if (length <= 0)
    return 0;
  return llvm::divideCeil(static_cast<uint64_t>(length),
                          static_cast<uint64_t>(*distance));
}

std::optional<int64_t> Traversal::getStaticTrips() const {
  std::optional<int64_t> visits = getStaticVisits();
  if (!visits)
    return std::nullopt;
  return llvm::divideCeil(static_cast<uint64_t>(*visits),
                          static_cast<uint64_t>(getLanesPerIteration()));
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

static void emitAssertion(OpBuilder &builder, Location loc,
                          arith::CmpIPredicate predicate, Value lhs, Value rhs,
                          StringRef message) {
  Value holds = arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  cf::AssertOp::create(builder, loc, holds, messageAt(message, loc));
}

static void emitStepCheck(OpBuilder &builder, Location loc,
                          const Traversal &traversal) {
  if (!getConstantIntValue(traversal.step))
    emitAssertion(builder, loc, arith::CmpIPredicate::sgt, traversal.step,
                  index(builder, loc, 0), "the step of a loop is not positive");
}

/// Fails if the step would carry the counter past the largest number: counting
/// ends all the same, but as loops do not, that is an error at every level.
static void emitLastCheck(OpBuilder &builder, Location loc,
                          const Traversal &traversal, Value elements) {
  // The bound itself follows the last element then.
  if (getConstantIntValue(traversal.step) == 1)
    return;
  Value length = arith::MulIOp::create(builder, loc, elements, traversal.step);
  Value end = arith::AddIOp::create(builder, loc, traversal.lower, length);
  Value last = arith::SubIOp::create(builder, loc, end, traversal.step);
  // Without elements, `last` is the first one's predecessor, which may have
  // wrapped around.
  Value runs = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                     elements, index(builder, loc, 0));
  last = arith::SelectOp::create(builder, loc, runs, last, end);
  emitAssertion(builder, loc, arith::CmpIPredicate::sge, end, last,
                "the bound of a loop is too large for its step");
}

/// The number of elements there are to visit, of any range: one number, or one
/// a lane.
static Value emitElements(OpBuilder &builder, Location loc,
                          const Traversal &traversal) {
  Type type = builder.getIndexType();
  if (traversal.isLockstep())
    type = VectorType::get({traversal.lanes}, type);
  auto widen = [&](Value value) {
    return emitBroadcast(builder, loc, value, type);
  };
  Value lower = widen(traversal.lower), upper = widen(traversal.upper);
  Value isRange = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        lower, upper);
  if (traversal.isLockstep() && traversal.inMask)
    isRange = arith::AndIOp::create(builder, loc, isRange, traversal.inMask);
  // As unsigned numbers, the difference and its quotient cannot overflow.
  Value length = arith::SubIOp::create(builder, loc, upper, lower);
  Value none = widen(index(builder, loc, 0));
  length = arith::SelectOp::create(builder, loc, isRange, length, none);
  if (getConstantIntValue(traversal.step) == 1)
    return length;
  return arith::CeilDivUIOp::create(builder, loc, length,
                                    widen(traversal.step));
}

/// The number of iterations that visit `elements`.
static Value emitIterations(OpBuilder &builder, Location loc,
                            const Traversal &traversal, Value elements) {
  if (traversal.isLockstep())
    return vector::ReductionOp::create(builder, loc,
                                       vector::CombiningKind::MAXUI, elements);
  if (!traversal.spreadsOverLanes())
    return elements;
  return arith::CeilDivUIOp::create(builder, loc, elements,
                                    index(builder, loc, traversal.lanes));
}

TraversalRange ember::emitRange(OpBuilder &builder, Location loc,
                                const Traversal &traversal) {
  // A loop that visits one range one by one is checked as what it is.
  if (!traversal.spreadsOverLanes() && !traversal.isLockstep())
    return {traversal.lower, traversal.upper, traversal.step, Value()};
  if (std::optional<int64_t> stride = traversal.getSmallStride();
      stride && traversal.endsFarFromLargest)
    return {traversal.lower, traversal.upper, index(builder, loc, *stride),
            Value()};
  emitStepCheck(builder, loc, traversal);
  Value elements = emitElements(builder, loc, traversal);
  if (!traversal.isLockstep())
    emitLastCheck(builder, loc, traversal, elements);
  Value trips = emitIterations(builder, loc, traversal, elements);
  return {index(builder, loc, 0), trips, index(builder, loc, 1), elements};
}

Value TraversalRange::emitPosition(OpBuilder &builder, Location loc,
                                   Value k) const {
  Value distance = arith::MulIOp::create(builder, loc, k, step);
  return arith::AddIOp::create(builder, loc, lower, distance);
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

Value ember::emitFirst(OpBuilder &builder, Location loc,
                       const Traversal &traversal, const TraversalRange &range,
                       Value position) {
  if (!range.elements)
    return position;
  Value stride = traversal.step;
  if (traversal.spreadsOverLanes())
    stride = arith::MulIOp::create(builder, loc, stride,
                                   index(builder, loc, traversal.lanes));
  Value distance = arith::MulIOp::create(builder, loc, position, stride);
  Value lower = traversal.lower;
  return arith::AddIOp::create(
      builder, loc, lower,
      emitBroadcast(builder, loc, distance, lower.getType()));
}

Value ember::emitVisited(OpBuilder &builder, Location loc,
                         const Traversal &traversal,
                         const TraversalRange &range, Value position) {
  Value first = emitFirst(builder, loc, traversal, range, position);
  if (!traversal.lanes)
    return first;
  auto type = VectorType::get({traversal.lanes}, builder.getIndexType());
  Value visited = emitBroadcast(builder, loc, first, type);
  if (!traversal.spreadsOverLanes())
    return visited;
  Value distances = emitLaneNumbers(builder, loc, traversal.lanes);
  if (getConstantIntValue(traversal.step) != 1)
    distances = arith::MulIOp::create(
        builder, loc, distances,
        emitBroadcast(builder, loc, traversal.step, type));
  return arith::AddIOp::create(builder, loc, visited, distances);
}

Value ember::emitIterationCount(OpBuilder &builder, Location loc,
                                const TraversalRange &range, Value position) {
  if (range.elements)
    return position;
  Value done = arith::SubIOp::create(builder, loc, position, range.lower);
  return arith::DivUIOp::create(builder, loc, done, range.step);
}

/// How many elements there are from `position` on, or more than there are
/// lanes.
static Value emitElementsLeft(OpBuilder &builder, Location loc,
                              const Traversal &traversal,
                              const TraversalRange &range, Value position) {
  if (range.elements) {
    Value done = arith::MulIOp::create(builder, loc, position,
                                       index(builder, loc, traversal.lanes));
    Value left = arith::SubIOp::create(builder, loc, range.elements, done);
    // What is left may be no signed number.
    return arith::MinUIOp::create(builder, loc, left,
                                  index(builder, loc, traversal.lanes));
  }
  Value left = arith::SubIOp::create(builder, loc, range.upper, position);
  if (getConstantIntValue(traversal.step) == 1)
    return left;
  return arith::CeilDivSIOp::create(builder, loc, left, traversal.step);
}

Value ember::emitMask(OpBuilder &builder, Location loc,
                      const Traversal &traversal, const TraversalRange &range,
                      Value position) {
  auto type = VectorType::get({traversal.lanes}, builder.getI1Type());
  Value mask;
  if (traversal.isLockstep()) {
    // Lanes that the incoming mask switches off have no elements.
    Value count =
        emitBroadcast(builder, loc, position, range.elements.getType());
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, count,
                                 range.elements);
  }
  if (traversal.config == LoopConfig::bcast)
    mask = arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, true));
  else if (traversal.config == LoopConfig::scalar)
    mask = vector::ConstantMaskOp::create(builder, loc, type,
                                          ArrayRef<int64_t>{1});
  else
    mask = vector::CreateMaskOp::create(
        builder, loc, type,
        ValueRange{emitElementsLeft(builder, loc, traversal, range, position)});
  if (!traversal.inMask)
    return mask;
  return arith::AndIOp::create(builder, loc, mask, traversal.inMask);
}

//===----------------------------------------------------------------------===//
// Trip counts
//===----------------------------------------------------------------------===//

Value ember::emitTripBound(OpBuilder &builder, Location loc,
                           const Traversal &traversal) {
  if (std::optional<int64_t> trips = traversal.getStaticTrips())
    return index(builder, loc, *trips);
  std::optional<int64_t> stride = traversal.getSmallStride();
  if (!stride) {
    Value elements = emitElements(builder, loc, traversal);
    return emitIterations(builder, loc, traversal, elements);
  }
  Value length = traversal.upper;
  if (!matchPattern(traversal.lower, m_Zero()))
    length = emitRangeLength(builder, loc, {traversal.lower, traversal.upper},
                             hasSignedLength(traversal.lower, traversal.upper));
  if (*stride == 1)
    return length;
  return arith::CeilDivSIOp::create(builder, loc, length,
                                    index(builder, loc, *stride));
}

Value ember::emitTrips(OpBuilder &builder, Location loc,
                       const Traversal &traversal) {
  Value bound = emitTripBound(builder, loc, traversal);
  if (getConstantIntValue(bound))
    return bound;
  return arith::MaxSIOp::create(builder, loc, bound, index(builder, loc, 0));
}

bool ember::isTripBound(Value value, const Traversal &traversal,
                        function_ref<bool(Value, Value)> isBound) {
  if (std::optional<int64_t> trips = traversal.getStaticTrips())
    return getConstantIntValue(value) == *trips;
  std::optional<int64_t> stride = traversal.getSmallStride();
  if (!stride)
    return false;
  Value length = value;
  if (*stride != 1) {
    auto quotient = value.getDefiningOp<arith::CeilDivSIOp>();
    if (!quotient || getConstantIntValue(quotient.getRhs()) != *stride)
      return false;
    length = quotient.getLhs();
  }
  if (matchPattern(traversal.lower, m_Zero()))
    return isBound(length, traversal.upper);
  std::optional<CountedRange> range = findCountedRange(length);
  return range && range->isClamped && isBound(range->lower, traversal.lower) &&
         isBound(range->upper, traversal.upper);
}
