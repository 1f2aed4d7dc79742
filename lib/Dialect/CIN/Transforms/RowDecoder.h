//===- RowDecoder.h - Elements of encoded rows as expressions ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `scale * integer + bias` is in terms of the bytes of a row.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_ROWDECODER_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_ROWDECODER_H

#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember::cin {

/// Builds expressions of statements.
class RowExpressionBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  mlir::Value call(llvm::StringRef function, mlir::ValueRange operands,
                   mlir::Type type);
  mlir::Value number(int64_t value, mlir::Type type);
  mlir::Value zero(mlir::Type type);
  /// An affine expression of one index, or of none.
  mlir::Value index(int64_t value);
  mlir::Value apply(mlir::AffineExpr expr, mlir::ValueRange operands);
  /// Any integer as an index.
  mlir::Value asIndex(mlir::Value value);
  /// An index divided by a power of two.
  mlir::Value shiftRight(mlir::Value value, int64_t places);
  mlir::Value extent(mlir::Value array, unsigned dimension);
  mlir::AffineExpr dim(unsigned number) { return getAffineDimExpr(number); }
};

/// Where things are in the rows of an encoded array.
class RowDecoder {
public:
  RowDecoder(RowExpressionBuilder &builder, AssembleOp array)
      : builder(builder), bytes(array.getValues()),
        layout(array.getEncoding().getLayout()),
        type(llvm::cast<mlir::FloatType>(array.getType().getElementType())) {}

  /// Builds what is the same for all rows, which are `length` elements long.
  void enter(mlir::Value length);

  bool isScaled() const { return layout.isScaled(); }
  bool hasBlockScales() const { return layout.hasBlockScales(); }
  /// Whether a byte holds two integers.
  bool hasPairs() const {
    return isScaled() && layout.encoding->elementsOfByte() == 2;
  }
  mlir::FloatType getType() const { return type; }
  int64_t getBlockLength() const { return layout.parameters->blockLength; }

  mlir::Value scale(mlir::Value row) { return parameter(row, 0); }
  mlir::Value bias(mlir::Value row) { return parameter(row, 1); }
  mlir::Value blockScale(mlir::Value row, mlir::Value block);
  /// The integer of an element, unscaled.
  mlir::Value integer(mlir::Value row, mlir::Value column);
  /// Both of a byte.
  std::pair<mlir::Value, mlir::Value> integers(mlir::Value row,
                                               mlir::Value pair);
  /// An element that is a float of its own, without a scale.
  mlir::Value number(mlir::Value row, mlir::Value column);

private:
  mlir::Value parameter(mlir::Value row, unsigned number);
  mlir::Value byte(mlir::Value row, mlir::Value position);
  mlir::Value unsignedByte(mlir::Value row, mlir::Value position);
  /// A position among the elements as one in the row.
  mlir::Value placeOf(mlir::Value position);
  mlir::Value asValue(mlir::Value number);

  RowExpressionBuilder &builder;
  mlir::Value bytes;
  RowLayout layout;
  mlir::FloatType type;
  /// The first byte of the parameters, if it is not the row's, and of the
  /// elements likewise.
  mlir::Value firstParameter, firstElement;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_ROWDECODER_H
