//===- CINTemporary.cpp - Arrays that only statements know ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/CIN.h"

using namespace mlir;
using namespace ember::cin;

bool ember::cin::isNamedArray(Value value) {
  if (!isa<ShapedType>(value.getType()))
    return false;
  if (auto name = dyn_cast<BlockArgument>(value))
    return isa<EvaluateOp, WhereOp>(name.getOwner()->getParentOp());
  return isa<AssembleOp, CompactOp, RegroupOp, ReserveOp, ScanOp, TemporaryOp>(
      value.getDefiningOp());
}

bool ember::cin::assignsAll(AssignOp assign) {
  if (assign.getCondition() || assign.isCombining() ||
      assign->getParentOfType<IfOp>())
    return false;
  llvm::SmallPtrSet<Value, 4> seen;
  return llvm::all_of(assign.getIndices(), [&](Value index) {
    auto variable = dyn_cast<BlockArgument>(index);
    auto forall = variable
                      ? dyn_cast<ForallOp>(variable.getOwner()->getParentOp())
                      : ForallOp();
    return forall && !forall.getRanged()[variable.getArgNumber()] &&
           seen.insert(index).second;
  });
}

void TemporaryOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (std::optional<StringRef> name = getName())
    setName(getResult(), *name);
}

LogicalResult TemporaryOp::verify() {
  auto type = cast<ShapedType>(getType());
  if (type.getNumDynamicDims() != getSizes().size())
    return emitOpError() << "has " << getSizes().size() << " sizes for "
                         << type.getNumDynamicDims()
                         << " dimensions of a size that is not known";
  for (Value size : getSizes())
    if (size.getParentRegion() != (*this)->getParentRegion() ||
        isa<BlockArgument>(size))
      return emitOpError("has a size that is not an expression of sizes of the "
                         "arrays that are named before it");
  if (std::optional<TypedAttr> initial = getInitial();
      initial && initial->getType() != type.getElementType())
    return emitOpError() << "holds a value of type " << initial->getType()
                         << " at first, and has elements of type "
                         << type.getElementType();
  auto stored = dyn_cast<ArrayType>(type);
  if (stored && getInitial())
    return emitOpError("is in a format, of which the fill is what it holds at "
                       "first, and has an initial value");
  if (stored && stored.getFormat().getEncoding())
    return emitOpError("has encoded elements, which no statement assigns to");
  return success();
}

/// What reads or assigns to an array first, in the order in which the
/// statements of a block run; null if nothing does.
static Operation *findFirstUse(Value array, Block &block) {
  for (Operation &op : block) {
    auto access = dyn_cast<AccessOp>(op);
    auto assign = dyn_cast<AssignOp>(op);
    if ((access && access.getArray() == array) ||
        (assign && assign.getArray() == array))
      return &op;
    // Producers, which are written last, run first.
    for (Region &region : llvm::reverse(op.getRegions()))
      if (Operation *found = findFirstUse(array, region.front()))
        return found;
  }
  return nullptr;
}

LogicalResult ember::cin::verifyAssigned(TemporaryOp temporary) {
  auto evaluate = cast<EvaluateOp>(temporary->getParentOp());
  std::string name = evaluate.getNameOf(temporary);
  bool isStored = isa<ArrayType>(temporary.getType());
  for (auto statement : evaluate.getRegion().getOps<ForallOp>()) {
    Operation *first = findFirstUse(temporary, *statement.getBody());
    auto read = dyn_cast_if_present<AccessOp>(first);
    auto assignment = dyn_cast_if_present<AssignOp>(first);
    if (read)
      return read.emitError()
             << "reads " << name
             << ", a temporary, before anything is assigned to it: it has no "
                "initial value";
    if (assignment && !isStored && !assignsAll(assignment))
      return assignment.emitError()
             << "is the first that assigns to " << name
             << ", a temporary without an initial value, and does not assign "
                "to each of its elements";
    if (assignment)
      return success();
  }
  return success();
}
