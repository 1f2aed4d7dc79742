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
using ember::slc::verifyAccessOperands;
using ember::slc::verifyIndexCount;
using ember::slc::YieldOp;

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
  Builder &builder = parser.getBuilder();
  Type index = builder.getIndexType();
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

  int64_t lanes = properties.vectorLength.getInt();
  iv.type = vectorStream(lanes, index);
  count.type = StreamType::get(index);
  mask.type = vectorStream(lanes, builder.getI1Type());
  SmallVector<OpAsmParser::Argument> arguments{iv};
  if (counted)
    arguments.push_back(count);
  arguments.push_back(mask);
  iterArgs.addArguments(arguments, result.types);
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
  printLoad(printer, *this);
}

ParseResult VecMemStrOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  AccessSyntax access;
  if (parseLoad(parser, result, properties, access))
    return failure();
  properties.operandSegmentSizes = {1, access.indexCount(), access.maskCount(),
                                    access.otherwiseCount()};
  return success();
}

/// Verifies a load or store of `stream`, in words that `verb` starts.
template <typename Op>
static LogicalResult verifyAccess(Op op, Value stream, StringRef verb) {
  auto memref = cast<MemRefType>(op.getMemref().getType());
  auto vector = dyn_cast<VectorType>(getStreamElementType(stream.getType()));
  if (!vector || vector.getElementType() != memref.getElementType())
    return op.emitOpError(verb) << " vectors of " << memref.getElementType()
                                << ", not " << stream.getType();
  if (failed(verifyIndexCount(op, memref, op.getIndices().size())))
    return failure();
  if (op.getContiguous() && memref.getRank() == 0)
    return op.emitOpError("is contiguous in a memref of rank 0");
  if (failed(verifyLanes(op, vector.getNumElements())))
    return failure();
  return verifyInNest(op);
}

LogicalResult VecMemStrOp::verify() {
  if (failed(verifyRepeat(*this, getRepeat(), getContiguous(),
                          lanesOf(getResult().getType()))))
    return failure();
  if (failed(slc::verifyOtherwise(*this, getOtherwise(), getMask(),
                                  getResult().getType())))
    return failure();
  return verifyAccess(*this, getResult(), "loads");
}

LogicalResult ember::slcv::verifyRepeat(Operation *op, int64_t repeat,
                                        bool contiguous, int64_t lanes) {
  if (repeat == 1)
    return success();
  if (!contiguous)
    return op->emitOpError("repeats elements that are not contiguous");
  if (repeat < 1 || !llvm::isPowerOf2_64(repeat) || lanes % repeat != 0)
    return op->emitOpError("repeats each element ")
           << repeat << " times; that must be a power of two which divides "
           << "the number of lanes, " << lanes;
  return success();
}

void VecStoreStrOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printStore(printer, *this);
}

ParseResult VecStoreStrOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  AccessSyntax access;
  if (parseStore(parser, result, properties, access))
    return failure();
  properties.operandSegmentSizes = {1, 1, access.indexCount(),
                                    access.maskCount()};
  return success();
}

LogicalResult VecStoreStrOp::verify() {
  if (failed(slc::verifyStoresBeforeNested(*this)))
    return failure();
  return verifyAccess(*this, getStream(), "stores");
}

LogicalResult VecAluStrOp::verify() {
  auto vector =
      dyn_cast<VectorType>(getStreamElementType(getResult().getType()));
  if (!vector || !vector.getElementType().isIntOrIndex())
    return emitOpError("computes vectors of integers, not ")
           << getResult().getType();
  bool anyVector = false;
  for (Value operand : getOperands()) {
    Type type = stripStream(operand.getType());
    anyVector |= lanesOf(type) != 0;
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
