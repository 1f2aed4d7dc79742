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

int64_t ember::dlc::addRegistersAndCase(ComputeLoopOp &loop, TypeRange types) {
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  SmallVector<Value> inits(loop.getIterArgs());
  for (Type type : types)
    inits.push_back(
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)));
  SmallVector<int64_t> ids(loop.getCases());
  int64_t id = ids.empty() ? 0 : *llvm::max_element(ids) + 1;
  ids.push_back(id);

  OperationState state(loc, ComputeLoopOp::getOperationName());
  state.addOperands(inits);
  state.addTypes(ValueRange(inits).getTypes());
  state.addAttributes(llvm::to_vector(loop->getDiscardableAttrs()));
  state.getOrAddProperties<ComputeLoopOp::Properties>().cases =
      builder.getDenseI64ArrayAttr(ids);
  for (Region &region : loop.getCaseRegions()) {
    Operation *yield = region.front().getTerminator();
    for (Type type : types)
      yield->insertOperands(yield->getNumOperands(),
                            region.front().addArgument(type, loc));
    state.addRegion()->takeBody(region);
  }
  Block &body = state.addRegion()->emplaceBlock();
  for (Value init : inits)
    body.addArgument(init.getType(), loc);

  auto longer = cast<ComputeLoopOp>(builder.create(state));
  loop->replaceAllUsesWith(longer->getResults().drop_back(types.size()));
  loop->erase();
  loop = longer;
  return id;
}
