//===- BodyTangent.cpp - Derivatives of bodies of functions ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branches and loops are those of the body, with the changes of what they give
// and carry as further values.
//
//===----------------------------------------------------------------------===//

#include "BodyTangent.h"
#include "Derivatives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ember::cin;

//===----------------------------------------------------------------------===//
// What changes
//===----------------------------------------------------------------------===//

ActiveValues::ActiveValues(Region &body, Value argument) {
  values.insert(argument);
  do {
    isChanged = false;
    body.walk([&](Operation *op) { visit(op); });
  } while (isChanged);
}

SmallVector<unsigned> ActiveValues::numbersOf(ValueRange some) const {
  SmallVector<unsigned> numbers;
  for (auto [number, value] : llvm::enumerate(some))
    if (contains(value))
      numbers.push_back(number);
  return numbers;
}

void ActiveValues::add(Value from, Value to) {
  if (contains(from) && isa<FloatType>(to.getType()))
    isChanged |= values.insert(to).second;
}

void ActiveValues::addAll(ValueRange from, ValueRange to) {
  for (auto [value, changed] : llvm::zip_equal(from, to))
    add(value, changed);
}

void ActiveValues::visit(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    addAll(loop.getInitArgs(), loop.getRegionIterArgs());
    addAll(loop.getInitArgs(), loop.getResults());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    addAll(loop.getInits(), loop.getBeforeArguments());
  } else if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    addAll(condition.getArgs(), loop.getAfterArguments());
    addAll(condition.getArgs(), loop.getResults());
  } else if (isa<scf::YieldOp>(op)) {
    Operation *around = op->getParentOp();
    if (auto loop = dyn_cast<scf::WhileOp>(around)) {
      addAll(op->getOperands(), loop.getBeforeArguments());
      return;
    }
    addAll(op->getOperands(), around->getResults());
    if (auto loop = dyn_cast<scf::ForOp>(around))
      addAll(op->getOperands(), loop.getRegionIterArgs());
  } else if (op->getNumRegions() == 0) {
    for (Value operand : op->getOperands())
      for (Value result : op->getResults())
        add(operand, result);
  }
}

//===----------------------------------------------------------------------===//
// Values beside their changes
//===----------------------------------------------------------------------===//

SmallVector<Value> BodyTangent::withChanges(ValueRange values,
                                            ArrayRef<unsigned> numbers) {
  SmallVector<Value> all;
  for (Value value : values)
    all.push_back(mapping.lookup(value));
  for (unsigned number : numbers) {
    Value change = changes.lookup(values[number]);
    all.push_back(
        change ? change
               : make.number(0, getGradientType(values[number].getType())));
  }
  return all;
}

SmallVector<Type> BodyTangent::withChanges(TypeRange types,
                                           ArrayRef<unsigned> numbers) {
  SmallVector<Type> all(types);
  for (unsigned number : numbers)
    all.push_back(getGradientType(types[number]));
  return all;
}

