//===- FixedValues.cpp - What is known before a program runs --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedValues.h"

#include "ember/ABI/RuntimeCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ember;

FixedValues::FixedValues(dlc::ProgramOp from, tmu::ProgramOp to)
    : from(from), to(to), before(to->getPrevNode()), builder(to) {}

//===----------------------------------------------------------------------===//
// Inside and outside
//===----------------------------------------------------------------------===//

static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

Value FixedValues::getOutside(Value value) {
  if (Value captured = dlc::getCaptured(value))
    return captured;
  Value &outside = constantsOutside[value];
  if (!outside)
    outside = builder.clone(*value.getDefiningOp())->getResult(0);
  return outside;
}

Value FixedValues::copyConstant(Operation *constant) {
  auto attribute = constant->getAttrOfType<TypedAttr>("value");
  Value known = attribute ? constantsInside.lookup(attribute) : Value();
  if (known)
    return known;
  auto atBegin = OpBuilder::atBlockBegin(&to.getConfiguration().front());
  Value copy = atBegin.clone(*constant)->getResult(0);
  if (attribute)
    constantsInside[attribute] = copy;
  return copy;
}

Value FixedValues::capture(Value outside) {
  Value &value = inside[outside];
  if (value)
    return value;
  if (isConstant(outside))
    return value = copyConstant(outside.getDefiningOp());
  to.getCapturesMutable().append(outside);
  return value = to.getConfiguration().addArgument(outside.getType(),
                                                   outside.getLoc());
}

Value FixedValues::get(Value value, int64_t lane) {
  Value outside = getOutside(value);
  if (!isa<VectorType>(outside.getType()))
    return capture(outside);
  Value &element = lanes[{outside, lane}];
  if (!element)
    element =
        builder.createOrFold<vector::ExtractOp>(value.getLoc(), outside, lane);
  return capture(element);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value FixedValues::index(int64_t value) {
  return constant(builder.getIndexAttr(value));
}

Value FixedValues::constant(TypedAttr value) {
  Value &made = constants[value];
  if (!made)
    made = arith::ConstantOp::create(builder, from.getLoc(), value);
  return made;
}

Value FixedValues::add(Value lhs, Value rhs) {
  return builder.createOrFold<arith::AddIOp>(from.getLoc(), lhs, rhs);
}

Value FixedValues::multiply(Value lhs, Value rhs) {
  return builder.createOrFold<arith::MulIOp>(from.getLoc(), lhs, rhs);
}

Value FixedValues::advance(Value lower, Value distance, Value upper) {
  Location loc = from.getLoc();
  Value first = add(lower, distance);
  if (first == lower)
    return lower;
  Value wraps = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::slt, first, lower);
  return builder.createOrFold<arith::SelectOp>(loc, wraps, upper, first);
}

Value FixedValues::roundUp(Value lower, Value upper, Value stride) {
  Location loc = from.getLoc();
  Value length = builder.createOrFold<arith::SubIOp>(loc, upper, lower);
  Value count = builder.createOrFold<arith::CeilDivUIOp>(loc, length, stride);
  Value end = add(lower, multiply(count, stride));
  Value isRange = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::slt, lower, upper);
  return builder.createOrFold<arith::SelectOp>(loc, isRange, end, upper);
}

Value FixedValues::getStride(Value memref, unsigned dimension) {
  auto type = cast<MemRefType>(memref.getType());
  auto [known, offset] = type.getStridesAndOffset();
  if (!ShapedType::isDynamic(known[dimension]))
    return index(known[dimension]);
  Value &stride = strides[{memref, dimension}];
  if (stride)
    return stride;
  Location loc = from.getLoc();
  if (!type.getLayout().isIdentity()) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, memref);
    for (auto [number, value] : llvm::enumerate(metadata.getStrides()))
      strides[{memref, static_cast<unsigned>(number)}] = value;
    return metadata.getStrides()[dimension];
  }
  Value size = builder.createOrFold<memref::DimOp>(loc, memref, dimension + 1);
  Value product = multiply(getStride(memref, dimension + 1), size);
  return strides[{memref, dimension}] = product;
}

void FixedValues::checkStep(Value step, Location loc) {
  if (getConstantIntValue(step))
    return;
  Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                      step, index(0));
  cf::AssertOp::create(builder, loc, holds,
                       messageAt("the step of a loop is not positive", loc));
}

/// Erases what nothing uses, from `last` back to behind `before`, which may be
/// null for the beginning of the block.
static void eraseUnusedBack(Operation *last, Operation *before) {
  while (last && last != before) {
    Operation *next = last->getPrevNode();
    if (isOpTriviallyDead(last))
      last->erase();
    last = next;
  }
}

void FixedValues::eraseUnused() {
  eraseUnusedBack(to->getPrevNode(), before);
  for (Operation &op :
       llvm::make_early_inc_range(to.getConfiguration().front()))
    if (op.hasTrait<OpTrait::ConstantLike>() && op.use_empty())
      op.erase();
}
