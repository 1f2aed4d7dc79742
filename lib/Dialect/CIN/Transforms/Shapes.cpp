//===- Shapes.cpp - What callers make room for ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/Transforms/Shapes.h"

#include "ember/Dialect/CIN/IR/ProgramOrder.h"
#include "mlir/IR/AffineExprVisitor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember::cin;

std::optional<LinearSize> LinearSize::plus(const LinearSize &other,
                                           int64_t factor) const {
  if (divisor != 1 || other.divisor != 1)
    return std::nullopt;
  LinearSize sum = *this;
  sum.constant += factor * other.constant;
  for (const Term &term : other.terms)
    sum.terms.push_back({term.dimension, factor * term.factor});
  return sum;
}

namespace {
/// Finds the largest value of indices in terms of sizes of arrays that are none
/// of `excluded`, and no temporaries.
class LargestIndex {
public:
  explicit LargestIndex(ArrayRef<Value> excluded)
      : excluded(excluded.begin(), excluded.end()) {}

  /// None if it is not in such terms.
  std::optional<LinearSize> find(Value index);
  /// The last position of a dimension.
  std::optional<LinearSize> findLast(ArrayDimension dimension);

private:
  std::optional<LinearSize> findVariable(BlockArgument variable);
  /// By dimensions that it is an index of together with a number, or with other
  /// variables: `x[i + 1]`, `x[i + k]`.
  std::optional<LinearSize> findShifted(BlockArgument variable);
  /// The largest that is added to `variable`; none if it is not known.
  std::optional<LinearSize> findBeside(BlockArgument variable, ApplyOp apply);
  std::optional<LinearSize> findAffine(ApplyOp apply);
  /// Whether what `find` says of an index is all that it can be, so that it may
  /// be subtracted.
  static bool isExact(Value index);
  /// Workspaces, and sums of lengths, are as large as what they are made for.
  bool isExcluded(Value array) {
    return llvm::is_contained(excluded, array) ||
           array.getDefiningOp<ScanOp>() ||
           isa<WhereOp>(array.getParentBlock()->getParentOp());
  }

  SmallVector<Value> excluded;
  /// Of which `findShifted` is under way.
  llvm::SmallPtrSet<Value, 4> shifted;
};
} // namespace

std::optional<LinearSize> LargestIndex::findVariable(BlockArgument variable) {
  Operation *binding = variable.getOwner()->getParentOp();
  unsigned number = variable.getArgNumber();
  // A number that the caller gives.
  if (isa<EvaluateOp>(binding))
    return LinearSize{1, {{{variable, 0}, 1}}};
  auto forall = dyn_cast<ForallOp>(binding);
  auto reduce = dyn_cast<ReduceOp>(binding);
  if (!forall && !reduce)
    return std::nullopt;
  if (Value upper =
          forall ? forall.getUpper(number) : reduce.getUpper(number)) {
    if (std::optional<LinearSize> largest = find(upper))
      return largest->plus(-1);
    // What else it is an index of has all its values.
  }
  // What temporaries are as long as follows from others.
  SmallVector<ArrayDimension> dimensions = getIndexedDimensions(variable);
  for (bool isTemporary : {false, true})
    for (ArrayDimension dimension : dimensions) {
      bool isMine =
          isTemporary == !!dimension.array.getDefiningOp<TemporaryOp>();
      if (!isMine || isExcluded(dimension.array))
        continue;
      if (std::optional<LinearSize> last = findLast(dimension))
        return last;
    }
  return findShifted(variable);
}

/// The assignments to an array, in the order of statements.
static SmallVector<AssignOp> getAssignments(Value array) {
  SmallVector<AssignOp> found;
  for (auto statement : array.getParentRegion()->getOps<ForallOp>())
    statement.walk([&](AssignOp assign) {
      if (assign.getArray() == array)
        found.push_back(assign);
    });
  return found;
}

std::optional<LinearSize> LargestIndex::findLast(ArrayDimension dimension) {
  Value array = dimension.array;
  if (!array.getDefiningOp<TemporaryOp>())
    return LinearSize{0, {{dimension, 1}}};
  SmallVector<Value> others = excluded;
  others.push_back(array);
  for (AssignOp assign : getAssignments(array))
    if (std::optional<LinearSize> last =
            LargestIndex(others).find(assign.getIndices()[dimension.dimension]))
      return last;
  // It is as long as what else has the variables that read it.
  for (Operation *user : getUsersInOrder(array)) {
    auto access = dyn_cast<AccessOp>(user);
    auto variable =
        access
            ? dyn_cast<BlockArgument>(access.getIndices()[dimension.dimension])
            : BlockArgument();
    if (!variable)
      continue;
    if (std::optional<LinearSize> last = LargestIndex(others).find(variable))
      return last;
  }
  return std::nullopt;
}

