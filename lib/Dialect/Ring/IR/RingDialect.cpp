//===- RingDialect.cpp - The ring dialect ---------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Ring/IR/Ring.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember::ring;

#include "ember/Dialect/Ring/IR/RingDialect.cpp.inc"
#include "ember/Dialect/Ring/IR/RingEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/Ring/IR/RingAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ember/Dialect/Ring/IR/RingTypes.cpp.inc"

void RingDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ember/Dialect/Ring/IR/RingAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "ember/Dialect/Ring/IR/RingTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/Ring/IR/RingOps.cpp.inc"
      >();
}

LogicalResult RingDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  auto half = dyn_cast<HalfAttr>(attribute.getValue());
  if (attribute.getName() != halfAttr || !half)
    return op->emitOpError("has no use for '")
           << attribute.getName() << " = " << attribute.getValue()
           << "': functions have '" << halfAttr << " = #ring.half<access>'";
  if (!isa<func::FuncOp>(op))
    return op->emitOpError("cannot be a half of a program: functions are");
  // It is looked at before it has been verified itself.
  if (failed(op->getName().verifyInvariants(op)))
    return failure();
  return verifyProtocol(op, half.getValue());
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Wider integers than anyone computes with would make a slot of megabytes.
static constexpr unsigned maxLaneBits = 1024;

bool ember::ring::isMask(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isInteger(1);
}

bool ember::ring::isOperandType(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.getRank() != 1 || vector.isScalable())
      return false;
    type = vector.getElementType();
  }
  if (type.isIndex())
    return true;
  return (type.isSignlessInteger() || isa<FloatType>(type)) &&
         type.getIntOrFloatBitWidth() <= maxLaneBits;
}

int64_t ember::ring::getLaneBits(Type type) {
  if (isMask(type))
    return 1;
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return 64;
  return std::max<int64_t>(8,
                           llvm::PowerOf2Ceil(element.getIntOrFloatBitWidth()));
}

int64_t ember::ring::getOperandBytes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  int64_t bits = getLaneBits(type) * (vector ? vector.getNumElements() : 1);
  return llvm::divideCeil(bits, 8 * slotBytes) * slotBytes;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult DataType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t operandBytes) {
  if (operandBytes > 0 && operandBytes % slotBytes == 0)
    return success();
  return emitError() << "operands take a positive multiple of " << slotBytes
                     << " bytes, not " << operandBytes;
}

LogicalResult SlotType::verify(function_ref<InFlightDiagnostic()> emitError,
                               Type operandType) {
  if (isOperandType(operandType))
    return success();
  return emitError() << "a slot cannot hold a " << operandType;
}

bool ember::ring::isRing(Type type) { return isa<DataType, TokensType>(type); }

LogicalResult TokensType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t idBits) {
  constexpr int64_t maxIdBits = 32;
  if (idBits >= 0 && idBits <= maxIdBits)
    return success();
  return emitError() << "ids take up to " << maxIdBits << " bits, not "
                     << idBits;
}

int64_t ember::ring::getValueBits(Type type) {
  return type.isIndex() ? wordBits : type.getIntOrFloatBitWidth();
}

bool TokensType::canCarry(Type type) const {
  bool isScalar =
      type.isIndex() || type.isSignlessInteger() || isa<FloatType>(type);
  return getIdBits() > 0 && isScalar && getValueBits(type) <= wordBits;
}

bool TokensType::mayFollow(Type type) const {
  return canCarry(type) && getValueBits(type) > wordBits - getIdBits();
}

int64_t TokensType::getEndId() const {
  return getIdBits() == 0 ? -1 : (int64_t(1) << getIdBits()) - 1;
}
