//===- StatementGradient.cpp - The gradient of one statement --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient by a value is the sum over its uses. A use inside of a reduction
// counts for each of its terms; what is the same for several elements of the
// leaf's array adds up.
//
//===----------------------------------------------------------------------===//

#include "StatementGradient.h"

#include "ComparedTerms.h"
#include "ConditionOrder.h"
#include "Derivatives.h"
#include "FusionCost.h"

#include "ember/Dialect/CIN/IR/ProgramOrder.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ember::cin;

StatementGradient::StatementGradient(OpBuilder &builder, GradientArrays &arrays,
                                     FunctionDerivatives &functions,
                                     ForallOp statement, Value seed,
                                     Combination combination)
    : builder(builder), make(builder, statement.getLoc()), arrays(arrays),
      functions(functions), statement(statement), seed(seed),
      combination(combination) {
  assign = getAssignment(statement, loops);
}

//===----------------------------------------------------------------------===//
// Values of the statement
//===----------------------------------------------------------------------===//

/// Whether what is assigned is the largest of terms that the gradient evaluates
/// again, to a result, which another function has evaluated.
static bool choosesAgain(AssignOp assign) {
  auto reduce = assign.getValue().getDefiningOp<ReduceOp>();
  while (reduce && reduce.getYield().getValue().getDefiningOp<ReduceOp>())
    reduce = reduce.getYield().getValue().getDefiningOp<ReduceOp>();
  return reduce && isKept(reduce.getYield().getValue()) &&
         !assign.getArray().getDefiningOp<TemporaryOp>();
}

