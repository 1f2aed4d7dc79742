//===- SLCVOps.cpp - The vector dual of the slc dialect -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLCV/IR/SLCV.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember::slcv;
using ember::slc::BufferType;
using ember::slc::getStreamElementType;
using ember::slc::LoopOpInterface;
using ember::slc::StreamType;
using ember::slc::verifyAccessOperands;
using ember::slc::YieldOp;

#include "ember/Dialect/SLCV/IR/SLCVDialect.cpp.inc"
#include "ember/Dialect/SLCV/IR/SLCVEnums.cpp.inc"

void SLCVDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/SLCV/IR/SLCVOps.cpp.inc"
      >();
}

static StreamType vectorStream(int64_t lanes, Type element) {
  return StreamType::get(VectorType::get({lanes}, element));
}

/// The lanes of a stream of vectors; 0 for everything that has none.
static int64_t lanesOf(Type type) {
  if (auto stream = dyn_cast<StreamType>(type))
    type = stream.getElementType();
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 0;
}

static LogicalResult verifyInNest(Operation *op) {
  if (isa<LoopOpInterface>(op->getParentOp()))
    return verifyAccessOperands(op);
  return op->emitOpError("belongs to the access unit and must stand in the "
                         "body of a loop of the access unit, not in '")
         << op->getParentOp()->getName() << "'";
}

/// Every stream of vectors among the operands must have `lanes` lanes.
static LogicalResult verifyLanes(Operation *op, int64_t lanes) {
  for (OpOperand &operand : op->getOpOperands()) {
    int64_t have = lanesOf(operand.get().getType());
    if (have != 0 && have != lanes)
      return op->emitOpError("operand #")
             << operand.getOperandNumber() << " has " << have << " lanes where "
             << lanes << " are expected";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// VecForOp
//===----------------------------------------------------------------------===//

void VecForOp::build(OpBuilder &builder, OperationState &state,
                     Value lowerBound, Value upperBound, Value step,
                     int64_t vectorLength, ValueRange iterArgs, Value inMask,
                     LoopConfig config) {
  OpBuilder::InsertionGuard guard(builder);
  state.addOperands({lowerBound, upperBound, step});
  if (inMask)
    state.addOperands(inMask);
  state.addOperands(iterArgs);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.vectorLength = builder.getI64IntegerAttr(vectorLength);
  properties.config = LoopConfigAttr::get(builder.getContext(), config);
  properties.operandSegmentSizes = {1, 1, 1, inMask ? 1 : 0,
                                    static_cast<int32_t>(iterArgs.size())};
  state.addTypes(iterArgs.getTypes());
  Region *region = state.addRegion();
  Block *body = builder.createBlock(region);
  body->addArgument(vectorStream(vectorLength, builder.getIndexType()),
                    state.location);
  body->addArgument(StreamType::get(builder.getIndexType()), state.location);
  body->addArgument(vectorStream(vectorLength, builder.getI1Type()),
                    state.location);
  for (Value init : iterArgs)
    body->addArgument(init.getType(), init.getLoc());
  if (iterArgs.empty())
    ensureTerminator(*region, builder, state.location);
}

YieldOp VecForOp::getYield() {
  return cast<YieldOp>(getBody()->getTerminator());
}

SmallVector<Type> VecForOp::getControlTypes() {
  Builder builder(getContext());
  auto lanes = static_cast<int64_t>(getVectorLength());
  return {vectorStream(lanes, builder.getIndexType()),
          StreamType::get(builder.getIndexType()),
          vectorStream(lanes, builder.getI1Type())};
}

bool VecForOp::isLockstep() {
  return lanesOf(getLowerBound().getType()) ||
         lanesOf(getUpperBound().getType());
}

void VecForOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  if (region.getNumArguments() < 3)
    return;
  setName(region.getArgument(0), "s");
  setName(region.getArgument(1), "n");
  setName(region.getArgument(2), "mask");
}

OperandRange VecForOp::getEntrySuccessorOperands(RegionSuccessor) {
  return getIterArgs();
}

void VecForOp::getSuccessorRegions(
    RegionBranchPoint, SmallVectorImpl<RegionSuccessor> &successors) {
  successors.emplace_back(&getRegion(), getRegionIterArgs());
  successors.emplace_back(getOperation(), getResults());
}

void VecForOp::print(OpAsmPrinter &printer) {
  printer << " (" << getInductionVar() << ", " << getMask();
  if (!getIterationCount().use_empty())
    printer << ", " << getIterationCount();
  printer << ") = " << getLowerBound() << " to " << getUpperBound() << " step "
          << getStep() << " vector<" << getVectorLength() << ">";
  if (getConfig() != LoopConfig::vector)
    printer << " " << stringifyLoopConfig(getConfig());
  if (getInMask())
    printer << " mask " << getInMask();
  if (!getIterArgs().empty()) {
    printer << " iter_args(";
    llvm::interleaveComma(llvm::zip_equal(getRegionIterArgs(), getIterArgs()),
                          printer, [&](auto pair) {
                            printer << std::get<0>(pair) << " = "
                                    << std::get<1>(pair);
                          });
    printer << ") -> (" << getIterArgs().getTypes() << ")";
  }
  Type lower = getLowerBound().getType(), upper = getUpperBound().getType();
  if (!lower.isIndex() || !upper.isIndex() || getInMask()) {
    printer << " : " << lower << ", " << upper;
    if (getInMask())
      printer << ", " << getInMask().getType();
  }
  printer << " ";
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getIterArgs().empty());
  printer.printOptionalAttrDict(
      (*this)->getAttrs(), {"vectorLength", "config", "operandSegmentSizes"});
}

