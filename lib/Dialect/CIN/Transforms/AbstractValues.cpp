//===- AbstractValues.cpp - What is known of values that are not stored ---===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AbstractValues.h"

#include "ember/Dialect/CIN/Transforms/BuiltinCode.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace ember::cin;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

AbstractValue AbstractValue::constant(TypedAttr value) {
  return {Kind::constant, value};
}

AbstractValue AbstractValue::anythingBut(TypedAttr value) {
  if (!value.getType().isInteger(1))
    return {Kind::anythingBut, value};
  bool isTrue = cast<IntegerAttr>(value).getValue().isOne();
  return constant(IntegerAttr::get(value.getType(), isTrue ? 0 : 1));
}

bool AbstractValue::is(TypedAttr other) const {
  return kind == Kind::constant && areSame(value, other);
}

bool AbstractValue::isNot(TypedAttr other) const {
  if (kind == Kind::constant)
    return !areSame(value, other);
  return kind == Kind::anythingBut && areSame(value, other);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

AbstractValue ember::cin::callAbstractly(const Builtin &function,
                                         ArrayRef<AbstractValue> operands,
                                         Type result) {
  using Kind = AbstractValue::Kind;
  bool areConstant = llvm::all_of(operands, [](const AbstractValue &operand) {
    return operand.kind == Kind::constant;
  });
  if (areConstant) {
    SmallVector<TypedAttr> values = llvm::map_to_vector(
        operands, [](const AbstractValue &operand) { return operand.value; });
    if (TypedAttr value = foldCall(function, values, result))
      return AbstractValue::constant(value);
    return {};
  }
  if (function.signature == Signature::choice &&
      operands[0].kind == Kind::constant) {
    bool isFirst = cast<IntegerAttr>(operands[0].value).getValue().isOne();
    return operands[isFirst ? 1 : 2];
  }
  if (function.signature != Signature::same || function.arity != 2)
    return {};
  for (unsigned position : {0, 1}) {
    const AbstractValue &mine = operands[position];
    const AbstractValue &other = operands[1 - position];
    if (mine.kind != Kind::constant)
      continue;
    for (const SpecialOperand &special : function.special()) {
      bool isThere = special.isAt(position) &&
                     contains(special.types, result) &&
                     mine.is(getConstant(special.value, result));
      if (!isThere)
        continue;
      if (special.unless && !other.isNot(getConstant(*special.unless, result)))
        continue;
      if (!special.result)
        return other;
      return AbstractValue::constant(getConstant(*special.result, result));
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

AbstractValue AbstractValues::ofAccess(AccessOp access) {
  if (auto workspace = workspaces.find(access.getArray());
      workspace != workspaces.end() && workspace->second &&
      workspace->second->kind != AbstractValue::Kind::any)
    return *workspace->second;
  auto type = dyn_cast<ArrayType>(access.getArray().getType());
  if (!type)
    return {};
  FormatAttr format = type.getFormat();
  auto isOf = [&](const Fiber &fiber) { return fiber.contains(access); };
  if (llvm::any_of(absent, isOf))
    return AbstractValue::constant(format.getFill());
  // Stored above, it may be absent below.
  bool isStored = llvm::any_of(stored, [&](const Fiber &fiber) {
    return isOf(fiber) && fiber.depth() == format.getLevels().size();
  });
  if (isStored && !format.getStoresFill())
    return AbstractValue::anythingBut(format.getFill());
  return {};
}

AbstractValue AbstractValues::ofReduction(ReduceOp reduce) {
  if (!isIdentity(reduce))
    return {};
  return AbstractValue::constant(
      getConstant(reduce.getFunction()->getIdentity(), reduce.getType()));
}

bool AbstractValues::isIdentity(ReduceOp reduce) {
  YieldOp yield = reduce.getYield();
  auto no = IntegerAttr::get(IntegerType::get(reduce.getContext(), 1), 0);
  if (Value condition = yield.getCondition(); condition && of(condition).is(no))
    return true;
  return of(yield.getValue())
      .is(getConstant(reduce.getFunction()->getIdentity(), reduce.getType()));
}

AbstractValue AbstractValues::compute(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto access = dyn_cast_or_null<AccessOp>(op))
    return ofAccess(access);
  if (auto literal = dyn_cast_or_null<LiteralOp>(op))
    return AbstractValue::constant(literal.getValue());
  if (auto reduce = dyn_cast_or_null<ReduceOp>(op))
    return ofReduction(reduce);
  auto call = dyn_cast_or_null<CallOp>(op);
  if (!call)
    return {};
  SmallVector<AbstractValue> operands = llvm::map_to_vector(
      call.getOperands(), [&](Value operand) { return of(operand); });
  if (call.getFunction()->isIdempotent &&
      call.getOperand(0) == call.getOperand(1))
    return operands.front();
  return callAbstractly(*call.getFunction(), operands, call.getType());
}

AbstractValue AbstractValues::of(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  AbstractValue computed = compute(value);
  known[value] = computed;
  return computed;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

bool AbstractValues::isNoEffect(AssignOp assign) {
  AbstractValue value = of(assign.getValue());
  auto no = IntegerAttr::get(IntegerType::get(assign.getContext(), 1), 0);
  if (Value condition = assign.getCondition();
      condition && of(condition).is(no))
    return true;
  Value array = assign.getArray();
  bool isWorkspace = workspaces.contains(array);
  if (std::optional<BuiltinAttr> function = assign.getFunction()) {
    bool isNothing = value.is(
        getConstant((*function)->getIdentity(), assign.getValue().getType()));
    if (!isWorkspace)
      return isNothing;
    // Seen by what consumes it.
    if (!isNothing)
      workspaces[array] = AbstractValue();
    return true;
  }
  if (isWorkspace) {
    std::optional<AbstractValue> &known = workspaces[array];
    bool isSame = known && value.kind == AbstractValue::Kind::constant &&
                  known->is(value.value);
    known = !known || isSame ? value : AbstractValue();
    return true;
  }
  if (std::optional<TypedAttr> fill = assign.getFill())
    return value.is(*fill);
  if (auto type = dyn_cast<ArrayType>(array.getType()))
    return value.is(type.getFormat().getFill());
  return false;
}

bool AbstractValues::isNoEffect(Block &block) {
  bool isNothing = true;
  for (Operation &op : block) {
    if (auto assign = dyn_cast<AssignOp>(op)) {
      isNothing &= isNoEffect(assign);
    } else if (auto where = dyn_cast<WhereOp>(op)) {
      Value produced = where.getProducers().getArgument(0);
      std::optional<AbstractValue> &first = workspaces[produced];
      // One in a format begins with its fill.
      if (auto type = dyn_cast<ArrayType>(produced.getType()))
        first = AbstractValue::constant(type.getFormat().getFill());
      isNothing &= isNoEffect(where.getProducers().front());
      std::optional<AbstractValue> last = workspaces.lookup(produced);
      workspaces[where.getConsumers().getArgument(0)] =
          last.value_or(AbstractValue());
      isNothing &= isNoEffect(where.getConsumers().front());
    } else if (isa<ForallOp, IfOp>(op)) {
      isNothing &= isNoEffect(op.getRegion(0).front());
    }
  }
  return isNothing;
}
