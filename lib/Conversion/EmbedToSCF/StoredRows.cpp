//===- StoredRows.cpp - Rows of tables as values --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/EmbedToSCF/StoredRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember;
using ember::embed::RowEncoding;

void StoredRows::requireLength(Value length, const Twine &operation) {
  Value needed = length;
  if (format) {
    if (format.getEncoding() == RowEncoding::int4)
      needed = arith::ShRUIOp::create(
          builder, arith::AddIOp::create(builder, needed, builder.index(1)),
          builder.index(1));
    needed = arith::AddIOp::create(builder, needed,
                                   builder.index(format.getParameterBytes()));
  }
  builder.requireEqual(builder.size(table, 1), needed,
                       operation + ": the rows of the table are not as long "
                                   "as the result needs");
}

/// A byte of the row as an unsigned i32.
Value StoredRows::byte(Value position) {
  Value loaded =
      memref::LoadOp::create(builder, table, ValueRange{row, position});
  return arith::ExtUIOp::create(builder, builder.getI32Type(), loaded);
}

/// The scale or bias from `firstByte` on, little end first. Single bytes are
/// loaded because rows need not be aligned; back ends join the loads.
Value StoredRows::parameter(Value firstByte) {
  FloatType stored = format.getParameters();
  Value bits;
  for (int64_t i = 0, e = stored.getWidth() / 8; i != e; ++i) {
    Value at = arith::AddIOp::create(builder, firstByte, builder.index(i));
    Value part = byte(at);
    if (i != 0) {
      Value places = arith::ConstantIntOp::create(builder, 8 * i, 32);
      part = arith::ShLIOp::create(builder, part, places);
      bits = arith::OrIOp::create(builder, bits, part);
    } else {
      bits = part;
    }
  }
  if (stored.getWidth() == 16)
    bits = arith::TruncIOp::create(builder, builder.getI16Type(), bits);
  return builder.convert(arith::BitcastOp::create(builder, stored, bits), type);
}

void StoredRows::enter(Value newRow) {
  row = newRow;
  if (!format || !format.isScaled())
    return;
  int64_t width = format.getParameterBytes() / 2;
  Value first = builder.index(0);
  if (!format.getLeading())
    first = arith::SubIOp::create(builder, builder.size(table, 1),
                                  builder.index(2 * width));
  scale = parameter(first);
  bias = parameter(arith::AddIOp::create(builder, first, builder.index(width)));
}

/// An 8-bit float as half precision, which holds all of them: e5m2 is its upper
/// byte; e4m3, with one more bit of fraction and a bias lower by 8, is 256
/// times what its bits say there, and its only NaN has all bits set.
Value StoredRows::decodeFloat8(Value bits) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, value, 32);
  };
  auto asHalf = [&](Value word) -> Value {
    Value half = arith::TruncIOp::create(builder, builder.getI16Type(), word);
    half = arith::BitcastOp::create(builder, builder.getF16Type(), half);
    return builder.convert(half, type);
  };
  if (format.getEncoding() == RowEncoding::e5m2)
    return asHalf(arith::ShLIOp::create(builder, bits, constant(8)));
  Value magnitude = arith::AndIOp::create(builder, bits, constant(0x7f));
  Value sign = arith::AndIOp::create(builder, bits, constant(0x80));
  Value word = arith::OrIOp::create(
      builder, arith::ShLIOp::create(builder, sign, constant(8)),
      arith::ShLIOp::create(builder, magnitude, constant(7)));
  Value factor =
      arith::ConstantOp::create(builder, builder.getFloatAttr(type, 256));
  Value number = arith::MulFOp::create(builder, asHalf(word), factor);
  Value isNaN = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                      magnitude, constant(0x7f));
  Value nan = arith::ConstantOp::create(
      builder,
      FloatAttr::get(type, APFloat::getQNaN(type.getFloatSemantics())));
  return arith::SelectOp::create(builder, isNaN, nan, number);
}

/// A byte of the elements, which may be behind the scale and bias.
Value StoredRows::elementByte(Value position) {
  int64_t first = format.getFirstElementByte();
  if (first != 0)
    position = arith::AddIOp::create(builder, position, builder.index(first));
  return byte(position);
}

Value StoredRows::integer(Value position) {
  Value bits;
  if (format.getEncoding() == RowEncoding::int8) {
    bits = elementByte(position);
  } else {
    // Two a byte, the even one in the low half.
    Value one = builder.index(1);
    Value pair = arith::ShRUIOp::create(builder, position, one);
    Value isOdd = arith::AndIOp::create(builder, position, one);
    Value places = arith::IndexCastOp::create(
        builder, builder.getI32Type(),
        arith::ShLIOp::create(builder, isOdd, builder.index(2)));
    bits = arith::ShRUIOp::create(builder, elementByte(pair), places);
    Value low = arith::ConstantIntOp::create(builder, 15, 32);
    bits = arith::AndIOp::create(builder, bits, low);
  }
  return arith::UIToFPOp::create(builder, type, bits);
}

std::pair<Value, Value> StoredRows::integers(Value pair) {
  Value bits = elementByte(pair);
  Value even = arith::AndIOp::create(
      builder, bits, arith::ConstantIntOp::create(builder, 15, 32));
  Value odd = arith::ShRUIOp::create(
      builder, bits, arith::ConstantIntOp::create(builder, 4, 32));
  return {arith::UIToFPOp::create(builder, type, even),
          arith::UIToFPOp::create(builder, type, odd)};
}

Value StoredRows::element(Value position) {
  if (!format)
    return builder.loadAs(type, table, {row, position});
  if (!format.isScaled())
    return decodeFloat8(elementByte(position));
  return math::FmaOp::create(builder, integer(position), scale, bias);
}
