//===- DLCAccessOps.cpp - The access program of the dlc dialect -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/DLC/IR/DLC.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember::dlc;
using ember::slc::Event;
using ember::slc::getStreamElementType;
using ember::slc::StreamType;
using ember::slcv::LoopConfig;

static Type stripStream(Type type) {
  auto stream = dyn_cast<StreamType>(type);
  return stream ? stream.getElementType() : type;
}

static int64_t lanesOf(Type type) {
  auto vector = dyn_cast<VectorType>(stripStream(type));
  return vector ? vector.getNumElements() : 0;
}

static VectorType laneMask(MLIRContext *context, int64_t lanes) {
  return VectorType::get({lanes}, IntegerType::get(context, 1));
}

//===----------------------------------------------------------------------===//
// ConfigAccessOp
//===----------------------------------------------------------------------===//

void ConfigAccessOp::build(OpBuilder &builder, OperationState &state) {
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(state.addRegion());
}

ComputeLoopOp ConfigAccessOp::getComputeLoop() {
  for (Operation *next = (*this)->getNextNode(); next;
       next = next->getNextNode()) {
    if (auto compute = dyn_cast<ComputeLoopOp>(next))
      return compute;
    if (isa<ConfigAccessOp>(next))
      break;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Traversal units
//===----------------------------------------------------------------------===//

void NewTUOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "tu");
}

void NewTUOp::print(OpAsmPrinter &printer) {
  printer << " " << getLowerBound() << " to " << getUpperBound() << " step "
          << getStep();
  if (getParent())
    printer << " in " << getParent();
  if (getVectorLength()) {
    printer << " vector<" << *getVectorLength() << ">";
    if (getConfig() != LoopConfig::vector)
      printer << " " << stringifyLoopConfig(getConfig());
  }
  if (getInMask())
    printer << " mask " << getInMask();
  printer.printOptionalAttrDict(
      (*this)->getAttrs(), {"vectorLength", "config", "operandSegmentSizes"});
  Type lower = getLowerBound().getType(), upper = getUpperBound().getType();
  if (lower.isIndex() && upper.isIndex() && !getInMask())
    return;
  printer << " : " << lower << ", " << upper;
  if (getInMask())
    printer << ", " << getInMask().getType();
}

