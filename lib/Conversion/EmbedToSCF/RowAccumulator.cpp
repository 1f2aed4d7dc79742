//===- RowAccumulator.cpp - Where the rows of a segment are reduced -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/EmbedToSCF/RowAccumulator.h"
#include "ember/Conversion/EmbedToSCF/StoredRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember;
using ember::embed::Reduction;

RowAccumulator::RowAccumulator(NestBuilder &builder, Reduction reduction,
                               Value out, Value length, Value column,
                               FloatType type, RowSumKinds kinds)
    : builder(builder), reduction(reduction), out(out), length(length),
      column(column), type(type) {
  if (kinds.hasShifts)
    shifts =
        builder.allocateScratch(builder.index(1), type, "shift of the result");
  if (kinds.hasPairs) {
    Value one = builder.index(1);
    Value pairs = builder.createOrFold<arith::ShRUIOp>(
        builder.createOrFold<arith::AddIOp>(length, one), one);
    scratch =
        builder.allocateScratch(pairs, type, "even elements of the result");
    oddScratch =
        builder.allocateScratch(pairs, type, "odd elements of the result");
  } else if (cast<MemRefType>(out.getType()).getElementType() != type) {
    scratch = builder.allocateScratch(length, type, "row of the result");
  }
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
  if (shifts)
    memref::StoreOp::create(builder, zero, shifts, builder.index(0));
  Value elements = scratch ? builder.size(scratch, 0) : length;
  builder.loop(elements, [&](Value d) {
    memref::StoreOp::create(builder, zero, scratch ? scratch : out, place(d));
    if (oddScratch)
      memref::StoreOp::create(builder, zero, oddScratch, d);
  });
}

void RowAccumulator::accumulate(Value memory, ArrayRef<Value> at, Value isKept,
                                llvm::function_ref<Value(Value)> combine) {
  Value old = memref::LoadOp::create(builder, memory, at);
  Value reduced = combine(old);
  // A select and not a product: a row that is skipped may hold NaN.
  if (isKept)
    reduced = arith::SelectOp::create(builder, isKept, reduced, old);
  memref::StoreOp::create(builder, reduced, memory, at);
}

void RowAccumulator::add(Value isFirst, Value isKept, StoredRows *stored,
                         llvm::function_ref<RowTerm(Value)> term) {
  auto reduce = [&](Value d) {
    RowTerm next = term(d);
    accumulate(scratch ? scratch : out, place(d), isKept, [&](Value old) {
      return reduction == Reduction::max ? maximum(old, next, isFirst)
                                         : sum(old, next);
    });
  };
  if (stored)
    stored->forEach(length, reduce);
  else
    builder.loop(length, reduce);
}

void RowAccumulator::addPairs(
    Value isKept, llvm::function_ref<std::pair<RowTerm, RowTerm>(Value)> pair) {
  builder.loop(builder.size(scratch, 0), [&](Value j) {
    std::pair<RowTerm, RowTerm> terms = pair(j);
    accumulate(scratch, j, isKept,
               [&](Value old) { return sum(old, terms.first); });
    accumulate(oddScratch, j, isKept,
               [&](Value old) { return sum(old, terms.second); });
  });
}

Value RowAccumulator::maximum(Value old, RowTerm term, Value isFirst) {
  Value value = term.value;
  if (term.factor)
    value = arith::MulFOp::create(builder, value, term.factor);
  Value isGreater =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::OGT, value, old);
  Value isTaken = arith::OrIOp::create(builder, isGreater, isFirst);
  return arith::SelectOp::create(builder, isTaken, value, old);
}

Value RowAccumulator::sum(Value old, RowTerm term) {
  if (term.factor)
    return math::FmaOp::create(builder, term.value, term.factor, old);
  return arith::AddFOp::create(builder, old, term.value);
}

void RowAccumulator::shift(Value isKept, Value value) {
  Value zero = builder.index(0);
  Value old = memref::LoadOp::create(builder, shifts, zero);
  Value next = arith::AddFOp::create(builder, old, value);
  if (isKept)
    next = arith::SelectOp::create(builder, isKept, next, old);
  memref::StoreOp::create(builder, next, shifts, zero);
}

void RowAccumulator::end(Value count) {
  bool divides = reduction == Reduction::mean;
  if (!scratch && !divides && !shifts)
    return;
  Value divisor, shift;
  if (shifts)
    shift = memref::LoadOp::create(builder, shifts, builder.index(0));
  if (divides)
    divisor = builder.divisor(count, type);
  forEachSum([&](Value d, Value value) {
    if (shift)
      value = arith::AddFOp::create(builder, value, shift);
    if (divides)
      value = arith::DivFOp::create(builder, value, divisor);
    builder.storeAs(value, out, outputPlace(d));
  });
}

void RowAccumulator::forEachSum(Finish finish) {
  if (!oddScratch) {
    builder.loop(length, [&](Value d) {
      Value memory = scratch ? scratch : out;
      finish(d, memref::LoadOp::create(builder, memory, place(d)));
    });
    return;
  }
  Value one = builder.index(1);
  Value pairs = builder.createOrFold<arith::ShRUIOp>(length, one);
  builder.loop(pairs, [&](Value j) {
    Value even = arith::ShLIOp::create(builder, j, one);
    finish(even, memref::LoadOp::create(builder, scratch, j));
    finish(arith::AddIOp::create(builder, even, one),
           memref::LoadOp::create(builder, oddScratch, j));
  });
  // The last element of a row of odd length.
  builder.loop(pairs, builder.size(scratch, 0), [&](Value j) {
    finish(arith::ShLIOp::create(builder, j, one),
           memref::LoadOp::create(builder, scratch, j));
  });
}

void RowAccumulator::release() {
  for (Value memory : {scratch, oddScratch, shifts})
    if (memory)
      memref::DeallocOp::create(builder, memory);
}
