//===- AbstractValues.cpp - What is known of values that are not stored ---===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/Transforms/AbstractValues.h"

#include "ember/Dialect/CIN/Transforms/FunctionCode.h"
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

/// What annihilators and identities make of a call.
static std::optional<AbstractValue>
findSpecial(Function function, ArrayRef<AbstractValue> operands) {
  for (auto [position, mine] : llvm::enumerate(operands)) {
    if (mine.kind != AbstractValue::Kind::constant)
      continue;
    for (const SpecialValue &special :
         function.getSpecial(mine.value.getType())) {
      if (!special.isAt(position) || !mine.is(special.value))
        continue;
      // Only functions of two operands have what depends on the other one.
      if (special.unless && !operands[1 - position].isNot(special.unless))
        continue;
      return special.result ? AbstractValue::constant(special.result)
                            : operands[1 - position];
    }
  }
  return std::nullopt;
}

/// What a function is where its iteration does not have a point, whatever is
/// known of the operands there.
static std::optional<AbstractValue>
findElsewhere(Function function, ArrayRef<AbstractValue> operands,
              Type result) {
  std::optional<DeclaredIteration> iteration = function.getIteration();
  if (!iteration)
    return std::nullopt;
  ember::OperandMask known = 0, all = 0;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    ember::OperandMask bit = ember::OperandMask(1) << number;
    TypedAttr fill = iteration->fills[number];
    if (operand.isNot(fill))
      known |= bit;
    else if (!operand.is(fill))
      all |= bit;
  }
  bool isOutside = true;
  ember::forEachRegion(all, [&](ember::OperandMask region) {
    isOutside &= !iteration->set.contains(region | known);
  });
  if (!isOutside)
    return std::nullopt;
  TypedAttr value = iteration->elsewhere
                        ? iteration->elsewhere
                        : foldCall(function, iteration->fills, result);
  if (!value)
    return std::nullopt;
  return AbstractValue::constant(value);
}

AbstractValue ember::cin::callAbstractly(Function function,
                                         ArrayRef<AbstractValue> operands,
                                         Type result) {
  using Kind = AbstractValue::Kind;
  bool areConstant = llvm::all_of(operands, [](const AbstractValue &operand) {
    return operand.kind == Kind::constant;
  });
  // What it is, is right whatever is declared.
  if (areConstant) {
    SmallVector<TypedAttr> values = llvm::map_to_vector(
        operands, [](const AbstractValue &operand) { return operand.value; });
    if (TypedAttr value = foldCall(function, values, result))
      return AbstractValue::constant(value);
    bool areEqual = llvm::all_of(operands, [&](const AbstractValue &operand) {
      return operand.is(values.front());
    });
    if (function.isIdempotent() && areEqual)
      return operands.front();
  }
  if (function.chooses()) {
    if (operands[0].kind != Kind::constant)
      return {};
    bool isFirst = cast<IntegerAttr>(operands[0].value).getValue().isOne();
    return operands[isFirst ? 1 : 2];
  }
  if (auto special = findSpecial(function, operands))
    return *special;
  return findElsewhere(function, operands, result).value_or(AbstractValue());
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
  auto boolean = [&](bool value) {
    return AbstractValue::constant(
        IntegerAttr::get(IntegerType::get(access.getContext(), 1), value));
  };
  if (format.isMissing() && !access.getStored())
    return {};
  auto isOf = [&](const Fiber &fiber) { return fiber.contains(access); };
  if (llvm::any_of(absent, isOf))
    return access.getStored() ? boolean(false)
                              : AbstractValue::constant(format.getFill());
  // Stored above, it may be absent below.
  bool isStored = llvm::any_of(stored, [&](const Fiber &fiber) {
    return isOf(fiber) && fiber.depth() == format.getLevels().size();
  });
  if (access.getStored())
    return isStored ? boolean(true) : AbstractValue();
  if (isStored && !format.getStoresFill())
    return AbstractValue::anythingBut(format.getFill());
  return {};
}

