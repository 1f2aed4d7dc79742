//===- SLCOps.cpp - Operations of the slc dialect -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLC/IR/SLC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace ember::slc;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type ember::slc::getStreamElementType(Type type) {
  return cast<StreamType>(type).getElementType();
}

Type ember::slc::stripStream(Type type) {
  auto stream = dyn_cast<StreamType>(type);
  return stream ? stream.getElementType() : type;
}

int64_t ember::slc::lanesOf(Type type) {
  auto vector = dyn_cast<VectorType>(stripStream(type));
  return vector ? vector.getNumElements() : 0;
}

static LogicalResult
verifyElementType(function_ref<InFlightDiagnostic()> emitError, Type type) {
  Type scalar = type;
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.getRank() != 1 || vector.isScalable())
      return emitError() << "element " << type
                         << " must be a fixed-length vector of rank 1";
    scalar = vector.getElementType();
  }
  if (scalar.isIndex() || scalar.isSignlessInteger() || isa<FloatType>(scalar))
    return success();
  return emitError() << "element type must be index, a signless integer, a "
                        "float or a vector of these, but is "
                     << type;
}

LogicalResult StreamType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Type elementType) {
  return verifyElementType(emitError, elementType);
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Type elementType) {
  return verifyElementType(emitError, elementType);
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// `[type, type, ...]`, which is `[]` for a memref of rank 0.
static ParseResult parseIndexTypes(OpAsmParser &parser,
                                   SmallVectorImpl<Type> &types) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] {
    return parser.parseType(types.emplace_back());
  });
}

static void printIndexTypes(OpAsmPrinter &printer, Operation *,
                            TypeRange types) {
  printer << "[" << types << "]";
}

LogicalResult ember::slc::verifyInNest(Operation *op) {
  Operation *parent = op->getParentOp();
  if (isa<LoopOpInterface>(parent))
    return verifyAccessOperands(op);
  return op->emitOpError("belongs to the access unit and must stand in the "
                         "body of a loop of the access unit, not in '")
         << parent->getName() << "'";
}

void MemStrOp::build(OpBuilder &builder, OperationState &state, Value memref,
                     ValueRange indices, Value mask, Value otherwise) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  build(builder, state, StreamType::get(element), memref, indices, mask,
        otherwise, CacheLevelAttr(), /*nontemporal=*/false);
}

void MemStrOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "v");
}

static LogicalResult verifyOtherwise(MemoryStreamOpInterface access) {
  Value otherwise = access.getOtherwise();
  if (!otherwise)
    return success();
  if (!access.getMask())
    return access.emitOpError("has an 'else' without a mask");
  Type element = getStreamElementType(access.getStream().getType());
  Type given = stripStream(otherwise.getType());
  bool isSpread = lanesOf(element) && getElementTypeOrSelf(element) == given;
  if (given == element || isSpread)
    return success();
  return access.emitOpError("loads ")
         << element << " and has " << otherwise.getType()
         << " where the mask is false";
}

static LogicalResult verifyRepeat(MemoryStreamOpInterface access) {
  auto repeat = static_cast<int64_t>(access.getRepeat());
  if (repeat == 1)
    return success();
  if (!access.getContiguous())
    return access.emitOpError("repeats elements that are not contiguous");
  int64_t lanes = lanesOf(access.getStream().getType());
  if (repeat < 1 || !llvm::isPowerOf2_64(repeat) || lanes % repeat != 0)
    return access.emitOpError("repeats each element ")
           << repeat << " times; that must be a power of two which divides "
           << "the number of lanes, " << lanes;
  return success();
}

/// A loop's own streams advance before those of the loop nested in it.
static LogicalResult verifyStoresBeforeNested(MemoryStreamOpInterface access) {
  auto loop = dyn_cast<LoopOpInterface>(access->getParentOp());
  LoopOpInterface nested = loop ? getNestedLoop(loop) : nullptr;
  if (!access.isStore() || !nested || access->isBeforeInBlock(nested))
    return success();
  return access.emitOpError("must stand before the loop nested in the same "
                            "body: the access unit does not come back to it");
}

LogicalResult ember::slc::verifyMemoryStream(MemoryStreamOpInterface access) {
  auto memref = cast<MemRefType>(access.getMemref().getType());
  auto count = static_cast<int64_t>(access.getIndices().size());
  if (count != memref.getRank())
    return access.emitOpError("has ") << count << " indices for " << memref
                                      << " of rank " << memref.getRank();
  if (access.getContiguous() && memref.getRank() == 0)
    return access.emitOpError("is contiguous in a memref of rank 0");
  if (failed(verifyOtherwise(access)) || failed(verifyRepeat(access)))
    return failure();
  return verifyStoresBeforeNested(access);
}

