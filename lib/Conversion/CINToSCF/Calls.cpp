//===- Calls.cpp - Functions where they are called ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvaluationLowering.h"

#include "ember/Dialect/CIN/Transforms/AbstractValues.h"
#include "ember/Dialect/CIN/Transforms/FunctionCode.h"
#include "ember/Dialect/CIN/Transforms/ShortRows.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

void EvaluationLowering::emit(CallOp call) {
  Function function = call.getFunction();
  SmallVector<TypedAttr> known;
  if (!function.getCases().empty())
    known =
        AbstractValues(levels.getStored(), levels.getAbsent()).ofOperands(call);
  SmallVector<Value> operands = llvm::map_to_vector(
      call.getOperands(), [&](Value value) { return get(value); });
  Value value = emitCall(builder, function, operands, call.getType(), known);
  auto fast = value.getDefiningOp<arith::ArithFastMathInterface>();
  if (call.getApproximate() && fast)
    fast->setAttr(fast.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(builder.getContext(),
                                                arith::FastMathFlags::afn));
  values.map(call.getResult(), value);
}

/// The calls of functions with several bodies that a loop does itself, and no
/// loop in it.
static SmallVector<CallOp> findSplitCalls(Operation *loop) {
  SmallVector<CallOp> calls;
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != loop && isa<ForallOp, ReduceOp>(op))
      return WalkResult::skip();
    if (auto call = dyn_cast<CallOp>(op);
        call && !call.getFunction().getCases().empty())
      calls.push_back(call);
    return WalkResult::advance();
  });
  return calls;
}

void EvaluationLowering::chooseSearches(IterationCode &code) {
  code.searchLonger();
  code.scanShort(countScanned(evaluate));
}

void EvaluationLowering::splitByCases(Operation *loop, IterationCode &code) {
  SmallVector<CallOp> calls = findSplitCalls(loop);
  if (calls.empty())
    return;
  code.splitBy([this, calls](ArrayRef<Fiber> stored, ArrayRef<Fiber> absent) {
    SmallVector<Fiber> allStored = levels.getStored();
    SmallVector<Fiber> allAbsent = levels.getAbsent();
    llvm::append_range(allStored, stored);
    llvm::append_range(allAbsent, absent);
    AbstractValues values(allStored, allAbsent);
    return llvm::map_to_vector(calls, [&](CallOp call) {
      std::optional<unsigned> number =
          findCase(call.getFunction(), values.ofOperands(call));
      return number ? *number + 1 : 0;
    });
  });
}