/// The factors of the operands of an affine expression, the constant last; none
/// if there is more in it, such as a remainder.
static std::optional<SmallVector<int64_t, 8>> getFactors(AffineExpr expr,
                                                         unsigned operands) {
  SimpleAffineExprFlattener flattener(operands, /*numSymbols=*/0);
  if (failed(flattener.walkPostOrder(expr)) || flattener.numLocals > 0)
    return std::nullopt;
  return flattener.operandExprStack.back();
}

std::optional<LinearSize> LargestIndex::findBeside(BlockArgument variable,
                                                   ApplyOp apply) {
  std::optional<SmallVector<int64_t, 8>> factors =
      getFactors(apply.getMap().getResult(0), apply.getOperands().size());
  if (!factors)
    return std::nullopt;
  LinearSize beside{factors->back(), {}};
  for (auto [operand, factor] :
       llvm::zip_equal(apply.getOperands(), ArrayRef(*factors).drop_back())) {
    if (operand == variable) {
      if (factor != 1)
        return std::nullopt;
      continue;
    }
    bool isOther = isa<BlockArgument>(operand) && factor >= 0;
    std::optional<LinearSize> mine = isOther ? find(operand) : std::nullopt;
    std::optional<LinearSize> sum =
        mine ? beside.plus(*mine, factor) : std::nullopt;
    if (!sum)
      return std::nullopt;
    beside = *sum;
  }
  return beside;
}

std::optional<LinearSize> LargestIndex::findShifted(BlockArgument variable) {
  // What it is a part of is looked for once: `x[i + k]` says of each of the two
  // how large it is if the other is known.
  if (!shifted.insert(variable).second)
    return std::nullopt;
  auto done = llvm::scope_exit([&] { shifted.erase(variable); });
  std::optional<ArrayDimension> found;
  std::optional<LinearSize> shift;
  auto add = [&](OpOperand &use, const LinearSize &by) {
    auto access = dyn_cast<AccessOp>(use.getOwner());
    if (!access || isExcluded(access.getArray()))
      return;
    // The array is the first operand.
    ArrayDimension mine{access.getArray(), use.getOperandNumber() - 1};
    if (found && !(mine == found))
      return;
    found = mine;
    if (!shift || (shift->terms.empty() && shift->constant < by.constant))
      shift = by;
  };
  for (OpOperand *use : getUsesInOrder(variable)) {
    add(*use, LinearSize());
    auto apply = dyn_cast<ApplyOp>(use->getOwner());
    if (!apply)
      continue;
    if (std::optional<LinearSize> by = findBeside(variable, apply))
      for (OpOperand *further : getUsesInOrder(apply.getResult()))
        add(*further, *by);
  }
  std::optional<LinearSize> last = found ? findLast(*found) : std::nullopt;
  return last ? last->plus(*shift, -1) : std::nullopt;
}

bool LargestIndex::isExact(Value index) {
  if (auto number = dyn_cast<BlockArgument>(index))
    return isa<EvaluateOp>(number.getOwner()->getParentOp());
  auto extent = index.getDefiningOp<ExtentOp>();
  return extent && !extent.getArray().getDefiningOp<TemporaryOp>();
}

std::optional<LinearSize> LargestIndex::findAffine(ApplyOp apply) {
  AffineExpr expr = apply.getMap().getResult(0);
  // As many as a slice with a step has.
  int64_t divisor = 1;
  auto quotient = dyn_cast<AffineBinaryOpExpr>(expr);
  if (quotient && quotient.getKind() == AffineExprKind::CeilDiv)
    if (auto step = dyn_cast<AffineConstantExpr>(quotient.getRHS());
        step && step.getValue() > 0) {
      expr = quotient.getLHS();
      divisor = step.getValue();
    }
  std::optional<SmallVector<int64_t, 8>> factors =
      getFactors(expr, apply.getOperands().size());
  if (!factors)
    return std::nullopt;
  LinearSize sum{factors->back(), {}};
  for (auto [operand, factor] :
       llvm::zip_equal(apply.getOperands(), ArrayRef(*factors).drop_back())) {
    if (factor == 0)
      continue;
    bool isKnown = factor > 0 || isExact(operand);
    std::optional<LinearSize> mine = isKnown ? find(operand) : std::nullopt;
    std::optional<LinearSize> next =
        mine ? sum.plus(*mine, factor) : std::nullopt;
    if (!next)
      return std::nullopt;
    sum = *next;
  }
  sum.constant += divisor - 1;
  sum.divisor = divisor;
  return sum;
}