Value StatementGradient::get(Value value) {
  if (Value known = values.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  // A number that the caller gives.
  if (!op)
    return arrays.getForward(value, nullptr);
  // What is expensive is read from where it was assigned to.
  std::optional<unsigned> cost = getCost(value);
  constexpr unsigned cheap = 4;
  bool isAssigned = value == assign.getValue() && !assign.isCombining() &&
                    (!cost || *cost > cheap) && !choosesAgain(assign);
  if (Value array = isAssigned ? arrays.getAssigned(assign) : Value()) {
    SmallVector<Value> indices = llvm::map_to_vector(
        assign.getIndices(), [&](Value index) { return get(index); });
    Value there =
        AccessOp::create(builder, value.getLoc(), array, indices).getResult();
    remember(values, value, there);
    return there;
  }
  IRMapping mapping;
  op->walk([&](Operation *part) {
    for (Value operand : part->getOperands()) {
      bool isInside = op->isAncestor(operand.getParentBlock()->getParentOp()) &&
                      op != operand.getDefiningOp();
      if (isInside || mapping.contains(operand))
        continue;
      Value mine = isNamedArray(operand) ? arrays.getForward(operand, part)
                                         : get(operand);
      if (!mine)
        isFailed = true;
      // What cannot be had is an error already; the statement is dropped.
      mapping.map(operand, mine ? mine : operand);
    }
  });
  Value copy = builder.clone(*op, mapping)->getResult(0);
  remember(values, value, copy);
  return copy;
}

Value StatementGradient::both(ArrayRef<Value> all) {
  Value holds;
  // In order: what one guards, those behind it may look up.
  for (Value condition : all)
    holds = make.both(holds, get(condition));
  return holds;
}

//===----------------------------------------------------------------------===//
// Gradients of values
//===----------------------------------------------------------------------===//

Value StatementGradient::getGradient(Value value) {
  if (!isa<FloatType>(value.getType()))
    return {};
  auto known = gradients.find(value);
  if (known != gradients.end())
    return known->second;
  Operation *op = value.getDefiningOp();
  bool isInReduction = op && isa<ReduceOp>(op->getParentOp());
  Value gradient =
      getGradientIn(value, isInReduction ? op->getBlock() : nullptr);
  remember(gradients, value, gradient);
  return gradient;
}

Value StatementGradient::getGradientIn(Value value, Block *block) {
  Value sum;
  llvm::SetVector<Operation *> reductions;
  auto isHere = [&](Operation *op) {
    return block ? op->getBlock() == block : isa<ForallOp>(op->getParentOp());
  };
  for (OpOperand *use : getUsesInOrder(value)) {
    Operation *owner = use->getOwner();
    if (!statement->isAncestor(owner))
      continue;
    Operation *op = owner;
    while (!isHere(op) && op != statement)
      op = op->getParentOp();
    // One in another reduction is counted there.
    if (op == statement)
      continue;
    if (op == owner)
      sum = make.add(sum, getGradientOf(*use));
    else
      reductions.insert(op);
  }
  for (Operation *op : reductions) {
    auto inner = cast<ReduceOp>(op);
    SmallVector<Value> where;
    if (Value condition = inner.getYield().getCondition())
      where.push_back(condition);
    Value part = sumOver(
        llvm::to_vector_of<BlockArgument>(inner.getVariables()),
        [&] { return both(where); },
        [&] { return getGradientIn(value, inner.getBody()); });
    sum = make.add(sum, part);
  }
  return sum;
}

Value StatementGradient::getGradientOf(OpOperand &use) {
  Operation *owner = use.getOwner();
  if (auto call = dyn_cast<CallOp>(owner))
    return deriveCall(call, use.getOperandNumber());
  bool isValue = use.getOperandNumber() == 0;
  if (isa<YieldOp>(owner) && isValue)
    return deriveTerm(cast<ReduceOp>(owner->getParentOp()));
  if (owner == assign && isValue)
    return deriveAssignment();
  // Indices, bounds and conditions have none.
  return {};
}

Value StatementGradient::deriveCall(CallOp call, unsigned operand) {
  Function function = call.getFunction();
  if (!isa<FloatType>(call.getType()) || (function.chooses() && operand == 0))
    return {};
  Value gradient = getGradient(call.getResult());
  if (!gradient)
    return {};
  if (function.is("convert"))
    return make.convert(gradient,
                        getGradientType(call.getOperands()[0].getType()));
  if (FunctionOp definition = function.getDefinition())
    return deriveCall(call, definition, operand, gradient);
  DerivativeRule rule = getDerivativeRule(function.getName());
  if (!rule)
    return fail(call.getLoc(),
                "'" + function.getName() + "' has no derivative");
  auto getOperand = [&](unsigned number) {
    Value mine = get(call.getOperands()[number]);
    return isa<FloatType>(mine.getType()) ? widen(mine) : mine;
  };
  auto getResult = [&] { return widen(get(call.getResult())); };
  return rule({make, getOperand, getResult, gradient, operand});
}

Value StatementGradient::deriveCall(CallOp call, FunctionOp function,
                                    unsigned operand, Value gradient) {
  if (isFailed)
    return {};
  FailureOr<FunctionOp> derivative =
      functions.get(function, operand, call.getLoc());
  isFailed |= failed(derivative);
  if (isFailed || !*derivative)
    return {};
  Type type = derivative->getResultType();
  SmallVector<Value> operands = llvm::map_to_vector(
      call.getOperands(), [&](Value value) { return get(value); });
  operands.push_back(make.convert(gradient, type));
  if (!llvm::all_of(operands, [](Value value) { return !!value; }))
    return {};
  return CallOp::create(builder, call.getLoc(), type,
                        FlatSymbolRefAttr::get(*derivative), operands);
}

Value StatementGradient::reduceAgain(ArrayRef<ReduceOp> nest,
                                     StringRef function,
                                     llvm::function_ref<Value(Value)> term) {
  // A copy, with other terms.
  ReduceOp reduce = nest.back();
  IRMapping mapping;
  reduce->walk([&](Operation *part) {
    for (Value operand : part->getOperands()) {
      bool isInside =
          reduce->isAncestor(operand.getParentBlock()->getParentOp());
      if (isInside || mapping.contains(operand))
        continue;
      Value mine = isNamedArray(operand) ? arrays.getForward(operand, part)
                                         : get(operand);
      isFailed |= !mine;
      mapping.map(operand, mine ? mine : operand);
    }
  });
  SmallVector<ReduceOp> copies = {
      cast<ReduceOp>(builder.clone(*reduce, mapping))};
  for (size_t level = 1; level < nest.size(); ++level) {
    Value inner = copies.back().getYield().getValue();
    copies.push_back(inner.getDefiningOp<ReduceOp>());
  }
  OpBuilder::InsertionGuard guard(builder);
  YieldOp yield = copies.back().getYield();
  builder.setInsertionPoint(yield);
  Value value = term(widen(yield.getValue()));
  yield.getValueMutable().assign(value);
  for (ReduceOp copy : copies) {
    copy.getResult().setType(value.getType());
    copy.setCalleeAttr(
        BuiltinAttr::get(builder.getContext(), findBuiltin(function)));
  }
  return copies.front().getResult();
}

/// The product of the others, also where some are 0. A product of factors of
/// which one is 0 is a constant only until that one is asked for: it is a
/// factor still, so that second derivatives are right, and nothing is divided
/// by 0, which their gradients of 0 would make NaN.
Value StatementGradient::productOfOthers(Value mine, const Combination &all) {
  auto number = [&](double value) {
    return make.number(value, mine.getType());
  };
  auto is = [&](Value value, double other) {
    return make.call("eq", {value, number(other)});
  };
  // What the others are whose zeros are `left`, by how many these are.
  auto productOf = [&](Value others, double mineAreZero, Value left) {
    Value withZero = make.select(is(all.zeros, mineAreZero + 1),
                                 make.multiply(others, left), number(0));
    return make.select(is(all.zeros, mineAreZero), others, withZero);
  };
  Value ofZero =
      productOf(all.product, 1, make.call("sub", {all.ofZeros, mine}));
  Value divisor = make.select(is(mine, 0), number(1), mine);
  Value ofOther =
      productOf(make.call("div", {all.product, divisor}), 0, all.ofZeros);
  return make.select(is(mine, 0), ofZero, ofOther);
}

Value StatementGradient::deriveTerm(ReduceOp reduce) {
  Function function = reduce.getFunction();
  bool chooses = function.is("max") || function.is("min");
  SmallVector<ReduceOp> nest = {reduce};
  if (chooses)
    nest = findNest(reduce);
  Value gradient = getGradient(nest.back().getResult());
  if (!gradient || function.is("add"))
    return gradient;
  Type type = gradient.getType();
  auto number = [&](double value) { return make.number(value, type); };
  auto is = [&](Value value, Value other) {
    return make.call("eq", {value, other});
  };
  Value term = reduce.getYield().getValue();
  if (chooses && failed(verifyCompared(reduce.getLoc(), function, term))) {
    isFailed = true;
    return {};
  }
  if (chooses) {
    // Evenly to all that are equal to it.
    Value chosen = widen(get(nest.back().getResult()));
    Value count = reduceAgain(nest, "add", [&](Value term) {
      return make.select(is(term, chosen), number(1), number(0));
    });
    Value share = make.call("div", {gradient, count});
    Value mine = widen(get(reduce.getYield().getValue()));
    return make.select(is(mine, chosen), share, number(0));
  }
  if (function.is("mul")) {
    auto isZero = [&](Value term) { return is(term, number(0)); };
    Combination all;
    all.zeros = reduceAgain(reduce, "add", [&](Value term) {
      return make.select(isZero(term), number(1), number(0));
    });
    all.ofZeros = reduceAgain(reduce, "add", [&](Value term) {
      return make.select(isZero(term), term, number(0));
    });
    all.product = reduceAgain(reduce, "mul", [&](Value term) {
      return make.select(isZero(term), number(1), term);
    });
    return make.multiply(gradient, productOfOthers(widen(get(term)), all));
  }
  return fail(reduce.getLoc(),
              "a reduction by '" + function.getName() +
                  "' has no derivative: " + getAlternative(function));
}

Value StatementGradient::deriveAssignment() {
  SmallVector<Value> indices = llvm::map_to_vector(
      assign.getIndices(), [&](Value index) { return get(index); });
  Location location = assign.getLoc();
  Value gradient =
      AccessOp::create(builder, location, seed, indices).getResult();
  Function function = assign.getFunction();
  if (assign.getFirst())
    return fail(location, "what is combined in an order, with a first value, "
                          "has no derivative: assign a reduction");
  if (!assign.isCombining() || function.is("add"))
    return gradient;
  auto element = [&](Value array) -> Value {
    return AccessOp::create(builder, location, array, indices).getResult();
  };
  if (combination.product) {
    Combination all;
    all.zeros = element(combination.zeros);
    all.ofZeros = element(combination.ofZeros);
    all.product = element(combination.product);
    return make.multiply(gradient,
                         productOfOthers(widen(get(assign.getValue())), all));
  }
  if (!combination.ties)
    return fail(location,
                "what is combined by '" + function.getName() +
                    "' has no derivative: " + getAlternative(function));
  Value chosen = widen(element(combination.chosen));
  Value share = make.call("div", {gradient, element(combination.ties)});
  Value isChosen = make.call("eq", {widen(get(assign.getValue())), chosen});
  return make.select(isChosen, share, make.number(0, share.getType()));
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

FailureOr<StatementGradient::Contribution>
StatementGradient::addTo(Value leaf, Value target, bool isFirst) {
  Scope all(*this);
  findScope(leaf);
  levelCondition = {};
  auto access = leaf.getDefiningOp<AccessOp>();
  bool hasLevels = access && isa<ArrayType>(access.getArray().getType());
  ForallOp around = begin();
  bool isWalked = hasLevels && hasOwnVariables(access);
  SmallVector<Value> indices;
  Variables bound;
  Value isStored;
  if (isWalked) {
    indices.push_back(bindLevels(access));
    for (Value index : access.getIndices())
      bound.push_back(cast<BlockArgument>(index));
  } else if (access) {
    bound = orderFor(access.getIndices());
    bindAll(bound);
    for (Value index : access.getIndices())
      indices.push_back(get(index));
    if (hasLevels && !isFailed) {
      Value position = findPosition(access, indices);
      Value first = make.number(0, position.getType());
      isStored = make.call("ge", {position, first});
      indices = {position};
    }
  }
  Variables rest;
  for (BlockArgument variable : scope)
    if (!llvm::is_contained(bound, variable))
      rest.push_back(variable);
  auto dependsOnRest = [&](Value value) {
    return value && llvm::any_of(rest, [&](BlockArgument variable) {
             return uses.depends(value, variable);
           });
  };
  Variables rangedInside;
  for (BlockArgument variable : bound) {
    auto [lower, upper] = getRange(variable);
    // What is walked may have more coordinates than the loop has.
    if (isWalked && !lower && !getLongerDimensions(variable).empty())
      levelCondition = make.both(
          levelCondition, make.call("lt", {get(variable), getSize(variable)}));
    if (!isWalked || !lower)
      continue;
    if (dependsOnRest(lower) || dependsOnRest(upper))
      rangedInside.push_back(variable);
    else
      levelCondition = make.both(levelCondition, isInRange(variable));
  }
  // What is looked up for a condition may not be there outside of a range.
  SmallVector<Value> outside, inside;
  for (Value condition : conditions)
    addConjuncts(condition, inside);
  if (rangedInside.empty())
    outside = takeOutside(inside, rest, uses);
  // What says whether a place is there may hang on what is summed over: each
  // term is added by itself then.
  bool isPlaceOpen =
      llvm::any_of(indices, [](Value index) { return mayFail(index); }) &&
      !llvm::all_of(inside, dependsOnRest);
  if (isPlaceOpen) {
    bindAll(rest);
    rest.clear();
    outside.append(inside);
    inside.clear();
  }
  auto holdsInside = [&] {
    Value holds;
    for (BlockArgument variable : rangedInside)
      holds = make.both(holds, isInRange(variable));
    return make.both(holds, both(inside));
  };
  Value value = sumOver(rest, holdsInside, [&] { return getGradient(leaf); });
  if (isFailed || !value) {
    around->erase();
    if (isFailed)
      return failure();
    return Contribution::none;
  }
  Value condition = make.both(levelCondition, both(outside));
  condition = make.both(condition, isStored);
  value = make.convert(value, getElementTypeOrSelf(target.getType()));
  auto sum =
      AssignOp::create(builder, statement.getLoc(), Attribute(), value, target,
                       indices, condition, /*first=*/Value(), TypedAttr());
  bool isWhole = isFirst && !hasLevels && bound.size() == indices.size() &&
                 assignsAll(sum);
  if (!isWhole)
    sum.setCalleeAttr(
        BuiltinAttr::get(builder.getContext(), findBuiltin("add")));
  if (isFailed) {
    around->erase();
    return failure();
  }
  finish(around, access ? access.getArray() : Value());
  return isWhole ? Contribution::assigned : Contribution::added;
}

LogicalResult
StatementGradient::assignAlike(Value target, StringRef function,
                               llvm::function_ref<Value()> value) {
  Scope all(*this);
  findScope({});
  ForallOp around = begin();
  bindAll(scope);
  SmallVector<Value> indices = llvm::map_to_vector(
      assign.getIndices(), [&](Value index) { return get(index); });
  Value condition =
      assign.getCondition() ? get(assign.getCondition()) : Value();
  Attribute callee;
  if (!function.empty())
    callee = BuiltinAttr::get(builder.getContext(), findBuiltin(function));
  AssignOp::create(builder, statement.getLoc(), callee, value(), target,
                   indices, condition, /*first=*/Value(), TypedAttr());
  if (isFailed) {
    around->erase();
    return failure();
  }
  finish(around);
  return success();
}

LogicalResult StatementGradient::countTies() {
  Type type = getElementTypeOrSelf(combination.ties.getType());
  return assignAlike(combination.ties, "add", [&] {
    SmallVector<Value> indices = llvm::map_to_vector(
        assign.getIndices(), [&](Value index) { return get(index); });
    Value chosen =
        AccessOp::create(builder, assign.getLoc(), combination.chosen, indices);
    Value isChosen =
        make.call("eq", {widen(get(assign.getValue())), widen(chosen)});
    return make.select(isChosen, make.number(1, type), make.number(0, type));
  });
}

LogicalResult StatementGradient::choose() {
  return assignAlike(combination.chosen, assign.getFunction().getName(),
                     [&] { return widen(get(assign.getValue())); });
}

LogicalResult StatementGradient::multiply() {
  Type type = getElementTypeOrSelf(combination.product.getType());
  Value zero, isZero, factor;
  auto assignEach = [&](Value target, StringRef function,
                        llvm::function_ref<Value()> value) {
    return assignAlike(target, function, [&] {
      zero = make.number(0, type);
      factor = widen(get(assign.getValue()));
      isZero = make.call("eq", {factor, zero});
      return value();
    });
  };
  return success(
      succeeded(assignEach(
          combination.zeros, "add",
          [&] { return make.select(isZero, make.number(1, type), zero); })) &&
      succeeded(
          assignEach(combination.ofZeros, "add",
                     [&] { return make.select(isZero, factor, zero); })) &&
      succeeded(assignEach(combination.product, "mul", [&] {
        return make.select(isZero, make.number(1, type), factor);
      })));
}

LogicalResult StatementGradient::clear(Value target) {
  Type type = getElementTypeOrSelf(target.getType());
  return assignAlike(target, "", [&] { return make.number(0, type); });
}

LogicalResult StatementGradient::scale(Value target) {
  return assignAlike(target, "mul",
                     [&] { return widen(get(assign.getValue())); });
}
