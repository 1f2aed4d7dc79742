//===- ExpandMissing.cpp - What statements make of missing elements -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   cin.yield %max : f32        ->   cin.yield %max where %exist : f32
//
//===----------------------------------------------------------------------===//

#include "RowReductions.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"

#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Iterators.h"

namespace ember::cin {
#define GEN_PASS_DEF_EXPANDMISSING
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember;
using namespace ember::cin;

static bool isCoalesce(CallOp call) {
  return call.getFunction().is("coalesce");
}

namespace {
/// Makes conditions of what is missing in one evaluation.
class MissingExpander {
public:
  explicit MissingExpander(EvaluateOp evaluate)
      : evaluate(evaluate), builder(evaluate.getLoc(), evaluate) {}

  LogicalResult run();

private:
  /// A condition that holds where a value is not missing, behind it; null if
  /// that is everywhere.
  Value existenceOf(Value value);
  Value makeExistence(Value value);
  Value makeExistence(CallOp call);
  Value existenceOfAll(ValueRange values);
  /// Holds where both do, and where one does; null holds everywhere.
  Value both(Value first, Value second);
  Value either(Value first, Value second);
  /// `condition` as what is missing does not hold, and `existence`.
  Value guard(Value condition, Value existence);
  void expand(IfOp branch);
  void expand(YieldOp yield);
  LogicalResult expand(AssignOp assign);
  void replace(CallOp coalesce);
  /// Says of a reduction which value it is without anything to combine, if it
  /// is asked whether there is: that is not kept in its value then.
  void complete(OpOperand &operand);
  /// Erases what nobody asked for in the end: of a reduction of which it is
  /// asked whether it combines anything, that is kept beside.
  void eraseUnused();

  Value call(StringRef function, ValueRange operands, Type type) {
    auto builtin =
        BuiltinAttr::get(builder.getContext(), findBuiltin(function));
    return CallOp::create(builder, type, builtin, operands);
  }

  EvaluateOp evaluate;
  ImplicitLocOpBuilder builder;
  llvm::DenseMap<Value, Value> known;
  /// Reductions that are assigned to what has all elements.
  SmallVector<OpOperand *> completed;
};
} // namespace

//===----------------------------------------------------------------------===//
// What exists where
//===----------------------------------------------------------------------===//

Value MissingExpander::both(Value first, Value second) {
  if (!first || first == second)
    return second;
  return second ? call("and", {first, second}, builder.getI1Type()) : first;
}

Value MissingExpander::either(Value first, Value second) {
  if (!first || !second)
    return nullptr;
  return call("or", {first, second}, builder.getI1Type());
}

Value MissingExpander::existenceOfAll(ValueRange values) {
  SmallVector<Value> conditions = llvm::map_to_vector(
      values, [&](Value value) { return existenceOf(value); });
  Value all;
  for (Value condition : conditions)
    all = both(all, condition);
  return all;
}

Value MissingExpander::makeExistence(CallOp call) {
  if (!isCoalesce(call))
    return existenceOfAll(call.getOperands());
  Value first = existenceOf(call.getOperand(0));
  Value second = existenceOf(call.getOperand(1));
  return either(first, second);
}

Value MissingExpander::makeExistence(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto access = dyn_cast_or_null<AccessOp>(op)) {
    Value indices = existenceOfAll(access.getIndices());
    auto type = dyn_cast<ArrayType>(access.getArray().getType());
    bool mayBeMissing =
        type && type.getFormat().isMissing() && !access.getStored();
    Value element =
        mayBeMissing
            ? StoredOp::create(builder, builder.getI1Type(), value).getResult()
            : Value();
    return both(indices, element);
  }
  if (auto reduce = dyn_cast_or_null<ReduceOp>(op))
    return existenceOf(reduce.getYield().getValue())
               ? StoredOp::create(builder, builder.getI1Type(), value)
                     .getResult()
               : Value();
  if (auto call = dyn_cast_or_null<CallOp>(op))
    return makeExistence(call);
  if (auto apply = dyn_cast_or_null<ApplyOp>(op))
    return existenceOfAll(apply.getOperands());
  return nullptr;
}

Value MissingExpander::existenceOf(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  Value existence = makeExistence(value);
  known[value] = existence;
  return existence;
}

//===----------------------------------------------------------------------===//
// What is done about it
//===----------------------------------------------------------------------===//

Value MissingExpander::guard(Value condition, Value existence) {
  // A condition may exclude the indices at which something is missing or not.
  Value holds = condition ? both(existenceOf(condition), condition) : Value();
  return both(holds, existence);
}

