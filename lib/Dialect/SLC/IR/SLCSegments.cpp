//===- SLCSegments.cpp - Segments found by their coordinates --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLC/IR/SLC.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember::slc;

LogicalResult SegmentCountOp::verify() {
  bool isStream = isa<StreamType>(getResult().getType());
  if (getNestRoot((*this)->getParentOp())) {
    if (!isa<LoopOpInterface>((*this)->getParentOp()))
      return emitOpError("belongs to the access unit and must stand in the "
                         "body of a loop of the access unit, not in '")
             << (*this)->getParentOp()->getName() << "'";
    if (!isStream)
      return emitOpError("in a nest is a stream, not ")
             << getResult().getType();
    return verifyAccessOperands(*this);
  }
  if (isStream || isa<StreamType>(getLower().getType()) ||
      isa<StreamType>(getUpper().getType()))
    return emitOpError("outside of a nest counts and returns values, not "
                       "streams");
  return success();
}

void SegmentStrOp::build(OpBuilder &builder, OperationState &state,
                         Value coordinates, Value lower, Value upper) {
  auto stream = StreamType::get(builder.getIndexType());
  build(builder, state, stream, stream, coordinates, lower, upper);
}

void SegmentStrOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getBegin(), "begin");
  setName(getEnd(), "end");
}

LogicalResult SegmentStrOp::verify() {
  auto loop = dyn_cast<ForOp>((*this)->getParentOp());
  if (!loop)
    return emitOpError("must stand in the body of an 'slc.for', whose "
                       "iterations are the segments");
  if (failed(verifyAccessOperands(*this)))
    return failure();
  SegmentCountOp count = getSegmentCount(loop);
  if (count && count.getOperands() == getOperands())
    return success();
  InFlightDiagnostic diagnostic =
      emitOpError("needs a loop from 0 in steps of 1 to the "
                  "'slc.segment_count' of the same range");
  diagnostic.attachNote(loop.getLoc()) << "the loop";
  return diagnostic;
}

SegmentCountOp ember::slc::getSegmentCount(LoopOpInterface loop) {
  bool isScalar = isa<ForOp>(loop.getOperation());
  if (isScalar && matchPattern(loop.getLowerBound(), m_Zero()) &&
      matchPattern(loop.getStep(), m_One()))
    return loop.getUpperBound().getDefiningOp<SegmentCountOp>();
  return nullptr;
}
