//===- EmptyReductions.cpp - What reductions of nothing leave -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of a reduction around one of the result, or of another reduction
// around its own, reaches the inner coordinates only from its own ones: without
// any, nothing is assigned, though there is a value, that of a reduction of
// nothing.
//
//===----------------------------------------------------------------------===//

#include "StatementPaths.h"

#include "ember/Dialect/CIN/Transforms/AbstractValues.h"

using namespace mlir;
using namespace ember;
using cin::AbstractValue;

/// What is known of a value where `empty` combines nothing.
static AbstractValue evaluateWithout(cin::ReduceOp empty, Value value) {
  Operation *op = value.getDefiningOp();
  if (auto literal = dyn_cast_or_null<cin::LiteralOp>(op))
    return AbstractValue::constant(literal.getValue());
  if (auto reduce = dyn_cast_or_null<cin::ReduceOp>(op)) {
    TypedAttr identity = reduce.getFunction().getIdentity(reduce.getType());
    bool isNothing =
        reduce == empty ||
        evaluateWithout(empty, reduce.getYield().getValue()).is(identity);
    return identity && isNothing ? AbstractValue::constant(identity)
                                 : AbstractValue();
  }
  auto call = dyn_cast_or_null<cin::CallOp>(op);
  if (!call)
    return {};
  SmallVector<AbstractValue> operands =
      llvm::map_to_vector(call.getOperands(), [&](Value operand) {
        return evaluateWithout(empty, operand);
      });
  return cin::callAbstractly(call.getFunction(), operands, call.getType());
}

/// Whether nothing is to be seen of the variable where `empty` combines
/// nothing.
static bool isUnseen(const StatementPaths &paths,
                     const StatementVariable &variable, cin::ReduceOp empty) {
  if (cin::ReduceOp reduce = variable.reduce)
    return evaluateWithout(empty, reduce.getYield().getValue())
        .is(reduce.getFunction().getIdentity(reduce.getType()));
  cin::AssignOp assign = paths.assign;
  return evaluateWithout(empty, assign.getValue()).is(paths.result.format.fill);
}

SmallVector<cin::ReduceOp>
StatementPaths::findReductionsAround(unsigned variable,
                                     ArrayRef<unsigned> places) const {
  SmallVector<cin::ReduceOp> reductions;
  Operation *binding = variables[variable].argument.getOwner()->getParentOp();
  for (auto [number, around] : llvm::enumerate(variables))
    if (around.reduce && places[number] < places[variable] &&
        binding->isProperAncestor(around.reduce) &&
        !llvm::is_contained(reductions, around.reduce))
      reductions.push_back(around.reduce);
  return reductions;
}

llvm::SmallBitVector
StatementPaths::findRequired(ArrayRef<unsigned> places) const {
  llvm::SmallBitVector required(variables.size());
  for (auto [inner, variable] : llvm::enumerate(variables))
    for (cin::ReduceOp reduce : findReductionsAround(inner, places)) {
      if (isUnseen(*this, variable, reduce))
        continue;
      for (auto [number, around] : llvm::enumerate(variables))
        if (around.reduce == reduce && places[number] < places[inner])
          required.set(number);
    }
  return required;
}