std::optional<LinearSize> LargestIndex::find(Value index) {
  if (auto variable = dyn_cast<BlockArgument>(index))
    return findVariable(variable);
  if (auto extent = index.getDefiningOp<ExtentOp>()) {
    ArrayDimension dimension{extent.getArray(),
                             static_cast<unsigned>(extent.getDimension())};
    std::optional<LinearSize> last =
        isExcluded(dimension.array) ? std::nullopt : findLast(dimension);
    return last ? std::optional(last->plus(1)) : std::nullopt;
  }
  if (auto literal = index.getDefiningOp<LiteralOp>())
    return LinearSize{cast<IntegerAttr>(literal.getValue()).getInt(), {}};
  if (auto apply = index.getDefiningOp<ApplyOp>())
    return findAffine(apply);
  return std::nullopt;
}

/// `[constant, [name, dimension, factor], ..., divisor]`: the size is one more
/// than the constant and each factor times the last position of a dimension,
/// divided by the divisor, if there is one, and rounded down.
static Attribute describe(const LinearSize &largest, EvaluateOp evaluate) {
  Builder builder(evaluate.getContext());
  // A range that ends below 0 needs nothing.
  bool isKnown = largest.terms.empty();
  int64_t constant =
      isKnown
          ? std::max<int64_t>(
                llvm::divideFloorSigned(largest.constant, largest.divisor), -1)
          : largest.constant;
  SmallVector<Attribute> parts = {builder.getI64IntegerAttr(constant)};
  for (const LinearSize::Term &term : largest.terms) {
    Attribute name =
        builder.getStringAttr(evaluate.getNameOf(term.dimension.array));
    parts.push_back(builder.getArrayAttr(
        {name, builder.getI64IntegerAttr(term.dimension.dimension),
         builder.getI64IntegerAttr(term.factor)}));
  }
  if (!isKnown && largest.divisor != 1)
    parts.push_back(builder.getI64IntegerAttr(largest.divisor));
  return builder.getArrayAttr(parts);
}

Value ember::cin::makeSize(OpBuilder &builder, Location location,
                           const LinearSize &largest) {
  AffineExpr size = getAffineConstantExpr(largest.constant + largest.divisor,
                                          builder.getContext());
  SmallVector<Value> operands;
  for (const LinearSize::Term &term : largest.terms) {
    AffineExpr extent = getAffineDimExpr(operands.size(), builder.getContext());
    size = size + (extent - 1) * term.factor;
    Value array = term.dimension.array;
    operands.push_back(isa<ShapedType>(array.getType())
                           ? ExtentOp::create(builder, location,
                                              builder.getIndexType(), array,
                                              term.dimension.dimension)
                                 .getResult()
                           : array);
  }
  size = size.floorDiv(largest.divisor);
  if (size == getAffineDimExpr(0, builder.getContext()) &&
      operands.front().getType().isIndex() &&
      operands.front().getDefiningOp<ExtentOp>())
    return operands.front();
  return ApplyOp::create(builder, location, builder.getIndexType(),
                         AffineMap::get(operands.size(), 0, size), operands);
}

std::optional<LinearSize> ember::cin::findLargestValue(BlockArgument variable) {
  return LargestIndex({}).find(variable);
}

Room ember::cin::findRoom(EvaluateOp evaluate, Value array) {
  Room room;
  auto type = cast<ShapedType>(array.getType());
  room.largest.resize(type.getRank());
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
    for (auto [size, index] :
         llvm::zip_equal(room.largest, assign.getIndices()))
      if (!size)
        size = LargestIndex(array).find(index);
  }
  if (array.getDefiningOp<TemporaryOp>())
    for (auto [dimension, size] : llvm::enumerate(room.largest))
      if (!size)
        size = LargestIndex({}).findLast(
            {array, static_cast<unsigned>(dimension)});
  if (isa<ArrayType>(type))
    room.initial = nullptr;
  for (auto [dimension, size] : llvm::enumerate(room.largest)) {
    if (!type.isDynamicDim(dimension))
      room.sizes.push_back(
          describe({type.getDimSize(dimension) - 1, {}}, evaluate));
    else if (size)
      room.sizes.push_back(describe(*size, evaluate));
    else
      room.sizes.push_back(UnitAttr::get(evaluate.getContext()));
  }
  return room;
}
