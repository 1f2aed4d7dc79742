//===- Regrouping.cpp - Copies of matrices by their other dimension -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counting sort: how many elements each segment has, where it begins, and then
// each element behind those that its segment has already. Where segments begin
// moves along with that, and is put back in the end.
//
//===----------------------------------------------------------------------===//

#include "EvaluationLowering.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

namespace {
/// Emits the loops over what a matrix stores.
class StoredLoops {
public:
  using Body =
      llvm::function_ref<void(Value outer, Value inner, Value position)>;

  StoredLoops(ImplicitLocOpBuilder &builder, LevelCode &levels,
              const Storage &storage)
      : builder(builder), levels(levels), storage(storage) {}

  void emit(Body body) {
    Value zero = levels.constant(0);
    if (storage.level(0).kind == LevelKind::dense) {
      forAll(zero, storage.sizeOfLevel(0),
             [&](Value outer) { emitSegment(outer, outer, body); });
      return;
    }
    Value begin = levels.loadIndex(storage.positions(0), zero);
    Value end = levels.loadIndex(storage.positions(0), levels.constant(1));
    forAll(begin, end, [&](Value position) {
      Value outer = levels.loadIndex(storage.coordinates(0), position);
      emitSegment(outer, position, body);
    });
  }

  void forAll(Value from, Value to, llvm::function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(builder, from, to, levels.constant(1));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    body(loop.getInductionVar());
  }

private:
  /// What is stored below a position of the outer level.
  void emitSegment(Value outer, Value above, Body body) {
    auto emitElement = [&](Value position) {
      Value inner = levels.loadIndex(storage.coordinates(1), position);
      body(outer, inner, position);
    };
    if (storage.level(1).kind == LevelKind::singleton) {
      emitElement(above);
      return;
    }
    Value begin = levels.loadIndex(storage.positions(1), above);
    Value end = levels.loadIndex(storage.positions(1), levels.add(above, 1));
    forAll(begin, end, emitElement);
  }

  ImplicitLocOpBuilder &builder;
  LevelCode &levels;
  const Storage &storage;
};
} // namespace

void EvaluationLowering::emit(RegroupOp regroup) {
  builder.setLoc(regroup.getLoc());
  const Storage &storage = levels.getStorage(regroup.getArray());
  StoredLoops stored(builder, levels, storage);
  Value zero = constant(0), one = constant(1);
  Value size = storage.sizeOfLevel(1);
  Type wide = builder.getI64Type();
  auto makeArray = [&](Type element, Value count) {
    auto type = MemRefType::get({ShapedType::kDynamic}, element);
    return allocate(type, count, /*isScratch=*/false);
  };
  auto load = [&](Value array, Value position) -> Value {
    return memref::LoadOp::create(builder, array, position);
  };
  auto store = [&](Value value, Value array, Value position) {
    memref::StoreOp::create(builder, value, array, position);
  };
  auto increase = [&](Value count) -> Value {
    Value step = arith::ConstantOp::create(builder, IntegerAttr::get(wide, 1));
    return arith::AddIOp::create(builder, count, step);
  };

  // How many there are, behind where the segment's beginning will be.
  Value ends = arith::AddIOp::create(builder, size, one);
  Value positions = makeArray(wide, ends);
  Value none = arith::ConstantOp::create(builder, IntegerAttr::get(wide, 0));
  stored.forAll(zero, ends, [&](Value end) { store(none, positions, end); });
  unsigned dimension = storage.format().getDimensionOf(1);
  stored.emit([&](Value, Value inner, Value) {
    Value isInside =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, inner, size);
    cf::AssertOp::create(builder, isInside,
                         "a coordinate of dimension " +
                             std::to_string(dimension) + " of " + storage.name +
                             " is out of bounds");
    Value end = levels.add(inner, 1);
    store(increase(load(positions, end)), positions, end);
  });
  stored.forAll(zero, size, [&](Value segment) {
    Value next = levels.add(segment, 1);
    Value sum = arith::AddIOp::create(builder, load(positions, segment),
                                      load(positions, next));
    store(sum, positions, next);
  });

  Value count = levels.loadIndex(positions, size);
  Value coordinates = makeArray(wide, count);
  Type element = getElementTypeOrSelf(storage.values.getType());
  Value copied = makeArray(element, count);
  stored.emit([&](Value outer, Value inner, Value position) {
    Value place = load(positions, inner);
    store(increase(place), positions, inner);
    place = arith::IndexCastOp::create(builder, builder.getIndexType(), place);
    store(arith::IndexCastOp::create(builder, wide, outer), coordinates, place);
    store(load(storage.values, position), copied, place);
  });
  // Each beginning is now where the next one was.
  auto back = scf::ForOp::create(builder, zero, size, one, ValueRange{none});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(back.getBody());
    Value segment = back.getInductionVar();
    Value next = load(positions, segment);
    store(back.getRegionIterArg(0), positions, segment);
    scf::YieldOp::create(builder, next);
  }
  values.map(regroup.getPositions(), positions);
  values.map(regroup.getCoordinates(), coordinates);
  values.map(regroup.getValues(), copied);
}
