//===- CINRaces.cpp - Whether assignments are to different elements -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The indices of an element tell which values variables have where a variable
// is an index, where they are digits of one (CINDigits.h), and
// where a position tells which segment it is in. They tell elements of arrays
// as well, such as coordinates, which in turn tell where they are stored.
//
//===----------------------------------------------------------------------===//

#include "CINDigits.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ember::cin;

namespace {
/// What the indices of an assignment tell.
class KnownVariables {
public:
  explicit KnownVariables(AssignOp assign) {
    Region *home = assign.getArray().getParentRegion();
    for (Operation *op = assign->getParentOp();
         op && home->isAncestor(op->getParentRegion()); op = op->getParentOp())
      if (auto forall = dyn_cast<ForallOp>(op))
        llvm::append_range(around, forall.getVariables());
    digits.emplace(around);
    // One that has one value need not be told.
    for (BlockArgument variable : around)
      if (getSpread(variable) == 0)
        known.insert(variable);
    // What is known may tell more.
    for (bool isMore = true; isMore;) {
      size_t before = known.size();
      for (Value index : assign.getIndices())
        addIndex(index);
      addCoordinates(assign);
      addEqual(assign);
      for (BlockArgument variable : around)
        if (known.contains(variable)) {
          addSegment(variable);
          addTile(variable);
        }
      isMore = known.size() != before;
    }
  }

  BlockArgument findUnknown() {
    for (BlockArgument variable : around)
      if (!known.contains(variable))
        return variable;
    return nullptr;
  }

private:
  void addIndex(Value index);
  /// Coordinates of a position: those of a segment are different.
  void addCoordinates(AssignOp assign);
  void addSegment(BlockArgument position);
  /// What an array has at the element: `w[I[p]] == p`.
  void addEqual(AssignOp assign);
  /// What is in a tile tells which one it is: tiles are as long as they are far
  /// from each other, or shorter.
  void addTile(BlockArgument position);
  /// Whether `value` depends on what is known alone.
  bool isKnown(Value value);
  /// Whether indices tell the element of `array` at `position`, whatever that
  /// is.
  bool isElementKnown(Value array, Value position);

  SmallVector<BlockArgument> around;
  std::optional<Digits> digits;
  /// Variables, and elements of arrays that indices tell.
  llvm::SetVector<Value> known;
};
} // namespace

bool KnownVariables::isKnown(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return known.contains(value) || !llvm::is_contained(around, argument);
  if (llvm::any_of(known, [&](Value told) { return isSame(told, value); }))
    return true;
  // Reductions bind more variables; nobody indexes by one.
  return !isa<ReduceOp>(value.getDefiningOp()) &&
         llvm::all_of(value.getDefiningOp()->getOperands(),
                      [&](Value operand) { return isKnown(operand); });
}

void KnownVariables::addIndex(Value index) {
  index = skipConversions(index);
  if (!index.getDefiningOp<ApplyOp>())
    known.insert(index);
  // What is told as a whole may tell its digits as well.
  std::optional<SmallVector<Digit>> parts = digits->split(
      index, [&](Value value) { return value != index && isKnown(value); });
  if (parts && digits->isInjective(*parts))
    for (const Digit &digit : *parts)
      known.insert(digit.value);
}

bool KnownVariables::isElementKnown(Value array, Value position) {
  return llvm::any_of(known, [&](Value told) {
    auto access = told.getDefiningOp<AccessOp>();
    return access && access.getArray() == array &&
           access.getIndices() == ValueRange(position);
  });
}

