//===- AccessSyntax.h - How streams of accesses are written -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the custom assembly that loads and stores of slcv and dlc have in
// common:
//
//   %table[%i, %j] mask %m else %x contiguous repeat 2 level l2 nontemporal
//
// and their types, `memref<?x?xf32>[!slc.stream<index>, ...], f32`.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLCV_IR_ACCESSSYNTAX_H
#define EMBER_DIALECT_SLCV_IR_ACCESSSYNTAX_H

#include "ember/Dialect/SLCV/IR/SLCV.h"

namespace ember::slcv {

/// Parses one access, piece by piece.
class AccessSyntax {
public:
  /// `%memref[%i, ...]` and what is said about the access.
  template <typename Properties>
  mlir::ParseResult parseAccess(mlir::OpAsmParser &parser,
                                Properties &properties) {
    constexpr bool isLoad = requires { properties.repeat; };
    if (parseAddress(parser, properties.contiguous, isLoad))
      return mlir::failure();
    if constexpr (isLoad)
      if (parseRepeat(parser, properties.repeat))
        return mlir::failure();
    return parseHints(parser, properties.cacheLevel, properties.nontemporal);
  }
  /// `memref<...>[types]`, and the type of what stands for what is not loaded.
  mlir::ParseResult parseTypes(mlir::OpAsmParser &parser);
  /// Adds memref, indices, mask, whose lanes are those of `stream`, and what
  /// stands for what is not loaded.
  mlir::ParseResult resolve(mlir::OpAsmParser &parser, mlir::Type stream,
                            llvm::SmallVectorImpl<mlir::Value> &operands);

  /// Writes down how many operands there are of each of the last kinds.
  void countOperands(llvm::MutableArrayRef<int32_t> sizes, bool isLoad) const;

private:
  mlir::ParseResult parseAddress(mlir::OpAsmParser &parser,
                                 mlir::UnitAttr &contiguous, bool isLoad);
  static mlir::ParseResult parseRepeat(mlir::OpAsmParser &parser,
                                       mlir::IntegerAttr &repeat);
  static mlir::ParseResult parseHints(mlir::OpAsmParser &parser,
                                      slc::CacheLevelAttr &cacheLevel,
                                      mlir::UnitAttr &nontemporal);

  llvm::SMLoc loc;
  mlir::OpAsmParser::UnresolvedOperand memref, mask, otherwise;
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> indices;
  mlir::Type memrefType, otherwiseType;
  llvm::SmallVector<mlir::Type> indexTypes;
  bool isMasked = false, hasOtherwise = false;
};

/// Parses a store: `%stream, %memref[...] : type, memref<...>[types]`.
template <typename Op>
mlir::ParseResult parseStore(mlir::OpAsmParser &parser,
                             mlir::OperationState &result) {
  auto &properties = result.getOrAddProperties<typename Op::Properties>();
  AccessSyntax access;
  mlir::OpAsmParser::UnresolvedOperand stream;
  slc::StreamType type;
  if (parser.parseOperand(stream) || parser.parseComma() ||
      access.parseAccess(parser, properties) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseType(type) || parser.parseComma() ||
      access.parseTypes(parser) ||
      parser.resolveOperand(stream, type, result.operands))
    return mlir::failure();
  access.countOperands(properties.operandSegmentSizes, /*isLoad=*/false);
  return access.resolve(parser, type, result.operands);
}

/// Parses a load: `%memref[...] : memref<...>[types] -> type`; with `else %x`,
/// its type follows the others.
template <typename Op>
mlir::ParseResult parseLoad(mlir::OpAsmParser &parser,
                            mlir::OperationState &result) {
  auto &properties = result.getOrAddProperties<typename Op::Properties>();
  AccessSyntax access;
  slc::StreamType type;
  if (access.parseAccess(parser, properties) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      access.parseTypes(parser) || parser.parseArrow() ||
      parser.parseType(type) || access.resolve(parser, type, result.operands))
    return mlir::failure();
  access.countOperands(properties.operandSegmentSizes, /*isLoad=*/true);
  result.addTypes(type);
  return mlir::success();
}

/// Prints what `parseStore` or `parseLoad` reads.
void printAccess(mlir::OpAsmPrinter &printer, slc::MemoryStreamOpInterface op);

} // namespace ember::slcv

#endif // EMBER_DIALECT_SLCV_IR_ACCESSSYNTAX_H
