//===- Statement.cpp - Statements in index notation -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Statements/Statement.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <algorithm>
#include <numeric>
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
  if (std::find(names.begin(), names.end(), group) == names.end())
    group.clear();
}

/// How many places there are: elements of the dimension that `places` is an
/// index of.
static int64_t countPlacesOf(const Notation &notation,
                             const std::string &places) {
  int64_t count = 0;
  for (const Statement &statement : notation.statements)
    visitTerms(statement, [&](const Term &term) {
      if (term.kind != Term::Element)
        return;
      for (size_t place = 0; place < term.operands.size(); ++place) {
        const Term &index = term.operands[place];
        if (index.kind == Term::Element && index.name == places)
          count = notation.array(term.name).shape[place];
      }
    });
  return count;
}

/// What kernels take that reduce the elements of each place: where their
/// numbers begin, in the order of places, these, and other places in that
/// order.
static std::vector<KernelParameter> groupsOf(const Notation &notation) {
  std::vector<KernelParameter> groups;
  if (notation.group.empty())
    return groups;
  const StoredArray &places = notation.array(notation.group);
  auto number = static_cast<size_t>(&places - notation.arrays.data());
  auto add = [&](const std::string &name, std::vector<uint64_t> bits) {
    Input input;
    input.element = Scalar::I32;
    input.isMemRef = true;
    input.shape = {static_cast<int64_t>(bits.size())};
    input.bits = std::move(bits);
    groups.push_back({{name, std::move(input)}, number});
  };
  std::vector<uint64_t> order(places.bits.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
    return std::pair(places.bits[a], a) < std::pair(places.bits[b], b);
  });
  std::vector<uint64_t> offsets;
  for (int64_t place = 0; place <= countPlacesOf(notation, places.name);
       ++place)
    offsets.push_back(static_cast<uint64_t>(std::count_if(
        places.bits.begin(), places.bits.end(),
        [&](uint64_t mine) { return mine < static_cast<uint64_t>(place); })));
  add(places.name + "_offsets", std::move(offsets));
  for (const StoredArray &other : notation.arrays) {
    bool arePlaces = other.name.front() == places.name.front();
    if (!arePlaces || other.name == places.name || other.shape != places.shape)
      continue;
    std::vector<uint64_t> ordered;
    for (uint64_t element : order)
      ordered.push_back(truncateBits(Scalar::I32, other.bits[element]));
    add(other.name + "_by_" + places.name, std::move(ordered));
  }
  add(places.name + "_order", std::move(order));
  return groups;
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
  for (const std::vector<KernelParameter> &list :
       {groupsOf(notation), assigned, given, asked})
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
    if (!array.isCompact)
      continue;
    Input count;
    count.element = Scalar::I64;
    count.isMemRef = true;
    count.shape = {1};
    count.bits = {0};
    outputs.push_back({{array.name + "_count", std::move(count)},
                       number,
                       /*isRoom=*/false,
                       /*isWritten=*/true,
                       /*isCount=*/true});
  }
  std::vector<KernelParameter> groups = groupsOf(notation);
  inputs.insert(inputs.end(), groups.begin(), groups.end());
  inputs.insert(inputs.end(), outputs.begin(), outputs.end());
  return inputs;
}

} // namespace ember::fuzz
