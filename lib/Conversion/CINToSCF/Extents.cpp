//===- Extents.cpp - Sizes of dimensions, and what variables range over ---===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvaluationLowering.h"

#include "ember/Dialect/CIN/Notation/Notation.h"
#include "ember/Dialect/CIN/Transforms/RowStorage.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

std::string EvaluationLowering::describe(ArrayDimension dimension) {
  return "dimension " + std::to_string(dimension.dimension) + " of " +
         evaluate.getNameOf(dimension.array);
}

Value EvaluationLowering::size(ArrayDimension dimension) {
  auto type = cast<ShapedType>(dimension.array.getType());
  // Asked for in front of all loops, where workspaces have no storage yet.
  if (!type.isDynamicDim(dimension.dimension))
    return constant(type.getDimSize(dimension.dimension));
  if (isa<ArrayType>(type))
    return levels.getStorage(dimension.array).sizes[dimension.dimension];
  return memref::DimOp::create(builder, get(dimension.array),
                               dimension.dimension);
}

/// A workspace is as long as the dimension that it is asked to be as long as.
static ArrayDimension getOrigin(ArrayDimension dimension) {
  auto where =
      dyn_cast<WhereOp>(dimension.array.getParentBlock()->getParentOp());
  ShapedType type = cast<ShapedType>(dimension.array.getType());
  if (!where || !type.isDynamicDim(dimension.dimension))
    return dimension;
  unsigned position = type.getDynamicDimIndex(dimension.dimension);
  auto extent = where.getSizes()[position].getDefiningOp<ExtentOp>();
  return {extent.getArray(), static_cast<unsigned>(extent.getDimension())};
}

void EvaluationLowering::checkSizes(ArrayDimension first, ArrayDimension other,
                                    llvm::function_ref<std::string()> message) {
  std::pair<Value, unsigned> left(first.array, first.dimension);
  std::pair<Value, unsigned> right(other.array, other.dimension);
  compared.insert(left);
  compared.insert(right);
  if (compared.isEquivalent(left, right))
    return;
  compared.unionSets(left, right);
  Value mine = size(first), others = size(other);
  if (getConstantIntValue(mine) &&
      getConstantIntValue(mine) == getConstantIntValue(others))
    return;
  Value isEqual =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, mine, others);
  cf::AssertOp::create(builder, isEqual, message());
}

/// What messages of a run begin with that are about `location`, as those of the
/// compiler do: its line and column, if it is one in a statement's text. Files
/// have paths, which kernels must not depend on.
static std::string describePlace(Location location) {
  std::string place;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file || file.getFilename() != notationFile)
      return WalkResult::advance();
    place = (notationFile + ":" + Twine(file.getLine()) + ":" +
             Twine(file.getColumn()) + ": ")
                .str();
    return WalkResult::interrupt();
  });
  return place;
}

void EvaluationLowering::checkSizes(ArrayDimension first, ArrayDimension other,
                                    StringRef variable, Location place) {
  checkSizes(first, other, [&] {
    return describePlace(place) + "index " + variable.str() + ": " +
           describe(first) + " and " + describe(other) +
           " have different sizes";
  });
}

bool EvaluationLowering::isResult(Value array) {
  if (auto assemble = array.getDefiningOp<AssembleOp>())
    array = assemble.getValues();
  if (auto compact = array.getDefiningOp<CompactOp>())
    array = compact.getMemory();
  if (isa_and_present<ReserveOp, TemporaryOp>(array.getDefiningOp()))
    return true;
  auto argument = dyn_cast<BlockArgument>(array);
  return argument && argument.getOwner() == &evaluate.getRegion().front() &&
         evaluate.isInit(argument);
}

