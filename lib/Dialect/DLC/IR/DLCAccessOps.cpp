//===- DLCAccessOps.cpp - The access program of the dlc dialect -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/DLC/IR/DLC.h"
#include "ember/Dialect/SLC/IR/LoopSyntax.h"
#include "ember/Dialect/SLCV/IR/AccessSyntax.h"
#include "ember/Dialect/SLCV/IR/LaneSyntax.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember::dlc;
using ember::slc::Event;
using ember::slc::getStreamElementType;
using ember::slc::lanesOf;
using ember::slc::printRange;
using ember::slc::printRangeTypes;
using ember::slc::RangeSyntax;
using ember::slc::StreamType;
using ember::slc::stripStream;
using ember::slcv::LoopConfig;
using ember::slcv::parseLanes;
using ember::slcv::parseLoad;
using ember::slcv::parseStore;
using ember::slcv::printAccess;
using ember::slcv::printLanes;

static VectorType laneMask(MLIRContext *context, int64_t lanes) {
  return VectorType::get({lanes}, IntegerType::get(context, 1));
}

//===----------------------------------------------------------------------===//
// Traversal units
//===----------------------------------------------------------------------===//

void NewTUOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "tu");
}

NewTUOp NewTUOp::getParentUnit() {
  return getParent() ? getParent().getDefiningOp<NewTUOp>() : NewTUOp();
}

bool NewTUOp::hasFixedBounds() {
  return !isa<StreamType>(getLowerBound().getType()) &&
         !isa<StreamType>(getUpperBound().getType());
}

void NewTUOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printRange(printer, getLowerBound(), getUpperBound(), getStep());
  if (getParent())
    printer << " in " << getParent();
  if (getVectorLength())
    printLanes(printer, *getVectorLength(), getConfig());
  if (getCoordinates())
    printer << " segments(" << getCoordinates() << " : "
            << getCoordinates().getType() << ")";
  if (getInMask())
    printer << " mask " << getInMask();
  printer.printOptionalAttrDict(
      (*this)->getAttrs(), {"vectorLength", "config", "operandSegmentSizes"});
  printRangeTypes(printer, getLowerBound(), getUpperBound(), getInMask());
}

ParseResult NewTUOp::parse(OpAsmParser &parser, OperationState &result) {
  RangeSyntax range;
  OpAsmParser::UnresolvedOperand parent;
  auto &properties = result.getOrAddProperties<Properties>();
  properties.config =
      ember::slcv::LoopConfigAttr::get(parser.getContext(), LoopConfig::vector);
  if (range.parseRange(parser))
    return failure();
  bool nested = succeeded(parser.parseOptionalKeyword("in"));
  if (nested && parser.parseOperand(parent))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("vector")) &&
      parseLanes(parser, properties.vectorLength, properties.config))
    return failure();
  OpAsmParser::UnresolvedOperand coordinates;
  Type coordinatesType;
  bool hasSegments = succeeded(parser.parseOptionalKeyword("segments"));
  if (hasSegments &&
      (parser.parseLParen() || parser.parseOperand(coordinates) ||
       parser.parseColonType(coordinatesType) || parser.parseRParen()))
    return failure();
  Type tu = TUType::get(parser.getContext());
  if (range.parseOptionalMask(parser) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      range.parseOptionalTypes(parser) ||
      range.resolveRange(parser, result.operands) ||
      (nested && parser.resolveOperand(parent, tu, result.operands)) ||
      range.resolveMask(parser, result.operands) ||
      (hasSegments &&
       parser.resolveOperand(coordinates, coordinatesType, result.operands)))
    return failure();
  properties.operandSegmentSizes = {
      1, 1, 1, nested ? 1 : 0, range.hasMask() ? 1 : 0, hasSegments ? 1 : 0};
  result.addTypes(tu);
  return success();
}

/// Bounds are single indices, or vectors of as many as the unit has lanes.
static LogicalResult verifyBounds(NewTUOp op, int64_t lanes) {
  for (Value bound : {op.getLowerBound(), op.getUpperBound()}) {
    Type type = stripStream(bound.getType());
    if (!getElementTypeOrSelf(type).isIndex())
      return op.emitOpError("bound must be an index or a stream of indices, "
                            "not ")
             << bound.getType();
    int64_t have = lanesOf(type);
    if (have != 0 && have != lanes)
      return op.emitOpError("bound has ")
             << have << " lanes, the unit has " << lanes;
  }
  return success();
}

