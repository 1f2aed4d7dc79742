//===- ScannedRow.cpp - Few coordinates in a register ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScannedRow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ember::cin;

ScannedRow::ScannedRow(ImplicitLocOpBuilder &builder, LevelCode &levels,
                       const Fiber &fiber, Segment segment, int64_t most)
    : builder(builder), begin(segment.begin) {
  Value array = levels.getStorage(fiber.array).coordinates(fiber.depth() - 1);
  Type stored = cast<MemRefType>(array.getType()).getElementType();
  auto make = [&](Type element) { return VectorType::get(most, element); };
  Value length = arith::SubIOp::create(builder, segment.end, segment.begin);
  mask =
      vector::CreateMaskOp::create(builder, make(builder.getI1Type()), length);
  Value none =
      arith::ConstantOp::create(builder, builder.getZeroAttr(make(stored)));
  coordinates = vector::MaskedLoadOp::create(builder, make(stored), array,
                                             begin, mask, none);
  // Compared as indices, of which the other one may have more bits.
  if (!stored.isIndex())
    coordinates = arith::IndexCastOp::create(
        builder, make(builder.getIndexType()), coordinates);
  assertIncreasing(length, levels.getStorage(fiber.array).name);
}

Value ScannedRow::pack(Value lanes) {
  auto count = cast<VectorType>(mask.getType()).getNumElements();
  Type bits = builder.getIntegerType(count);
  Value packed =
      vector::BitCastOp::create(builder, VectorType::get(1, bits), lanes);
  return vector::ExtractOp::create(builder, packed, 0);
}

void ScannedRow::assertIncreasing(Value length, const std::string &name) {
  // Each lane beside the next one; there is none behind the last.
  auto count = cast<VectorType>(mask.getType()).getNumElements();
  SmallVector<int64_t> next = llvm::to_vector(llvm::seq<int64_t>(1, count));
  next.push_back(count - 1);
  Value later =
      vector::ShuffleOp::create(builder, coordinates, coordinates, next);
  Value isNotLater = arith::CmpIOp::create(builder, arith::CmpIPredicate::sle,
                                           later, coordinates);
  Value pairs = arith::SubIOp::create(
      builder, length, arith::ConstantIndexOp::create(builder, 1));
  Value havePairs = vector::CreateMaskOp::create(
      builder, cast<VectorType>(mask.getType()), pairs);
  Value wrong = pack(arith::AndIOp::create(builder, isNotLater, havePairs));
  Value none =
      arith::ConstantOp::create(builder, builder.getZeroAttr(wrong.getType()));
  Value increase =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, wrong, none);
  cf::AssertOp::create(builder, increase,
                       "coordinates of " + name + " do not increase");
}

Cursor ScannedRow::find(Value coordinate) {
  Value all =
      vector::BroadcastOp::create(builder, coordinates.getType(), coordinate);
  Value isEqual = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                        coordinates, all);
  Value number = pack(arith::AndIOp::create(builder, isEqual, mask));
  Value zero =
      arith::ConstantOp::create(builder, builder.getZeroAttr(number.getType()));
  Value isStored =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, number, zero);
  Value lane = arith::IndexCastUIOp::create(
      builder, builder.getIndexType(),
      math::CountTrailingZerosOp::create(builder, number));
  Value position = arith::AddIOp::create(builder, begin, lane);
  return {position, /*end=*/{}, isStored};
}