/// Whether a range is one segment of an array of positions.
static bool isSegment(Value lower, Value upper, Value positions) {
  auto begin = lower.getDefiningOp<AccessOp>();
  auto end = upper.getDefiningOp<AccessOp>();
  if (!begin || !end || begin.getArray() != positions ||
      end.getArray() != positions)
    return false;
  Value first = begin.getIndices().front(), next = end.getIndices().front();
  std::optional<int64_t> number = getLiteral(first), after = getLiteral(next);
  if (number && after)
    return *after == *number + 1;
  auto apply = next.getDefiningOp<ApplyOp>();
  if (!apply)
    return false;
  AffineExpr last = apply.getMap().getResult(0);
  if (apply.getOperands() == ValueRange(first))
    return last == getAffineDimExpr(0, next.getContext()) + 1;
  auto before = first.getDefiningOp<ApplyOp>();
  return before && before.getOperands() == apply.getOperands() &&
         last == before.getMap().getResult(0) + 1;
}

void KnownVariables::addCoordinates(AssignOp assign) {
  auto evaluate = assign->getParentOfType<EvaluateOp>();
  for (BlockArgument position : around) {
    auto forall = cast<ForallOp>(position.getOwner()->getParentOp());
    Value lower = forall.getLower(position.getArgNumber());
    Value upper = forall.getUpper(position.getArgNumber());
    if (!lower || known.contains(position) || !isKnown(lower) ||
        !isKnown(upper))
      continue;
    for (auto assembly : evaluate.getRegion().getOps<AssembleOp>()) {
      if (assembly.getCounting())
        continue;
      // All coordinates of a level, with those that it shares positions with.
      bool isAll = false;
      for (auto [number, level] :
           llvm::enumerate(assembly.getType().getFormat().getLevels())) {
        if (!level.isListed())
          continue;
        unsigned last =
            assembly.getFirstArrayOf(number) + level.countArrays() - 1;
        bool isHere = isElementKnown(assembly.getLevels()[last], position);
        if (level.kind == LevelKind::compressed)
          isAll = isSegment(lower, upper, assembly.getLevels()[last - 1]);
        isAll &= isHere;
        if (isAll && level.isUnique)
          known.insert(position);
      }
    }
  }
}

/// The conditions under which an assignment is made.
static SmallVector<Value> getConditions(AssignOp assign) {
  SmallVector<Value> conditions;
  if (Value condition = assign.getCondition())
    addConjuncts(condition, conditions);
  for (Operation *op = assign->getParentOp(); !isa<EvaluateOp>(op);
       op = op->getParentOp())
    if (auto branch = dyn_cast<IfOp>(op))
      addConjuncts(branch.getCondition(), conditions);
  return conditions;
}

