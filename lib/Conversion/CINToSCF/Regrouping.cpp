//===- Regrouping.cpp - Copies of arrays by other levels ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counting sorts, by one dimension after the other: how many elements each
// segment has, where it begins, and then each element behind those that its
// segment has already. Where segments begin moves along with that, and is put
// back in the end.
//
//===----------------------------------------------------------------------===//

#include "EvaluationLowering.h"

#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

namespace {
/// Emits the sorts of what an array stores.
class Sorting {
public:
  using Allocate = llvm::function_ref<Value(MemRefType, Value)>;

  Sorting(ImplicitLocOpBuilder &builder, LevelCode &levels,
          const Storage &storage, Allocate allocate)
      : builder(builder), levels(levels), storage(storage), allocate(allocate) {
  }

  /// By a dimension, whose order decides before what elements are sorted by. If
  /// it is the last one, positions say the coordinates.
  void sortBy(unsigned dimension, bool isLast);
  /// All that is sorted is one segment, from which positions are made.
  void makeSegment();

  /// Where the elements of each coordinate that was sorted by last begin.
  Value positions;
  /// By dimension, of the elements in their order.
  SmallVector<Value> coordinates;
  Value values;

private:
  /// Coordinates of an element by dimension, and the position of its value.
  using Body = llvm::function_ref<void(ArrayRef<Value>, Value)>;

  /// Loops over the elements in their order.
  void forElements(Body body);
  /// What is stored from a level on, below a position of the one above.
  void forStored(unsigned level, Value above, SmallVector<Value> &at,
                 Body body);
  void forAll(Value from, Value to, llvm::function_ref<void(Value)> body);

  /// Counts elements by their coordinate, into the position behind it, and adds
  /// these up: how many there are.
  Value count(unsigned dimension);
  void putBack(Value size);

  Value makeArray(Type element, Value size) {
    return allocate(MemRefType::get({ShapedType::kDynamic}, element), size);
  }
  Value load(Value array, Value position) {
    return memref::LoadOp::create(builder, array, position);
  }
  void store(Value value, Value array, Value position) {
    memref::StoreOp::create(builder, value, array, position);
  }
  Value wide(int64_t number) {
    return arith::ConstantOp::create(builder,
                                     builder.getI64IntegerAttr(number));
  }
  Value increase(Value number) {
    return arith::AddIOp::create(builder, number, wide(1));
  }

  ImplicitLocOpBuilder &builder;
  LevelCode &levels;
  const Storage &storage;
  Allocate allocate;
  /// How many elements are sorted; null before that.
  Value sorted;
};
} // namespace