ParseResult NewTUOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  OpAsmParser::UnresolvedOperand lower, upper, step, parent, mask;
  auto &properties = result.getOrAddProperties<Properties>();
  if (parser.parseOperand(lower) || parser.parseKeyword("to") ||
      parser.parseOperand(upper) || parser.parseKeyword("step") ||
      parser.parseOperand(step))
    return failure();
  bool nested = succeeded(parser.parseOptionalKeyword("in"));
  if (nested && parser.parseOperand(parent))
    return failure();
  LoopConfig config = LoopConfig::vector;
  if (succeeded(parser.parseOptionalKeyword("vector"))) {
    int64_t lanes;
    if (parser.parseLess() || parser.parseInteger(lanes) ||
        parser.parseGreater())
      return failure();
    properties.vectorLength = builder.getI64IntegerAttr(lanes);
    if (succeeded(parser.parseOptionalKeyword("bcast")))
      config = LoopConfig::bcast;
    else if (succeeded(parser.parseOptionalKeyword("scalar")))
      config = LoopConfig::scalar;
  }
  properties.config =
      ember::slcv::LoopConfigAttr::get(parser.getContext(), config);
  bool masked = succeeded(parser.parseOptionalKeyword("mask"));
  if (masked && parser.parseOperand(mask))
    return failure();

  Type index = builder.getIndexType();
  Type lowerType = index, upperType = index, maskType;
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  if (succeeded(parser.parseOptionalColon())) {
    if (parser.parseType(lowerType) || parser.parseComma() ||
        parser.parseType(upperType) ||
        (masked && (parser.parseComma() || parser.parseType(maskType))))
      return failure();
  } else if (masked) {
    return parser.emitError(parser.getCurrentLocation(),
                            "expected ':' and the types of bounds and mask");
  }
  Type tu = TUType::get(parser.getContext());
  if (parser.resolveOperand(lower, lowerType, result.operands) ||
      parser.resolveOperand(upper, upperType, result.operands) ||
      parser.resolveOperand(step, index, result.operands) ||
      (nested && parser.resolveOperand(parent, tu, result.operands)) ||
      (masked && parser.resolveOperand(mask, maskType, result.operands)))
    return failure();
  properties.operandSegmentSizes = {1, 1, 1, nested ? 1 : 0, masked ? 1 : 0};
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
  APInt step;
  if (matchPattern(getStep(), m_ConstantInt(&step)) &&
      !step.isStrictlyPositive())
    return emitOpError("step must be positive, but is ") << step.getSExtValue();
  if (!getVectorLength() && (getInMask() || getConfig() != LoopConfig::vector))
    return emitOpError("has a mask or a configuration for lanes, but no lanes");
  int64_t lanes = getVectorLength().value_or(0);
  if (getVectorLength() && (lanes < 1 || lanes > ember::slcv::maxVectorLength))
    return emitOpError("vector length must be in [1, ")
           << ember::slcv::maxVectorLength << "], not " << lanes;
  if (failed(verifyBounds(*this, lanes)))
    return failure();
  bool isLockstep =
      lanesOf(getLowerBound().getType()) || lanesOf(getUpperBound().getType());
  if (isLockstep && getConfig() != LoopConfig::vector)
    return emitOpError("with a range a lane must have the configuration "
                       "'vector', not '")
           << stringifyLoopConfig(getConfig()) << "'";
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
  printer << " " << getTu() << ", " << getMemref() << "[" << getIndices()
          << "]";
  if (getMask())
    printer << " mask " << getMask();
  if (getContiguous())
    printer << " contiguous";
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"contiguous", "operandSegmentSizes"});
  printer << " : " << getMemref().getType() << "[" << getIndices().getTypes()
          << "] -> " << getResult().getType();
}

ParseResult MemStrOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand tu, memref, mask;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  auto &properties = result.getOrAddProperties<Properties>();
  if (parser.parseOperand(tu) || parser.parseComma() ||
      parser.parseOperand(memref) ||
      parser.parseOperandList(indices, OpAsmParser::Delimiter::Square))
    return failure();
  bool masked = succeeded(parser.parseOptionalKeyword("mask"));
  if (masked && parser.parseOperand(mask))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("contiguous")))
    properties.contiguous = parser.getBuilder().getUnitAttr();

  Type memrefType;
  SmallVector<Type> indexTypes;
  StreamType resultType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(memrefType) ||
      parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::Square,
          [&] { return parser.parseType(indexTypes.emplace_back()); }) ||
      parser.parseArrow() || parser.parseType(resultType) ||
      parser.resolveOperand(tu, TUType::get(parser.getContext()),
                            result.operands) ||
      parser.resolveOperand(memref, memrefType, result.operands) ||
      parser.resolveOperands(indices, indexTypes, loc, result.operands))
    return failure();
  if (masked) {
    int64_t lanes = lanesOf(resultType);
    if (!lanes)
      return parser.emitError(loc, "expected a stream of vectors, not ")
             << resultType;
    Type type = StreamType::get(
        VectorType::get({lanes}, parser.getBuilder().getI1Type()));
    if (parser.resolveOperand(mask, type, result.operands))
      return failure();
  }
  properties.operandSegmentSizes = {1, 1, static_cast<int32_t>(indices.size()),
                                    masked ? 1 : 0};
  result.addTypes(resultType);
  return success();
}

