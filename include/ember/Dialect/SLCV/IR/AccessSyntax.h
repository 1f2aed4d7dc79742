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

  int32_t indexCount() const { return static_cast<int32_t>(indices.size()); }
  int32_t maskCount() const { return isMasked ? 1 : 0; }
  int32_t otherwiseCount() const { return hasOtherwise ? 1 : 0; }

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
template <typename Properties>
mlir::ParseResult parseStore(mlir::OpAsmParser &parser,
                             mlir::OperationState &result,
                             Properties &properties, AccessSyntax &access) {
  mlir::OpAsmParser::UnresolvedOperand stream;
  slc::StreamType type;
  if (parser.parseOperand(stream) || parser.parseComma() ||
      access.parseAccess(parser, properties) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseType(type) || parser.parseComma() ||
      access.parseTypes(parser) ||
      parser.resolveOperand(stream, type, result.operands))
    return mlir::failure();
  return access.resolve(parser, type, result.operands);
}

/// Parses a load: `%memref[...] : memref<...>[types] -> type`; with `else %x`,
/// its type follows the others.
template <typename Properties>
mlir::ParseResult parseLoad(mlir::OpAsmParser &parser,
                            mlir::OperationState &result,
                            Properties &properties, AccessSyntax &access) {
  slc::StreamType type;
  if (access.parseAccess(parser, properties) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      access.parseTypes(parser) || parser.parseArrow() ||
      parser.parseType(type) || access.resolve(parser, type, result.operands))
    return mlir::failure();
  result.addTypes(type);
  return mlir::success();
}

/// Prints ` level l2 nontemporal`, as far as `op` has them.
template <typename Op>
void printCacheHints(mlir::OpAsmPrinter &printer, Op op) {
  if (op.getCacheLevel())
    printer << " level " << slc::stringifyCacheLevel(*op.getCacheLevel());
  if (op.getNontemporal())
    printer << " nontemporal";
}

/// Prints what `AccessSyntax::parseAccess` reads, and other attributes.
template <typename Op> void printAccess(mlir::OpAsmPrinter &printer, Op op) {
  printer << op.getMemref() << "[" << op.getIndices() << "]";
  if (op.getMask())
    printer << " mask " << op.getMask();
  if constexpr (requires { op.getOtherwise(); })
    if (op.getOtherwise())
      printer << " else " << op.getOtherwise();
  if (op.getContiguous())
    printer << " contiguous";
  if constexpr (requires { op.getRepeat(); })
    if (op.getRepeat() != 1)
      printer << " repeat " << op.getRepeat();
  printCacheHints(printer, op);
  printer.printOptionalAttrDict(op->getAttrs(),
                                {"contiguous", "repeat", "cacheLevel",
                                 "nontemporal", "operandSegmentSizes"});
}

/// Prints what `AccessSyntax::parseTypes` reads.
template <typename Op>
void printAccessTypes(mlir::OpAsmPrinter &printer, Op op) {
  printer << op.getMemref().getType() << "[" << op.getIndices().getTypes()
          << "]";
  if constexpr (requires { op.getOtherwise(); })
    if (op.getOtherwise())
      printer << ", " << op.getOtherwise().getType();
}

/// Prints what `parseStore` reads.
template <typename Op> void printStore(mlir::OpAsmPrinter &printer, Op op) {
  printer << op.getStream() << ", ";
  printAccess(printer, op);
  printer << " : " << op.getStream().getType() << ", ";
  printAccessTypes(printer, op);
}

/// Prints what `parseLoad` reads.
template <typename Op> void printLoad(mlir::OpAsmPrinter &printer, Op op) {
  printAccess(printer, op);
  printer << " : ";
  printAccessTypes(printer, op);
  printer << " -> " << op.getResult().getType();
}

} // namespace ember::slcv

#endif // EMBER_DIALECT_SLCV_IR_ACCESSSYNTAX_H
