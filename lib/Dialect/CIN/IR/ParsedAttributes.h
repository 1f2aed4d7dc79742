//===- ParsedAttributes.h - Attributes of operations, as read ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_IR_PARSEDATTRIBUTES_H
#define EMBER_LIB_DIALECT_CIN_IR_PARSEDATTRIBUTES_H

#include "mlir/IR/OpImplementation.h"

namespace ember::cin {

/// Reads the dictionary of an operation's attributes, which may be absent.
/// Those in `elided` are what the operation's assembly says elsewhere, and
/// would take its place. Without the other check, attributes of the operation's
/// own that are of another type would be dropped.
template <typename OpT>
mlir::ParseResult
parseAttributes(mlir::OpAsmParser &parser, mlir::NamedAttrList &attributes,
                bool hasKeyword, llvm::ArrayRef<llvm::StringRef> elided) {
  llvm::SMLoc place = parser.getCurrentLocation();
  mlir::NamedAttrList given;
  if (hasKeyword ? parser.parseOptionalAttrDictWithKeyword(given)
                 : parser.parseOptionalAttrDict(given))
    return mlir::failure();
  for (llvm::StringRef name : elided)
    if (given.get(name))
      return parser.emitError(place)
             << "'" << name
             << "' follows from the rest of the operation: leave it out of its "
                "attributes";
  mlir::OperationName operation(OpT::getOperationName(), parser.getContext());
  attributes.append(given.begin(), given.end());
  return OpT::verifyInherentAttrs(operation, given,
                                  [&] { return parser.emitError(place); });
}

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_IR_PARSEDATTRIBUTES_H
