//===- RowStorage.cpp - How long encoded rows are -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/Transforms/RowStorage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

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

Value cin::emitRowBytes(ImplicitLocOpBuilder &builder, const RowLayout &layout,
                        Value length) {
  Value elements = divideUp(builder, length, layout.encoding->elementsOfByte());
  Value beside = layout.hasBlockScales()
                     ? divideUp(builder, length, layout.parameters->blockLength)
                     : constant(builder, layout.parameterBytes(0));
  return arith::AddIOp::create(builder, elements, beside);
}