LogicalResult MemStrOp::verify() {
  Type element = getMemref().getType().getElementType();
  if (getStreamElementType(getResult().getType()) == element)
    return success();
  return emitOpError("loads ")
         << element << " but its result is " << getResult().getType();
}

LogicalResult StoreStrOp::verify() {
  Type element = getMemref().getType().getElementType();
  if (getStreamElementType(getStream().getType()) == element)
    return success();
  return emitOpError("stores ") << element << ", not " << getStream().getType();
}

bool ember::slc::isDivision(AluOp opcode) {
  return opcode == AluOp::divs || opcode == AluOp::divu ||
         opcode == AluOp::rems || opcode == AluOp::remu;
}

/// True if `value` is the constant `expected`, whatever its width.
static bool isConstant(Value value, int64_t expected) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) &&
         constant.isSignedIntN(64) && constant.getSExtValue() == expected;
}

/// Drops `x + 0`, `x - 0`, `x * 1`, `x / 1` and shifts by zero.
OpFoldResult AluStrOp::fold(FoldAdaptor) {
  auto operandIf = [&](Value kept, Value other, int64_t neutral) -> Value {
    bool same = kept.getType() == getResult().getType();
    return same && isConstant(other, neutral) ? kept : Value();
  };
  switch (getOpcode()) {
  case AluOp::add:
  case AluOp::or_:
  case AluOp::xor_:
    if (Value rhs = operandIf(getRhs(), getLhs(), 0))
      return rhs;
    return operandIf(getLhs(), getRhs(), 0);
  case AluOp::sub:
  case AluOp::shl:
  case AluOp::shrs:
  case AluOp::shru:
    return operandIf(getLhs(), getRhs(), 0);
  case AluOp::mul:
    if (Value rhs = operandIf(getRhs(), getLhs(), 1))
      return rhs;
    return operandIf(getLhs(), getRhs(), 1);
  case AluOp::divs:
  case AluOp::divu:
    return operandIf(getLhs(), getRhs(), 1);
  default:
    return {};
  }
}

static Type getScalarType(Value value) {
  return getElementTypeOrSelf(stripStream(value.getType()));
}

/// Verifies that inputs have the lanes that the result has, or none; with
/// lanes, one of them has.
static LogicalResult verifyLanes(StreamOpInterface op) {
  Type result = op->getResult(0).getType();
  int64_t lanes = lanesOf(result);
  bool isStream = false, hasLanes = false;
  for (Type input : op.getInputs().getTypes()) {
    int64_t have = lanesOf(input);
    if (have && have != lanes)
      return op.emitOpError("has an operand of ")
             << have << " lanes for a result of type " << result;
    isStream |= isa<StreamType>(input);
    hasLanes |= have != 0;
  }
  if (!isStream || (lanes && !hasLanes))
    return op.emitOpError("needs a stream ")
           << (lanes ? "of vectors " : "") << "among its operands";
  return success();
}

LogicalResult ember::slc::verifyArithmetic(StreamOpInterface op) {
  Type result = getStreamElementType(op->getResult(0).getType());
  if (!getElementTypeOrSelf(result).isIntOrIndex())
    return op.emitOpError("computes integers, not ") << result;
  for (Value input : op.getInputs())
    if (getScalarType(input) != getElementTypeOrSelf(result))
      return op.emitOpError("computes ")
             << result << " from an operand of type " << input.getType();
  return verifyLanes(op);
}

LogicalResult ember::slc::verifyComparison(StreamOpInterface op) {
  Value lhs = op.getInputs()[0], rhs = op.getInputs()[1];
  if (getScalarType(lhs) != getScalarType(rhs) ||
      !getScalarType(lhs).isIntOrIndex())
    return op.emitOpError("compares integers of one type, not ")
           << lhs.getType() << " with " << rhs.getType();
  if (!getScalarType(op->getResult(0)).isInteger(1))
    return op.emitOpError("gives i1 or vectors of it, not ")
           << op->getResult(0).getType();
  return verifyLanes(op);
}

LogicalResult ember::slc::verifyChoice(StreamOpInterface op) {
  Value result = op->getResult(0), condition = op.getInputs()[0];
  if (!getScalarType(condition).isInteger(1))
    return op.emitOpError("chooses by i1 or vectors of it, not by ")
           << condition.getType();
  Type element = getScalarType(result);
  for (Value value : op.getInputs().drop_front())
    if (getScalarType(value) != element || !element.isIntOrIndex())
      return op.emitOpError("chooses between integers of the result's type, ")
             << result.getType() << ", not " << value.getType();
  return verifyLanes(op);
}

