//===- Reductions.cpp - Reductions that are values ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvaluationLowering.h"

#include "ember/Dialect/CIN/Transforms/FunctionCode.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

bool ember::cin::isInnermost(Operation *loop) {
  return !loop->walk([&](Operation *op) {
                bool isInner = op != loop && isa<ForallOp, ReduceOp>(op);
                return isInner ? WalkResult::interrupt()
                               : WalkResult::advance();
              })
              .wasInterrupted();
}

bool ember::cin::mergesInside(Operation *loop) {
  WalkResult search = loop->walk([&](Operation *op) {
    IterationAttr iteration = op != loop ? getIteration(op) : IterationAttr();
    bool isMerge =
        iteration && llvm::popcount(iteration.getSet().support()) > 1;
    return isMerge ? WalkResult::interrupt() : WalkResult::advance();
  });
  return search.wasInterrupted();
}

/// What a sum, or what else is combined, is computed from in its block. What is
/// only compared is not: two comparisons of an expression, here and elsewhere,
/// have to be of the same bits.
static SetVector<Operation *> findSummed(Value combined) {
  SetVector<Operation *> summed;
  Block *block = combined.getParentBlock();
  auto add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && op->getBlock() == block && isa<FloatType>(value.getType()))
      summed.insert(op);
  };
  add(combined);
  for (size_t next = 0; next < summed.size(); ++next)
    if (isa<arith::ArithDialect, math::MathDialect>(summed[next]->getDialect()))
      llvm::for_each(summed[next]->getOperands(), add);
  return summed;
}

EvaluationLowering::Combined EvaluationLowering::combine(ReduceOp reduce,
                                                         const Combined &state,
                                                         Value term) {
  Function function = reduce.getFunction();
  Value before = state.front();
  if (state.size() > 1 && function.getBuiltin()) {
    Value isAny = arith::ConstantOp::create(builder, builder.getBoolAttr(true));
    Value combined =
        emitCall(builder, function, {before, term}, term.getType());
    return {arith::SelectOp::create(builder, state.back(), combined, term),
            isAny};
  }
  if (state.size() > 1) {
    // The first term stands for itself.
    auto branch = scf::IfOp::create(builder, term.getType(), state.back(),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, term);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(
        builder, emitCall(builder, function, {before, term}, term.getType()));
    builder.setInsertionPointAfter(branch);
    Value isAny = arith::ConstantOp::create(builder, builder.getBoolAttr(true));
    return {branch.getResult(0), isAny};
  }
  Value combined = emitCall(builder, function, {before, term}, term.getType());
  // Terms may be added in any order, and then a product may also be added to
  // others unrounded.
  auto mark = [&](Operation *op, arith::FastMathFlags flags) {
    auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
    arith::FastMathFlagsAttr before =
        fast ? fast.getFastMathFlagsAttr() : nullptr;
    // Casts have none.
    if (before)
      op->setAttr(fast.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(builder.getContext(),
                                                before.getValue() | flags));
  };
  // Inside of a function that users define, nothing is to be reordered.
  if (!isa<FloatType>(term.getType()) || function.isIdempotent() ||
      !function.getBuiltin())
    return {combined};
  mark(combined.getDefiningOp(), arith::FastMathFlags::reassoc);
  for (Operation *op : findSummed(combined))
    mark(op, arith::FastMathFlags::contract);
  return {combined};
}

/// What has to be emitted of a reduction's body for `value`, with itself.
static SetVector<Operation *> findNeeded(ReduceOp reduce, Value value) {
  SetVector<Operation *> needed;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != reduce.getBody())
    return needed;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  // What reductions inside have from here, too.
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *part) {
    return reduce->isProperAncestor(part);
  };
  (void)getBackwardSlice(value, &needed, options);
  return needed;
}

