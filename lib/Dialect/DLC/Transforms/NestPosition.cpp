//===- NestPosition.cpp - Where in a nest a token is pushed ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestPosition.h"

#include "ember/Analysis/StreamAdvance.h"
#include "ember/Conversion/StreamCode/StreamCode.h"
#include "ember/Conversion/StreamCode/Traversal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;
using ember::slc::AluOp;
using ember::slc::Event;
using ember::slc::StreamType;

std::optional<Pushes> Pushes::of(RegisterCallbackOp callback) {
  // How many iterations a mask leaves out is in the data.
  if (callback.getMask())
    return std::nullopt;
  auto unit = callback.getTu().getDefiningOp<NewTUOp>();
  NewTUOp iterating =
      callback.getEvent() == Event::ite ? unit : unit.getParentUnit();
  if (!callback.getToggle())
    return Pushes{iterating, nullptr};
  // What stays during a traversal is new in its first iteration only.
  if (callback.getWhereSame() || !iterating ||
      !StreamAdvance(iterating).stays(callback.getToggle()))
    return std::nullopt;
  return Pushes{iterating.getParentUnit(), iterating};
}

bool ember::dlc::iteratesAlike(NewTUOp unit) {
  // A step that leads nowhere is an error of the access program.
  return unit.hasFixedBounds() &&
         getConstantIntValue(unit.getStep()).value_or(0) > 0 &&
         !unit.getInMask() && !unit.getCoordinates() && !unit.getVectorLength();
}

/// How many units have to be counted to know which iteration of `unit` it is:
/// those within, and itself. What is around it matters to none of them.
std::optional<unsigned> NestPosition::getUnitDepth(NewTUOp unit) const {
  if (!iteratesAlike(unit))
    return std::nullopt;
  if (unit == pushes.first)
    return 0;
  // A traversal without iterations pushes no token, so that either all of them
  // have some or there is nothing to count.
  if (pushes.first && !iteratesAlike(pushes.first))
    return std::nullopt;
  unsigned depth = 1;
  for (NewTUOp inner = pushes.each; inner != unit;
       inner = inner.getParentUnit(), ++depth)
    if (!inner || !iteratesAlike(inner))
      return std::nullopt;
  return depth;
}

/// Arithmetic that is defined for all operands: no division, no shift.
static bool isTotal(AluOp opcode) {
  return opcode < AluOp::divs || opcode > AluOp::shru ||
         (opcode > AluOp::remu && opcode < AluOp::shl);
}

/// How many units have to be counted for `stream`; none if it is not computed
/// from what units visit.
std::optional<unsigned> NestPosition::getDepth(Value stream) const {
  if (!isa<StreamType>(stream.getType()))
    return isa<TUType>(stream.getType()) ? std::nullopt
                                         : std::optional<unsigned>(0);
  if (isa<VectorType>(slc::getStreamElementType(stream.getType())))
    return std::nullopt;
  Operation *op = stream.getDefiningOp();
  if (isa<GetIndVarOp, GetIterCountOp>(op))
    return getUnitDepth(op->getOperand(0).getDefiningOp<NewTUOp>());
  auto alu = dyn_cast<AluStrOp>(op);
  if (!isa<CastStrOp>(op) && !(alu && isTotal(alu.getOpcode())))
    return std::nullopt;
  unsigned depth = 0;
  for (Value operand : op->getOperands().drop_front()) {
    std::optional<unsigned> other = getDepth(operand);
    if (!other)
      return std::nullopt;
    depth = std::max(depth, *other);
  }
  return depth;
}

bool NestPosition::request(Value stream) {
  std::optional<unsigned> depth = getDepth(stream);
  if (depth)
    outermost = std::max(outermost, *depth);
  return depth.has_value();
}

void NestPosition::begin(ValueRange arguments) {
  llvm::append_range(counters, arguments.take_back(outermost));
}

Value NestPosition::emit(OpBuilder &builder, Value stream) {
  if (!isa<StreamType>(stream.getType()))
    return program.getInCompute(builder, stream);
  if (Value known = elements.lookupOrNull(stream))
    return known;
  Operation *op = stream.getDefiningOp();
  Location loc = op->getLoc();
  Value element;
  if (isa<GetIndVarOp, GetIterCountOp>(op)) {
    auto unit = op->getOperand(0).getDefiningOp<NewTUOp>();
    Value count = arith::ConstantIndexOp::create(builder, loc, 0);
    if (unit != pushes.first)
      count = counters[*getUnitDepth(unit) - 1];
    element = count;
    if (isa<GetIndVarOp>(op)) {
      Value distance = builder.createOrFold<arith::MulIOp>(
          loc, count, program.getInCompute(builder, unit.getStep()));
      element = builder.createOrFold<arith::AddIOp>(
          loc, distance, program.getInCompute(builder, unit.getLowerBound()));
    }
  } else {
    element = emitStreamElement(
        builder, cast<slc::StreamOpInterface>(op),
        [&](Value input) { return emit(builder, input); }, /*mask=*/Value());
  }
  elements.map(stream, element);
  return element;
}

SmallVector<Value> NestPosition::emitNext(OpBuilder &builder,
                                          OpBuilder &before) {
  SmallVector<Value> next;
  NewTUOp unit = pushes.each;
  // Whether all units within are through; null for the innermost unit.
  Value moves;
  for (Value counter : counters) {
    Location loc = unit.getLoc();
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value count = arith::AddIOp::create(builder, loc, counter, one);
    if (moves)
      count = arith::SelectOp::create(builder, loc, moves, count, counter);
    NewTUOp outer = unit.getParentUnit();
    if (outer) {
      Value trips =
          emitTrips(before, loc, Traversal::of(unit, [&](Value fixed) {
                      return program.getInCompute(before, fixed);
                    }));
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      moves = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                    count, trips);
      count = arith::SelectOp::create(builder, loc, moves, zero, count);
    }
    next.push_back(count);
    unit = outer;
  }
  return next;
}