LogicalResult ember::slc::verifyConversion(StreamOpInterface op) {
  Type from = getStreamElementType(op.getInputs()[0].getType());
  Type to = getStreamElementType(op->getResult(0).getType());
  if (lanesOf(from) == lanesOf(to) &&
      getElementTypeOrSelf(from).isIntOrIndex() &&
      getElementTypeOrSelf(to).isIntOrIndex())
    return success();
  return op.emitOpError("converts integers and indices of one shape, not ")
         << from << " to " << to;
}

OpFoldResult CastStrOp::fold(FoldAdaptor) {
  return getInput().getType() == getResult().getType() ? getInput() : Value();
}

LogicalResult ember::slc::verifyForwarding(StreamOpInterface op) {
  Type from = stripStream(op.getInputs()[0].getType());
  Type to = getStreamElementType(op->getResult(0).getType());
  if (from == to || (lanesOf(to) && getElementTypeOrSelf(to) == from))
    return success();
  return op.emitOpError("forwards ")
         << from << " as " << to
         << "; the result must have the element type of the input or a "
            "vector of it";
}

LogicalResult ember::slc::verifySum(Operation *op, Value input, Value initial) {
  if (stripStream(initial.getType()) == getStreamElementType(input.getType()))
    return success();
  return op->emitOpError("sums up ")
         << input.getType() << " from an initial value of type "
         << initial.getType();
}

LogicalResult AccStrOp::verify() {
  if (failed(verifySum(*this, getInput(), getInitial())))
    return failure();
  if (!isa<ForOp>((*this)->getParentOp()))
    return emitOpError("stands in a loop with lanes, which have no order to "
                       "sum up in");
  if (getInput().getParentBlock() != (*this)->getBlock())
    return emitOpError("sums up a stream of another loop than the one it "
                       "stands in");
  if (getInitial().getParentBlock() == (*this)->getBlock())
    return emitOpError("starts from a stream of its own loop, which has no "
                       "element before the loop begins");
  return success();
}

/// Forwarding within one loop is the stream itself.
OpFoldResult FwdStrOp::fold(FoldAdaptor) {
  if (getInput().getType() != getResult().getType())
    return {};
  return getInput().getParentBlock() == (*this)->getBlock() ? getInput()
                                                            : Value();
}

//===----------------------------------------------------------------------===//
// Compute
//===----------------------------------------------------------------------===//

void StrToValOp::build(OpBuilder &builder, OperationState &state,
                       Value stream) {
  Type value = stripStream(stream.getType());
  if (auto buffer = dyn_cast<BufferType>(stream.getType()))
    value = MemRefType::get({ShapedType::kDynamic}, buffer.getElementType());
  build(builder, state, value, stream, /*lane=*/IntegerAttr());
}

LogicalResult StrToValOp::verify() {
  if (!isa<CallbackOp, LoopOpInterface>((*this)->getParentOp()) &&
      !(*this)->getParentOfType<CallbackOp>())
    return emitOpError("stands outside of any nest");
  if (getNestRoot(*this) && isFixedDuringNest(getStream(), *this))
    return emitOpError("reads a stream from outside of the nest");
  Type type = getStream().getType();
  if (auto buffer = dyn_cast<BufferType>(type)) {
    Type expected =
        MemRefType::get({ShapedType::kDynamic}, buffer.getElementType());
    if (getLane())
      return emitOpError("cannot take one lane of a buffer");
    if (getValue().getType() != expected)
      return emitOpError("gives the elements of a buffer as ")
             << expected << ", not " << getValue().getType();
    return success();
  }
  auto stream = dyn_cast<StreamType>(type);
  if (!stream)
    return emitOpError("reads a stream or a buffer, not ") << type;
  Type expected = stream.getElementType();
  if (std::optional<int64_t> lane = getLane()) {
    auto vector = dyn_cast<VectorType>(expected);
    if (!vector || *lane < 0 || *lane >= vector.getNumElements())
      return emitOpError("has no lane ") << *lane << " in " << type;
    expected = vector.getElementType();
  }
  if (getValue().getType() != expected)
    return emitOpError("reads ")
           << expected << " but its result is " << getValue().getType();
  return success();
}

#define GET_OP_CLASSES
#include "ember/Dialect/SLC/IR/SLCOps.cpp.inc"
