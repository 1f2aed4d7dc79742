//===- StatementIndices.cpp - Random variables and elements ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementGeneration.h"
#include <algorithm>

namespace ember::fuzz {

Term StatementGenerator::drawList(const Variables &sized, int64_t size,
                                  bool isStored) {
  std::vector<Term> indices;
  std::vector<int64_t> shape;
  if (!sized.empty() && random.chance(0.6)) {
    const Variable &outer = random.pick(sized);
    indices.push_back(variableOf(outer.name));
    shape.push_back(outer.limit);
  }
  shape.push_back(size);
  std::string name = isStored ? arrays.list(shape) : arrays.mask(shape);
  return elementOf(std::move(name), std::move(indices));
}

Term StatementGenerator::drawSlice(const Variable &chosen, int64_t &size) {
  int64_t begin = random.between(0, 3), step = random.between(1, 3);
  int64_t end = begin + step * (chosen.limit - 1) + 1;
  if (step > 1)
    end += random.between(0, step - 1);
  size = end + random.between(0, 2);
  return callOf("slice", {variableOf(chosen.name), integerOf(begin),
                          integerOf(end), integerOf(step)});
}

Term StatementGenerator::drawSize(int64_t &size) {
  std::vector<std::pair<const StoredArray *, size_t>> dimensions;
  for (const StoredArray &array : notation.arrays) {
    // What is assigned to has its size from statements.
    if (array.isTemporary || array.name.front() == 'r')
      continue;
    for (size_t place = 0; place < array.shape.size(); ++place)
      if (array.shape[place] >= 0 && work * array.shape[place] <= 600)
        dimensions.emplace_back(&array, place);
  }
  if (dimensions.empty() || random.chance(0.4))
    return integerOf(size);
  auto [array, place] = random.pick(dimensions);
  size = array->shape[place];
  return callOf("size", {elementOf(array->name, {}),
                         integerOf(static_cast<int64_t>(place))});
}

Variable StatementGenerator::bind(const Variables &variables,
                                  std::vector<VariableRange> &ranges) {
  Variable bound;
  static const std::string letters = "ijklmopq";
  size_t round = names / letters.size();
  bound.name = letters[names % letters.size()];
  if (round > 0)
    bound.name += std::to_string(round);
  ++names;
  VariableRange range{bound.name, {}};
  int64_t size = random.chance(0.03)  ? 0
                 : random.chance(0.1) ? random.between(10, 20)
                                      : random.between(1, 6);
  while (work * size > 600)
    size /= 2;
  std::vector<Variable> sized;
  for (const Variable &outer : variables)
    if (!outer.hasRange)
      sized.push_back(outer);
  bound.limit = size;
  double inOther = sized.empty() ? 0 : 1;
  double stored = style.formats > 0 ? 0.6 : 0;
  switch (random.weighted({6, 3 * inOther, 1, 0.6 * inOther, 0.6, stored})) {
  case 0:
    notation.sizes[bound.name] = size;
    break;
  case 3: {
    const Variable &outer = random.pick(sized);
    int64_t total = 0;
    std::string lengths = arrays.lengths(outer.limit, total);
    range.bounds = {
        callOf("segment", {elementOf(lengths, {variableOf(outer.name)})})};
    bound.limit = total;
    bound.hasRange = true;
    size = 3;
    break;
  }
  case 4:
    range.bounds = {drawList(sized, size, /*isStored=*/false)};
    bound.hasRange = true;
    break;
  case 5:
    range.bounds = {drawList(sized, size, /*isStored=*/true)};
    bound.hasRange = true;
    break;
  case 1: {
    const Variable &outer = random.pick(sized);
    int64_t total = 0;
    std::string offsets = arrays.offsets(outer.limit, total);
    Term next = callOf("+", {variableOf(outer.name), integerOf(1)});
    range.bounds = {elementOf(offsets, {variableOf(outer.name)}),
                    elementOf(offsets, {next})};
    bound.limit = total;
    bound.hasRange = true;
    size = 3;
    break;
  }
  default:
    range.bounds = {integerOf(0), drawSize(size)};
    bound.limit = size;
    bound.hasRange = true;
  }
  work *= std::max<int64_t>(size, 1);
  ranges.push_back(std::move(range));
  return bound;
}

Term StatementGenerator::drawRadix(int64_t radix) {
  std::vector<Term> sizes = {integerOf(radix)};
  for (const StoredArray &array : notation.arrays) {
    // What is assigned to has its size from statements.
    bool isGiven = !array.isTemporary && array.name.front() != 'r';
    for (size_t place = 0; isGiven && place < array.shape.size(); ++place)
      if (array.shape[place] == radix)
        sizes.push_back(
            callOf("size", {elementOf(array.name, {}),
                            integerOf(static_cast<int64_t>(place))}));
  }
  return random.pick(sizes);
}

/// `radix * high + low`
static Term twoDigits(Term radix, const Variable &high, const Variable &low) {
  return callOf("+", {callOf("*", {std::move(radix), variableOf(high.name)}),
                      variableOf(low.name)});
}

Term StatementGenerator::drawDigits(Statement &statement, Variables &variables,
                                    int64_t &size) {
  std::vector<Variable> digits;
  for (size_t count = 0; count < 2; ++count) {
    Variable digit{"d" + std::to_string(names++), random.between(1, 4), true};
    work *= digit.limit;
    digits.push_back(digit);
  }
  const auto &[high, low] = std::tie(digits[0], digits[1]);
  size = high.limit * low.limit;
  Term radix = drawRadix(low.limit);
  // An array that has both as indices says how many values they have.
  if (random.chance(0.5)) {
    std::string all =
        arrays.values({high.limit, low.limit}, /*canBeOld=*/false);
    inDigits = elementOf(all, {variableOf(high.name), variableOf(low.name)});
    radix = callOf("size", {elementOf(all, {}), integerOf(1)});
    notation.sizes[high.name] = high.limit;
    notation.sizes[low.name] = low.limit;
    statement.ranges.push_back({high.name, {}});
    statement.ranges.push_back({low.name, {}});
  } else {
    statement.ranges.push_back(
        {high.name, {integerOf(0), integerOf(high.limit)}});
    statement.ranges.push_back({low.name, {integerOf(0), radix}});
  }
  variables.insert(variables.end(), digits.begin(), digits.end());
  return twoDigits(std::move(radix), high, low);
}

/// An index that depends on a variable; `size` is what it stays below.
Term StatementGenerator::drawIndex(const Variable &chosen,
                                   const Variables &variables, int64_t &size) {
  Term plain = variableOf(chosen.name);
  size = chosen.limit;
  // Nothing is looked up for values that there are not.
  if (chosen.limit == 0)
    return plain;
  double rest = 1 - style.indirection;
  double slices = chosen.hasRange ? 0 : 0.4;
  switch (
      random.weighted({rest * 8, style.indirection * 8, 1, 0.5, 0.3, slices})) {
  case 1: {
    size = random.between(1, 9);
    return elementOf(arrays.indices(chosen.limit, size), {plain});
  }
  case 2: {
    int64_t shift = random.between(1, 3);
    size += shift;
    return callOf("+", {plain, integerOf(shift)});
  }
  case 3: {
    const Variable &second = random.pick(variables);
    if (second.name == chosen.name || second.limit == 0)
      return plain;
    size = (chosen.limit - 1) * second.limit + second.limit;
    return twoDigits(drawRadix(second.limit), chosen, second);
  }
  case 4: {
    int64_t at = random.between(0, 3);
    size = at + 1;
    return integerOf(at);
  }
  case 5:
    return drawSlice(chosen, size);
  default:
    return plain;
  }
}

void StatementGenerator::drawGuard(const std::vector<Term> &terms,
                                   const Variables &variables,
                                   std::vector<Term> &condition) {
  std::vector<Term> lookups;
  // What excludes an index here would be one that others look up.
  auto countReads = [](const std::string &name, const auto &places) {
    int64_t reads = 0;
    for (const auto &place : places)
      visitTerms(place, [&](const Term &part) {
        reads += part.kind == Term::Element && part.name == name;
      });
    return reads;
  };
  auto isBound = [&](const Term &index) {
    return std::any_of(
        variables.begin(), variables.end(), [&](const Variable &mine) {
          return index.kind == Term::Variable && index.name == mine.name;
        });
  };
  for (const Term &term : terms)
    visitTerms(term, [&](const Term &part) {
      // Arrays of indices have one dimension, and are there for one lookup;
      // others are asked for their size.
      if (part.kind == Term::Element && part.name.front() == 'n' &&
          !part.operands.empty() && isBound(part.operands.front()) &&
          countReads(part.name, notation.statements) == 0 &&
          countReads(part.name, terms) == 1)
        lookups.push_back(part);
    });
  if (lookups.empty() || !random.chance(style.conditions))
    return;
  Term lookup = random.pick(lookups);
  bool isBelow = random.chance(0.6);
  int64_t outside = isBelow ? -1 : 1000;
  StoredArray &array = notation.array(lookup.name);
  for (uint64_t &bits : array.bits)
    if (random.chance(0.4))
      bits = truncateBits(array.element, static_cast<uint64_t>(outside));
  const char *name = random.pick({"!=", isBelow ? ">" : "<"});
  Term guard = callOf(name, {std::move(lookup), integerOf(outside)});
  if (!condition.empty())
    guard = callOf("and", {std::move(guard), std::move(condition.front())});
  condition = {std::move(guard)};
}

Term StatementGenerator::drawComputed(const StoredArray &array,
                                      const Variables &variables) {
  std::vector<int64_t> shape = array.shape;
  std::string name = array.name;
  std::vector<Term> indices;
  for (int64_t size : shape) {
    std::vector<std::string> fitting;
    for (const Variable &mine : variables)
      if (mine.limit == size && !mine.hasRange)
        fitting.push_back(mine.name);
    if (!fitting.empty() && !random.chance(style.indirection)) {
      indices.push_back(variableOf(random.pick(fitting)));
      continue;
    }
    const Variable &mine = random.pick(variables);
    indices.push_back(
        elementOf(arrays.indices(mine.limit, size), {variableOf(mine.name)}));
  }
  return elementOf(std::move(name), std::move(indices));
}

Term StatementGenerator::drawElement(const Variables &variables, bool hasLast) {
  if (variables.empty())
    return elementOf(arrays.scalar(), {});
  std::vector<const StoredArray *> computed;
  for (const StoredArray &array : notation.arrays)
    if (array.isTemporary && elementCount(array.shape) > 0)
      computed.push_back(&array);
  if (!hasLast && !computed.empty() && random.chance(0.4))
    return drawComputed(*random.pick(computed), variables);
  size_t rank = std::min<size_t>(random.weighted({0, 4, 4, 1}), 3);
  std::vector<Term> indices;
  std::vector<int64_t> shape;
  int64_t count = 1;
  for (size_t dimension = 0; dimension < rank; ++dimension) {
    const Variable &chosen = random.pick(variables);
    int64_t size = 0;
    Term index = drawIndex(chosen, variables, size);
    if (count * size > 400)
      break;
    count *= size;
    indices.push_back(std::move(index));
    shape.push_back(size);
  }
  // The last variable as an index by itself, which says what values it has.
  if (hasLast || indices.empty()) {
    const Variable &last = variables.back();
    if (indices.size() == 3 || count * last.limit > 400) {
      indices.clear();
      shape.clear();
    }
    indices.push_back(variableOf(last.name));
    shape.push_back(last.limit);
  }
  // Where a dimension has a sum as its index, it says no variable's size.
  bool hasSum =
      std::any_of(indices.begin(), indices.end(),
                  [](const Term &index) { return index.kind == Term::Call; });
  std::string array = arrays.values(shape, /*canBeOld=*/!hasSum);
  Term element = elementOf(array, indices);
  if (!hasSum || !random.chance(0.3))
    return element;
  // Beside `a[i + 1]`, `a[i]` does not say how many values the variable has.
  for (Term &index : indices)
    if (index.name == "+" && index.operands.front().kind == Term::Variable)
      index = Term(index.operands.front());
  return callOf(style.isBoolean() ? "|" : "+",
                {std::move(element), elementOf(array, std::move(indices))});
}

} // namespace ember::fuzz
