//===- SameValue.cpp - Values that are certainly equal --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/SameValue.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace ember {

/// Computations are compared operand by operand, this deep.
static constexpr unsigned maxDepth = 8;

static bool isSameValue(Value a, Value b, IndexExprs &exprs, unsigned depth);

/// Whether `a` and `b` are results of one kind of operation on equal operands.
static bool isSameComputation(Value a, Value b, IndexExprs &exprs,
                              unsigned depth) {
  auto resultA = dyn_cast<OpResult>(a), resultB = dyn_cast<OpResult>(b);
  if (!resultA || !resultB || depth == 0 ||
      resultA.getResultNumber() != resultB.getResultNumber())
    return false;
  Operation *opA = resultA.getOwner(), *opB = resultB.getOwner();
  bool comparable = opA->getName() == opB->getName() &&
                    opA->getNumRegions() == 0 && isMemoryEffectFree(opA) &&
                    opA->getAttrDictionary() == opB->getAttrDictionary() &&
                    opA->getResultTypes() == opB->getResultTypes() &&
                    opA->getNumOperands() == opB->getNumOperands();
  return comparable &&
         llvm::all_of(llvm::zip_equal(opA->getOperands(), opB->getOperands()),
                      [&](auto pair) {
                        return isSameValue(std::get<0>(pair), std::get<1>(pair),
                                           exprs, depth - 1);
                      });
}

static bool isSameValue(Value a, Value b, IndexExprs &exprs, unsigned depth) {
  if (a == b)
    return true;
  if (a.getType() != b.getType())
    return false;
  IndexExpr distance = exprs.of(a) - exprs.of(b);
  if (std::optional<int64_t> constant = distance.asConstant())
    return *constant == 0;
  // What is left may be one computation less another one.
  ArrayRef<IndexExpr::Term> terms = distance.getTerms();
  return distance.getConstant() == 0 && terms.size() == 2 &&
         uint64_t(terms[0].second) + uint64_t(terms[1].second) == 0 &&
         isSameComputation(terms[0].first, terms[1].first, exprs, depth);
}

bool isSameValue(Value a, Value b, IndexExprs &exprs) {
  return isSameValue(a, b, exprs, maxDepth);
}

bool areSameValues(ValueRange a, ValueRange b, IndexExprs &exprs) {
  return a.size() == b.size() &&
         llvm::all_of(llvm::zip_equal(a, b), [&](auto pair) {
           return isSameValue(std::get<0>(pair), std::get<1>(pair), exprs);
         });
}

} // namespace ember