bool ember::cin::isHarmless(Operation *loop, ArrayRef<Fiber> fibers) {
  for (Operation &op : loop->getRegion(0).front()) {
    if (auto access = dyn_cast<AccessOp>(op)) {
      auto type = dyn_cast<ArrayType>(access.getArray().getType());
      if (!type)
        return false;
      Fiber element{access.getArray(),
                    getCoordinates(type, access.getIndices())};
      if (!llvm::is_contained(fibers, element) || isShifted(element))
        return false;
      continue;
    }
    auto call = dyn_cast<CallOp>(op);
    auto assign = dyn_cast<AssignOp>(op);
    auto yield = dyn_cast<YieldOp>(op);
    bool isPlain = isa<LiteralOp>(op) || (call && isTotal(call)) ||
                   (assign && !assign.getCondition()) ||
                   (yield && !yield.getCondition());
    if (!isPlain)
      return false;
  }
  return true;
}

EvaluationLowering::Combined
EvaluationLowering::emitTerm(ReduceOp reduce, const Combined &before) {
  SmallVector<Value> conditions;
  if (Value condition = reduce.getYield().getCondition())
    addConjuncts(condition, conditions);
  llvm::DenseSet<Operation *> emitted;
  return emitTermWhere(reduce, before, conditions, emitted);
}

EvaluationLowering::Combined
EvaluationLowering::emitTermWhere(ReduceOp reduce, const Combined &before,
                                  ArrayRef<Value> conditions,
                                  llvm::DenseSet<Operation *> &emitted) {
  YieldOp yield = reduce.getYield();
  auto body = reduce.getBody()->without_terminator();
  if (conditions.empty()) {
    for (Operation &op : body)
      if (!emitted.contains(&op))
        emit(op);
    return combine(reduce, before, get(yield.getValue()));
  }
  // What a condition needs comes first, and the rest only if it holds: others
  // behind it, too.
  SetVector<Operation *> needed = findNeeded(reduce, conditions.front());
  for (Operation &op : body)
    if (needed.contains(&op) && emitted.insert(&op).second)
      emit(op);
  auto branch =
      scf::IfOp::create(builder, TypeRange(ValueRange(before)),
                        get(conditions.front()), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Combined after =
      emitTermWhere(reduce, before, conditions.drop_front(), emitted);
  scf::YieldOp::create(builder, after);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, before);
  return llvm::to_vector_of<Value>(branch.getResults());
}

EvaluationLowering::Combined
EvaluationLowering::emitReduction(ReduceOp reduce, unsigned variable,
                                  const Combined &before) {
  if (variable == reduce.getVariables().size())
    return emitTerm(reduce, before);
  if (reduce.getIteration() && variable == 0)
    return emitWalk(reduce, before);
  auto [lower, upper] = bounds(reduce, variable);
  auto loop = scf::ForOp::create(builder, lower, upper, constant(1), before);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  values.map(reduce.getVariables()[variable], loop.getInductionVar());
  Combined after =
      emitReduction(reduce, variable + 1,
                    llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
  scf::YieldOp::create(builder, after);
  return llvm::to_vector_of<Value>(loop.getResults());
}

EvaluationLowering::Combined
EvaluationLowering::emitWalk(ReduceOp reduce, const Combined &before) {
  SmallVector<Fiber> fibers = getLevelOperands(reduce);
  Value size = bounds(reduce, 0).second;
  // How many coordinates there are matters if the others count, too.
  SmallVector<Value> carried = before;
  if (reduce.getRest())
    carried.push_back(constant(0));
  auto body = [&](Value, ValueRange values) {
    ValueRange terms = values.take_front(before.size());
    SmallVector<Value> after =
        emitTerm(reduce, llvm::to_vector_of<Value>(terms));
    if (reduce.getRest())
      after.push_back(levels.add(values.back(), 1));
    return after;
  };
  auto setVariable = [&](Value coordinate) {
    values.map(reduce.getVariables()[0], coordinate);
  };
  IterationCode code(builder, levels, fibers,
                     reduce.getIterationAttr().getSet(), setVariable);
  splitByCases(reduce, code);
  if (!mergesInside(reduce))
    chooseSearches(code);
  if (reduce.getFunction().getBuiltin() && isHarmless(reduce, fibers))
    code.speculate({});
  SmallVector<Value> after = code.emit(size, carried, body);
  if (!reduce.getRest())
    return after;
  SmallVector<Value> counts = {
      arith::SubIOp::create(builder, size, after.back())};
  for (ReduceOp inner = reduce; (inner = inner.getInner());)
    for (unsigned number = 0; number < inner.getVariables().size(); ++number)
      counts.push_back(bounds(inner, number).second);
  return {emitRest(reduce, after.front(), counts)};
}

Value EvaluationLowering::emitPower(Value product, TypedAttr factor,
                                    ArrayRef<Value> counts) {
  Type type = product.getType(), wide = builder.getF64Type();
  auto call = [&](StringRef name, ValueRange operands, Type result) {
    return emitCall(builder, *findBuiltin(name), operands, result);
  };
  auto multiply = [&](Value a, Value b) { return call("mul", {a, b}, wide); };
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, builder.getF64FloatAttr(value));
  };
  APFloat size = cast<FloatAttr>(factor).getValue();
  bool isNegative = size.isNegative();
  size.clearSign();
  bool isInexact = false;
  size.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &isInexact);
  double magnitude = size.convertToDouble();
  Value one = constant(1), odd = one, count;
  for (Value mine : counts) {
    odd = arith::AndIOp::create(builder, odd, mine);
    mine = call("convert", mine, wide);
    count = count ? multiply(count, mine) : mine;
  }
  Value isOdd =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, odd, one);
  auto ifOdd = [&](double value) -> Value {
    return arith::SelectOp::create(builder, isOdd, number(value), number(1));
  };
  Value given = call("convert", product, wide);
  if (isNegative)
    given = multiply(given, ifOdd(-1));
  // All of the power may be too large or too small where the product is not, so
  // that half of it is multiplied by twice.
  Value half = call("floor", multiply(count, number(0.5)), wide);
  half = call("pow", {number(magnitude), half}, wide);
  Value result = multiply(multiply(given, half), half);
  result = multiply(result, ifOdd(magnitude));
  if (size.isFinite()) {
    // 0 and infinity stay what they are, as they do one factor after the other.
    Value stays =
        call("eq", {given, multiply(given, number(2))}, builder.getI1Type());
    result = arith::SelectOp::create(builder, stays, given, result);
  }
  return call("convert", result, type);
}

