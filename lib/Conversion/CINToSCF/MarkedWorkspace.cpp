//===- MarkedWorkspace.cpp - Workspaces unmarked by their loops -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MarkedWorkspace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

bool MarkedWorkspace::takes(WhereOp where) {
  auto type = dyn_cast<ArrayType>(where.getWorkspaceType());
  Block &producers = where.getProducers().front();
  if (!type || type.getFormat().getLevels().back().kind != LevelKind::bitmap ||
      !llvm::hasSingleElement(producers))
    return false;
  auto loop = dyn_cast<ForallOp>(producers.front());
  if (!loop || loop.getVariables().size() != 1)
    return false;
  auto assign = dyn_cast<AssignOp>(loop.getBody()->back());
  return assign && !assign.isCombining() && !assign.getFirst() &&
         llvm::all_of(*loop.getBody(),
                      [](Operation &op) { return op.getNumRegions() == 0; });
}

MarkedWorkspace::MarkedWorkspace(ImplicitLocOpBuilder &builder,
                                 LevelCode &levels, ArrayType type,
                                 ArrayRef<Value> sizes, Allocate allocate)
    : WorkspaceCode(builder, levels, type, sizes) {
  Value size = sizes.front();
  for (Value more : sizes.drop_front())
    size = arith::MulIOp::create(builder, size, more);
  auto make = [&](Type element, Value elements) {
    return allocate(MemRefType::get(ShapedType::kDynamic, element), elements);
  };
  values = make(type.getElementType(), size);
  Value block = levels.constant(blockSize);
  Value blocks = arith::CeilDivUIOp::create(builder, size, block);
  mask =
      make(builder.getI1Type(), arith::MulIOp::create(builder, blocks, block));
  located = {values, mask};
  zero(mask);
  isSmall = arith::CmpIOp::create(builder, arith::CmpIPredicate::ule, size,
                                  levels.constant(mostCleared));
  storage.levels.back() = {mask};
  storage.values = values;
}

Value MarkedWorkspace::isMarked(bool isThere) {
  return arith::ConstantOp::create(builder, builder.getBoolAttr(isThere));
}

void MarkedWorkspace::store(ArrayRef<Value> coordinates, Value value,
                            Function /*function*/) {
  Value position = linearize(coordinates);
  if (!isClearing)
    memref::StoreOp::create(builder, value, values, position);
  memref::StoreOp::create(builder, isMarked(!isClearing), mask, position);
}

void MarkedWorkspace::clearBlocks() {
  Value none = levels.constant(0), block = levels.constant(blockSize);
  Value size = memref::DimOp::create(builder, mask, 0);
  auto blocks = scf::ForOp::create(
      builder, none, arith::SelectOp::create(builder, isSmall, size, none),
      block);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(blocks.getBody());
  auto elements = scf::ForOp::create(builder, none, block, levels.constant(1));
  builder.setInsertionPointToStart(elements.getBody());
  Value position = arith::AddIOp::create(builder, blocks.getInductionVar(),
                                         elements.getInductionVar());
  memref::StoreOp::create(builder, isMarked(false), mask, position);
}

void MarkedWorkspace::clear(llvm::function_ref<void()> storeAgain) {
  clearBlocks();
  Value isLarge = arith::XOrIOp::create(builder, isSmall, isMarked(true));
  auto branch = scf::IfOp::create(builder, isLarge, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  isClearing = true;
  storeAgain();
  isClearing = false;
}
