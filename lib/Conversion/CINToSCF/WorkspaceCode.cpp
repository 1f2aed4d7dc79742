//===- WorkspaceCode.cpp - Workspaces that know what is in them -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkspaceCode.h"

#include "ListedWorkspace.h"
#include "OrderedWorkspace.h"

#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

WorkspaceCode::WorkspaceCode(ImplicitLocOpBuilder &builder, LevelCode &levels,
                             ArrayType type, ArrayRef<Value> sizes)
    : builder(builder), levels(levels) {
  storage.type = type;
  storage.name = "a workspace";
  storage.sizes = llvm::to_vector(sizes);
  storage.levels.resize(sizes.size());
}

std::unique_ptr<WorkspaceCode>
WorkspaceCode::create(ImplicitLocOpBuilder &builder, LevelCode &levels,
                      ArrayType type, ArrayRef<Value> sizes,
                      Allocate allocate) {
  const Level &last = type.getFormat().getLevels().back();
  if (last.kind == LevelKind::compressed && last.isOrdered)
    return std::make_unique<OrderedWorkspace>(builder, levels, type, sizes,
                                              allocate);
  return std::make_unique<ListedWorkspace>(builder, levels, type, sizes,
                                           allocate);
}

void WorkspaceCode::describeDimensions(ArrayRef<std::string> dimensions) {
  storage.dimensions = llvm::to_vector(dimensions);
  for (Value memory : located)
    nameIndices(memory, dimensions);
}

void WorkspaceCode::nameIndices(Value memory,
                                ArrayRef<std::string> dimensions) {
  if (dimensions.size() == 1 && !dimensions.front().empty())
    memory.getDefiningOp()->setAttr(
        boundsAttr, StringAttr::get(memory.getContext(), dimensions.front()));
}

Value WorkspaceCode::linearize(ArrayRef<Value> coordinates) {
  // One alone is checked where it is looked up. Of several, one past the end of
  // its row would be an element of the next row.
  if (coordinates.size() > 1)
    for (auto [dimension, coordinate] : llvm::enumerate(coordinates)) {
      Value isInside =
          arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, coordinate,
                                storage.sizes[dimension]);
      levels.emitBoundsAssertion(isInside, storage.describe(dimension));
    }
  Value position = coordinates.front();
  for (auto [coordinate, size] : llvm::zip_equal(
           coordinates.drop_front(), ArrayRef(storage.sizes).drop_front())) {
    Value row = arith::MulIOp::create(builder, position, size);
    position = arith::AddIOp::create(builder, row, coordinate);
  }
  return position;
}

void WorkspaceCode::zero(Value memory) {
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  Value nothing =
      arith::ConstantOp::create(builder, builder.getZeroAttr(element));
  auto loop = scf::ForOp::create(builder, levels.constant(0),
                                 memref::DimOp::create(builder, memory, 0),
                                 levels.constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  memref::StoreOp::create(builder, nothing, memory, loop.getInductionVar());
}