/// `vector<N>` followed by an optional configuration.
static ParseResult parseLanes(OpAsmParser &parser, VecForOp::Properties &into) {
  int64_t lanes;
  SMLoc loc;
  if (parser.parseKeyword("vector") || parser.parseLess() ||
      parser.getCurrentLocation(&loc) || parser.parseInteger(lanes) ||
      parser.parseGreater())
    return failure();
  if (lanes < 1 || lanes > maxVectorLength)
    return parser.emitError(loc, "vector length must be in [1, ")
           << maxVectorLength << "], not " << lanes;
  into.vectorLength = parser.getBuilder().getI64IntegerAttr(lanes);
  LoopConfig config = LoopConfig::vector;
  if (succeeded(parser.parseOptionalKeyword("bcast")))
    config = LoopConfig::bcast;
  else if (succeeded(parser.parseOptionalKeyword("scalar")))
    config = LoopConfig::scalar;
  into.config = LoopConfigAttr::get(parser.getContext(), config);
  return success();
}

ParseResult VecForOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Type index = builder.getIndexType();
  OpAsmParser::Argument iv, mask, count;
  if (parser.parseLParen() || parser.parseArgument(iv) || parser.parseComma() ||
      parser.parseArgument(mask))
    return failure();
  bool counted = succeeded(parser.parseOptionalComma());
  if (counted && parser.parseArgument(count))
    return failure();

  OpAsmParser::UnresolvedOperand lower, upper, step, inMask;
  auto &properties = result.getOrAddProperties<Properties>();
  if (parser.parseRParen() || parser.parseEqual() ||
      parser.parseOperand(lower) || parser.parseKeyword("to") ||
      parser.parseOperand(upper) || parser.parseKeyword("step") ||
      parser.parseOperand(step) || parseLanes(parser, properties))
    return failure();
  bool masked = succeeded(parser.parseOptionalKeyword("mask"));
  if (masked && parser.parseOperand(inMask))
    return failure();

  SmallVector<OpAsmParser::Argument> carried;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  SMLoc initsLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("iter_args")) &&
      (parser.parseAssignmentList(carried, inits) ||
       parser.parseArrowTypeList(result.types)))
    return failure();
  if (inits.size() != result.types.size())
    return parser.emitError(initsLoc) << inits.size() << " iter_args but "
                                      << result.types.size() << " result types";

  Type lowerType = index, upperType = index, maskType;
  if (succeeded(parser.parseOptionalColon())) {
    if (parser.parseType(lowerType) || parser.parseComma() ||
        parser.parseType(upperType) ||
        (masked && (parser.parseComma() || parser.parseType(maskType))))
      return failure();
  } else if (masked) {
    return parser.emitError(parser.getCurrentLocation(),
                            "expected ':' and the types of bounds and mask");
  }
  if (parser.resolveOperand(lower, lowerType, result.operands) ||
      parser.resolveOperand(upper, upperType, result.operands) ||
      parser.resolveOperand(step, index, result.operands) ||
      (masked && parser.resolveOperand(inMask, maskType, result.operands)) ||
      parser.resolveOperands(inits, result.types, initsLoc, result.operands))
    return failure();
  properties.operandSegmentSizes = {1, 1, 1, masked ? 1 : 0,
                                    static_cast<int32_t>(inits.size())};

  int64_t lanes = properties.vectorLength.getInt();
  iv.type = vectorStream(lanes, index);
  count.type = StreamType::get(index);
  mask.type = vectorStream(lanes, builder.getI1Type());
  SmallVector<OpAsmParser::Argument> arguments{iv};
  if (counted)
    arguments.push_back(count);
  arguments.push_back(mask);
  for (auto [argument, type] : llvm::zip_equal(carried, result.types)) {
    argument.type = type;
    arguments.push_back(argument);
  }
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  if (!counted)
    body->insertArgument(1u, count.type, result.location);
  VecForOp::ensureTerminator(*body, builder, result.location);
  return success();
}

