//===- RowMask.cpp - Which elements of a row a statement needs ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowMask.h"

#include "ember/Dialect/CIN/Transforms/AbstractValues.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// Operands that `values` are made of, themselves included, but not what
/// `reductions` are made of; of other reductions, the terms too.
static llvm::SetVector<Value> findParts(ValueRange values,
                                        ArrayRef<ReduceOp> reductions) {
  llvm::SetVector<Value> parts;
  SmallVector<Value> open(values);
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!parts.insert(value))
      continue;
    Operation *op = value.getDefiningOp();
    auto reduce = dyn_cast_or_null<ReduceOp>(op);
    if (!op || (reduce && llvm::is_contained(reductions, reduce)))
      continue;
    llvm::append_range(open, op->getOperands());
    if (reduce)
      llvm::append_range(open, reduce.getYield()->getOperands());
  }
  return parts;
}

static SmallVector<Value> getExpressions(AssignOp assign) {
  SmallVector<Value> values = {assign.getValue()};
  if (Value condition = assign.getCondition())
    values.push_back(condition);
  return values;
}

SmallVector<AccessOp>
ember::cin::findWalkedBeside(AssignOp assign, BlockArgument row,
                             ArrayRef<ReduceOp> reductions,
                             VariableUses &uses) {
  SmallVector<AccessOp> found;
  SmallVector<Fiber> fibers;
  llvm::SetVector<Value> parts = findParts(getExpressions(assign), reductions);
  // Loops over a row are outside of those over what is added up in an element.
  SmallVector<BlockArgument> inside = {row};
  for (Value part : parts)
    if (auto reduce = part.getDefiningOp<ReduceOp>();
        reduce && !llvm::is_contained(reductions, reduce))
      llvm::append_range(inside, reduce.getVariables());
  auto isInside = [&](Value coordinate) {
    return llvm::any_of(inside, [&](BlockArgument variable) {
      return uses.depends(coordinate, variable);
    });
  };
  for (Value part : parts) {
    auto access = part.getDefiningOp<AccessOp>();
    auto type =
        access ? dyn_cast<ArrayType>(access.getArray().getType()) : ArrayType();
    if (!type || type.getFormat().getLevels().back().kind == LevelKind::dense)
      continue;
    Fiber fiber{access.getArray(), getCoordinates(type, access.getIndices())};
    bool isOfRow = fiber.coordinates.back() == row &&
                   llvm::none_of(llvm::drop_end(fiber.coordinates), isInside);
    if (!isOfRow || llvm::is_contained(fibers, fiber))
      continue;
    fibers.push_back(fiber);
    found.push_back(access);
  }
  return found;
}

namespace {
/// Asks what an assignment does where some elements are stored.
class MaskFinder {
public:
  MaskFinder(AssignOp assign, ArrayRef<ReduceOp> reductions,
             const RowNeed &need)
      : assign(assign), reductions(reductions), walked(need.walked),
        needed(need.needed), builder(assign.getLoc(), assign) {}

  std::optional<RowMask> find();

private:
  /// A part of the condition of the assignment that does not depend on what is
  /// added up, and whether it holds where no element is stored.
  struct Condition {
    Value value;
    bool holdsOutside = true;
  };
  /// Null where none is known.
  Condition findCondition();
  void addConjunct(Value value, Condition &all);
  Value express(const CoordinateSet &set);
  Value call(StringRef function, ValueRange operands) {
    auto builtin =
        BuiltinAttr::get(builder.getContext(), findBuiltin(function));
    return CallOp::create(builder, builder.getI1Type(), builtin, operands);
  }

  AssignOp assign;
  ArrayRef<ReduceOp> reductions;
  ArrayRef<AccessOp> walked;
  const llvm::BitVector &needed;
  ImplicitLocOpBuilder builder;
};
} // namespace