AbstractValue AbstractValues::ofStored(StoredOp question) {
  auto is = [&](bool holds) {
    return AbstractValue::constant(
        IntegerAttr::get(question.getType(), holds ? 1 : 0));
  };
  auto access = question.getValue().getDefiningOp<AccessOp>();
  if (!access)
    return {};
  if (!isa<ArrayType>(access.getArray().getType()))
    return is(true);
  auto isOf = [&](const Fiber &fiber) { return fiber.contains(access); };
  if (llvm::any_of(absent, isOf) || untouched.contains(access.getArray()))
    return is(false);
  bool isStored = llvm::any_of(stored, [&](const Fiber &fiber) {
    return isOf(fiber) && fiber.depth() == fiber.getFormat().getLevels().size();
  });
  return isStored ? is(true) : AbstractValue();
}

AbstractValue AbstractValues::ofReduction(ReduceOp reduce) {
  if (reduce.getOtherwise() || !isIdentity(reduce))
    return {};
  TypedAttr identity = reduce.getFunction().getIdentity(reduce.getType());
  return identity ? AbstractValue::constant(identity) : AbstractValue();
}

bool AbstractValues::isFalse(Value condition) {
  if (!condition)
    return false;
  return of(condition).is(IntegerAttr::get(condition.getType(), 0));
}

bool AbstractValues::isIdentity(ReduceOp reduce) {
  YieldOp yield = reduce.getYield();
  if (isFalse(yield.getCondition()))
    return true;
  // The first value counts, whatever it is.
  if (reduce.getOtherwise())
    return false;
  return of(yield.getValue())
      .is(reduce.getFunction().getIdentity(reduce.getType()));
}

AbstractValue AbstractValues::compute(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto access = dyn_cast_or_null<AccessOp>(op))
    return ofAccess(access);
  if (auto literal = dyn_cast_or_null<LiteralOp>(op))
    return AbstractValue::constant(literal.getValue());
  if (auto reduce = dyn_cast_or_null<ReduceOp>(op))
    return ofReduction(reduce);
  if (auto question = dyn_cast_or_null<StoredOp>(op))
    return ofStored(question);
  auto call = dyn_cast_or_null<CallOp>(op);
  if (!call)
    return {};
  SmallVector<AbstractValue> operands = llvm::map_to_vector(
      call.getOperands(), [&](Value operand) { return of(operand); });
  Function function = call.getFunction();
  if (function.isIdempotent() && llvm::all_equal(call.getOperands()))
    return operands.front();
  return callAbstractly(function, operands, call.getType());
}

AbstractValue AbstractValues::of(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  AbstractValue computed = compute(value);
  known[value] = computed;
  return computed;
}

SmallVector<TypedAttr> AbstractValues::ofOperands(CallOp call) {
  return llvm::map_to_vector(call.getOperands(), [&](Value operand) {
    AbstractValue value = of(operand);
    bool isKnown = value.kind == AbstractValue::Kind::constant;
    return isKnown ? value.value : TypedAttr();
  });
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

bool AbstractValues::isNoEffect(AssignOp assign) {
  if (isFalse(assign.getCondition()))
    return true;
  AbstractValue value = of(assign.getValue());
  Value array = assign.getArray();
  bool isWorkspace = workspaces.contains(array);
  // Where nothing was, there is something then, whatever it is.
  auto type = dyn_cast<ArrayType>(array.getType());
  if (type && type.getFormat().isMissing()) {
    untouched.erase(array);
    return isWorkspace;
  }
  if (Function function = assign.getFunction()) {
    bool isNothing =
        !assign.getFirst() &&
        value.is(function.getIdentity(assign.getValue().getType()));
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
  return type && value.is(type.getFormat().getFill());
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
      auto type = dyn_cast<ArrayType>(produced.getType());
      bool isMissing = type && type.getFormat().isMissing();
      if (isMissing)
        untouched.insert(produced);
      else if (type)
        first = AbstractValue::constant(type.getFormat().getFill());
      isNothing &= isNoEffect(where.getProducers().front());
      std::optional<AbstractValue> last = workspaces.lookup(produced);
      Value consumed = where.getConsumers().getArgument(0);
      workspaces[consumed] = last.value_or(AbstractValue());
      if (untouched.contains(produced))
        untouched.insert(consumed);
      isNothing &= isNoEffect(where.getConsumers().front());
    } else if (auto branch = dyn_cast<IfOp>(op)) {
      isNothing &= isFalse(branch.getCondition()) ||
                   isNoEffect(branch.getRegion().front());
    } else if (isa<ForallOp>(op)) {
      isNothing &= isNoEffect(op.getRegion(0).front());
    }
  }
  return isNothing;
}