LogicalResult VecForOp::verify() {
  int64_t lanes = getVectorLength();
  if (lanes < 1 || lanes > maxVectorLength)
    return emitOpError("vector length must be in [1, ")
           << maxVectorLength << "], not " << lanes;
  if (failed(verifyLanes(*this, lanes)))
    return failure();
  if (isLockstep() && getConfig() != LoopConfig::vector)
    return emitOpError("with a range a lane must have the configuration "
                       "'vector', not '")
           << stringifyLoopConfig(getConfig()) << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

void VecMemStrOp::build(OpBuilder &builder, OperationState &state, Value memref,
                        ValueRange indices, Value mask, int64_t vectorLength) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  build(builder, state, vectorStream(vectorLength, element), memref, indices,
        mask, /*contiguous=*/false);
}

void VecMemStrOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "v");
}

void VecMemStrOp::print(OpAsmPrinter &printer) {
  printer << " " << getMemref() << "[" << getIndices() << "]";
  if (getMask())
    printer << " mask " << getMask();
  if (getContiguous())
    printer << " contiguous";
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"contiguous", "operandSegmentSizes"});
  printer << " : " << getMemref().getType() << "[" << getIndices().getTypes()
          << "] -> " << getResult().getType();
}

ParseResult VecMemStrOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand memref, mask;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  auto &properties = result.getOrAddProperties<Properties>();
  if (parser.parseOperand(memref) ||
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
      parser.resolveOperand(memref, memrefType, result.operands) ||
      parser.resolveOperands(indices, indexTypes, loc, result.operands))
    return failure();
  if (masked) {
    int64_t lanes = lanesOf(resultType);
    if (!lanes)
      return parser.emitError(loc, "expected a stream of vectors, not ")
             << resultType;
    Type type = vectorStream(lanes, parser.getBuilder().getI1Type());
    if (parser.resolveOperand(mask, type, result.operands))
      return failure();
  }
  properties.operandSegmentSizes = {1, static_cast<int32_t>(indices.size()),
                                    masked ? 1 : 0};
  result.addTypes(resultType);
  return success();
}

