//===- RowAccumulator.cpp - Where the rows of a segment are reduced -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/EmbedToSCF/RowAccumulator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember;
using ember::embed::Reduction;

RowAccumulator::RowAccumulator(NestBuilder &builder, Reduction reduction,
                               Value out, Value length, Value column,
                               FloatType type)
    : builder(builder), reduction(reduction), out(out), length(length),
      column(column), type(type) {
  if (cast<MemRefType>(out.getType()).getElementType() == type)
    return;
  scratch = builder.allocate(length, type, "row of the result");
}

SmallVector<Value> RowAccumulator::outputPlace(Value position) {
  if (getConstantIntValue(column) != 0)
    position = arith::AddIOp::create(builder, position, column);
  return {row, position};
}

SmallVector<Value> RowAccumulator::place(Value position) {
  if (scratch)
    return {position};
  return outputPlace(position);
}

void RowAccumulator::begin(Value newRow) {
  row = newRow;
  Value zero = builder.zero(type);
  builder.loop(length, [&](Value d) {
    memref::StoreOp::create(builder, zero, scratch ? scratch : out, place(d));
  });
}

void RowAccumulator::add(Value isFirst, Value isKept,
                         llvm::function_ref<Value(Value)> term) {
  builder.loop(length, [&](Value d) {
    Value value = term(d);
    Value memory = scratch ? scratch : out;
    SmallVector<Value> at = place(d);
    Value old = memref::LoadOp::create(builder, memory, at);
    Value next;
    if (reduction == Reduction::max) {
      Value isGreater =
          arith::CmpFOp::create(builder, arith::CmpFPredicate::OGT, value, old);
      Value isTaken = arith::OrIOp::create(builder, isGreater, isFirst);
      next = arith::SelectOp::create(builder, isTaken, value, old);
      if (isKept)
        next = arith::SelectOp::create(builder, isKept, next, old);
    } else {
      // A select and not a product: a row that is skipped may hold NaN.
      if (isKept)
        value =
            arith::SelectOp::create(builder, isKept, value, builder.zero(type));
      next = arith::AddFOp::create(builder, old, value);
    }
    memref::StoreOp::create(builder, next, memory, at);
  });
}

void RowAccumulator::end(Value count) {
  bool divides = reduction == Reduction::mean;
  if (!scratch && !divides)
    return;
  Value divisor;
  if (divides)
    divisor = builder.divisor(count, type);
  builder.loop(length, [&](Value d) {
    Value value =
        memref::LoadOp::create(builder, scratch ? scratch : out, place(d));
    if (divides)
      value = arith::DivFOp::create(builder, value, divisor);
    builder.storeAs(value, out, outputPlace(d));
  });
}

void RowAccumulator::release() {
  if (scratch)
    memref::DeallocOp::create(builder, scratch);
}
