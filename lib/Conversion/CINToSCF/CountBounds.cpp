//===- CountBounds.cpp - How much an array stores at most -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CountBounds.h"

#include "ember/Analysis/IterationAlgebra/CoordinateSet.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// The loops of a statement that is nothing but loops, and workspaces filled
/// inside of them, around an assignment.
static SmallVector<ForallOp> findNest(ForallOp statement, AssignOp &assign) {
  SmallVector<ForallOp> nest;
  for (Operation *next = statement; next;) {
    auto loop = dyn_cast<ForallOp>(next);
    if (loop)
      nest.push_back(loop);
    Block &block =
        loop ? *loop.getBody() : cast<WhereOp>(next).getConsumers().front();
    next = nullptr;
    for (Operation &op : block) {
      bool isAround = isa<ForallOp, WhereOp>(op);
      if ((isAround || isa<AssignOp>(op)) && (next || assign))
        return {};
      if (isAround)
        next = &op;
      else if (isa<AssignOp>(op))
        assign = cast<AssignOp>(op);
      else if (op.getNumRegions() != 0 && !isa<ReduceOp>(op))
        return {};
    }
  }
  return nest;
}

/// How many positions the level of a fiber has in all; null if that is not
/// known, or loops of `nest` may come to one several times.
static Value emitPositions(ImplicitLocOpBuilder &builder, LevelCode &levels,
                           const Fiber &fiber, ArrayRef<ForallOp> nest) {
  if (!fiber.getLevel().isListed() || !fiber.array.getDefiningOp<AssembleOp>())
    return nullptr;
  for (ForallOp loop : nest)
    if (!llvm::is_contained(fiber.coordinates, loop.getVariables().front()))
      return nullptr;
  const Storage &storage = levels.getStorage(fiber.array);
  if (storage.counts)
    return nullptr;
  return memref::DimOp::create(builder, storage.coordinates(fiber.depth() - 1),
                               0);
}

/// How many coordinates the loop around the others of `nest` visits in all.
static Value emitVisits(ImplicitLocOpBuilder &builder, LevelCode &levels,
                        ArrayRef<ForallOp> nest) {
  ForallOp loop = nest.back();
  IterationAttr iteration = loop.getIterationAttr();
  if (!iteration)
    return nullptr;
  SmallVector<Fiber> fibers = getLevelOperands(loop);
  auto leaf = [&](unsigned operand) {
    return emitPositions(builder, levels, fibers[operand], nest);
  };
  auto join = [&](Value a, Value b) -> Value {
    return a && b ? arith::AddIOp::create(builder, a, b).getResult() : nullptr;
  };
  auto meet = [&](Value a, Value b) -> Value {
    if (!a || !b)
      return a ? a : b;
    return arith::MinUIOp::create(builder, a, b);
  };
  auto complement = [](Value) { return Value(); };
  return iteration.getSet().simplified().evaluate<Value>(
      levels.constant(0), /*all=*/Value(), leaf, join, meet, complement);
}

SmallVector<Value> ember::cin::emitCountBounds(ImplicitLocOpBuilder &builder,
                                               LevelCode &levels,
                                               ForallOp statement,
                                               AssembleOp array) {
  AssignOp assign;
  SmallVector<ForallOp> nest = findNest(statement, assign);
  if (nest.empty() || !assign || assign.getArray() != array)
    return {};
  ArrayType type = array.getType();
  SmallVector<Value> place = getCoordinates(type, assign.getIndices());
  if (place.size() != nest.size())
    return {};
  SmallVector<Value> bounds;
  ArrayRef<Level> all = type.getFormat().getLevels();
  for (auto [number, loop] : llvm::enumerate(nest)) {
    if (loop.getVariables().size() != 1 ||
        loop.getVariables().front() != place[number])
      return {};
    if (!all[number].isListed()) {
      bounds.push_back(levels.constant(0));
      continue;
    }
    Value visits =
        emitVisits(builder, levels, ArrayRef(nest).take_front(number + 1));
    if (!visits)
      return {};
    bounds.push_back(visits);
    // Levels that share their positions have as many as the last of them.
    for (unsigned above = number; all[above].kind == LevelKind::singleton;)
      bounds[--above] = visits;
  }
  return bounds;
}
