//===- CINRowFormats.cpp - How rows of bytes encode rows of values --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace ember::cin;

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
