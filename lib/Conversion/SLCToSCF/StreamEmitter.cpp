//===- StreamEmitter.cpp - Streams as values of an scf program ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/SLCToSCF/StreamEmitter.h"

#include "ember/Analysis/MemrefNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember;
using ember::slc::AluOp;
using ember::slcv::LoopConfig;
using ember::slcv::VecForOp;

Value StreamEmitter::index(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The number of iterations of a lockstep loop: that of its longest lane.
static Value emitLockstepTrips(OpBuilder &builder, VecForOp loop, Value lower,
                               Value upper, Value step, Value mask) {
  Location loc = loop.getLoc();
  auto type = VectorType::get({static_cast<int64_t>(loop.getVectorLength())},
                              builder.getIndexType());
  lower = emitBroadcast(builder, loc, lower, type);
  upper = emitBroadcast(builder, loc, upper, type);
  Value length = arith::SubIOp::create(builder, loc, upper, lower);
  Value trips = arith::CeilDivSIOp::create(
      builder, loc, length, emitBroadcast(builder, loc, step, type));
  if (mask) {
    Value none = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, builder.getIndexAttr(0)));
    trips = arith::SelectOp::create(builder, loc, mask, trips, none);
  }
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::MAXSI,
                                     trips);
}

StreamEmitter::Range StreamEmitter::emitRange(slc::LoopOpInterface loop,
                                              IRMapping &values) {
  Location loc = loop.getLoc();
  Value lower = materialize(loop.getLowerBound(), values);
  Value upper = materialize(loop.getUpperBound(), values);
  Value step = values.lookupOrDefault(loop.getStep());
  auto lanes = dyn_cast<VecForOp>(loop.getOperation());
  if (!lanes || lanes.getConfig() != LoopConfig::vector)
    return {lower, upper, step};
  if (lanes.isLockstep()) {
    Value mask;
    if (lanes.getInMask())
      mask = materialize(lanes.getInMask(), values);
    return {index(loc, 0),
            emitLockstepTrips(builder, lanes, lower, upper, step, mask),
            index(loc, 1)};
  }
  // One iteration of the scf loop covers a whole vector.
  APInt constant;
  if (matchPattern(step, m_ConstantInt(&constant)))
    return {lower, upper,
            index(loc, constant.getSExtValue() * lanes.getVectorLength())};
  Value stride = arith::MulIOp::create(builder, loc, step,
                                       index(loc, lanes.getVectorLength()));
  return {lower, upper, stride};
}

/// The active lanes of an iteration that starts at `position`.
static Value emitMask(OpBuilder &builder, VecForOp loop, Value position,
                      Value lanePositions, Value upper, Value inMask) {
  Location loc = loop.getLoc();
  int64_t lanes = loop.getVectorLength();
  auto type = VectorType::get({lanes}, builder.getI1Type());
  Value mask;
  APInt step;
  bool unitStep =
      matchPattern(loop.getStep(), m_ConstantInt(&step)) && step.isOne();
  if (loop.getConfig() == LoopConfig::bcast) {
    mask = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, builder.getBoolAttr(true)));
  } else if (loop.getConfig() == LoopConfig::scalar) {
    mask = vector::ConstantMaskOp::create(builder, loc, type,
                                          ArrayRef<int64_t>{1});
  } else if (!loop.isLockstep() && unitStep) {
    Value left = arith::SubIOp::create(builder, loc, upper, position);
    mask = vector::CreateMaskOp::create(builder, loc, type, ValueRange{left});
  } else {
    upper = emitBroadcast(builder, loc, upper, lanePositions.getType());
    mask = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                 lanePositions, upper);
  }
  return inMask ? arith::AndIOp::create(builder, loc, mask, inMask).getResult()
                : mask;
}

