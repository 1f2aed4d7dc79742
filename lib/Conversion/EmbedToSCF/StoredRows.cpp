//===- StoredRows.cpp - Rows of tables as values --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/EmbedToSCF/StoredRows.h"

#include "ember/ABI/ScalarTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace ember;

// What rows of the table may be for the code here: bytes, or, of integers, half
// bytes.
static_assert(std::all_of(std::begin(embed::rowEncodings),
                          std::end(embed::rowEncodings),
                          [](const embed::RowEncoding &row) {
                            return row.bits == 8 ||
                                   (row.bits == 4 && row.isInteger());
                          }));

/// A number that is not negative divided by a power of two, rounded up.
Value StoredRows::divideUp(Value number, int64_t by) {
  if (by == 1)
    return number;
  Value most = arith::AddIOp::create(builder, number, builder.index(by - 1));
  return arith::ShRUIOp::create(builder, most,
                                builder.index(llvm::Log2_64(by)));
}

void StoredRows::requireLength(Value length, const Twine &operation) {
  Value needed = length;
  if (format) {
    needed = divideUp(length, format.getEncoding()->elementsOfByte());
    Value beside;
    if (layout.hasBlockScales()) {
      beside = divideUp(length, layout.parameters->blockLength);
      (format.getLeading() ? firstElement : firstScale) =
          format.getLeading() ? beside : needed;
    } else {
      int64_t bytes = layout.parameterBytes(0);
      beside = builder.index(bytes);
      if (format.getLeading())
        firstElement = beside;
    }
    needed = arith::AddIOp::create(builder, needed, beside);
  }
  builder.requireEqual(builder.size(table, 1), needed,
                       operation + ": the rows of the table are not as long "
                                   "as the result needs");
}

Value StoredRows::byte(Value position) {
  return memref::LoadOp::create(builder, table, ValueRange{row, position});
}

/// A byte of the row as an unsigned i32.
Value StoredRows::unsignedByte(Value position) {
  return arith::ExtUIOp::create(builder, builder.getI32Type(), byte(position));
}

/// The scale or bias from `firstByte` on, little end first. Single bytes are
/// loaded because rows need not be aligned; back ends join the loads.
Value StoredRows::parameter(Value firstByte) {
  auto stored = cast<FloatType>(
      getType(builder.getContext(), *findScalarType(layout.parameters->name)));
  Value bits;
  for (int64_t i = 0, e = stored.getWidth() / 8; i != e; ++i) {
    Value at = arith::AddIOp::create(builder, firstByte, builder.index(i));
    Value part = unsignedByte(at);
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
  if (!isScaled())
    return;
  int64_t width = layout.parameters->bits / 8;
  Value first = builder.index(0);
  if (!format.getLeading())
    first = arith::SubIOp::create(builder, builder.size(table, 1),
                                  builder.index(2 * width));
  scale = parameter(first);
  bias = parameter(arith::AddIOp::create(builder, first, builder.index(width)));
}

/// The scale of a block. Its byte is the exponent of a float; that of the
/// smallest one is no normal number's, and that of NaN would be infinity's.
Value StoredRows::blockScale(Value block) {
  constexpr int64_t exponentPlaces = 23;
  constexpr int64_t smallest = 0x00400000, nan = 0x7fc00000;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, value, 32);
  };
  Value at = block;
  if (firstScale)
    at = arith::AddIOp::create(builder, at, firstScale);
  Value exponent = unsignedByte(at);
  Value bits =
      arith::ShLIOp::create(builder, exponent, constant(exponentPlaces));
  auto replace = [&](int64_t value, int64_t by) {
    Value isValue = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                          exponent, constant(value));
    bits = arith::SelectOp::create(builder, isValue, constant(by), bits);
  };
  replace(0, smallest);
  replace(0xff, nan);
  Value stored = arith::BitcastOp::create(builder, builder.getF32Type(), bits);
  return builder.convert(stored, type);
}

void StoredRows::forEach(Value length, llvm::function_ref<void(Value)> emit) {
  if (!layout.hasBlockScales()) {
    builder.loop(length, emit);
    return;
  }
  int64_t blockLength = layout.parameters->blockLength;
  Value most = builder.index(blockLength);
  auto emitBlock = [&](Value block, Value elements) {
    scale = blockScale(block);
    Value first = arith::MulIOp::create(builder, block, most);
    builder.loop(elements, [&](Value d) {
      emit(arith::AddIOp::create(builder, first, d));
    });
  };
  Value places = builder.index(llvm::Log2_64(blockLength));
  Value whole = builder.createOrFold<arith::ShRUIOp>(length, places);
  builder.loop(builder.index(0), whole,
               [&](Value block) { emitBlock(block, most); });
  std::optional<int64_t> fixed = getConstantIntValue(length);
  if (fixed && *fixed % blockLength == 0)
    return;
  // The last block, which is shorter, if there is one.
  Value rest = builder.createOrFold<arith::AndIOp>(
      length, builder.index(blockLength - 1));
  builder.loop(whole, divideUp(length, blockLength),
               [&](Value block) { emitBlock(block, rest); });
}

/// A byte of the elements, which may be behind the scale and bias.
Value StoredRows::elementByte(Value position) {
  if (firstElement)
    position = arith::AddIOp::create(builder, position, firstElement);
  return byte(position);
}

/// The unsigned i32 of such a byte.
Value StoredRows::elementBits(Value position) {
  return arith::ExtUIOp::create(builder, builder.getI32Type(),
                                elementByte(position));
}

/// An element that is a float of its own.
Value StoredRows::elementFloat(Value position) {
  Type stored = getType(builder.getContext(), *layout.encoding->element);
  Value number =
      arith::BitcastOp::create(builder, stored, elementByte(position));
  return builder.convert(number, type);
}

Value StoredRows::integer(Value position) {
  Value bits;
  if (!hasPairs()) {
    bits = elementBits(position);
  } else {
    // Two a byte, the even one in the low half.
    Value one = builder.index(1);
    Value pair = arith::ShRUIOp::create(builder, position, one);
    Value isOdd = arith::AndIOp::create(builder, position, one);
    Value places = arith::IndexCastOp::create(
        builder, builder.getI32Type(),
        arith::ShLIOp::create(builder, isOdd, builder.index(2)));
    bits = arith::ShRUIOp::create(builder, elementBits(pair), places);
    Value low = arith::ConstantIntOp::create(builder, 15, 32);
    bits = arith::AndIOp::create(builder, bits, low);
  }
  return arith::UIToFPOp::create(builder, type, bits);
}

std::pair<Value, Value> StoredRows::integers(Value pair) {
  Value bits = elementBits(pair);
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
  if (!isScaled()) {
    Value number = elementFloat(position);
    if (!layout.hasBlockScales())
      return number;
    return arith::MulFOp::create(builder, number, scale);
  }
  return math::FmaOp::create(builder, integer(position), scale, bias);
}
