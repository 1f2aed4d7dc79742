//===- StoredRows.h - Rows of tables as values ---------------- -*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_EMBEDTOSCF_STOREDROWS_H
#define EMBER_CONVERSION_EMBEDTOSCF_STOREDROWS_H

#include "ember/Conversion/EmbedToSCF/NestBuilder.h"
#include "ember/Dialect/Embed/IR/Embed.h"

namespace ember {

/// Reads the rows of a table, decoding them where they are stored quantised.
class StoredRows {
public:
  /// Elements are read as `type`.
  StoredRows(NestBuilder &builder, mlir::Value table,
             embed::RowFormatAttr format, mlir::FloatType type)
      : builder(builder), table(table), format(format),
        layout(format ? format.getLayout() : embed::RowLayout()), type(type) {}

  /// Stops the program unless rows hold `length` elements. Comes first.
  void requireLength(mlir::Value length, const llvm::Twine &operation);

  /// Goes to a row: loads its scale and bias.
  void enter(mlir::Value row);

  /// Emits loops over the positions of a row: over its blocks, where these have
  /// scales, which are then loaded once for all of their elements.
  void forEach(mlir::Value length, llvm::function_ref<void(mlir::Value)> emit);

  /// An element of the row that was entered; within forEach.
  mlir::Value element(mlir::Value position);

  /// Whether elements are integers that a scale and bias turn into values.
  bool isScaled() const { return format && format.isScaled(); }
  /// The integer of an element, unscaled, as `type`.
  mlir::Value integer(mlir::Value position);
  /// Whether a byte holds two of these integers, and both of byte `pair`.
  bool hasPairs() const {
    return isScaled() && format.getEncoding()->elementsOfByte() == 2;
  }
  std::pair<mlir::Value, mlir::Value> integers(mlir::Value pair);
  /// Of the row that was entered.
  mlir::Value getScale() const { return scale; }
  mlir::Value getBias() const { return bias; }

private:
  mlir::Value divideUp(mlir::Value number, int64_t by);
  mlir::Value byte(mlir::Value position);
  mlir::Value unsignedByte(mlir::Value position);
  mlir::Value elementByte(mlir::Value position);
  mlir::Value elementBits(mlir::Value position);
  mlir::Value elementFloat(mlir::Value position);
  mlir::Value parameter(mlir::Value firstByte);
  mlir::Value blockScale(mlir::Value block);

  NestBuilder &builder;
  mlir::Value table;
  embed::RowFormatAttr format;
  embed::RowLayout layout;
  mlir::FloatType type;
  /// The scale is that of the row, or of the block that forEach is in.
  mlir::Value row, scale, bias;
  /// The first byte of the elements and of the scales of blocks, where those
  /// are. Null for the first byte of the row.
  mlir::Value firstElement, firstScale;
};

} // namespace ember

#endif // EMBER_CONVERSION_EMBEDTOSCF_STOREDROWS_H
