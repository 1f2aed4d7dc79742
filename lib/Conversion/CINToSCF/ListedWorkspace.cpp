//===- ListedWorkspace.cpp - Workspaces with a list of elements -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ListedWorkspace.h"

#include "ember/Dialect/CIN/Transforms/FunctionCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

bool ListedWorkspace::isBitmap() const {
  return storage.level(storage.levels.size() - 1).kind == LevelKind::bitmap;
}

Value ListedWorkspace::getCount() {
  return memref::LoadOp::create(builder, count, ValueRange());
}

void ListedWorkspace::setCount(Value number) {
  memref::StoreOp::create(builder, number, count, ValueRange());
}

ListedWorkspace::ListedWorkspace(ImplicitLocOpBuilder &builder,
                                 LevelCode &levels, ArrayType type,
                                 ArrayRef<Value> sizes, Allocate allocate)
    : WorkspaceCode(builder, levels, type, sizes) {
  Value size = levels.constant(1);
  for (Value mine : sizes)
    size = arith::MulIOp::create(builder, size, mine);
  auto make = [&](Type element, Value elements) {
    return allocate(MemRefType::get(ShapedType::kDynamic, element), elements);
  };
  Type index = builder.getIndexType();
  values = make(type.getElementType(), size);
  mask = make(builder.getI1Type(), size);
  located = {values, mask};
  // An element is written behind the last one, and counts if it is new.
  list = make(index, levels.add(size, 1));
  zero(mask);
  count = memref::AllocaOp::create(builder, MemRefType::get({}, index));
  setCount(levels.constant(0));
  if (isBitmap()) {
    storage.levels.back() = {mask};
    storage.values = values;
    return;
  }
  storage.levels.back() = {make(index, levels.constant(2)), list};
  storage.values = make(type.getElementType(), size);
}

void ListedWorkspace::store(ArrayRef<Value> coordinates, Value value,
                            Function function) {
  Value position = linearize(coordinates);
  Value isThere = memref::LoadOp::create(builder, mask, position);
  if (function) {
    Value there = memref::LoadOp::create(builder, values, position);
    Value sum = emitCall(builder, function, {there, value}, value.getType());
    value = arith::SelectOp::create(builder, isThere, sum, value);
  }
  memref::StoreOp::create(builder, value, values, position);
  Value yes = arith::ConstantOp::create(builder, builder.getBoolAttr(true));
  memref::StoreOp::create(builder, yes, mask, position);
  Value last = getCount();
  memref::StoreOp::create(builder, position, list, last);
  setCount(
      arith::SelectOp::create(builder, isThere, last, levels.add(last, 1)));
}

void ListedWorkspace::forListed(llvm::function_ref<void(Value, Value)> body) {
  auto loop = scf::ForOp::create(builder, levels.constant(0), getCount(),
                                 levels.constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value place = loop.getInductionVar();
  Value position = memref::LoadOp::create(builder, list, place);
  Value no = arith::ConstantOp::create(builder, builder.getBoolAttr(false));
  memref::StoreOp::create(builder, no, mask, position);
  body(place, position);
}

void ListedWorkspace::gather() {
  if (isBitmap())
    return;
  Value positions = storage.levels.back()[0];
  memref::StoreOp::create(builder, levels.constant(0), positions,
                          levels.constant(0));
  memref::StoreOp::create(builder, getCount(), positions, levels.constant(1));
  forListed([&](Value place, Value position) {
    Value value = memref::LoadOp::create(builder, values, position);
    memref::StoreOp::create(builder, value, storage.values, place);
  });
  setCount(levels.constant(0));
}

void ListedWorkspace::clear(llvm::function_ref<void()> /*storeAgain*/) {
  if (!isBitmap())
    return;
  forListed([](Value, Value) {});
  setCount(levels.constant(0));
}