LogicalResult MemStrOp::verify() {
  auto memref = cast<MemRefType>(getMemref().getType());
  Type element = getStreamElementType(getResult().getType());
  // A memref may hold vectors; then one is loaded, not a lane each.
  bool loadsLanes = !isa<VectorType>(memref.getElementType());
  Type loaded = loadsLanes ? getElementTypeOrSelf(element) : element;
  if (loaded != memref.getElementType())
    return emitOpError("loads ")
           << memref.getElementType() << " but its result is "
           << getResult().getType();
  if (static_cast<int64_t>(getIndices().size()) != memref.getRank())
    return emitOpError("has ") << getIndices().size() << " indices for "
                               << memref << " of rank " << memref.getRank();
  int64_t lanes = loadsLanes ? lanesOf(getResult().getType()) : 0;
  for (Value index : getIndices()) {
    Type type = stripStream(index.getType());
    int64_t have = lanesOf(type);
    if (!getElementTypeOrSelf(type).isIndex() || (have && have != lanes))
      return emitOpError("index of type ")
             << index.getType() << " does not fit a result of type "
             << getResult().getType();
  }
  if ((getMask() || getContiguous()) && !lanes)
    return emitOpError("loads single elements and has neither a mask nor "
                       "'contiguous'");
  Type mask = lanes ? laneMask(getContext(), lanes) : Type();
  if (getMask() && getMask().getType() != StreamType::get(mask))
    return emitOpError("mask must be ")
           << lanes << " lanes of i1, not " << getMask().getType();
  if (getContiguous() && memref.getRank() == 0)
    return emitOpError("is contiguous in a memref of rank 0");
  return success();
}

LogicalResult AluStrOp::verify() {
  Type result = getStreamElementType(getResult().getType());
  if (!getElementTypeOrSelf(result).isIntOrIndex())
    return emitOpError("computes integers, not ") << result;
  for (Value operand : getOperands().drop_front()) {
    Type type = stripStream(operand.getType());
    int64_t have = lanesOf(type);
    if (getElementTypeOrSelf(type) != getElementTypeOrSelf(result) ||
        (have && have != lanesOf(result)))
      return emitOpError("computes ")
             << result << " from an operand of type " << operand.getType();
  }
  return success();
}

LogicalResult CastStrOp::verify() {
  Type from = getStreamElementType(getInput().getType());
  Type to = getStreamElementType(getResult().getType());
  if (lanesOf(from) != lanesOf(to) ||
      !getElementTypeOrSelf(from).isIntOrIndex() ||
      !getElementTypeOrSelf(to).isIntOrIndex())
    return emitOpError("converts integers and indices of one shape, not ")
           << from << " to " << to;
  return success();
}

LogicalResult FwdStrOp::verify() {
  Type from = stripStream(getInput().getType());
  Type to = getStreamElementType(getResult().getType());
  auto vector = dyn_cast<VectorType>(to);
  if (from == to || (vector && vector.getElementType() == from))
    return success();
  return emitOpError("forwards ")
         << from << " as " << to
         << "; the result must have the element type of the input or a "
            "vector of it";
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

LogicalResult RegisterCallbackOp::verify() {
  if (failed(verifyToken(*this, getId())))
    return failure();
  if (getAnnounced() && getEvent() != Event::end)
    return emitOpError("announces a callback of event '")
           << stringifyEvent(getEvent())
           << "'; only the end of a traversal can be announced";
  return success();
}

Type RegisterOperandOp::getOperandType() {
  Type type = getStreamElementType(getStream().getType());
  return getLane() ? getElementTypeOrSelf(type) : type;
}

LogicalResult RegisterOperandOp::verify() {
  if (failed(verifyToken(*this, getId())))
    return failure();
  std::optional<int64_t> lane = getLane();
  if (lane && (*lane < 0 || *lane >= lanesOf(getStream().getType())))
    return emitOpError("has no lane ")
           << *lane << " in " << getStream().getType();
  return success();
}

#define GET_OP_CLASSES
#include "ember/Dialect/DLC/IR/DLCOps.cpp.inc"