Value EvaluationLowering::emitRest(ReduceOp reduce, Value sum,
                                   ArrayRef<Value> counts) {
  Type type = reduce.getType();
  Value rest = arith::ConstantOp::create(builder, *reduce.getRest());
  auto call = [&](StringRef name, ValueRange operands, Type result) {
    return emitCall(builder, *findBuiltin(name), operands, result);
  };
  Value combined;
  // A product of the counts might not fit into an index.
  switch (*getRepetition(reduce.getFunction(), *reduce.getRest())) {
  case Repetition::once:
    combined = emitCall(builder, reduce.getFunction(), {sum, rest}, type);
    break;
  case Repetition::multiple:
    for (Value count : counts)
      rest = call("mul", {rest, call("convert", count, type)}, type);
    combined = call("add", {sum, rest}, type);
    break;
  case Repetition::power:
    combined = emitPower(sum, *reduce.getRest(), counts);
    break;
  }
  // None of a value that is infinite or NaN is not 0 times it.
  Value least = counts.front();
  for (Value count : counts.drop_front())
    least = arith::MinSIOp::create(builder, least, count);
  Value isAny = arith::CmpIOp::create(builder, arith::CmpIPredicate::sgt, least,
                                      constant(0));
  return arith::SelectOp::create(builder, isAny, combined, sum);
}

void EvaluationLowering::checkAny(ReduceOp reduce, Value isAny) {
  cf::AssertOp::create(builder, isAny,
                       ("reduces nothing by '" +
                        reduce.getFunction().getName() +
                        "', which has no identity")
                           .str());
}

void EvaluationLowering::emit(ReduceOp reduce) {
  Type type = reduce.getType();
  TypedAttr otherwise = reduce.getOtherwiseAttr();
  TypedAttr identity = reduce.getValueOfNothing();
  Combined before = {arith::ConstantOp::create(
      builder, identity ? identity : getConstant(Constant::zero, type))};
  if (!identity || otherwise)
    before.push_back(
        arith::ConstantOp::create(builder, builder.getBoolAttr(false)));
  Combined after = emitReduction(reduce, 0, before);
  if (!identity)
    checkAny(reduce, after.back());
  values.map(reduce.getResult(), after.front());
}
