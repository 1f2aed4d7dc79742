//===- Semantics.cpp - What instructions do -------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/Semantics.h"

using namespace ember::sim;

SemanticsTable::SemanticsTable() {
  addScalarSemantics(*this);
  addScalarMemorySemantics(*this);
  addScalarFloatSemantics(*this);
  addNeonSemantics(*this);
  addNeonFloatSemantics(*this);
  addNeonPermuteSemantics(*this);
  addNeonMemorySemantics(*this);
  addSVEIntegerSemantics(*this);
  addSVEFloatSemantics(*this);
  addSVEPermuteSemantics(*this);
  addSVEPredicateSemantics(*this);
  addSVEMemorySemantics(*this);
}

const SemanticsTable &SemanticsTable::get() {
  static const SemanticsTable table;
  return table;
}
