//===- ComputeLoopEditing.cpp - More registers and cases ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputeLoopEditing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

/// Replaces `loop` by one with these initial values of registers and these
/// cases, whose regions it takes.
static void rebuild(ComputeLoopOp &loop, ValueRange inits,
                    ArrayRef<int64_t> ids, ArrayRef<Region *> regions) {
  OpBuilder builder(loop);
  OperationState state(loop.getLoc(), ComputeLoopOp::getOperationName());
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  state.addAttributes(llvm::to_vector(loop->getDiscardableAttrs()));
  state.getOrAddProperties<ComputeLoopOp::Properties>().cases =
      builder.getDenseI64ArrayAttr(ids);
  for (Region *region : regions)
    state.addRegion()->takeBody(*region);
  auto rebuilt = cast<ComputeLoopOp>(builder.create(state));
  loop->replaceAllUsesWith(
      rebuilt->getResults().take_front(loop->getNumResults()));
  loop->erase();
  loop = rebuilt;
}

static SmallVector<Region *> getRegions(ComputeLoopOp loop) {
  return llvm::map_to_vector(loop.getCaseRegions(),
                             [](Region &region) { return &region; });
}

/// The initial values of the registers of `loop` and of zeros of `types`, which
/// its cases then hand on.
static SmallVector<Value> extendCases(ComputeLoopOp loop, TypeRange types) {
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  SmallVector<Value> inits(loop.getIterArgs());
  for (Type type : types)
    inits.push_back(
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)));
  for (Region &region : loop.getCaseRegions()) {
    Operation *yield = region.front().getTerminator();
    for (Type type : types)
      yield->insertOperands(yield->getNumOperands(),
                            region.front().addArgument(type, loc));
  }
  return inits;
}

void ember::dlc::addRegisters(ComputeLoopOp &loop, TypeRange types) {
  if (types.empty())
    return;
  SmallVector<Value> inits = extendCases(loop, types);
  rebuild(loop, inits, loop.getCases(), getRegions(loop));
}

void ember::dlc::eraseCase(ComputeLoopOp &loop, int64_t id) {
  SmallVector<int64_t> ids(loop.getCases());
  SmallVector<Region *> regions = getRegions(loop);
  size_t number = std::distance(ids.begin(), llvm::find(ids, id));
  ids.erase(ids.begin() + number);
  regions.erase(regions.begin() + number);
  rebuild(loop, loop.getIterArgs(), ids, regions);
}

int64_t ember::dlc::addRegistersAndCase(ComputeLoopOp &loop, TypeRange types) {
  SmallVector<Value> inits = extendCases(loop, types);
  SmallVector<int64_t> ids(loop.getCases());
  int64_t id = ids.empty() ? 0 : *llvm::max_element(ids) + 1;
  ids.push_back(id);
  Region further;
  Block &body = further.emplaceBlock();
  for (Value init : inits)
    body.addArgument(init.getType(), loop.getLoc());
  SmallVector<Region *> regions = getRegions(loop);
  regions.push_back(&further);
  rebuild(loop, inits, ids, regions);
  return id;
}
