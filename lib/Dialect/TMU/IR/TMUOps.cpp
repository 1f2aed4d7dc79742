//===- TMUOps.cpp - Units, streams, layers and the output queue -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/TMU/IR/TMU.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember::tmu;
using ember::slc::getStreamElementType;
using ember::slc::StreamType;

#define GET_OP_CLASSES
#include "ember/Dialect/TMU/IR/TMUOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Traversal units
//===----------------------------------------------------------------------===//

static void nameUnit(TUOpInterface unit, OpAsmSetValueNameFn setName) {
  setName(unit.getTu(), "tu");
  setName(unit.getPosition(), "pos");
  setName(unit.getCount(), "count");
}

void SetDnsTUOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameUnit(*this, setName);
}

void SetRngTUOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameUnit(*this, setName);
}

void SetIdxTUOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameUnit(*this, setName);
}

void SetSegTUOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameUnit(*this, setName);
  setName(getSegmentEnd(), "end");
}

LogicalResult ember::tmu::verifyUnit(TUOpInterface unit) {
  APInt step(64, 0);
  if (unit.getStep() && matchPattern(unit.getStep(), m_ConstantInt(&step)) &&
      !step.isStrictlyPositive())
    return unit->emitOpError("step must be positive, but is ")
           << step.getSExtValue();
  if (unit.getQueue() && *unit.getQueue() == 0)
    return unit->emitOpError("has queues of no elements");
  return success();
}

Value ember::tmu::getUnit(Value stream) {
  Operation *op = stream.getDefiningOp();
  if (auto unit = dyn_cast<TUOpInterface>(op))
    return unit.getTu();
  return op->getOperand(0);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Bits of an element that stands in memory by itself.
static int64_t getElementBits(Type type) {
  if (type.isIndex())
    return 64;
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
}

int64_t ember::tmu::getElementBytes(Type element) {
  auto vector = dyn_cast<VectorType>(element);
  int64_t bits = getElementBits(getElementTypeOrSelf(element));
  return llvm::divideCeil(bits, 8) * (vector ? vector.getNumElements() : 1);
}

int64_t ember::tmu::getOperandBytes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  int64_t bits = getElementBits(getElementTypeOrSelf(type));
  // A mask is a bit a lane, as everywhere.
  if (!vector || bits > 1)
    bits = llvm::alignTo(bits, 8);
  bits *= vector ? vector.getNumElements() : 1;
  return llvm::PowerOf2Ceil(llvm::divideCeil(bits, 8));
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

LogicalResult SetAccStrOp::verify() {
  return slc::verifySum(*this, getInput(), getInitial());
}

void SetMemStrOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "v");
}

/// Streams of the unit hold an element a step, or as many neighbours as a lane
/// moves at once.
static LogicalResult verifyElement(Operation *op, Value stream, Value memref) {
  Type element = getStreamElementType(stream.getType());
  Type stored = cast<BaseMemRefType>(memref.getType()).getElementType();
  if (element == stored)
    return success();
  auto neighbours = dyn_cast<VectorType>(element);
  if (neighbours && neighbours.getElementType() == stored &&
      neighbours.getRank() == 1 && !neighbours.isScalable()) {
    int64_t bytes = getElementBytes(element);
    if (bytes <= laneBytes)
      return success();
    return op->emitOpError("moves ")
           << bytes << " bytes at once, but a lane moves at most " << laneBytes;
  }
  return op->emitOpError("moves elements of ")
         << stored << ", but its stream holds " << element;
}

LogicalResult SetMemStrOp::verify() {
  if (failed(verifyElement(*this, getResult(), getMemref())))
    return failure();
  if (!getOtherwise())
    return success();
  if (!getMask())
    return emitOpError("has a value for where its mask is off, but no mask");
  Type element = getStreamElementType(getResult().getType());
  if (slc::stripStream(getOtherwise().getType()) == element)
    return success();
  return emitOpError("gives ")
         << element << ", but " << getOtherwise().getType()
         << " where its mask is off";
}

LogicalResult SetStoreStrOp::verify() {
  return verifyElement(*this, getStream(), getMemref());
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

LogicalResult SetLockstepLayerOp::verify() {
  if (getTus().empty())
    return emitOpError("needs a traversal unit");
  return success();
}

LayerOpInterface ember::tmu::getLayerOf(Value tu) {
  for (Operation *user : tu.getUsers())
    if (auto layer = dyn_cast<LayerOpInterface>(user))
      return layer;
  return nullptr;
}

LayerOpInterface ember::tmu::getParentLayer(LayerOpInterface layer) {
  auto first = layer.getUnits().front().getDefiningOp<TUOpInterface>();
  Value parent = first ? Value(first.getParent()) : Value();
  return parent ? parent.getDefiningOp<LayerOpInterface>() : nullptr;
}

//===----------------------------------------------------------------------===//
// The output queue
//===----------------------------------------------------------------------===//

LogicalResult SetControlTokenOp::verify() {
  if (getAnnounced() && getEvent() != slc::Event::end)
    return emitOpError("is announced, which the end of a fiber can be and not "
                       "event '")
           << stringifyEvent(getEvent()) << "'";
  if (getReserve() && static_cast<int64_t>(*getReserve()) < 0)
    return emitOpError("reserves a negative number of bytes");
  if (getWhereSame() && !getToggle())
    return emitOpError("is pushed where a stream is the same, but names none");
  return success();
}

/// What is larger than a line would not be aligned in the output queue.
static LogicalResult verifyOperandSize(Operation *op, Type type) {
  int64_t bytes = getOperandBytes(type);
  if (bytes > 0 && bytes <= maxOperandBytes)
    return success();
  return op->emitOpError("pushes ")
         << bytes << " bytes at once; an operand has 1 to " << maxOperandBytes;
}

LogicalResult SetOperandOp::verify() {
  if (getStreams().empty())
    return emitOpError("needs a stream");
  Type element = getStreamElementType(getStreams().front().getType());
  for (Value stream : getStreams())
    if (getStreamElementType(stream.getType()) != element)
      return emitOpError("puts elements of ")
             << element << " and " << getStreamElementType(stream.getType())
             << " side by side";
  auto lanes = static_cast<int64_t>(getStreams().size());
  auto vector = dyn_cast<VectorType>(getOperandType());
  auto neighbours = dyn_cast<VectorType>(element);
  int64_t elements = lanes * (neighbours ? neighbours.getNumElements() : 1);
  bool isVector = vector && vector.getRank() == 1 && !vector.isScalable() &&
                  vector.getElementType() == getElementTypeOrSelf(element) &&
                  vector.getNumElements() == elements;
  if (isVector || (lanes == 1 && getOperandType() == element))
    return verifyOperandSize(*this, getOperandType());
  return emitOpError("makes a ")
         << getOperandType() << " of " << lanes << " elements of " << element;
}
