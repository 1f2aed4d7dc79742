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
  return isa<AssembleOp, RegroupOp, ReserveOp, ScanOp, TemporaryOp>(
      value.getDefiningOp());
}

std::optional<PlainSize> ember::cin::getPlainSize(Value size) {
  if (auto apply = size.getDefiningOp<ApplyOp>()) {
    if (apply.getMap().isSingleConstant())
      return PlainSize{{}, apply.getMap().getSingleConstantResult()};
    if (!apply.getMap().isIdentity())
      return std::nullopt;
    size = apply.getOperands().front();
  }
  if (auto literal = size.getDefiningOp<LiteralOp>())
    if (auto number = dyn_cast<IntegerAttr>(literal.getValue()))
      return PlainSize{{}, number.getInt()};
  auto scalar = dyn_cast<BlockArgument>(size);
  if (scalar && isa<EvaluateOp>(scalar.getOwner()->getParentOp()))
    return PlainSize{size, 0};
  return std::nullopt;
}

std::optional<PlainSize> ember::cin::getRangeFromZero(ForallOp forall,
                                                      unsigned variable) {
  Value lower = forall.getLower(variable);
  if (!lower || getPlainSize(lower) != PlainSize{{}, 0})
    return std::nullopt;
  return getPlainSize(forall.getUpper(variable));
}

/// Whether a variable has all positions of a dimension.
static bool isWhole(ForallOp forall, unsigned variable, Value array,
                    unsigned dimension) {
  if (!forall.getLower(variable))
    return true;
  auto temporary = array.getDefiningOp<TemporaryOp>();
  std::optional<PlainSize> range = getRangeFromZero(forall, variable);
  if (!temporary || !range)
    return false;
  auto type = cast<ShapedType>(array.getType());
  if (!type.isDynamicDim(dimension))
    return range == PlainSize{{}, type.getDimSize(dimension)};
  unsigned number = type.getDynamicDimIndex(dimension);
  return number < temporary.getSizes().size() &&
         range == getPlainSize(temporary.getSizes()[number]);
}

bool ember::cin::assignsAll(AssignOp assign) {
  if (assign.getCondition() || assign.isCombining() ||
      assign->getParentOfType<IfOp>())
    return false;
  llvm::SmallPtrSet<Value, 4> seen;
  for (auto [dimension, index] : llvm::enumerate(assign.getIndices())) {
    auto variable = dyn_cast<BlockArgument>(index);
    auto forall = variable
                      ? dyn_cast<ForallOp>(variable.getOwner()->getParentOp())
                      : ForallOp();
    if (!forall || !seen.insert(index).second ||
        !isWhole(forall, variable.getArgNumber(), assign.getArray(), dimension))
      return false;
  }
  return true;
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