void StreamEmitter::mapControl(slc::LoopOpInterface loop, const Range &range,
                               Value position, IRMapping &values) {
  Location loc = loop.getLoc();
  if (!loop.getIterationCount().use_empty()) {
    Value done = arith::SubIOp::create(builder, loc, position, range.lower);
    values.map(loop.getIterationCount(),
               arith::DivUIOp::create(builder, loc, done, range.step));
  }
  auto lanes = dyn_cast<VecForOp>(loop.getOperation());
  if (!lanes) {
    values.map(loop.getInductionVar(), position);
    return;
  }
  auto type = VectorType::get({static_cast<int64_t>(lanes.getVectorLength())},
                              builder.getIndexType());
  Value step = values.lookupOrDefault(loop.getStep());
  Value visited;
  if (lanes.getConfig() != LoopConfig::vector) {
    visited = emitBroadcast(builder, loc, position, type);
  } else {
    Value base = position, distance;
    if (lanes.isLockstep()) {
      base = materialize(loop.getLowerBound(), values);
      Value count = arith::MulIOp::create(builder, loc, position, step);
      distance = emitBroadcast(builder, loc, count, type);
    } else {
      Value numbers = emitLaneNumbers(builder, loc, lanes.getVectorLength());
      distance = arith::MulIOp::create(builder, loc, numbers,
                                       emitBroadcast(builder, loc, step, type));
    }
    visited = arith::AddIOp::create(
        builder, loc, emitBroadcast(builder, loc, base, type), distance);
  }
  values.map(loop.getInductionVar(), visited);
  Value inMask;
  if (lanes.getInMask())
    inMask = materialize(lanes.getInMask(), values);
  Value upper = materialize(loop.getUpperBound(), values);
  values.map(lanes.getMask(),
             emitMask(builder, lanes, position, visited, upper, inMask));
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

StreamAccess StreamEmitter::emitAccess(Operation *op, Type element,
                                       bool isStore, IRMapping &values) {
  auto access = StreamAccess::of(
      op, [&](Value operand) { return materialize(operand, values); });
  if (calls)
    emitAccessCount(builder, op->getLoc(), *calls, getMemrefName(access.memref),
                    access, element, isStore);
  return access;
}

void StreamEmitter::emitStore(Operation *op, Value stream, IRMapping &values) {
  Value element = materialize(stream, values);
  StreamAccess access =
      emitAccess(op, element.getType(), /*isStore=*/true, values);
  emitStreamStore(builder, op->getLoc(), access, element);
}

void StreamEmitter::emitStream(Operation *op, IRMapping &values) {
  Location loc = op->getLoc();
  Type element = slc::getStreamElementType(op->getResult(0).getType());
  if (isa<slc::MemStrOp, slcv::VecMemStrOp>(op)) {
    StreamAccess access = emitAccess(op, element, /*isStore=*/false, values);
    values.map(op->getResult(0), emitStreamLoad(builder, loc, access, element));
    return;
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(materialize(operand, values));
  Value result;
  if (auto alu = dyn_cast<slc::AluStrOp>(op)) {
    result =
        emitIntegerOp(builder, loc, alu.getOpcode(), operands[0], operands[1]);
  } else if (auto alu = dyn_cast<slcv::VecAluStrOp>(op)) {
    auto loop = dyn_cast<VecForOp>(op->getParentOp());
    Value mask = loop ? values.lookupOrNull(loop.getMask()) : Value();
    result = emitStreamArithmetic(builder, loc, alu.getOpcode(), operands[0],
                                  operands[1], element, mask);
  } else if (auto cast = dyn_cast<slc::CastStrOp>(op)) {
    result = emitIntegerCast(builder, loc, operands[0], element,
                             cast.getIsUnsigned());
  } else if (isa<slc::FwdStrOp>(op)) {
    result = emitBroadcast(builder, loc, operands[0], element);
  }
  values.map(op->getResult(0), result);
}

Value StreamEmitter::materialize(Value stream, IRMapping &values) {
  if (Value value = values.lookupOrNull(stream))
    return value;
  Operation *op = stream.getDefiningOp();
  bool isStream = isa<slc::StreamType>(stream.getType());
  if (!op || !isStream)
    return stream;
  emitStream(op, values);
  return values.lookup(stream);
}
