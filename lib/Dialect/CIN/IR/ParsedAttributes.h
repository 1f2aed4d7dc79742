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
/// Without the check, those of the operation's own that are of another type
/// would be dropped.
template <typename OpT>
mlir::ParseResult parseAttributes(mlir::OpAsmParser &parser,
                                  mlir::OperationState &result,
                                  bool hasKeyword) {
  llvm::SMLoc place = parser.getCurrentLocation();
  if (hasKeyword ? parser.parseOptionalAttrDictWithKeyword(result.attributes)
                 : parser.parseOptionalAttrDict(result.attributes))
    return mlir::failure();
  return OpT::verifyInherentAttrs(result.name, result.attributes,
                                  [&] { return parser.emitError(place); });
}

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_IR_PARSEDATTRIBUTES_H