/// The operation of an evaluation that `op` is a part of.
static Operation *getStatement(Operation *op) {
  while (!isa<EvaluateOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

void KnownVariables::addEqual(AssignOp assign) {
  // What is assigned to in the same statement may not stay what it is.
  auto changes = [&](Value array) {
    return llvm::any_of(array.getUsers(), [&](Operation *user) {
      return isa<AssignOp>(user) &&
             getStatement(user)->isAncestor(getStatement(assign));
    });
  };
  for (Value condition : getConditions(assign)) {
    auto call = condition.getDefiningOp<CallOp>();
    if (!call || !call.getFunction().is("eq"))
      continue;
    for (unsigned side : {0, 1}) {
      auto access = call.getOperand(side).getDefiningOp<AccessOp>();
      if (access && !access.getStored() &&
          isa<IntegerType, IndexType>(access.getType()) &&
          !changes(access.getArray()) &&
          llvm::all_of(access.getIndices(),
                       [&](Value mine) { return isKnown(mine); }))
        addIndex(call.getOperand(1 - side));
    }
  }
}

/// `offsets[b]` to `offsets[b + 1]`: segments do not overlap.
void KnownVariables::addSegment(BlockArgument position) {
  auto forall = cast<ForallOp>(position.getOwner()->getParentOp());
  auto access = [&](Value bound) {
    auto found = bound ? bound.getDefiningOp<AccessOp>() : nullptr;
    return found && found.getIndices().size() == 1 ? found : AccessOp();
  };
  AccessOp lower = access(forall.getLower(position.getArgNumber()));
  AccessOp upper = access(forall.getUpper(position.getArgNumber()));
  if (!lower || !upper || lower.getArray() != upper.getArray())
    return;
  if (!isSegment(lower, upper, lower.getArray()))
    return;
  known.insert(lower.getIndices().front());
  addIndex(lower.getIndices().front());
}

/// `16 * t` to `min(16 * t + 16, n)`
void KnownVariables::addTile(BlockArgument position) {
  auto forall = cast<ForallOp>(position.getOwner()->getParentOp());
  Value bound = forall.getLower(position.getArgNumber());
  auto lower = bound ? bound.getDefiningOp<ApplyOp>() : ApplyOp();
  Value last = forall.getUpper(position.getArgNumber());
  auto smaller = last ? last.getDefiningOp<CallOp>() : CallOp();
  if (!lower || !smaller || smaller.getFunction().getName() != "min")
    return;
  SmallVector<int64_t> weights(lower.getOperands().size());
  if (failed(addWeights(lower.getMap().getResult(0), 1, weights)))
    return;
  for (Value end : smaller.getOperands()) {
    auto upper = end.getDefiningOp<ApplyOp>();
    if (!upper || upper.getOperands() != lower.getOperands())
      continue;
    AffineExpr length = simplifyAffineExpr(
        upper.getMap().getResult(0) - lower.getMap().getResult(0),
        lower.getMap().getNumDims(), /*numSymbols=*/0);
    auto constant = dyn_cast<AffineConstantExpr>(length);
    if (!constant)
      continue;
    SmallVector<Value> unknown;
    int64_t distance = 0;
    for (auto [operand, weight] :
         llvm::zip_equal(lower.getOperands(), weights)) {
      if (isKnown(operand))
        continue;
      unknown.push_back(operand);
      distance = std::abs(weight);
    }
    if (unknown.size() == 1 && isa<BlockArgument>(unknown.front()) &&
        distance >= constant.getValue())
      known.insert(unknown.front());
  }
}

LogicalResult ember::cin::verifyDistinct(AssignOp assign, StringRef array) {
  if (assign.isCombining())
    return success();
  BlockArgument unknown = KnownVariables(assign).findUnknown();
  if (!unknown)
    return success();
  auto binding = cast<ForallOp>(unknown.getOwner()->getParentOp());
  std::string name = binding.getNameOf(unknown.getArgNumber());
  return assign.emitError()
         << "several values of " << name << " may assign to one element of "
         << array << ": combine them, as += and max= do, or make " << name
         << " an index";
}

/// Why `access`, of what `assign` assigns to, has no value that is sure; empty
/// if it has one.
static std::string describeOwnRead(AccessOp access, AssignOp assign,
                                   StringRef array) {
  if (!llvm::all_of_zip(access.getIndices(), assign.getIndices(), isSame))
    return ("reads another element of " + array +
            " than the one that the statement assigns to: assign to another "
            "array, and to " +
            array + " in a statement behind it")
        .str();
  BlockArgument unknown = KnownVariables(assign).findUnknown();
  if (!unknown)
    return "";
  auto binding = cast<ForallOp>(unknown.getOwner()->getParentOp());
  return ("reads an element of " + array + " that several values of " +
          binding.getNameOf(unknown.getArgNumber()) +
          " add to: what it is depends on their order")
      .str();
}

LogicalResult ember::cin::verifyOwnReads(ForallOp statement) {
  auto evaluate = statement->getParentOfType<EvaluateOp>();
  WalkResult walk = statement.walk([&](AssignOp assign) {
    return statement.walk([&](AccessOp access) {
      if (access.getArray() != assign.getArray())
        return WalkResult::advance();
      std::string array = evaluate.getNameOf(access.getArray());
      std::string reason = describeOwnRead(access, assign, array);
      if (reason.empty())
        return WalkResult::advance();
      access.emitError(reason);
      return WalkResult::interrupt();
    });
  });
  return failure(walk.wasInterrupted());
}
