//===- SLCVOps.cpp - The vector dual of the slc dialect -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLC/IR/LoopSyntax.h"
#include "ember/Dialect/SLC/IR/NestDialect.h"
#include "ember/Dialect/SLCV/IR/AccessSyntax.h"
#include "ember/Dialect/SLCV/IR/LaneSyntax.h"
#include "ember/Dialect/SLCV/IR/SLCV.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember::slcv;
using ember::slc::BufferType;
using ember::slc::getStreamElementType;
using ember::slc::IterArgsSyntax;
using ember::slc::lanesOf;
using ember::slc::LoopOpInterface;
using ember::slc::printIterArgs;
using ember::slc::printRange;
using ember::slc::printRangeTypes;
using ember::slc::RangeSyntax;
using ember::slc::StreamType;
using ember::slc::stripStream;

#include "ember/Dialect/SLCV/IR/SLCVDialect.cpp.inc"
#include "ember/Dialect/SLCV/IR/SLCVEnums.cpp.inc"

void SLCVDialect::initialize() {
  addInterfaces<slc::NestDialectInterface>();
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/SLCV/IR/SLCVOps.cpp.inc"
      >();
}

static StreamType vectorStream(int64_t lanes, Type element) {
  return StreamType::get(VectorType::get({lanes}, element));
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

static SmallVector<Type> controlTypes(Builder &builder, int64_t lanes) {
  return {vectorStream(lanes, builder.getIndexType()),
          StreamType::get(builder.getIndexType()),
          vectorStream(lanes, builder.getI1Type())};
}

void VecForOp::build(OpBuilder &builder, OperationState &state,
                     Value lowerBound, Value upperBound, Value step,
                     int64_t vectorLength, ValueRange iterArgs, Value inMask,
                     LoopConfig config) {
  state.addOperands({lowerBound, upperBound, step});
  if (inMask)
    state.addOperands(inMask);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.vectorLength = builder.getI64IntegerAttr(vectorLength);
  properties.config = LoopConfigAttr::get(builder.getContext(), config);
  properties.operandSegmentSizes = {1, 1, 1, inMask ? 1 : 0,
                                    static_cast<int32_t>(iterArgs.size())};
  slc::buildBody(builder, state, controlTypes(builder, vectorLength), iterArgs);
}

SmallVector<Type> VecForOp::getControlTypes() {
  Builder builder(getContext());
  return controlTypes(builder, getVectorLength());
}

void VecForOp::print(OpAsmPrinter &printer) {
  printer << " (" << getInductionVar() << ", " << getMask();
  if (!getIterationCount().use_empty())
    printer << ", " << getIterationCount();
  printer << ") = ";
  printRange(printer, getLowerBound(), getUpperBound(), getStep());
  printLanes(printer, getVectorLength(), getConfig());
  if (getInMask())
    printer << " mask " << getInMask();
  printIterArgs(printer, *this);
  printRangeTypes(printer, getLowerBound(), getUpperBound(), getInMask());
  printer << " ";
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getIterArgs().empty());
  printer.printOptionalAttrDict(
      (*this)->getAttrs(), {"vectorLength", "config", "operandSegmentSizes"});
}

ParseResult VecForOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::Argument iv, mask, count;
  if (parser.parseLParen() || parser.parseArgument(iv) || parser.parseComma() ||
      parser.parseArgument(mask))
    return failure();
  bool counted = succeeded(parser.parseOptionalComma());
  if (counted && parser.parseArgument(count))
    return failure();

  RangeSyntax range;
  IterArgsSyntax iterArgs;
  auto &properties = result.getOrAddProperties<Properties>();
  if (parser.parseRParen() || parser.parseEqual() || range.parseRange(parser) ||
      parser.parseKeyword("vector") ||
      parseLanes(parser, properties.vectorLength, properties.config) ||
      range.parseOptionalMask(parser) ||
      iterArgs.parseOptional(parser, result) ||
      range.parseOptionalTypes(parser) ||
      range.resolveRange(parser, result.operands) ||
      range.resolveMask(parser, result.operands) ||
      iterArgs.resolve(parser, result))
    return failure();
  properties.operandSegmentSizes = {1, 1, 1, range.hasMask() ? 1 : 0,
                                    iterArgs.size()};

  auto types =
      controlTypes(parser.getBuilder(), properties.vectorLength.getInt());
  iv.type = types[0];
  count.type = types[1];
  mask.type = types[2];
  return iterArgs.parseBody(parser, result, {iv, count, mask}, counted);
}

LogicalResult VecForOp::verify() {
  if (failed(verifyLanes(*this, getVectorLength())))
    return failure();
  return verifyConfig(*this, getVectorLength(), isLockstep(), getConfig());
}

LogicalResult ember::slcv::verifyConfig(Operation *op, int64_t lanes,
                                        bool isLockstep, LoopConfig config) {
  if (lanes < 1 || lanes > maxVectorLength)
    return op->emitOpError("vector length must be in [1, ")
           << maxVectorLength << "], not " << lanes;
  if (isLockstep && config != LoopConfig::vector)
    return op->emitOpError("with a range a lane must have the configuration "
                           "'vector', not '")
           << stringifyLoopConfig(config) << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

void VecMemStrOp::build(OpBuilder &builder, OperationState &state, Value memref,
                        ValueRange indices, Value mask, int64_t vectorLength,
                        Value otherwise) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  build(builder, state, vectorStream(vectorLength, element), memref, indices,
        mask, otherwise, /*contiguous=*/false, /*repeat=*/1,
        slc::CacheLevelAttr(),
        /*nontemporal=*/false);
}

void VecMemStrOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "v");
}

void VecMemStrOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printAccess(printer, *this);
}

ParseResult VecMemStrOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseLoad<VecMemStrOp>(parser, result);
}

/// Verifies a load or store of vectors, in words that `verb` starts.
static LogicalResult verifyAccess(ember::slc::MemoryStreamOpInterface op,
                                  StringRef verb) {
  Type element = cast<MemRefType>(op.getMemref().getType()).getElementType();
  Type stream = op.getStream().getType();
  auto vector = dyn_cast<VectorType>(getStreamElementType(stream));
  if (!vector || vector.getElementType() != element)
    return op.emitOpError(verb)
           << " vectors of " << element << ", not " << stream;
  return verifyLanes(op, vector.getNumElements());
}

LogicalResult VecMemStrOp::verify() { return verifyAccess(*this, "loads"); }

void VecStoreStrOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printAccess(printer, *this);
}

ParseResult VecStoreStrOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseStore<VecStoreStrOp>(parser, result);
}

LogicalResult VecStoreStrOp::verify() { return verifyAccess(*this, "stores"); }

LogicalResult
ember::slcv::verifyVectorArithmetic(ember::slc::StreamOpInterface op) {
  Type result = op->getResult(0).getType();
  int64_t lanes = lanesOf(result);
  if (!lanes ||
      !getElementTypeOrSelf(getStreamElementType(result)).isIntOrIndex())
    return op.emitOpError("computes vectors of integers, not ") << result;
  if (failed(verifyLanes(op, lanes)))
    return failure();
  return slc::verifyArithmetic(op);
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

LogicalResult ember::slcv::refuseScalarViews(Operation *op) {
  WalkResult walk = op->walk([](AsScalarOp view) {
    view.emitOpError("shows lanes to a callback that is not vectorised yet; "
                     "'vectorize-callbacks', or all of '--optimize', comes "
                     "first");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

void BufStrOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "buf");
}

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
  return slc::verifyInNest(*this);
}

#define GET_OP_CLASSES
#include "ember/Dialect/SLCV/IR/SLCVOps.cpp.inc"