LogicalResult NewTUOp::verify() {
  APInt step(64, 0);
  if (matchPattern(getStep(), m_ConstantInt(&step)) &&
      !step.isStrictlyPositive())
    return emitOpError("step must be positive, but is ") << step.getSExtValue();
  if (!getVectorLength() && (getInMask() || getConfig() != LoopConfig::vector))
    return emitOpError("has a mask or a configuration for lanes, but no lanes");
  if (getCoordinates() && (getVectorLength() || !step.isOne()))
    return emitOpError("goes over segments, which it finds one after the "
                       "other, and needs a step of 1 and no lanes");
  int64_t lanes = getVectorLength().value_or(0);
  if (failed(verifyBounds(*this, lanes)))
    return failure();
  bool isLockstep =
      lanesOf(getLowerBound().getType()) || lanesOf(getUpperBound().getType());
  if (getVectorLength() &&
      failed(ember::slcv::verifyConfig(*this, lanes, isLockstep, getConfig())))
    return failure();
  if (!getInMask())
    return success();
  if (stripStream(getInMask().getType()) != laneMask(getContext(), lanes))
    return emitOpError("mask must be ")
           << lanes << " lanes of i1, not " << getInMask().getType();
  return success();
}

/// The type of a stream that has `element` in every lane of `tu`.
static Type laneType(Value tu, Type element) {
  auto unit = tu.getDefiningOp<NewTUOp>();
  if (!unit || !unit.getVectorLength())
    return StreamType::get(element);
  int64_t lanes = *unit.getVectorLength();
  return StreamType::get(VectorType::get({lanes}, element));
}

static LogicalResult verifyTUStream(Operation *op, Type expected) {
  Type type = op->getResult(0).getType();
  if (type == expected)
    return success();
  return op->emitOpError("of this traversal unit is ")
         << expected << ", not " << type;
}

LogicalResult GetIndVarOp::verify() {
  Builder builder(getContext());
  return verifyTUStream(*this, laneType(getTu(), builder.getIndexType()));
}

LogicalResult GetIterCountOp::verify() {
  Builder builder(getContext());
  return verifyTUStream(*this, StreamType::get(builder.getIndexType()));
}

LogicalResult GetSegmentEndOp::verify() {
  auto unit = getTu().getDefiningOp<NewTUOp>();
  if (!unit || !unit.getCoordinates())
    return emitOpError("needs a traversal unit that goes over segments");
  Builder builder(getContext());
  return verifyTUStream(*this, StreamType::get(builder.getIndexType()));
}

LogicalResult GetMaskOp::verify() {
  auto unit = getTu().getDefiningOp<NewTUOp>();
  if (!unit || !unit.getVectorLength())
    return emitOpError("needs a traversal unit with lanes");
  Builder builder(getContext());
  return verifyTUStream(*this, laneType(getTu(), builder.getI1Type()));
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

void MemStrOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "v");
}

void MemStrOp::print(OpAsmPrinter &printer) {
  printer << " " << getTu() << ", ";
  printAccess(printer, *this);
}

static ParseResult parseUnit(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand tu;
  if (parser.parseOperand(tu) || parser.parseComma())
    return failure();
  return parser.resolveOperand(tu, TUType::get(parser.getContext()),
                               result.operands);
}

ParseResult MemStrOp::parse(OpAsmParser &parser, OperationState &result) {
  return failure(parseUnit(parser, result) ||
                 parseLoad<MemStrOp>(parser, result));
}

static LogicalResult verifyAccess(ember::slc::MemoryStreamOpInterface op) {
  StringRef verb = op.isStore() ? "stores " : "loads ";
  auto memref = cast<MemRefType>(op.getMemref().getType());
  Type stream = op.getStream().getType();
  Type element = getStreamElementType(stream);
  // A memref may hold vectors; then one is accessed, not a lane each.
  bool hasLanes = !isa<VectorType>(memref.getElementType());
  Type accessed = hasLanes ? getElementTypeOrSelf(element) : element;
  if (accessed != memref.getElementType())
    return op.emitOpError(verb)
           << memref.getElementType() << ", not " << stream;
  int64_t lanes = hasLanes ? lanesOf(stream) : 0;
  for (Value index : op.getIndices()) {
    Type type = stripStream(index.getType());
    int64_t have = lanesOf(type);
    if (!getElementTypeOrSelf(type).isIndex() || (have && have != lanes))
      return op.emitOpError("index of type ")
             << index.getType() << " does not fit a stream of type " << stream;
  }
  bool isMaskedStore = op.isStore() && op.getMask();
  if ((isMaskedStore || op.getContiguous()) && !lanes)
    return op.emitOpError(verb)
           << "single elements and cannot "
           << (op.getContiguous() ? "be 'contiguous'" : "have a mask");
  Type flag = IntegerType::get(op.getContext(), 1);
  Type mask = lanes ? laneMask(op.getContext(), lanes) : flag;
  if (op.getMask() && op.getMask().getType() != StreamType::get(mask)) {
    InFlightDiagnostic diagnostic = op.emitOpError("mask must be ");
    if (lanes)
      diagnostic << lanes << " lanes of ";
    return diagnostic << "i1, not " << op.getMask().getType();
  }
  return success();
}

LogicalResult MemStrOp::verify() { return verifyAccess(*this); }

void StoreStrOp::print(OpAsmPrinter &printer) {
  printer << " " << getTu() << ", ";
  printAccess(printer, *this);
}