void EvaluationLowering::checkExtents() {
  auto check = [&](auto op) {
    for (BlockArgument variable : op.getVariables()) {
      unsigned number = variable.getArgNumber();
      if (op.getRanged()[number])
        continue;
      // Inputs first, since results are mostly as large as they are, and in
      // the order in which statements name them.
      SmallVector<ArrayDimension> dimensions, results;
      for (ArrayDimension mine : getIndexedDimensions(variable))
        (isResult(mine.array) ? results : dimensions).push_back(mine);
      llvm::append_range(dimensions, results);
      for (ArrayDimension other : llvm::drop_begin(dimensions))
        checkSizes(getOrigin(dimensions.front()), getOrigin(other),
                   op.getNameOf(number), getIndexLocation(variable, other));
    }
  };
  evaluate.getRegion().walk([&](Operation *op) {
    if (auto forall = dyn_cast<ForallOp>(op)) {
      check(forall);
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      check(reduce);
    } else if (auto same = dyn_cast<SameSizeOp>(op)) {
      ArrayDimension first{same.getFirst(),
                           static_cast<unsigned>(same.getFirstDimension())};
      ArrayDimension second{same.getSecond(),
                            static_cast<unsigned>(same.getSecondDimension())};
      if (std::optional<StringRef> message = same.getMessage())
        checkSizes(first, second, [&] { return message->str(); });
      else
        checkSizes(first, second, *same.getVariable(), same.getLoc());
    }
  });
}

void EvaluationLowering::checkStorage(AssembleOp assemble) {
  const Storage &storage = levels.getStorage(assemble);
  ArrayRef<Level> all = storage.format().getLevels();
  unsigned first = llvm::find_if(all,
                                 [](const Level &level) {
                                   return level.kind != LevelKind::dense;
                                 }) -
                   all.begin();
  bool isSegmented =
      first < all.size() && all[first].kind == LevelKind::compressed;
  if (first < all.size() && !isSegmented)
    return;
  Value given = isSegmented
                    ? assemble.getLevels()[assemble.getFirstArrayOf(first)]
                    : assemble.getValues();
  // What is appended to may have room that is not needed.
  if (evaluate.isInit(cast<BlockArgument>(given)))
    return;
  Value needed = constant(1);
  std::string text = isSegmented && first > 0 ? "1 + " : "";
  for (unsigned level = 0; level < first; ++level) {
    needed = arith::MulIOp::create(builder, needed, storage.sizeOfLevel(level));
    unsigned dimension = storage.format().getDimensionOf(level);
    text += (level ? " * " : "") + describe({assemble, dimension});
  }
  if (isSegmented)
    needed = arith::AddIOp::create(builder, needed, constant(1));
  if (first == 0)
    text = "2";
  Value isRight = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                        size({given, 0}), needed);
  cf::AssertOp::create(builder, isRight,
                       "the length of " + evaluate.getDescriptionOf(given) +
                           " is not " + text);
}

void EvaluationLowering::checkRows(AssembleOp assemble) {
  const Storage &storage = levels.getStorage(assemble);
  FormatAttr format = storage.format();
  cin::RowLayout layout = assemble.getEncoding().getLayout();
  std::string name = evaluate.getNameOf(assemble);
  Value rows = size({assemble.getValues(), 0});
  Value bytes = size({assemble.getValues(), 1});
  auto require = [&](Value given, Value needed, StringRef message) {
    if (given == needed)
      return;
    Value holds =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, given, needed);
    cf::AssertOp::create(builder, holds, "the rows of " + name + message.str());
  };
  unsigned last = format.getLevels().size() - 1;
  // One row, of as many elements as there are coordinates, if these are stored.
  bool isListed = format.getLevels()[last].kind != LevelKind::dense;
  Value length = isListed ? size({assemble.getLevels().back(), 0})
                          : storage.sizeOfLevel(last);
  require(bytes, cin::emitRowBytes(builder, layout, length),
          " have not as many bytes as their elements need");
  if (!format.isDense() && format.hasRows())
    return;
  Value needed = constant(1);
  if (format.hasRows())
    for (unsigned level = 0; level < last; ++level)
      needed = builder.createOrFold<arith::MulIOp>(needed,
                                                   storage.sizeOfLevel(level));
  require(rows, needed, " are not as many as it has");
}

std::pair<Value, Value> EvaluationLowering::bounds(Value lower, Value upper,
                                                   BlockArgument variable) {
  if (lower)
    return {index(lower), index(upper)};
  // The size that a type fixes, if there is one.
  SmallVector<ArrayDimension> dimensions = getIndexedDimensions(variable);
  for (ArrayDimension dimension : dimensions) {
    auto type = cast<ShapedType>(dimension.array.getType());
    if (!type.isDynamicDim(dimension.dimension))
      return {constant(0), constant(type.getDimSize(dimension.dimension))};
  }
  return {constant(0), size(dimensions.front())};
}
