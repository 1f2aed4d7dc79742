//===- RowDecoder.cpp - Elements of encoded rows as expressions -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowDecoder.h"

#include "ember/ABI/ScalarTypes.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace ember;
using namespace ember::cin;

// What rows may be for the code here: bytes, or, of integers, half bytes.
static_assert(std::all_of(std::begin(rowEncodings), std::end(rowEncodings),
                          [](const RowEncoding &row) {
                            return row.bits == 8 ||
                                   (row.bits == 4 && row.isInteger());
                          }));

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Value RowExpressionBuilder::call(StringRef function, ValueRange operands,
                                 Type type) {
  auto builtin = BuiltinAttr::get(getContext(), findBuiltin(function));
  return CallOp::create(*this, type, builtin, operands);
}

Value RowExpressionBuilder::number(int64_t value, Type type) {
  return LiteralOp::create(*this, type, getIntegerAttr(type, value));
}

Value RowExpressionBuilder::zero(Type type) {
  return LiteralOp::create(*this, type, getConstant(Constant::zero, type));
}

Value RowExpressionBuilder::index(int64_t value) {
  return apply(getAffineConstantExpr(value), {});
}

Value RowExpressionBuilder::apply(AffineExpr expr, ValueRange operands) {
  auto map = AffineMap::get(operands.size(), 0, expr);
  return ApplyOp::create(*this, getIndexType(), map, operands);
}

Value RowExpressionBuilder::asIndex(Value value) {
  if (value.getType().isIndex())
    return value;
  return call("convert", value, getIndexType());
}

Value RowExpressionBuilder::shiftRight(Value value, int64_t places) {
  return call("shr", {value, index(places)}, getIndexType());
}

Value RowExpressionBuilder::extent(Value array, unsigned dimension) {
  return ExtentOp::create(*this, getIndexType(), array, dimension);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void RowDecoder::enter(Value length) {
  AffineExpr number = builder.dim(0);
  if (layout.hasBlockScales()) {
    int64_t block = layout.parameters->blockLength;
    if (layout.isLeading)
      firstElement = builder.shiftRight(
          builder.apply(number + (block - 1), length), llvm::Log2_64(block));
    else
      firstParameter = builder.apply(number, length);
    return;
  }
  int64_t beside = layout.parameterBytes(0);
  if (beside == 0)
    return;
  if (layout.isLeading)
    firstElement = builder.index(beside);
  else
    firstParameter = builder.apply(number - beside, builder.extent(bytes, 1));
}

Value RowDecoder::byte(Value row, Value position) {
  return AccessOp::create(builder, bytes, ValueRange{row, position});
}

Value RowDecoder::unsignedByte(Value row, Value position) {
  return builder.call("convert_unsigned", byte(row, position),
                      builder.getI32Type());
}

Value RowDecoder::asValue(Value number) {
  if (number.getType() == type)
    return number;
  return builder.call("convert", number, type);
}

/// The scale or bias of a row, little end first. Single bytes are loaded
/// because rows need not be aligned; back ends join the loads.
Value RowDecoder::parameter(Value row, unsigned number) {
  auto stored = cast<FloatType>(ember::getType(
      builder.getContext(), *findScalarType(layout.parameters->name)));
  Type wide = builder.getI32Type();
  int64_t width = stored.getWidth() / 8;
  Value bits;
  for (int64_t i = 0; i < width; ++i) {
    int64_t place = number * width + i;
    Value position = firstParameter
                         ? builder.apply(builder.dim(0) + place, firstParameter)
                         : builder.index(place);
    Value part = unsignedByte(row, position);
    if (i != 0) {
      part = builder.call("shl", {part, builder.number(8 * i, wide)}, wide);
      bits = builder.call("or", {bits, part}, wide);
    } else {
      bits = part;
    }
  }
  if (stored.getWidth() == 16)
    bits = builder.call("convert", bits, builder.getI16Type());
  return asValue(builder.call("bitcast", bits, stored));
}

/// The scale of a block. Its byte is the exponent of a float; that of the
/// smallest one is no normal number's, and that of NaN would be infinity's.
Value RowDecoder::blockScale(Value row, Value block) {
  constexpr int64_t exponentPlaces = 23;
  constexpr int64_t smallest = 0x00400000, nan = 0x7fc00000;
  Type wide = builder.getI32Type();
  AffineExpr sum = builder.dim(0) + builder.dim(1);
  Value position = firstParameter ? builder.apply(sum, {block, firstParameter})
                                  : builder.apply(builder.dim(0), block);
  Value exponent = unsignedByte(row, position);
  Value bits = builder.call(
      "shl", {exponent, builder.number(exponentPlaces, wide)}, wide);
  auto replace = [&](int64_t value, int64_t by) {
    Value isValue = builder.call("eq", {exponent, builder.number(value, wide)},
                                 builder.getI1Type());
    bits =
        builder.call("select", {isValue, builder.number(by, wide), bits}, wide);
  };
  replace(0, smallest);
  replace(0xff, nan);
  return asValue(builder.call("bitcast", bits, builder.getF32Type()));
}

Value RowDecoder::placeOf(Value position) {
  // Not the variable itself: what it is an index of has as many elements.
  if (!firstElement)
    return builder.apply(builder.dim(0), position);
  return builder.apply(builder.dim(0) + builder.dim(1),
                       {position, firstElement});
}

Value RowDecoder::number(Value row, Value column) {
  Type stored = ember::getType(builder.getContext(), *layout.encoding->element);
  return asValue(builder.call("bitcast", byte(row, placeOf(column)), stored));
}

Value RowDecoder::integer(Value row, Value column) {
  if (!hasPairs())
    return builder.call("convert_unsigned", unsignedByte(row, placeOf(column)),
                        type);
  // Two a byte, the even one in the low half.
  Type wide = builder.getI32Type();
  Value pair = builder.shiftRight(column, 1);
  Type index = builder.getIndexType();
  Value isOdd = builder.call("and", {column, builder.index(1)}, index);
  Value places =
      builder.call("convert", builder.apply(builder.dim(0) * 4, isOdd), wide);
  Value bits =
      builder.call("shr", {unsignedByte(row, placeOf(pair)), places}, wide);
  Value low = builder.call("and", {bits, builder.number(15, wide)}, wide);
  return builder.call("convert_unsigned", low, type);
}

std::pair<Value, Value> RowDecoder::integers(Value row, Value pair) {
  Type wide = builder.getI32Type();
  Value bits = unsignedByte(row, placeOf(pair));
  Value even = builder.call("and", {bits, builder.number(15, wide)}, wide);
  Value odd = builder.call("shr", {bits, builder.number(4, wide)}, wide);
  return {builder.call("convert_unsigned", even, type),
          builder.call("convert_unsigned", odd, type)};
}
