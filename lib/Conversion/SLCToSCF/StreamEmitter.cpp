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
  if (Value mask = loop.getMask())
    values.map(mask, emitMask(builder, loc, traversal, range, position));
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

StreamAccess StreamEmitter::emitAccess(slc::MemoryStreamOpInterface op,
                                       IRMapping &values) {
  auto access = StreamAccess::of(
      op, [&](Value operand) { return materialize(operand, values); });
  if (calls)
    emitAccessCount(builder, op.getLoc(), *calls, reportName(access.memref),
                    access, slc::getStreamElementType(op.getStream().getType()),
                    op.isStore());
  return access;
}

void StreamEmitter::emitStore(slc::MemoryStreamOpInterface store,
                              IRMapping &values) {
  Value element = materialize(store.getStream(), values);
  StreamAccess access = emitAccess(store, values);
  emitStreamStore(builder, store.getLoc(), access, element);
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
  auto lookup = [&](Value operand) { return materialize(operand, values); };
  Value element;
  if (auto load = dyn_cast<slc::MemoryStreamOpInterface>(op)) {
    StreamAccess access = emitAccess(load, values);
    element =
        emitStreamLoad(builder, loc, access,
                       slc::getStreamElementType(load.getStream().getType()));
  } else if (auto stream = dyn_cast<slc::StreamOpInterface>(op)) {
    auto loop = dyn_cast<slc::LoopOpInterface>(op->getParentOp());
    Value mask =
        loop && loop.getMask() ? values.lookupOrNull(loop.getMask()) : Value();
    element = emitStreamElement(builder, stream, lookup, mask);
  } else if (auto count = dyn_cast<slc::SegmentCountOp>(op)) {
    Value coordinates = lookup(count.getCoordinates());
    Value lower = lookup(count.getLower()), upper = lookup(count.getUpper());
    element = emitSegmentCount(builder, loc, {coordinates, lower, upper},
                               countCoordinates(coordinates));
  }
  values.map(op->getResult(0), element);
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
