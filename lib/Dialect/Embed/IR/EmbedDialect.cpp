//===- EmbedDialect.cpp - The embedding operations dialect ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Embed/IR/Embed.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember::embed;

#include "ember/Dialect/Embed/IR/EmbedDialect.cpp.inc"
#include "ember/Dialect/Embed/IR/EmbedEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/Embed/IR/EmbedAttributes.cpp.inc"

void EmbedDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ember/Dialect/Embed/IR/EmbedAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/Embed/IR/EmbedOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// RowFormatAttr
//===----------------------------------------------------------------------===//

Attribute RowFormatAttr::parse(AsmParser &parser, Type) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  std::optional<RowEncoding> encoding = symbolizeRowEncoding(keyword);
  if (!encoding) {
    parser.emitError(loc, "unknown encoding of rows '")
        << keyword << "', expected int8, int4, e4m3 or e5m2";
    return {};
  }
  FloatType parameters;
  bool leading = false;
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseType(parameters))
      return {};
    if (succeeded(parser.parseOptionalComma())) {
      if (parser.parseKeyword("leading"))
        return {};
      leading = true;
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RowFormatAttr>(loc, parser.getContext(), *encoding,
                                          parameters, leading);
}

void RowFormatAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyRowEncoding(getEncoding());
  if (getParameters())
    printer << ", " << getParameters();
  if (getLeading())
    printer << ", leading";
  printer << ">";
}

LogicalResult
RowFormatAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                      RowEncoding encoding, FloatType parameters,
                      bool leading) {
  bool isScaled =
      encoding == RowEncoding::int8 || encoding == RowEncoding::int4;
  if (isScaled && (!parameters || !(parameters.isF32() || parameters.isF16())))
    return emitError() << "rows of " << stringifyRowEncoding(encoding)
                       << " need the type of their scale and bias, f32 or f16";
  if (!isScaled && (parameters || leading))
    return emitError() << "rows of " << stringifyRowEncoding(encoding)
                       << " have no scale and bias";
  return success();
}

int64_t RowFormatAttr::getParameterBytes() const {
  return isScaled() ? 2 * getParameters().getWidth() / 8 : 0;
}

int64_t RowFormatAttr::getRowBytes(int64_t length) const {
  int64_t elements =
      getEncoding() == RowEncoding::int4 ? (length + 1) / 2 : length;
  return elements + getParameterBytes();
}

//===----------------------------------------------------------------------===//
// What all operations share
//===----------------------------------------------------------------------===//

void ember::embed::getDestinationStyleEffects(
    DestinationStyleOpInterface op,
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}

LogicalResult
ember::embed::reifyInitShapes(DestinationStyleOpInterface op,
                              OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  for (OpResult result : op->getResults()) {
    Value init = op.getTiedOpOperand(result)->get();
    shapes.push_back(tensor::getMixedSizes(builder, op->getLoc(), init));
  }
  return success();
}

FloatType ember::embed::getComputeType(TypeRange types) {
  for (Type type : types)
    if (getElementTypeOrSelf(type).isF64())
      return cast<FloatType>(getElementTypeOrSelf(type));
  return Float32Type::get(types.front().getContext());
}