void MissingExpander::expand(IfOp branch) {
  Value condition = branch.getCondition();
  Value existence = existenceOf(condition);
  builder.setInsertionPoint(branch);
  branch.getConditionMutable().assign(both(existence, condition));
}

void MissingExpander::expand(YieldOp yield) {
  Value existence = existenceOf(yield.getValue());
  builder.setInsertionPoint(yield);
  if (Value condition = guard(yield.getCondition(), existence))
    yield.getConditionMutable().assign(condition);
}

/// The operand that is what a reduction combines, `operand` or what that is in
/// another type; null if there is none.
static OpOperand *findReduction(OpOperand &operand) {
  auto call = operand.get().getDefiningOp<CallOp>();
  if (call && call.getFunction().is("convert"))
    return findReduction(call->getOpOperand(0));
  return operand.get().getDefiningOp<ReduceOp>() ? &operand : nullptr;
}

LogicalResult MissingExpander::expand(AssignOp assign) {
  Value value = assign.getValue();
  Value existence = existenceOf(value);
  bool isStored = isa<ArrayType>(assign.getArray().getType());
  OpOperand *reduction = findReduction(assign.getValueMutable());
  // A dense array has the identity where a reduction has nothing to combine.
  if (existence && reduction && !isStored && !assign.getFunction()) {
    completed.push_back(reduction);
    existence = nullptr;
  } else if (existence && !isStored && !assign.getFunction()) {
    return assign.emitError()
           << "assigns what may be missing to "
           << evaluate.getNameOf(assign.getArray())
           << ", which has all of its elements: say what takes its place, as "
              "coalesce(..., 0) does, or give it a format";
  }
  // Where an index is missing, there is no element.
  existence = both(existence, existenceOfAll(assign.getIndices()));
  builder.setInsertionPoint(assign);
  if (Value condition = guard(assign.getCondition(), existence))
    assign.getConditionMutable().assign(condition);
  return success();
}

void MissingExpander::replace(CallOp coalesce) {
  Value first = coalesce.getOperand(0), second = coalesce.getOperand(1);
  Value whole = existenceOf(coalesce.getResult());
  builder.setInsertionPoint(coalesce);
  Value exists = existenceOf(first);
  Value chosen =
      exists ? call("select", {exists, first, second}, coalesce.getType())
             : first;
  // Of a choice all operands have to exist, and of this one either.
  known[chosen] = whole;
  coalesce.getResult().replaceAllUsesWith(chosen);
  coalesce.erase();
}

LogicalResult MissingExpander::run() {
  SmallVector<Operation *> ends, coalesces;
  evaluate.getRegion().walk([&](Operation *op) {
    auto call = dyn_cast<CallOp>(op);
    if (isa<YieldOp, AssignOp, IfOp>(op))
      ends.push_back(op);
    else if (call && isCoalesce(call))
      coalesces.push_back(op);
  });
  for (Operation *op : ends) {
    if (auto yield = dyn_cast<YieldOp>(op))
      expand(yield);
    else if (auto branch = dyn_cast<IfOp>(op))
      expand(branch);
    else if (failed(expand(cast<AssignOp>(op))))
      return failure();
  }
  // Existence is asked of them before they go.
  for (Operation *op : coalesces)
    replace(cast<CallOp>(op));
  eraseUnused();
  for (OpOperand *operand : completed)
    complete(*operand);
  return success();
}

void MissingExpander::complete(OpOperand &operand) {
  auto reduce = operand.get().getDefiningOp<ReduceOp>();
  TypedAttr nothing = reduce ? reduce.getValueOfNothing() : TypedAttr();
  if (!nothing || !isAskedFor(reduce))
    return;
  Value exists = known.lookup(reduce);
  builder.setInsertionPointAfterValue(exists);
  Value otherwise = LiteralOp::create(builder, nothing);
  operand.set(call("select", {exists, reduce, otherwise}, reduce.getType()));
}

void MissingExpander::eraseUnused() {
  evaluate.getRegion().walk<WalkOrder::PostOrder, ReverseIterator>(
      [](Operation *op) {
        if (isa<StoredOp, CallOp>(op) && isOpTriviallyDead(op))
          op->erase();
      });
}

namespace {
struct ExpandMissing
    : public ember::cin::impl::ExpandMissingBase<ExpandMissing> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([](EvaluateOp evaluate) {
      return failed(MissingExpander(evaluate).run()) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
