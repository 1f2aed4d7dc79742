//===- NestBuilder.cpp - Loops, loads and checks of a lowered operation ---===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/EmbedToSCF/NestBuilder.h"

#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;

Value NestBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value NestBuilder::zero(Type type) {
  return arith::ConstantOp::create(*this, getZeroAttr(type));
}

Value NestBuilder::size(Value memref, int64_t dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return index(type.getDimSize(dim));
  return memref::DimOp::create(*this, memref, dim);
}

void NestBuilder::requireEqual(Value a, Value b, const Twine &message) {
  std::optional<int64_t> left = getConstantIntValue(a);
  std::optional<int64_t> right = getConstantIntValue(b);
  if (left && right && *left == *right)
    return;
  Value equal = arith::CmpIOp::create(*this, arith::CmpIPredicate::eq, a, b);
  cf::AssertOp::create(*this, equal, message.str());
}

Value NestBuilder::allocate(ArrayRef<Value> sizes, Type element,
                            StringRef name) {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  for (Value size : sizes) {
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    if (ShapedType::isDynamic(shape.back()))
      dynamicSizes.push_back(size);
  }
  auto alloc = memref::AllocOp::create(*this, MemRefType::get(shape, element),
                                       dynamicSizes);
  alloc->setAttr(nameAttr, getStringAttr(name));
  return alloc;
}

Value NestBuilder::allocateScratch(ArrayRef<Value> sizes, Type element,
                                   StringRef name) {
  Value memref = allocate(sizes, element, name);
  memref.getDefiningOp()->setAttr(scratchAttr, getUnitAttr());
  return memref;
}

Value NestBuilder::loadIndex(Value memref, ValueRange at) {
  Value value = memref::LoadOp::create(*this, memref, at);
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(*this, getIndexType(), value);
}

Value NestBuilder::convert(Value value, FloatType type) {
  auto from = cast<FloatType>(value.getType());
  if (from == type)
    return value;
  if (from.getWidth() < type.getWidth())
    return arith::ExtFOp::create(*this, type, value);
  return arith::TruncFOp::create(*this, type, value);
}

Value NestBuilder::divisor(Value count, FloatType type) {
  Value atLeastOne = arith::MaxSIOp::create(*this, count, index(1));
  Value integer = arith::IndexCastOp::create(*this, getI64Type(), atLeastOne);
  return arith::SIToFPOp::create(*this, type, integer);
}

Value NestBuilder::loadAs(FloatType type, Value memref, ValueRange at) {
  return convert(memref::LoadOp::create(*this, memref, at), type);
}

void NestBuilder::storeAs(Value value, Value memref, ValueRange at) {
  auto type =
      cast<FloatType>(cast<MemRefType>(memref.getType()).getElementType());
  memref::StoreOp::create(*this, convert(value, type), memref, at);
}

void NestBuilder::loop(Value lower, Value upper, Body body) {
  loop(lower, upper, ValueRange(), [&](Value i, ValueRange) {
    body(i);
    return SmallVector<Value>();
  });
}

SmallVector<Value> NestBuilder::loop(Value lower, Value upper,
                                     ValueRange initial, CarryingBody body) {
  auto loop = scf::ForOp::create(*this, lower, upper, index(1), initial);
  InsertionGuard guard(*this);
  if (initial.empty())
    setInsertionPoint(loop.getBody()->getTerminator());
  else
    setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!initial.empty())
    scf::YieldOp::create(*this, next);
  return llvm::to_vector_of<Value>(loop.getResults());
}
