//===- SegmentCode.cpp - Code that finds segments -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/StreamCode/SegmentCode.h"

#include "ember/Dialect/SLC/IR/SLC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember;

static Value emitIsBelow(OpBuilder &builder, Location loc, Value position,
                         Value limit) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                               position, limit);
}

static Value emitNextPosition(OpBuilder &builder, Location loc,
                              Value position) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  return arith::AddIOp::create(builder, loc, position, one);
}

static Value emitCoordinate(OpBuilder &builder, Location loc, Value coordinates,
                            Value position, CoordinateLoaded loaded) {
  Value coordinate =
      memref::LoadOp::create(builder, loc, coordinates, position);
  if (loaded)
    loaded(builder, position);
  return coordinate;
}

Value ember::emitSegmentEnd(OpBuilder &builder, Location loc,
                            const SegmentRange &range, Value begin,
                            CoordinateLoaded loaded) {
  Value first = emitCoordinate(builder, loc, range.coordinates, begin, loaded);
  Value second = emitNextPosition(builder, loc, begin);
  // Behind the last position there is no coordinate to compare.
  auto isSame = [&](OpBuilder &at, Location, ValueRange position) {
    Value isInside = emitIsBelow(at, loc, position.front(), range.upper);
    auto goesOn = scf::IfOp::create(
        at, loc, isInside,
        [&](OpBuilder &inside, Location) {
          Value other = emitCoordinate(inside, loc, range.coordinates,
                                       position.front(), loaded);
          Value isEqual = arith::CmpIOp::create(
              inside, loc, arith::CmpIPredicate::eq, first, other);
          scf::YieldOp::create(inside, loc, isEqual);
        },
        [&](OpBuilder &outside, Location) {
          Value no = arith::ConstantOp::create(outside, loc,
                                               outside.getBoolAttr(false));
          scf::YieldOp::create(outside, loc, no);
        });
    scf::ConditionOp::create(at, loc, goesOn.getResult(0), position);
  };
  auto advance = [&](OpBuilder &at, Location, ValueRange position) {
    scf::YieldOp::create(at, loc, emitNextPosition(at, loc, position.front()));
  };
  return scf::WhileOp::create(builder, loc, builder.getIndexType(), second,
                              isSame, advance)
      .getResult(0);
}

SmallVector<Value> ember::emitSegmentLoop(OpBuilder &builder, Location loc,
                                          const SegmentRange &range,
                                          ValueRange initial, SegmentBody body,
                                          CoordinateLoaded loaded) {
  SmallVector<Value> first{range.lower};
  llvm::append_range(first, initial);
  auto isLeft = [&](OpBuilder &at, Location, ValueRange values) {
    Value goesOn = emitIsBelow(at, loc, values.front(), range.upper);
    scf::ConditionOp::create(at, loc, goesOn, values);
  };
  auto visit = [&](OpBuilder &at, Location, ValueRange values) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(at.getInsertionBlock(), at.getInsertionPoint());
    Value begin = values.front();
    Value end = emitSegmentEnd(builder, loc, range, begin, loaded);
    SmallVector<Value> next{end};
    llvm::append_range(next, body(begin, end, values.drop_front()));
    scf::YieldOp::create(builder, loc, next);
  };
  auto loop = scf::WhileOp::create(builder, loc, ValueRange(first).getTypes(),
                                   first, isLeft, visit);
  return llvm::to_vector_of<Value>(loop.getResults().drop_front());
}

Value ember::emitSegmentCount(OpBuilder &builder, Location loc,
                              const SegmentRange &range,
                              CoordinateLoaded loaded) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return emitSegmentLoop(
             builder, loc, range, zero,
             [&](Value, Value, ValueRange count) -> SmallVector<Value> {
               return {emitNextPosition(builder, loc, count.front())};
             },
             loaded)
      .front();
}

void ember::lowerSegmentCounts(Operation *op) {
  SmallVector<slc::SegmentCountOp> counts;
  op->walk([&](slc::SegmentCountOp count) { counts.push_back(count); });
  for (slc::SegmentCountOp count : counts) {
    if (!count->use_empty()) {
      OpBuilder builder(count);
      count.getResult().replaceAllUsesWith(emitSegmentCount(
          builder, count.getLoc(),
          {count.getCoordinates(), count.getLower(), count.getUpper()}));
    }
    count->erase();
  }
}