void BodyTangent::setAll(ValueRange values, ArrayRef<unsigned> numbers,
                         ValueRange made) {
  mapping.map(values, made.take_front(values.size()));
  for (auto [number, change] :
       llvm::zip_equal(numbers, made.drop_front(values.size())))
    changes[values[number]] = change;
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

LogicalResult BodyTangent::copy(scf::IfOp branch) {
  SmallVector<unsigned> changed = active->numbersOf(branch.getResults());
  auto made = scf::IfOp::create(
      builder, branch.getLoc(), withChanges(branch.getResultTypes(), changed),
      mapping.lookup(branch.getCondition()), /*addThenBlock=*/true,
      /*addElseBlock=*/!branch.getElseRegion().empty());
  OpBuilder::InsertionGuard guard(builder);
  for (auto [from, to] :
       llvm::zip_equal(branch->getRegions(), made->getRegions())) {
    if (from.empty())
      continue;
    builder.setInsertionPointToEnd(&to.front());
    if (failed(copy(from.front())))
      return failure();
    Operation *yield = from.front().getTerminator();
    scf::YieldOp::create(builder, yield->getLoc(),
                         withChanges(yield->getOperands(), changed));
  }
  setAll(branch.getResults(), changed, made.getResults());
  return success();
}

LogicalResult BodyTangent::copy(scf::ForOp loop) {
  SmallVector<unsigned> changed = active->numbersOf(loop.getRegionIterArgs());
  LogicalResult result = success();
  auto made = scf::ForOp::create(
      builder, loop.getLoc(), mapping.lookup(loop.getLowerBound()),
      mapping.lookup(loop.getUpperBound()), mapping.lookup(loop.getStep()),
      withChanges(loop.getInitArgs(), changed),
      [&](OpBuilder &inside, Location, Value variable, ValueRange carried) {
        OpBuilder::InsertionGuard guard(builder);
        builder.restoreInsertionPoint(inside.saveInsertionPoint());
        mapping.map(loop.getInductionVar(), variable);
        setAll(loop.getRegionIterArgs(), changed, carried);
        result = copy(*loop.getBody());
        Operation *yield = loop.getBody()->getTerminator();
        if (succeeded(result))
          scf::YieldOp::create(builder, yield->getLoc(),
                               withChanges(yield->getOperands(), changed));
      },
      loop.getUnsignedCmp());
  if (succeeded(result))
    setAll(loop.getResults(), changed, made.getResults());
  return result;
}

LogicalResult BodyTangent::copy(scf::WhileOp loop) {
  auto carried = active->numbersOf(loop.getBeforeArguments());
  auto handed = active->numbersOf(loop.getAfterArguments());
  auto made = scf::WhileOp::create(builder, loop.getLoc(),
                                   withChanges(loop.getResultTypes(), handed),
                                   withChanges(loop.getInits(), carried));
  OpBuilder::InsertionGuard guard(builder);
  auto begin = [&](Region &from, Region &to, ArrayRef<unsigned> changed) {
    ValueRange arguments = from.getArguments();
    SmallVector<Type> types = withChanges(arguments.getTypes(), changed);
    SmallVector<Location> places(types.size(), loop.getLoc());
    Block *block = builder.createBlock(&to, to.end(), types, places);
    setAll(arguments, changed, block->getArguments());
    return copy(from.front());
  };
  if (failed(begin(loop.getBefore(), made.getBefore(), carried)))
    return failure();
  scf::ConditionOp condition = loop.getConditionOp();
  scf::ConditionOp::create(builder, condition.getLoc(),
                           mapping.lookup(condition.getCondition()),
                           withChanges(condition.getArgs(), handed));
  if (failed(begin(loop.getAfter(), made.getAfter(), handed)))
    return failure();
  scf::YieldOp yield = loop.getYieldOp();
  scf::YieldOp::create(builder, yield.getLoc(),
                       withChanges(yield.getOperands(), carried));
  setAll(loop.getResults(), handed, made.getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult BodyTangent::refuse(Operation *op) {
  auto function = op->getParentOfType<FunctionOp>();
  StringRef name = op->getName().getStringRef();
  if (auto call = dyn_cast<CallOp>(op))
    name = call.getFunction().getName();
  return emitError(caller) << "'" << function.getNotationName()
                           << "' has no derivative by its operand "
                           << argument.getArgNumber() << ": '" << name
                           << "', which it computes, has none";
}

FailureOr<Value> BodyTangent::deriveCall(CallOp call, FunctionOp callee) {
  Type type = getGradientType(call.getType());
  Value sum;
  for (auto [number, operand] : llvm::enumerate(call.getOperands())) {
    Value change = changes.lookup(operand);
    if (!change)
      continue;
    FailureOr<FunctionOp> derivative = functions.get(callee, number, caller);
    if (failed(derivative))
      return failure();
    if (!*derivative)
      continue;
    SmallVector<Value> operands = withChanges(call.getOperands(), number);
    Value part =
        CallOp::create(builder, call.getLoc(), derivative->getResultType(),
                       FlatSymbolRefAttr::get(*derivative), operands);
    sum = make.add(sum, make.convert(part, type));
  }
  return sum;
}

FailureOr<Value> BodyTangent::deriveOperation(Operation *op) {
  auto call = dyn_cast<CallOp>(op);
  bool isConversion = call ? call.getFunction().is("convert")
                           : isa<arith::ExtFOp, arith::TruncFOp>(op);
  Type type = getGradientType(op->getResult(0).getType());
  if (isConversion)
    return make.convert(changes.lookup(op->getOperand(0)), type);
  DerivativeRule rule = call ? getDerivativeRule(call.getFunction().getName())
                             : getDerivativeRule(op);
  if (!rule)
    return refuse(op);
  auto widen = [&](Value value) {
    Value mine = mapping.lookup(value);
    return make.convert(mine, getGradientType(mine.getType()));
  };
  auto getOperand = [&](unsigned number) {
    return widen(op->getOperand(number));
  };
  auto getResult = [&] { return widen(op->getResult(0)); };
  Value sum;
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    if (Value change = changes.lookup(operand)) {
      unsigned position = number;
      sum =
          make.add(sum, rule({make, getOperand, getResult, change, position}));
    }
  return sum;
}

LogicalResult BodyTangent::derive(Operation *op) {
  bool changes = llvm::any_of(op->getOperands(), [&](Value value) {
    return this->changes.lookup(value);
  });
  if (!changes)
    return success();
  auto call = dyn_cast<CallOp>(op);
  Function callee = call ? call.getFunction() : Function();
  // Numbers that are counted, and comparisons, do not change.
  bool isBits = isa<arith::BitcastOp>(op) || callee.is("bitcast");
  bool isOfFloat = llvm::any_of(op->getResultTypes(),
                                [](Type type) { return isa<FloatType>(type); });
  if (!isBits && !isOfFloat)
    return success();
  FunctionOp definition = callee.getDefinition();
  FailureOr<Value> change =
      definition ? deriveCall(call, definition) : deriveOperation(op);
  if (failed(change))
    return failure();
  if (*change)
    this->changes[op->getResult(0)] = *change;
  return success();
}

LogicalResult BodyTangent::copy(Block &block) {
  for (Operation &op : block.without_terminator()) {
    LogicalResult result = success();
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      result = copy(branch);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      result = copy(loop);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      result = copy(loop);
    } else {
      builder.clone(op, mapping);
      result = derive(&op);
    }
    if (failed(result))
      return failure();
  }
  return success();
}

FailureOr<Value> BodyTangent::build(Region &body, BlockArgument argument,
                                    ValueRange arguments, Value change) {
  ActiveValues changing(body, argument);
  active = &changing;
  this->argument = argument;
  mapping.clear();
  changes.clear();
  mapping.map(body.getArguments(), arguments);
  changes[argument] = change;
  LogicalResult result = copy(body.front());
  active = nullptr;
  if (failed(result))
    return failure();
  auto last = cast<ReturnOp>(body.front().getTerminator());
  return changes.lookup(last.getValue());
}
