//===- Statement.cpp - Statements in index notation -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Statements/Statement.h"
#include <algorithm>
#include <utility>

namespace ember::fuzz {

const StoredArray &Notation::array(const std::string &name) const {
  return *std::find_if(
      arrays.begin(), arrays.end(),
      [&](const StoredArray &array) { return array.name == name; });
}

StoredArray &Notation::array(const std::string &name) {
  return const_cast<StoredArray &>(std::as_const(*this).array(name));
}

bool Notation::isTarget(const std::string &name) const {
  return std::any_of(statements.begin(), statements.end(),
                     [&](const Statement &statement) {
                       return statement.target.name == name;
                     });
}

const UserFunction *Notation::findFunction(const std::string &name) const {
  for (const UserFunction &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

bool Notation::mayBeMissing(const Term &term) const {
  auto may = [&](const Term &part) { return mayBeMissing(part); };
  const std::vector<Term> &parts = term.operands;
  if (term.kind == Term::Element && array(term.name).isMissing)
    return true;
  return term.name == "coalesce" ? std::all_of(parts.begin(), parts.end(), may)
                                 : std::any_of(parts.begin(), parts.end(), may);
}

static void visitAll(const std::vector<Term> &terms,
                     const std::function<void(const Term &)> &visit) {
  for (const Term &term : terms)
    visitTerms(term, visit);
}

/// Lists that ranges are over come last: they are conditions.
static void visitRanges(const std::vector<VariableRange> &ranges,
                        const std::function<void(const Term &)> &visit) {
  for (bool areLists : {false, true})
    for (const VariableRange &range : ranges) {
      bool isList = range.bounds.size() == 1 &&
                    range.bounds.front().kind == Term::Element;
      if (isList == areLists)
        visitAll(range.bounds, visit);
    }
}

void visitTerms(const Term &term,
                const std::function<void(const Term &)> &visit) {
  visit(term);
  visitAll(term.operands, visit);
  visitRanges(term.ranges, visit);
  visitAll(term.condition, visit);
}

void visitTerms(const Statement &statement,
                const std::function<void(const Term &)> &visit) {
  visitTerms(statement.target, visit);
  visitTerms(statement.value, visit);
  visitRanges(statement.ranges, visit);
  visitAll(statement.condition, visit);
}

bool Notation::hasElementsOf(const StoredArray &array) const {
  bool isFound = false;
  for (const Statement &statement : statements)
    visitTerms(statement, [&](const Term &term) {
      isFound |= term.kind == Term::Element && term.name == array.name &&
                 term.operands.size() == array.shape.size();
    });
  return isFound;
}

void Notation::orderArrays() {
  std::vector<std::string> names;
  for (const Statement &statement : statements)
    visitTerms(statement, [&](const Term &term) {
      bool isNew =
          std::find(names.begin(), names.end(), term.name) == names.end();
      if (term.kind == Term::Element && isNew)
        names.push_back(term.name);
    });
  std::vector<StoredArray> ordered;
  for (const std::string &name : names)
    ordered.push_back(array(name));
  arrays = std::move(ordered);
}

static Input makeDense(const StoredArray &like, std::vector<uint64_t> bits) {
  Input input;
  input.element = like.element;
  input.isMemRef = true;
  input.shape = like.shape;
  input.bits = std::move(bits);
  return input;
}

static std::vector<KernelParameter>
parametersOfGradient(const Notation &notation) {
  const Gradient &gradient = *notation.gradient;
  std::vector<KernelParameter> read, assigned, given, asked;
  auto add = [](std::vector<KernelParameter> &list, ArrayPart part,
                size_t number, bool isWritten = false) {
    list.push_back({std::move(part), number, /*isRoom=*/false, isWritten});
  };
  for (size_t number = 0; number < notation.arrays.size(); ++number) {
    const StoredArray &array = notation.arrays[number];
    bool isTarget = notation.isTarget(array.name);
    if (!array.isTemporary) {
      for (ArrayPart &size : sizesOf(array))
        add(read, std::move(size), number);
      for (ArrayPart &part : partsOf(array)) {
        if (isTarget)
          part.input.bits = gradient.results.at(array.name);
        add(isTarget ? assigned : read, std::move(part), number);
      }
    }
  }
  auto find = [&](const std::string &name) {
    return static_cast<size_t>(&notation.array(name) - &notation.arrays[0]);
  };
  for (const auto &[name, seeds] : gradient.seeds)
    add(given, {name + "_gradient", makeDense(notation.array(name), seeds)},
        find(name));
  for (const std::string &name : gradient.by) {
    ArrayPart values = partsOf(notation.array(name)).back();
    Input &input = values.input;
    input.isMemRef = true;
    std::fill(input.bits.begin(), input.bits.end(), 0);
    add(asked, {values.name + "_gradient", std::move(input)}, find(name),
        /*isWritten=*/true);
  }
  for (const std::vector<KernelParameter> &list : {assigned, given, asked})
    read.insert(read.end(), list.begin(), list.end());
  return read;
}

std::vector<KernelParameter> parametersOf(const Notation &notation) {
  if (notation.gradient)
    return parametersOfGradient(notation);
  std::vector<KernelParameter> inputs, outputs;
  for (size_t number = 0; number < notation.arrays.size(); ++number) {
    const StoredArray &array = notation.arrays[number];
    if (array.isTemporary)
      continue;
    bool isTarget = notation.isTarget(array.name);
    bool isRoom = isTarget && array.hasLevels();
    for (ArrayPart &size : sizesOf(array))
      inputs.push_back({std::move(size), number});
    for (ArrayPart &part : isRoom ? roomFor(array) : partsOf(array))
      (isTarget ? outputs : inputs)
          .push_back({std::move(part), number, isRoom, isTarget});
  }
  inputs.insert(inputs.end(), outputs.begin(), outputs.end());
  return inputs;
}

} // namespace ember::fuzz
