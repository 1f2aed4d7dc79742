//===- RowStorage.cpp - How long encoded rows are -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowStorage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;
using namespace ember;
using namespace ember::cin;

// A block of elements of a byte has a scale of a byte.
static_assert(std::all_of(std::begin(embed::rowParameters),
                          std::end(embed::rowParameters),
                          [](const embed::RowParameters &row) {
                            return !row.scalesBlocks() || row.bits == 8;
                          }));

static Value constant(ImplicitLocOpBuilder &builder, int64_t value) {
  return arith::ConstantIndexOp::create(builder, value);
}

/// A number that is not negative divided by another one, rounded up.
static Value divideUp(ImplicitLocOpBuilder &builder, Value number, int64_t by) {
  if (by == 1)
    return number;
  Value most =
      arith::AddIOp::create(builder, number, constant(builder, by - 1));
  return arith::DivUIOp::create(builder, most, constant(builder, by));
}

Value ember::cin::emitRowBytes(ImplicitLocOpBuilder &builder,
                               const embed::RowLayout &layout, Value length) {
  Value elements = divideUp(builder, length, layout.encoding->elementsOfByte());
  Value beside = layout.hasBlockScales()
                     ? divideUp(builder, length, layout.parameters->blockLength)
                     : constant(builder, layout.parameterBytes(0));
  return arith::AddIOp::create(builder, elements, beside);
}

Value ember::cin::emitLongestRow(ImplicitLocOpBuilder &builder,
                                 const embed::RowLayout &layout, Value bytes) {
  auto without = [&](Value number, int64_t less) -> Value {
    Value by = constant(builder, less);
    Value atLeast = arith::MaxUIOp::create(builder, number, by);
    return arith::SubIOp::create(builder, atLeast, by);
  };
  if (!layout.hasBlockScales())
    return arith::MulIOp::create(
        builder, without(bytes, layout.parameterBytes(0)),
        constant(builder, layout.encoding->elementsOfByte()));
  int64_t length = layout.parameters->blockLength;
  Value ofBlock = constant(builder, length + 1);
  Value blocks = arith::DivUIOp::create(builder, bytes, ofBlock);
  Value rest = arith::RemUIOp::create(builder, bytes, ofBlock);
  Value whole =
      arith::MulIOp::create(builder, blocks, constant(builder, length));
  return arith::AddIOp::create(builder, whole, without(rest, 1));
}
