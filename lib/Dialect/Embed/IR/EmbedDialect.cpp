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

/// The names of `rows`, "a, b or c".
template <typename RowT>
static std::string joinNames(ArrayRef<const RowT *> rows) {
  std::string text;
  for (auto [number, row] : llvm::enumerate(rows)) {
    if (number != 0)
      text += number + 1 == rows.size() ? " or " : ", ";
    text += row->name;
  }
  return text;
}

/// What may be stored beside elements of `encoding`.
static SmallVector<const RowParameters *>
getFittingParameters(const RowEncoding &encoding) {
  SmallVector<const RowParameters *> fitting;
  for (const RowParameters &row : rowParameters)
    if (row.fits(encoding))
      fitting.push_back(&row);
  return fitting;
}

/// Says what may be stored beside elements, where something else was given.
static void emitWrongParameters(InFlightDiagnostic diagnostic,
                                const RowEncoding &encoding) {
  diagnostic << "rows of " << StringRef(encoding.name)
             << (encoding.isInteger()
                     ? " need the type of their scale and bias, "
                     : " have no scale and bias; scales of blocks are ")
             << joinNames(ArrayRef<const RowParameters *>(
                    getFittingParameters(encoding)));
}

Attribute RowFormatAttr::parse(AsmParser &parser, Type) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  const RowEncoding *encoding = findRowEncoding(keyword);
  if (!encoding) {
    SmallVector<const RowEncoding *> all =
        llvm::to_vector(llvm::make_pointer_range(rowEncodings));
    parser.emitError(loc, "unknown encoding of rows '")
        << keyword << "', expected "
        << joinNames(ArrayRef<const RowEncoding *>(all));
    return {};
  }
  const RowParameters *parameters = nullptr;
  bool leading = false;
  if (succeeded(parser.parseOptionalComma())) {
    SMLoc parametersLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return {};
    parameters = findRowParameters(keyword);
    if (!parameters) {
      emitWrongParameters(parser.emitError(parametersLoc), *encoding);
      return {};
    }
    if (succeeded(parser.parseOptionalComma())) {
      if (parser.parseKeyword("leading"))
        return {};
      leading = true;
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RowFormatAttr>(loc, parser.getContext(), encoding,
                                          parameters, leading);
}

void RowFormatAttr::print(AsmPrinter &printer) const {
  printer << "<" << getEncoding()->name;
  if (getParameters())
    printer << ", " << getParameters()->name;
  if (getLeading())
    printer << ", leading";
  printer << ">";
}

LogicalResult
RowFormatAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                      const RowEncoding *encoding,
                      const RowParameters *parameters, bool leading) {
  bool isFitting =
      llvm::is_contained(getFittingParameters(*encoding), parameters);
  if (!isFitting && (parameters || encoding->isInteger())) {
    emitWrongParameters(emitError(), *encoding);
    return failure();
  }
  return success();
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

bool ember::embed::isValueType(Type type) {
  auto number = dyn_cast<FloatType>(type);
  return number && number.getWidth() >= 16 &&
         llvm::any_of(ember::scalarTypes, [&](const ember::ScalarType &row) {
           return row.isFloat() && row.bits == int(number.getWidth()) &&
                  row.layout->fractionBits + 1 ==
                      int(number.getFPMantissaWidth());
         });
}

FloatType ember::embed::getComputeType(TypeRange types) {
  for (Type type : types)
    if (getElementTypeOrSelf(type).isF64())
      return cast<FloatType>(getElementTypeOrSelf(type));
  return Float32Type::get(types.front().getContext());
}