ParseResult StoreStrOp::parse(OpAsmParser &parser, OperationState &result) {
  return failure(parseUnit(parser, result) ||
                 parseStore<StoreStrOp>(parser, result));
}

LogicalResult StoreStrOp::verify() { return verifyAccess(*this); }

LogicalResult AccStrOp::verify() {
  if (failed(slc::verifySum(*this, getInput(), getInitial())))
    return failure();
  auto unit = getTu().getDefiningOp<NewTUOp>();
  if (!unit || unit.getVectorLength())
    return emitOpError("needs a traversal unit without lanes");
  // The first operand of what advances with a unit is the unit.
  auto advances = [&](Value stream) {
    Operation *definition = stream.getDefiningOp();
    return definition && definition->getOperand(0) == getTu();
  };
  if (!advances(getInput()))
    return emitOpError("sums up a stream of another traversal unit");
  if (isa<StreamType>(getInitial().getType()) && advances(getInitial()))
    return emitOpError("starts from a stream of its own traversal unit, which "
                       "has no element before the traversal begins");
  return success();
}

//===----------------------------------------------------------------------===//
// Registrations
//===----------------------------------------------------------------------===//

/// Negative ids mean something to the queues.
static LogicalResult verifyToken(Operation *op, int64_t id) {
  if (id >= 0 && id <= INT32_MAX)
    return success();
  return op->emitOpError("has the token ")
         << id << "; tokens are 31-bit numbers";
}

/// One lane of a stream, or all of them.
static LogicalResult verifyLane(Operation *op, std::optional<int64_t> lane,
                                Type stream) {
  if (lane && (*lane < 0 || *lane >= lanesOf(stream)))
    return op->emitOpError("has no lane ") << *lane << " in " << stream;
  return success();
}

static Type getReadType(Value stream, std::optional<int64_t> lane) {
  Type type = getStreamElementType(stream.getType());
  return lane ? getElementTypeOrSelf(type) : type;
}

static ParseResult parseLane(OpAsmParser &parser, IntegerAttr &lane) {
  if (failed(parser.parseOptionalLSquare()))
    return success();
  return failure(
      parser.parseAttribute(lane, parser.getBuilder().getI64Type()) ||
      parser.parseRSquare());
}

static void printLane(OpAsmPrinter &printer, Operation * /*op*/,
                      IntegerAttr lane) {
  if (lane)
    printer << "[" << lane.getInt() << "]";
}

void RegisterCallbackOp::build(OpBuilder &builder, OperationState &state,
                               Value tu, Event event, int64_t id,
                               bool announced, Value toggle, bool whereSame,
                               Value mask) {
  build(builder, state, tu, event, static_cast<uint64_t>(id), announced,
        whereSame, mask, toggle, /*value=*/Value(), /*lane=*/IntegerAttr());
}

bool RegisterCallbackOp::excludes(RegisterCallbackOp other) {
  return getToggle() && getToggle() == other.getToggle() &&
         getTu() == other.getTu() && getEvent() == other.getEvent() &&
         getWhereSame() != other.getWhereSame();
}

Type RegisterCallbackOp::getValueType() {
  return getValue() ? getReadType(getValue(), getLane()) : Type();
}

LogicalResult RegisterCallbackOp::verify() {
  if (failed(verifyToken(*this, getId())))
    return failure();
  Type type = getValueType();
  if (!type && getLane())
    return emitOpError("has a lane of no value");
  if (type && failed(verifyLane(*this, getLane(), getValue().getType())))
    return failure();
  if (type && !isTokenValueType(type))
    return emitOpError("carries a ")
           << type
           << "; the value of a token is an index, an integer or a float of "
              "at most 64 bits";
  if (getAnnounced() && getEvent() != Event::end)
    return emitOpError("announces a callback of event '")
           << stringifyEvent(getEvent())
           << "'; only the end of a traversal can be announced";
  if (!getToggle())
    return success();
  if (getMask())
    return emitOpError("is toggled and has a mask: which iteration would be "
                       "the first is not defined");
  auto unit = getTu().getDefiningOp<NewTUOp>();
  if (getEvent() == Event::beg ||
      (getEvent() == Event::end && unit && !unit.getParent()))
    return emitOpError("toggles a callback of event '")
           << stringifyEvent(getEvent())
           << "'; elements of a stream are compared from iteration to "
              "iteration";
  Type toggle = getStreamElementType(getToggle().getType());
  if (!toggle.isIntOrIndex())
    return emitOpError("is toggled by a stream of ")
           << toggle << "; only an index or an integer toggles";
  return success();
}

Type RegisterOperandOp::getOperandType() {
  return getReadType(getStream(), getLane());
}

LogicalResult RegisterOperandOp::verify() {
  if (failed(verifyToken(*this, getId())))
    return failure();
  return verifyLane(*this, getLane(), getStream().getType());
}

#define GET_OP_CLASSES
#include "ember/Dialect/DLC/IR/DLCOps.cpp.inc"
