//===- RuntimeWriter.cpp - Calls of what makes ids of texts ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember;
using namespace ember::col;

Value RuntimeWriter::toWord(Value index) {
  return arith::IndexCastOp::create(builder, builder.getI64Type(), index);
}

Value RuntimeWriter::getAddress(Value buffer) {
  return toWord(
      memref::ExtractAlignedPointerAsIndexOp::create(builder, buffer));
}

Value RuntimeWriter::getSize(Value buffer, int64_t dimension) {
  return memref::DimOp::create(builder, buffer, dimension);
}

Value RuntimeWriter::countElements(Value buffer, int64_t dimensions) {
  Value count = getSize(buffer, 0);
  for (int64_t dimension : llvm::seq<int64_t>(1, dimensions))
    count = arith::MulIOp::create(builder, count, getSize(buffer, dimension));
  return count;
}

Value RuntimeWriter::addOne(Value index) {
  Value one = arith::ConstantIndexOp::create(builder, 1);
  return arith::AddIOp::create(builder, index, one);
}

Value RuntimeWriter::allocate(ShapedType type, ValueRange sizes) {
  auto memory = MemRefType::get(type.getShape(), type.getElementType());
  return memref::AllocOp::create(builder, memory, sizes);
}

Value RuntimeWriter::allocateList(Value size) {
  return allocate(MemRefType::get(ShapedType::kDynamic, builder.getI64Type()),
                  size);
}

Value RuntimeWriter::call(StringRef name, ValueRange operands, bool returns) {
  auto module = op->getParentOfType<ModuleOp>();
  Type word = builder.getI64Type();
  SmallVector<Type> results(returns ? 1 : 0, word);
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    function = func::FuncOp::create(
        builder, name, builder.getFunctionType(operands.getTypes(), results));
    function.setPrivate();
  }
  auto made = func::CallOp::create(builder, function, operands);
  return returns ? made.getResult(0) : Value();
}

SmallVector<Value> RuntimeWriter::write(TextIdsOp op, Buffers buffers) {
  Value bytes = buffers[0], places = buffers[1], recipe = buffers[2];
  RankedTensorType type = op.getIds().getType();
  SmallVector<Value> sizes;
  for (int64_t dimension : llvm::seq(type.getRank()))
    if (type.isDynamicDim(dimension))
      sizes.push_back(getSize(places, dimension));
  Value ids = allocate(type, sizes);
  call("ember_texts_to_ids",
       {getAddress(bytes), toWord(getSize(bytes, 0)), getAddress(places),
        toWord(countElements(places, type.getRank())), getAddress(recipe),
        getAddress(ids)});
  return {ids};
}

SmallVector<Value> RuntimeWriter::write(PartIdsOp op, Buffers buffers) {
  Value bytes = buffers[0], places = buffers[1], recipe = buffers[2];
  bool isMatrix = op.getPlaces().getType().getRank() == 3;
  Value rows = getSize(places, 0);
  Value columns = isMatrix ? getSize(places, 1)
                           : Value(arith::ConstantIndexOp::create(builder, 1));
  Value offsets = allocateList(addOne(rows));
  Value bytesAddress = getAddress(bytes), placesAddress = getAddress(places);
  Value recipeAddress = getAddress(recipe);
  Value count =
      call("ember_texts_count_parts",
           {bytesAddress, toWord(getSize(bytes, 0)), placesAddress,
            toWord(rows), toWord(columns), recipeAddress, getAddress(offsets)},
           /*returns=*/true);
  Value ids = allocateList(
      arith::IndexCastOp::create(builder, builder.getIndexType(), count));
  call("ember_parts_to_ids",
       {bytesAddress, placesAddress,
        toWord(arith::MulIOp::create(builder, rows, columns)), recipeAddress,
        getAddress(ids)});
  return {ids, offsets};
}

SmallVector<Value> RuntimeWriter::write(OrderRowsOp op, Buffers buffers) {
  Value places = buffers[0], shape = buffers[1];
  Value first = arith::ConstantIndexOp::create(builder, 0);
  // No batch has less than no rows.
  Value none = arith::ConstantIntOp::create(builder, 0, 64);
  Value rows = arith::MaxSIOp::create(
      builder, memref::LoadOp::create(builder, shape, first), none);
  Value count = getSize(places, 0);
  Value order = allocateList(count);
  Value offsets = allocateList(addOne(
      arith::IndexCastOp::create(builder, builder.getIndexType(), rows)));
  call("ember_order_rows",
       {getAddress(places), toWord(count), toWord(getSize(places, 1)), rows,
        getAddress(order), getAddress(offsets)});
  return {order, offsets};
}
