//===- GradientCombinations.cpp - What assignments combined ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient by one of several values that an assignment combines depends on
// the others: statements in front of it say what that takes, by element.
//
//===----------------------------------------------------------------------===//

#include "ArrayVersions.h"
#include "ComparedTerms.h"
#include "GradientFunction.h"

#include <limits>

using namespace mlir;
using namespace ember::cin;

Value GradientFunction::makeCombined(AssignOp assign, StringRef name,
                                     double initial) {
  Value array = assign.getArray();
  TemporaryOp combined = makeLike(array, getName(array) + name);
  combined.setInitialAttr(
      FloatAttr::get(getElementTypeOrSelf(combined.getType()), initial));
  return combined;
}

LogicalResult
GradientFunction::choose(ForallOp statement, AssignOp assign,
                         StatementGradient::Combination &combination) {
  if (failed(verifyCompared(assign.getLoc(), assign.getFunction(),
                            assign.getValue())))
    return failure();
  // A result was chosen from terms that were rounded otherwise.
  bool choosesAgain = isKept(assign.getValue()) &&
                      !assign.getArray().getDefiningOp<TemporaryOp>();
  double most = std::numeric_limits<double>::infinity();
  double identity = assign.getFunction().is("max") ? -most : most;
  combination.chosen = choosesAgain ? makeCombined(assign, "_chosen", identity)
                                    : getAssigned(assign);
  if (!combination.chosen)
    return assign.emitError("what is chosen here is assigned to again: assign "
                            "to another array");
  combination.ties = makeCombined(assign, "_ties", 0);
  StatementGradient again(builder, *this, functions, statement,
                          /*seed=*/Value(), combination);
  if (choosesAgain && failed(again.choose()))
    return failure();
  return again.countTies();
}

LogicalResult
GradientFunction::multiply(ForallOp statement, AssignOp assign,
                           StatementGradient::Combination &combination) {
  // What is there before is a factor, too.
  auto initial = dyn_cast_if_present<FloatAttr>(
      getInitialValue(function, evaluate, assign.getArray()));
  double first = initial ? initial.getValueAsDouble() : 1;
  combination.zeros = makeCombined(assign, "_zeros", first == 0 ? 1 : 0);
  combination.ofZeros = makeCombined(assign, "_of_zeros", 0);
  combination.product = makeCombined(assign, "_others", first == 0 ? 1 : first);
  return StatementGradient(builder, *this, functions, statement,
                           /*seed=*/Value(), combination)
      .multiply();
}
