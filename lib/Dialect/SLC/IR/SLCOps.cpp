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

static LogicalResult verifyInNest(Operation *op) {
  Operation *parent = op->getParentOp();
  if (isa<LoopOpInterface>(parent))
    return verifyAccessOperands(op);
  return op->emitOpError("belongs to the access unit and must stand in the "
                         "body of a loop of the access unit, not in '")
         << parent->getName() << "'";
}

LogicalResult ember::slc::verifyIndexCount(Operation *op, MemRefType memref,
                                           size_t count) {
  if (static_cast<int64_t>(count) == memref.getRank())
    return success();
  return op->emitOpError("has ") << count << " indices for " << memref
                                 << " of rank " << memref.getRank();
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

LogicalResult ember::slc::verifyOtherwise(Operation *op, Value otherwise,
                                          Value mask, Type result) {
  if (!otherwise)
    return success();
  if (!mask)
    return op->emitOpError("has an 'else' without a mask");
  Type element = getStreamElementType(result);
  Type given = stripStream(otherwise.getType());
  bool isSpread = lanesOf(element) && getElementTypeOrSelf(element) == given;
  if (given == element || isSpread)
    return success();
  return op->emitOpError("loads ")
         << element << " and has " << otherwise.getType()
         << " where the mask is false";
}

LogicalResult MemStrOp::verify() {
  auto memref = cast<MemRefType>(getMemref().getType());
  if (failed(verifyIndexCount(*this, memref, getIndices().size())) ||
      failed(verifyOtherwise(*this, getOtherwise(), getMask(),
                             getResult().getType())))
    return failure();
  if (getStreamElementType(getResult().getType()) != memref.getElementType())
    return emitOpError("loads ")
           << memref.getElementType() << " but its result is "
           << getResult().getType();
  return verifyInNest(*this);
}

LogicalResult ember::slc::verifyStoresBeforeNested(Operation *op) {
  auto loop = dyn_cast<LoopOpInterface>(op->getParentOp());
  LoopOpInterface nested = loop ? getNestedLoop(loop) : nullptr;
  if (!nested || op->isBeforeInBlock(nested))
    return success();
  return op->emitOpError("must stand before the loop nested in the same body: "
                         "the access unit does not come back to it");
}

LogicalResult StoreStrOp::verify() {
  auto memref = cast<MemRefType>(getMemref().getType());
  if (failed(verifyIndexCount(*this, memref, getIndices().size())))
    return failure();
  if (getStreamElementType(getStream().getType()) != memref.getElementType())
    return emitOpError("stores ")
           << memref.getElementType() << ", not " << getStream().getType();
  if (failed(verifyStoresBeforeNested(*this)))
    return failure();
  return verifyInNest(*this);
}

LogicalResult AluStrOp::verify() {
  Type result = getStreamElementType(getResult().getType());
  for (Value operand : getOperands())
    if (stripStream(operand.getType()) != result)
      return emitOpError("computes ")
             << result << " from an operand of type " << operand.getType();
  if (!isa<StreamType>(getLhs().getType()) &&
      !isa<StreamType>(getRhs().getType()))
    return emitOpError("needs a stream among its operands");
  return verifyInNest(*this);
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

/// Verifies that operands have the lanes that `result` has, or none; with
/// lanes, one of them has.
static LogicalResult verifyLanes(Operation *op, ValueRange operands,
                                 Value result) {
  int64_t lanes = lanesOf(result.getType());
  bool isStream = false, hasLanes = false;
  for (Value operand : operands) {
    int64_t have = lanesOf(operand.getType());
    if (have && have != lanes)
      return op->emitOpError("has an operand of ")
             << have << " lanes for a result of type " << result.getType();
    isStream |= isa<StreamType>(operand.getType());
    hasLanes |= have != 0;
  }
  if (!isStream || (lanes && !hasLanes))
    return op->emitOpError("needs a stream ")
           << (lanes ? "of vectors " : "") << "among its operands";
  return success();
}

static Type getScalarType(Value value) {
  return getElementTypeOrSelf(stripStream(value.getType()));
}

LogicalResult ember::slc::verifyComparison(Operation *op, Value lhs, Value rhs,
                                           Value result) {
  if (getScalarType(lhs) != getScalarType(rhs) ||
      !getScalarType(lhs).isIntOrIndex())
    return op->emitOpError("compares integers of one type, not ")
           << lhs.getType() << " with " << rhs.getType();
  if (!getScalarType(result).isInteger(1))
    return op->emitOpError("gives i1 or vectors of it, not ")
           << result.getType();
  return verifyLanes(op, {lhs, rhs}, result);
}

LogicalResult ember::slc::verifyChoice(Operation *op, Value condition,
                                       Value trueValue, Value falseValue,
                                       Value result) {
  if (!getScalarType(condition).isInteger(1))
    return op->emitOpError("chooses by i1 or vectors of it, not by ")
           << condition.getType();
  Type element = getScalarType(result);
  for (Value value : {trueValue, falseValue})
    if (getScalarType(value) != element || !element.isIntOrIndex())
      return op->emitOpError("chooses between integers of the result's type, ")
             << result.getType() << ", not " << value.getType();
  return verifyLanes(op, {condition, trueValue, falseValue}, result);
}

LogicalResult CmpStrOp::verify() {
  if (failed(verifyComparison(*this, getLhs(), getRhs(), getResult())))
    return failure();
  return verifyInNest(*this);
}

LogicalResult SelStrOp::verify() {
  if (failed(verifyChoice(*this, getCondition(), getTrueValue(),
                          getFalseValue(), getResult())))
    return failure();
  return verifyInNest(*this);
}

LogicalResult CastStrOp::verify() {
  Type from = getStreamElementType(getInput().getType());
  Type to = getStreamElementType(getResult().getType());
  auto fromVector = dyn_cast<VectorType>(from);
  auto toVector = dyn_cast<VectorType>(to);
  bool sameShape = fromVector && toVector
                       ? fromVector.getShape() == toVector.getShape()
                       : !fromVector && !toVector;
  if (!sameShape || !getElementTypeOrSelf(from).isIntOrIndex() ||
      !getElementTypeOrSelf(to).isIntOrIndex())
    return emitOpError("converts integers and indices of one shape, not ")
           << from << " to " << to;
  return verifyInNest(*this);
}

OpFoldResult CastStrOp::fold(FoldAdaptor) {
  return getInput().getType() == getResult().getType() ? getInput() : Value();
}

LogicalResult FwdStrOp::verify() {
  Type from = stripStream(getInput().getType());
  Type to = getStreamElementType(getResult().getType());
  auto vector = dyn_cast<VectorType>(to);
  bool widens = vector && vector.getElementType() == from;
  if (from != to && !widens)
    return emitOpError("forwards ")
           << from << " as " << to
           << "; the result must have the element type of the input or a "
              "vector of it";
  return verifyInNest(*this);
}

LogicalResult AccStrOp::verify() {
  if (stripStream(getInitial().getType()) !=
      getStreamElementType(getInput().getType()))
    return emitOpError("sums up ")
           << getInput().getType() << " from an initial value of type "
           << getInitial().getType();
  if (failed(verifyInNest(*this)))
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
