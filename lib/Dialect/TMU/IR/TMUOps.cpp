//===- TMUOps.cpp - Units, streams, layers and the output queue -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/TMU/IR/TMU.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

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

LogicalResult ember::tmu::verifyUnit(TUOpInterface unit) {
  APInt step(64, 0);
  if (matchPattern(unit.getStep(), m_ConstantInt(&step)) &&
      !step.isStrictlyPositive())
    return unit->emitOpError("step must be positive, but is ")
           << step.getSExtValue();
  return success();
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

/// Streams of the unit hold an element a step.
static LogicalResult verifyElement(Operation *op, Value stream, Value memref) {
  Type element = getStreamElementType(stream.getType());
  Type stored = cast<BaseMemRefType>(memref.getType()).getElementType();
  if (element == stored)
    return success();
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
  if (getWhereSame() && !getToggle())
    return emitOpError("is pushed where a stream is the same, but names none");
  return success();
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
  bool isVector = vector && vector.getRank() == 1 && !vector.isScalable() &&
                  vector.getElementType() == element &&
                  vector.getNumElements() == lanes;
  if (isVector || (lanes == 1 && getOperandType() == element))
    return success();
  return emitOpError("makes a ")
         << getOperandType() << " of " << lanes << " elements of " << element;
}