LogicalResult VecMemStrOp::verify() {
  auto memref = cast<MemRefType>(getMemref().getType());
  auto vector =
      dyn_cast<VectorType>(getStreamElementType(getResult().getType()));
  if (!vector || vector.getElementType() != memref.getElementType())
    return emitOpError("loads vectors of ")
           << memref.getElementType() << " but its result is "
           << getResult().getType();
  if (static_cast<int64_t>(getIndices().size()) != memref.getRank())
    return emitOpError("has ") << getIndices().size() << " indices for "
                               << memref << " of rank " << memref.getRank();
  if (getContiguous() && memref.getRank() == 0)
    return emitOpError("is contiguous in a memref of rank 0");
  if (failed(verifyLanes(*this, vector.getNumElements())))
    return failure();
  return verifyInNest(*this);
}

LogicalResult VecAluStrOp::verify() {
  auto vector =
      dyn_cast<VectorType>(getStreamElementType(getResult().getType()));
  if (!vector || !vector.getElementType().isIntOrIndex())
    return emitOpError("computes vectors of integers, not ")
           << getResult().getType();
  bool anyVector = false;
  for (Value operand : getOperands()) {
    Type type = operand.getType();
    anyVector |= lanesOf(type) != 0;
    if (auto stream = dyn_cast<StreamType>(type))
      type = stream.getElementType();
    if (getElementTypeOrSelf(type) != vector.getElementType())
      return emitOpError("computes ")
             << vector << " from an operand of type " << operand.getType();
  }
  if (!anyVector)
    return emitOpError("needs a stream of vectors among its operands");
  if (failed(verifyLanes(*this, vector.getNumElements())))
    return failure();
  return verifyInNest(*this);
}

/// The type one lane of `type` has; null where there are no lanes.
static Type getLaneType(Type type) {
  auto stream = dyn_cast<StreamType>(type);
  auto vector = dyn_cast<VectorType>(stream ? stream.getElementType() : type);
  if (!vector || vector.getRank() != 1)
    return {};
  Type element = vector.getElementType();
  return stream ? Type(StreamType::get(element)) : element;
}

void AsScalarOp::build(OpBuilder &builder, OperationState &state, Value input) {
  build(builder, state, getLaneType(input.getType()), input);
}

LogicalResult AsScalarOp::verify() {
  Type lane = getLaneType(getInput().getType());
  if (!lane)
    return emitOpError("takes a vector of rank 1 or a stream of such, not ")
           << getInput().getType();
  if (getResult().getType() != lane)
    return emitOpError("shows ") << getInput().getType() << " as " << lane
                                 << ", not " << getResult().getType();
  if (isa<StreamType>(lane) && !isa<LoopOpInterface>((*this)->getParentOp()))
    return emitOpError("of a stream must stand in the body of a loop of the "
                       "access unit, not in '")
           << (*this)->getParentOp()->getName() << "'";
  return success();
}

void BufStrOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "buf");
}

LogicalResult BufStrOp::verify() { return verifyInNest(*this); }

LogicalResult PushOp::verify() {
  auto buffer = cast<BufferType>(getBuffer().getType());
  if (getStreamElementType(getStream().getType()) != buffer.getElementType())
    return emitOpError("pushes ")
           << getStream().getType() << " into " << buffer;
  Operation *loop = (*this)->getParentOp();
  Operation *declaration = getBuffer().getDefiningOp();
  if (!isa<LoopOpInterface>(loop) || !declaration ||
      declaration->getParentOp() != loop->getParentOp())
    return emitOpError("must stand in the loop nested beside the buffer's "
                       "declaration");
  return verifyInNest(*this);
}

#define GET_OP_CLASSES
#include "ember/Dialect/SLCV/IR/SLCVOps.cpp.inc"
