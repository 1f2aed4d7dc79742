//===- Shapes.cpp - What callers make room for ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include "mlir/IR/AffineExprVisitor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace ember::cin;

namespace {
/// `constant` and a multiple of the last position of some dimensions.
struct LinearSize {
  struct Term {
    ArrayDimension dimension;
    int64_t factor;
  };
  int64_t constant = 0;
  SmallVector<Term> terms;

  void add(const LinearSize &other, int64_t factor) {
    constant += factor * other.constant;
    for (const Term &term : other.terms)
      terms.push_back({term.dimension, factor * term.factor});
  }
};

/// Finds the largest value of indices in terms of sizes of arrays that are not
/// `target`.
class LargestIndex {
public:
  explicit LargestIndex(Value target) : target(target) {}

  /// None if it is not in such terms.
  std::optional<LinearSize> find(Value index);

private:
  std::optional<LinearSize> findVariable(BlockArgument variable);
  /// By dimensions that it is an index of together with a number: `x[i + 1]`.
  std::optional<LinearSize> findShifted(BlockArgument variable);
  std::optional<LinearSize> findAffine(ApplyOp apply);

  Value target;
};
} // namespace

std::optional<LinearSize> LargestIndex::findVariable(BlockArgument variable) {
  Operation *binding = variable.getOwner()->getParentOp();
  unsigned number = variable.getArgNumber();
  // A number that the caller gives.
  if (isa<EvaluateOp>(binding))
    return LinearSize{1, {{{variable, 0}, 1}}};
  auto forall = dyn_cast<ForallOp>(binding);
  if (!forall)
    return std::nullopt;
  if (Value upper = forall.getUpper(number)) {
    std::optional<LinearSize> largest = find(upper);
    if (largest)
      --largest->constant;
    return largest;
  }
  for (ArrayDimension dimension : getIndexedDimensions(variable))
    if (dimension.array != target)
      return LinearSize{0, {{dimension, 1}}};
  return findShifted(variable);
}

std::optional<LinearSize> LargestIndex::findShifted(BlockArgument variable) {
  std::optional<ArrayDimension> found;
  int64_t shift = 0;
  auto add = [&](OpOperand &use, int64_t by) {
    auto access = dyn_cast<AccessOp>(use.getOwner());
    if (!access || access.getArray() == target)
      return;
    // The array is the first operand.
    ArrayDimension mine{access.getArray(), use.getOperandNumber() - 1};
    if (!found)
      found = mine;
    if (mine == found)
      shift = std::max(shift, by);
  };
  for (OpOperand &use : variable.getUses()) {
    add(use, 0);
    auto apply = dyn_cast<ApplyOp>(use.getOwner());
    if (!apply || apply.getMap().getNumInputs() != 1)
      continue;
    AffineExpr by =
        apply.getMap().getResult(0) - getAffineDimExpr(0, apply.getContext());
    if (auto constant = dyn_cast<AffineConstantExpr>(
            simplifyAffineExpr(by, /*numDims=*/1, /*numSymbols=*/0)))
      for (OpOperand &further : apply->getUses())
        add(further, constant.getValue());
  }
  if (!found)
    return std::nullopt;
  return LinearSize{-shift, {{*found, 1}}};
}

std::optional<LinearSize> LargestIndex::findAffine(ApplyOp apply) {
  AffineMap map = apply.getMap();
  SimpleAffineExprFlattener flattener(map.getNumDims(), map.getNumSymbols());
  if (failed(flattener.walkPostOrder(map.getResult(0))) ||
      flattener.numLocals > 0)
    return std::nullopt;
  ArrayRef<int64_t> factors = flattener.operandExprStack.back();
  LinearSize sum{factors.back(), {}};
  for (auto [operand, factor] :
       llvm::zip_equal(apply.getOperands(), factors.drop_back())) {
    std::optional<LinearSize> mine = factor < 0 ? std::nullopt : find(operand);
    if (!mine)
      return std::nullopt;
    sum.add(*mine, factor);
  }
  return sum;
}

std::optional<LinearSize> LargestIndex::find(Value index) {
  if (auto variable = dyn_cast<BlockArgument>(index))
    return findVariable(variable);
  if (auto extent = index.getDefiningOp<ExtentOp>()) {
    ArrayDimension dimension{extent.getArray(),
                             static_cast<unsigned>(extent.getDimension())};
    if (dimension.array == target)
      return std::nullopt;
    return LinearSize{1, {{dimension, 1}}};
  }
  if (auto literal = index.getDefiningOp<LiteralOp>())
    return LinearSize{cast<IntegerAttr>(literal.getValue()).getInt(), {}};
  if (auto apply = index.getDefiningOp<ApplyOp>())
    return findAffine(apply);
  return std::nullopt;
}

/// `[constant, [name, dimension, factor], ...]`: the size is one more than the
/// constant and each factor times the last position of a dimension.
static Attribute describe(const LinearSize &largest, EvaluateOp evaluate) {
  Builder builder(evaluate.getContext());
  SmallVector<Attribute> parts = {builder.getI64IntegerAttr(largest.constant)};
  for (const LinearSize::Term &term : largest.terms) {
    Attribute name =
        builder.getStringAttr(evaluate.getNameOf(term.dimension.array));
    parts.push_back(builder.getArrayAttr(
        {name, builder.getI64IntegerAttr(term.dimension.dimension),
         builder.getI64IntegerAttr(term.factor)}));
  }
  return builder.getArrayAttr(parts);
}

/// Whether an assignment surely assigns to each element: its indices are
/// variables, each another one, of all positions.
static bool assignsAll(AssignOp assign) {
  if (assign.getCondition() || assign.isCombining())
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

Room ember::cin::findRoom(EvaluateOp evaluate, Value array) {
  Room room;
  auto type = cast<ShapedType>(array.getType());
  SmallVector<std::optional<LinearSize>> sizes(type.getRank());
  bool isNamed = false;
  for (auto statement : evaluate.getRegion().getOps<ForallOp>()) {
    AssignOp assign;
    bool isRead = false;
    statement.walk([&](Operation *op) {
      if (auto access = dyn_cast<AccessOp>(op))
        isRead |= access.getArray() == array;
      auto mine = dyn_cast<AssignOp>(op);
      if (mine && mine.getArray() == array)
        assign = mine;
    });
    bool isFirst = !isNamed;
    room.isGiven |= isFirst && isRead;
    isNamed |= isRead || assign;
    if (!assign)
      continue;
    if (isFirst && !isRead && !assignsAll(assign)) {
      Type element = type.getElementType();
      room.initial = assign.isCombining()
                         ? assign.getFunction().getIdentity(element)
                         : getConstant(Constant::zero, element);
      room.isGiven |= !room.initial;
    }
    for (auto [size, index] : llvm::zip_equal(sizes, assign.getIndices()))
      if (!size)
        size = LargestIndex(array).find(index);
  }
  if (isa<ArrayType>(type))
    room.initial = nullptr;
  for (const std::optional<LinearSize> &size : sizes)
    room.sizes.push_back(size
                             ? describe(*size, evaluate)
                             : Attribute(UnitAttr::get(evaluate.getContext())));
  return room;
}
