//===- Assignments.cpp - Elements that are assigned to --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvaluationLowering.h"

#include "ember/Dialect/CIN/Transforms/FunctionCode.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// `given` where it is the first, `combined` otherwise.
Value EvaluationLowering::choose(Value isFirst, Value given, Value combined) {
  // Of two choices between the same values, one.
  auto before = combined.getDefiningOp<arith::SelectOp>();
  if (before && before.getTrueValue() == given) {
    isFirst = arith::OrIOp::create(builder, before.getCondition(), isFirst);
    combined = before.getFalseValue();
  }
  return arith::SelectOp::create(builder, isFirst, given, combined);
}

Value EvaluationLowering::emitUnlessFirst(AssignOp assign, Function function,
                                          Value before, Value given) {
  auto branch =
      scf::IfOp::create(builder, given.getType(), get(assign.getFirst()),
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, given);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(
      builder, emitCall(builder, function, {before, given}, given.getType()));
  return branch.getResult(0);
}

void EvaluationLowering::emit(AssignOp assign) {
  std::optional<OpBuilder::InsertionGuard> guard;
  if (Value condition = assign.getCondition()) {
    auto branch = scf::IfOp::create(builder, get(condition),
                                    /*withElseRegion=*/false);
    guard.emplace(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  emitStored(assign);
}

void EvaluationLowering::emitStored(AssignOp assign) {
  Value value = get(assign.getValue());
  if (isa<ArrayType>(assign.getArray().getType())) {
    emitStore(assign, value);
    return;
  }
  Value memref = get(assign.getArray());
  SmallVector<Value> at = indices(assign.getIndices());
  if (compacted && assign == compacted.getAssignment())
    at.back() = nextPlace;
  if (Function function = assign.getFunction()) {
    Value before = memref::LoadOp::create(builder, memref, at);
    bool isSum = function.is("add") && assign.getValue().hasOneUse();
    // What may add nothing: the sum is chosen, so that a product stays a part
    // of it.
    Value given = value, term = value, isAdded;
    auto choice = value.getDefiningOp<arith::SelectOp>();
    if (isSum && choice && addsNothing(choice.getFalseValue())) {
      isAdded = choice.getCondition();
      term = choice.getTrueValue();
    }
    if (auto product = term.getDefiningOp<arith::MulFOp>(); isSum && product) {
      // Rounded once, together with the sum; what comes in no order may be
      // added in any.
      auto order = assign.getFirst() ? arith::FastMathFlags::none
                                     : arith::FastMathFlags::reassoc;
      value = math::FmaOp::create(builder, product.getLhs(), product.getRhs(),
                                  before, order);
    } else if (assign.getFirst() && !function.getBuiltin()) {
      // Of what was there before the first value it may have no result.
      value = emitUnlessFirst(assign, function, before, value);
    } else {
      value = emitCall(builder, function, {before, term}, term.getType());
    }
    if (isAdded)
      value = arith::SelectOp::create(builder, isAdded, value, before);
    if (Value first = assign.getFirst(); first && function.getBuiltin())
      value = choose(get(first), given, value);
  }
  memref::StoreOp::create(builder, value, memref, at);
}

void EvaluationLowering::emitStore(AssignOp assign, Value value) {
  Value array = assign.getArray();
  SmallVector<Value> coordinates = getPlace(assign);
  auto found = appended.find(array);
  if (found != appended.end()) {
    SmallVector<Value> bound = getBound(coordinates);
    bool isComputed = false;
    for (auto [level, coordinate] : llvm::enumerate(coordinates)) {
      ArrayRef<Value> above = ArrayRef(coordinates).take_front(level);
      if (isa<BlockArgument>(coordinate) &&
          !llvm::is_contained(above, coordinate))
        continue;
      // No loop over it has checked it.
      isComputed = true;
      levels.assertInside(
          {array, llvm::to_vector(ArrayRef(coordinates).take_front(level + 1))},
          bound[level]);
    }
    found->second->store(bound, value, isComputed);
    return;
  }
  workspaces[array]->store(getBound(coordinates), value, assign.getFunction());
}