void Sorting::forAll(Value from, Value to,
                     llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(builder, from, to, levels.constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

void Sorting::forStored(unsigned number, Value above, SmallVector<Value> &at,
                        Body body) {
  if (number == storage.levels.size()) {
    body(at, above);
    return;
  }
  Value &coordinate = at[storage.format().getDimensionOf(number)];
  auto visit = [&](Value position) {
    coordinate = levels.loadIndex(storage.coordinates(number), position);
    forStored(number + 1, position, at, body);
  };
  switch (storage.level(number).kind) {
  case LevelKind::singleton:
    visit(above);
    return;
  case LevelKind::compressed: {
    Value begin = levels.loadIndex(storage.positions(number), above);
    Value end =
        levels.loadIndex(storage.positions(number), levels.add(above, 1));
    forAll(begin, end, visit);
    return;
  }
  case LevelKind::dense:
  case LevelKind::bitmap:
    break;
  }
  Value size = storage.sizeOfLevel(number);
  forAll(levels.constant(0), size, [&](Value mine) {
    Value position = mine;
    if (number)
      position = arith::AddIOp::create(
          builder, arith::MulIOp::create(builder, above, size), mine);
    coordinate = mine;
    if (storage.level(number).kind == LevelKind::dense) {
      forStored(number + 1, position, at, body);
      return;
    }
    Value isStored = load(storage.coordinates(number), position);
    auto branch =
        scf::IfOp::create(builder, isStored, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    forStored(number + 1, position, at, body);
  });
}

void Sorting::forElements(Body body) {
  SmallVector<Value> at(storage.sizes.size());
  if (!sorted) {
    forStored(0, levels.constant(0), at, body);
    return;
  }
  forAll(levels.constant(0), sorted, [&](Value position) {
    for (auto [mine, array] : llvm::zip_equal(at, coordinates))
      mine = levels.loadIndex(array, position);
    body(at, position);
  });
}

Value Sorting::count(unsigned dimension) {
  Value zero = levels.constant(0), size = storage.sizes[dimension];
  Value ends = levels.add(size, 1);
  positions = makeArray(builder.getI64Type(), ends);
  Value none = wide(0);
  forAll(zero, ends, [&](Value end) { store(none, positions, end); });
  forElements([&](ArrayRef<Value> at, Value) {
    Value mine = at[dimension];
    Value isInside =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, mine, size);
    levels.emitBoundsAssertion(isInside, storage.describe(dimension));
    Value end = levels.add(mine, 1);
    store(increase(load(positions, end)), positions, end);
  });
  forAll(zero, size, [&](Value segment) {
    Value next = levels.add(segment, 1);
    Value sum = arith::AddIOp::create(builder, load(positions, segment),
                                      load(positions, next));
    store(sum, positions, next);
  });
  return levels.loadIndex(positions, size);
}

/// Each beginning is now where the next one was.
void Sorting::putBack(Value size) {
  auto back = scf::ForOp::create(builder, levels.constant(0), size,
                                 levels.constant(1), ValueRange{wide(0)});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(back.getBody());
  Value segment = back.getInductionVar();
  Value next = load(positions, segment);
  store(back.getRegionIterArg(0), positions, segment);
  scf::YieldOp::create(builder, next);
}

void Sorting::sortBy(unsigned dimension, bool isLast) {
  Value size = storage.sizes[dimension];
  Value all = count(dimension);
  bool isLocating = storage.isLocating && !sorted;
  Value given = sorted ? values : storage.values;
  SmallVector<Value> found;
  for (size_t number = 0; number < storage.sizes.size(); ++number)
    found.push_back(isLast && number == dimension
                        ? Value()
                        : makeArray(builder.getI64Type(), all));
  Value into = makeArray(isLocating ? builder.getIndexType()
                                    : getElementTypeOrSelf(given.getType()),
                         all);
  forElements([&](ArrayRef<Value> at, Value position) {
    Value place = load(positions, at[dimension]);
    store(increase(place), positions, at[dimension]);
    place = arith::IndexCastOp::create(builder, builder.getIndexType(), place);
    for (auto [mine, array] : llvm::zip_equal(at, found))
      if (array)
        store(arith::IndexCastOp::create(builder, builder.getI64Type(), mine),
              array, place);
    store(isLocating ? position : load(given, position), into, place);
  });
  putBack(size);
  coordinates = std::move(found);
  values = into;
  sorted = all;
}

void Sorting::makeSegment() {
  positions = makeArray(builder.getI64Type(), levels.constant(2));
  store(wide(0), positions, levels.constant(0));
  Value end = arith::IndexCastOp::create(builder, builder.getI64Type(), sorted);
  store(end, positions, levels.constant(1));
}

void EvaluationLowering::emit(RegroupOp regroup) {
  builder.setLoc(regroup.getLoc());
  const Storage &storage = levels.getStorage(regroup.getArray());
  Attribute name = builder.getStringAttr("the copy of " + storage.name);
  auto makeArray = [&](MemRefType type, Value size) {
    Value memory = allocate(type, size, /*isScratch=*/false);
    memory.getDefiningOp()->setAttr(nameAttr, name);
    return memory;
  };
  Sorting sorting(builder, levels, storage, makeArray);
  ArrayRef<int64_t> order = regroup.getOrder();
  bool isList = order.size() == 1;
  for (unsigned dimension :
       RegroupOp::getSortedDimensions(storage.format(), order))
    sorting.sortBy(dimension, /*isLast=*/!isList && dimension == order.front());
  if (isList)
    sorting.makeSegment();
  else
    sorting.positions.getDefiningOp()->setAttr(
        rowsAttr, builder.getStringAttr(storage.describe(order.front())));
  values.map(regroup.getPositions(), sorting.positions);
  for (auto [result, dimension] : llvm::zip_equal(
           regroup.getCoordinates(), isList ? order : order.drop_front()))
    values.map(result, sorting.coordinates[dimension]);
  values.map(regroup.getValues(), sorting.values);
}
