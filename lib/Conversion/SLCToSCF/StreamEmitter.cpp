//===- StreamEmitter.cpp - Streams as values of an scf program ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/SLCToSCF/StreamEmitter.h"

#include "ember/Analysis/MemRefNames.h"
#include "ember/Conversion/StreamCode/SegmentCode.h"

using namespace mlir;
using namespace ember;
using ember::slcv::VecForOp;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Traversal StreamEmitter::describe(slc::LoopOpInterface loop,
                                  IRMapping &values) {
  return Traversal::of(loop, [&](Value operand) {
    return values.lookupOrDefault(materialize(operand, values));
  });
}

void StreamEmitter::mapControl(slc::LoopOpInterface loop,
                               const Traversal &traversal,
                               const TraversalRange &range, Value position,
                               bool needsCount, IRMapping &values) {
  Location loc = loop.getLoc();
  if (needsCount || !loop.getIterationCount().use_empty())
    values.map(loop.getIterationCount(),
               emitIterationCount(builder, loc, range, position));
  values.map(loop.getInductionVar(),
             emitVisited(builder, loc, traversal, range, position));
  if (auto vectorLoop = dyn_cast<VecForOp>(loop.getOperation()))
    values.map(vectorLoop.getMask(),
               emitMask(builder, loc, traversal, range, position));
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

StreamAccess StreamEmitter::emitAccess(Operation *op, Type element,
                                       bool isStore, IRMapping &values) {
  auto access = StreamAccess::of(
      op, [&](Value operand) { return materialize(operand, values); });
  if (calls)
    emitAccessCount(builder, op->getLoc(), *calls, reportName(access.memref),
                    access, element, isStore);
  return access;
}

void StreamEmitter::emitStore(Operation *op, Value stream, IRMapping &values) {
  Value element = materialize(stream, values);
  StreamAccess access =
      emitAccess(op, element.getType(), /*isStore=*/true, values);
  emitStreamStore(builder, op->getLoc(), access, element);
}

std::function<void(OpBuilder &, Value)>
StreamEmitter::countCoordinates(Value coordinates) {
  return [this, coordinates](OpBuilder &at, Value position) {
    if (!calls)
      return;
    StreamAccess access;
    access.memref = coordinates;
    access.indices = {position};
    emitAccessCount(at, position.getLoc(), *calls, reportName(coordinates),
                    access,
                    cast<MemRefType>(coordinates.getType()).getElementType(),
                    /*isStore=*/false);
  };
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
  if (isa<slc::SegmentCountOp>(op)) {
    result =
        emitSegmentCount(builder, loc, {operands[0], operands[1], operands[2]},
                         countCoordinates(operands[0]));
    values.map(op->getResult(0), result);
    return;
  }
  if (auto alu = dyn_cast<slc::AluStrOp>(op)) {
    result =
        emitIntegerOp(builder, loc, alu.getOpcode(), operands[0], operands[1]);
  } else if (auto alu = dyn_cast<slcv::VecAluStrOp>(op)) {
    auto loop = dyn_cast<VecForOp>(op->getParentOp());
    Value mask = loop ? values.lookupOrNull(loop.getMask()) : Value();
    result = emitStreamArithmetic(builder, loc, alu.getOpcode(), operands[0],
                                  operands[1], element, mask);
  } else if (auto compare = dyn_cast<slc::CmpStrOp>(op)) {
    result = emitStreamComparison(builder, loc, compare.getPredicate(),
                                  operands[0], operands[1], element);
  } else if (isa<slc::SelStrOp>(op)) {
    result = emitStreamChoice(builder, loc, operands[0], operands[1],
                              operands[2], element);
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
