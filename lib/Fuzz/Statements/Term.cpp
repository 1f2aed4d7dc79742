//===- Term.cpp - Expressions in index notation ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Statements/Term.h"
#include <utility>

namespace ember::fuzz {

Term callOf(std::string name, std::vector<Term> operands) {
  Term term;
  term.kind = Term::Call;
  term.name = std::move(name);
  term.operands = std::move(operands);
  return term;
}

Term variableOf(const std::string &name) {
  Term term;
  term.kind = Term::Variable;
  term.name = name;
  return term;
}

Term integerOf(int64_t value) {
  Term term;
  term.name = std::to_string(value);
  return term;
}

Term elementOf(std::string array, std::vector<Term> indices) {
  Term term;
  term.kind = Term::Element;
  term.name = std::move(array);
  term.operands = std::move(indices);
  return term;
}

} // namespace ember::fuzz