/// What is known of values where some elements that are walked are stored.
static AbstractValues getValuesAt(OperandMask region,
                                  ArrayRef<AccessOp> walked) {
  SmallVector<Fiber> stored, absent;
  for (unsigned number = 0; number < walked.size(); ++number) {
    AccessOp access = walked[number];
    auto type = cast<ArrayType>(access.getArray().getType());
    Fiber fiber{access.getArray(), getCoordinates(type, access.getIndices())};
    (region >> number & 1 ? stored : absent).push_back(fiber);
  }
  return {std::move(stored), std::move(absent)};
}

void MaskFinder::addConjunct(Value value, Condition &all) {
  auto conjunction = value.getDefiningOp<CallOp>();
  if (conjunction && conjunction.getFunction().is("and")) {
    for (Value operand : conjunction.getOperands())
      addConjunct(operand, all);
    return;
  }
  for (Value part : findParts(value, reductions))
    if (auto reduce = part.getDefiningOp<ReduceOp>();
        reduce && llvm::is_contained(reductions, reduce))
      return;
  AbstractValue outside = getValuesAt(0, walked).of(value);
  if (outside.kind != AbstractValue::Kind::constant)
    return;
  all.holdsOutside &= cast<IntegerAttr>(outside.value).getValue().isOne();
  all.value = all.value ? call("and", {all.value, value}) : value;
}

MaskFinder::Condition MaskFinder::findCondition() {
  Condition all;
  if (Value condition = assign.getCondition())
    addConjunct(condition, all);
  return all;
}

Value MaskFinder::express(const CoordinateSet &set) {
  auto literal = [&](bool holds) -> Value {
    return LiteralOp::create(builder, builder.getI1Type(),
                             builder.getBoolAttr(holds));
  };
  auto leaf = [&](unsigned number) -> Value {
    AccessOp access = walked[number];
    return StoredOp::create(builder, builder.getI1Type(), access.getResult());
  };
  auto join = [&](Value a, Value b) { return call("or", {a, b}); };
  auto meet = [&](Value a, Value b) { return call("and", {a, b}); };
  auto complement = [&](Value a) { return call("not", a); };
  return set.evaluate<Value>(literal(false), literal(true), leaf, join, meet,
                             complement);
}

std::optional<RowMask> MaskFinder::find() {
  CoordinateSet set = CoordinateSet::ofRegions(needed, walked.size());
  Condition condition = findCondition();
  bool isAll = set == CoordinateSet::all();
  if (isAll && !condition.value)
    return std::nullopt;
  bool isNeeded = needed[0] && condition.holdsOutside;
  Value marked = isAll ? Value() : express(set);
  if (condition.value)
    marked = marked ? call("and", {marked, condition.value}) : condition.value;
  // Marked is what is not as where nothing is stored.
  if (isNeeded)
    marked = call("not", marked);
  return RowMask{marked, !isNeeded};
}

std::optional<RowNeed> ember::cin::findRowNeed(AssignOp assign,
                                               BlockArgument row,
                                               ArrayRef<ReduceOp> reductions,
                                               VariableUses &uses) {
  RowNeed need;
  need.walked = findWalkedBeside(assign, row, reductions, uses);
  // More lead to more combinations than there is time for.
  constexpr size_t mostWalked = 4;
  if (need.walked.empty() || need.walked.size() > mostWalked)
    return std::nullopt;
  need.needed.resize(1u << need.walked.size());
  for (OperandMask region = 0; region < need.needed.size(); ++region)
    need.needed[region] = !getValuesAt(region, need.walked).isNoEffect(assign);
  return need;
}

std::optional<RowMask> ember::cin::findRowMask(AssignOp assign,
                                               BlockArgument row,
                                               ArrayRef<ReduceOp> reductions,
                                               VariableUses &uses) {
  std::optional<RowNeed> need = findRowNeed(assign, row, reductions, uses);
  if (!need)
    return std::nullopt;
  return MaskFinder(assign, reductions, *need).find();
}
