//===- StatementGenerator.cpp - Random statements -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Statements/StatementGenerator.h"
#include "StatementGeneration.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace ember::fuzz {

/// Elements of an array that a gradient is by: each takes an evaluation.
static constexpr size_t mostDirections = 50;

std::string StatementGenerator::drawCombination() {
  // Sums of halves round each time, and functions of one's own are of floats.
  if (isHalf(style.element))
    return random.pick({"max", "min"});
  if (const UserFunction *own = drawOwn(/*isReduction=*/true))
    return own->name;
  if (style.isBoolean())
    return random.pick({"&", "|", "^"});
  return random.pick({"+", "+", "+", "max", "min", "*"});
}

void StatementGenerator::drawTarget(Statement &statement,
                                    Variables &variables) {
  size_t rank = random.weighted({1, 5, 5, 1});
  std::vector<int64_t> shape;
  std::vector<Term> indices;
  bool hasRanges = false;
  for (size_t dimension = 0; dimension < rank; ++dimension) {
    if (!inDigits && work < 40 && random.chance(0.06)) {
      indices.push_back(drawDigits(statement, variables, shape.emplace_back()));
      hasRanges = true;
      continue;
    }
    variables.push_back(bind(variables, statement.ranges));
    const Variable &mine = variables.back();
    hasRanges |= mine.hasRange;
    shape.push_back(mine.limit);
    bool isPart = !mine.hasRange && mine.limit > 0 && random.chance(0.06);
    hasRanges |= isPart;
    indices.push_back(isPart ? drawSlice(mine, shape.back())
                             : variableOf(mine.name));
  }
  bool isCombined = random.chance(0.2);
  if (isCombined)
    statement.function = drawCombination();
  using Levels = StatementArrays::Levels;
  Levels levels = isCombined  ? Levels::None
                  : hasRanges ? Levels::Located
                              : Levels::Any;
  statement.target =
      elementOf(arrays.target(shape, levels), std::move(indices));
}

/// Several values may go to one element.
void StatementGenerator::drawScatter(Statement &statement,
                                     Variables &variables) {
  statement.function =
      random.chance(0.15) ? random.pick({"first", "last"}) : drawCombination();
  variables.push_back(bind(variables, statement.ranges));
  const Variable mine = variables.back();
  int64_t rows = random.between(1, 7);
  std::vector<Term> indices;
  std::vector<int64_t> shape = {rows};
  if (mine.limit == 0) {
    indices = {variableOf(mine.name)};
    shape = {0};
  } else {
    indices = {
        elementOf(arrays.indices(mine.limit, rows), {variableOf(mine.name)})};
  }
  if (random.chance(0.6)) {
    variables.push_back(bind(variables, statement.ranges));
    indices.push_back(variableOf(variables.back().name));
    shape.push_back(variables.back().limit);
  }
  statement.target = elementOf(
      arrays.target(shape, StatementArrays::Levels::None), std::move(indices));
}

bool StatementGenerator::drawUpdate(Statement &statement, Variables &variables,
                                    bool isLast) {
  std::vector<const Statement *> suitable;
  for (const Statement &before : notation.statements) {
    const StoredArray &array = notation.array(before.target.name);
    // Somebody has to get a result.
    bool isWhole = !array.hasLevels() && !array.isCompact &&
                   !(isLast && array.isTemporary);
    for (const Term &index : before.target.operands)
      isWhole &= index.kind == Term::Variable;
    for (const VariableRange &range : before.ranges)
      isWhole &= range.bounds.empty();
    if (isWhole)
      suitable.push_back(&before);
  }
  if (suitable.empty())
    return false;
  const Statement &before = *random.pick(suitable);
  statement.target = before.target;
  statement.ranges = before.ranges;
  for (const Term &index : before.target.operands)
    variables.push_back({index.name, notation.sizes.at(index.name)});
  if (random.chance(0.8))
    statement.function = drawCombination();
  return true;
}

/// Whether a variable is an index by itself, which says how many values it has.
static bool isIndexIn(const Term &term, const std::string &name) {
  bool isThere = false;
  visitTerms(term, [&](const Term &part) {
    if (part.kind != Term::Element)
      return;
    for (const Term &index : part.operands)
      isThere |= index.kind == Term::Variable && index.name == name;
  });
  return isThere;
}

/// Whether the text may write the ranges and the condition of a reduction
/// behind the statement: a condition without a variable of it would be the
/// statement's.
static bool canBindBehind(const Statement &statement) {
  const Term &value = statement.value;
  if (value.kind != Term::Reduction || value.isImplicit ||
      !statement.condition.empty())
    return false;
  if (value.condition.empty())
    return true;
  bool isOfReduction = false;
  visitTerms(value.condition.front(), [&](const Term &term) {
    for (const VariableRange &range : value.ranges)
      isOfReduction |=
          term.kind == Term::Variable && term.name == range.variable;
  });
  return isOfReduction;
}

/// Whether a sum is not written: then it is the whole value.
static bool hasImplicitSum(const Term &value) {
  bool hasImplicit = false;
  visitTerms(value, [&](const Term &term) { hasImplicit |= term.isImplicit; });
  return hasImplicit;
}

/// A dense array has all of its elements: the identity where a reduction has
/// nothing to combine, else what takes the place of what is missing.
void StatementGenerator::completeValue(Term &value) {
  if (value.kind == Term::Reduction || !notation.mayBeMissing(value))
    return;
  Term first = value.operands.front();
  value = hasImplicitSum(value) ? first : complete(value);
}

void StatementGenerator::drawCompact(Statement &statement) {
  StoredArray &array = notation.array(statement.target.name);
  const std::vector<Term> &indices = statement.target.operands;
  bool isPlain = statement.function.empty() && statement.condition.empty() &&
                 !array.hasLevels() && !indices.empty();
  // All rows are assigned to.
  for (const Term &index : indices)
    isPlain &= index.kind == Term::Variable;
  for (const VariableRange &range : statement.ranges)
    isPlain &= range.bounds.empty();
  // What a temporary is of may be walked by its coordinates, which have gaps.
  for (const StoredArray &other : notation.arrays)
    isPlain &= !other.isTemporary;
  auto size =
      isPlain ? notation.sizes.find(indices.back().name) : notation.sizes.end();
  if (size == notation.sizes.end() || !random.chance(0.3))
    return;
  array.isCompact = true;
  if (random.chance(0.8))
    statement.condition.push_back(drawCondition({{size->first, size->second}}));
}

Statement StatementGenerator::drawStatement(bool isLast) {
  Statement statement;
  Variables variables;
  work = 1;
  inDigits.reset();
  bool isUpdate =
      random.chance(0.2) && drawUpdate(statement, variables, isLast);
  bool isForOthers = !isUpdate && !isLast && random.chance(style.temporaries);
  if (!isUpdate && !isForOthers && random.chance(0.25))
    drawScatter(statement, variables);
  else if (!isUpdate)
    drawTarget(statement, variables);
  // What is assigned to is not read by the statement that does: of another
  // shape, no element is drawn of it.
  std::string target = statement.target.name;
  std::vector<int64_t> shape =
      std::exchange(notation.array(target).shape, {-1});
  statement.value = drawValue(variables, statement.function);
  // A number takes the type of nothing.
  if (statement.value.kind == Term::Number)
    statement.value = drawElement(variables);
  if (inDigits) {
    if (hasImplicitSum(statement.value))
      statement.value = drawElement(variables);
    statement.value = callOf(style.isBoolean() ? "^" : "+",
                             {std::move(statement.value), *inDigits});
  }
  bool isKept = statement.function == "first" || statement.function == "last";
  if (isKept)
    statement.value = complete(statement.value);
  else if (statement.function.empty() && !notation.array(target).hasLevels())
    completeValue(statement.value);
  if (!isForOthers && random.chance(style.conditions * 0.5) &&
      !notation.array(target).hasLevels())
    statement.condition.push_back(drawCondition(variables));
  if (!isForOthers && !notation.array(target).hasLevels())
    drawGuard({statement.value, statement.target}, variables,
              statement.condition);
  if (!isUpdate && !isForOthers)
    drawCompact(statement);
  statement.value.isBoundBehind =
      canBindBehind(statement) && random.chance(0.3);
  StoredArray &array = notation.array(target);
  array.shape = shape;
  // One that has all its elements from this statement.
  bool isWhole = statement.function.empty() && statement.condition.empty() &&
                 !array.shape.empty() &&
                 std::all_of(statement.ranges.begin(), statement.ranges.end(),
                             [](const VariableRange &range) {
                               return range.bounds.empty();
                             });
  // Not a slice.
  for (const Term &index : statement.target.operands)
    isWhole &= index.kind == Term::Variable;
  isWhole &= std::all_of(statement.ranges.begin(), statement.ranges.end(),
                         [&](const VariableRange &range) {
                           return isIndexIn(statement.value, range.variable);
                         });
  array.isTemporary = isUpdate ? array.isTemporary : isWhole && isForOthers;
  if (array.isTemporary)
    array.index = Scalar::I64;
  return statement;
}

/// Lets one index lead outside.
void StatementGenerator::drawFault(Program &program) {
  std::vector<size_t> choices;
  const std::vector<StoredArray> &all = program.notation->arrays;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].name.front() == 'n' && !all[i].bits.empty())
      choices.push_back(i);
  if (choices.empty())
    return;
  Notation changed = *program.notation;
  StoredArray &array = changed.arrays[random.pick(choices)];
  uint64_t wrong = random.pick<uint64_t>({uint64_t(-1), 1000, 9});
  array.bits[random.position(array.bits.size())] =
      truncateBits(array.element, wrong);
  program = makeProgram(std::move(changed));
  program.isFaulty = true;
}

/// What combining anything with leaves that as it is; none of functions of
/// one's own.
static std::optional<uint64_t> findIdentity(Scalar element,
                                            const std::string &function) {
  bool isMax = function == "max";
  if (function == "+" || function == "|" || function == "^")
    return 0;
  if (function == "&")
    return truncateBits(element, ~uint64_t(0));
  if (function == "*")
    return isFloat(element) ? encodeFloat(element, 1) : 1;
  if (!isMax && function != "min")
    return std::nullopt;
  double most = std::numeric_limits<double>::infinity();
  uint64_t least = uint64_t(1) << (bitWidth(element) - 1);
  return isFloat(element) ? encodeFloat(element, isMax ? -most : most)
         : isMax          ? least
                          : least - 1;
}

/// What an array that statements combine something with begins with, if nobody
/// says anything else; none for others.
static std::optional<uint64_t> findBeginning(const Notation &notation,
                                             const std::string &array) {
  for (const Statement &statement : notation.statements)
    if (statement.target.name == array)
      return findIdentity(notation.array(array).element, statement.function);
  return std::nullopt;
}

/// Gradients know of most arrays what these begin with.
void StatementGenerator::drawBeginnings() {
  for (StoredArray &array : notation.arrays) {
    std::optional<uint64_t> beginning = findBeginning(notation, array.name);
    if (beginning && !array.hasLevels() && random.chance(0.7))
      std::fill(array.bits.begin(), array.bits.end(), *beginning);
  }
}

/// Asks for gradients of all that is computed, by a few arrays.
void StatementGenerator::drawGradient() {
  Gradient gradient;
  std::vector<std::string> candidates;
  notation.orderArrays();
  for (const StoredArray &array : notation.arrays) {
    bool isValues = array.name.front() == 'a' || array.name.front() == 'c';
    bool isTarget = notation.isTarget(array.name);
    // There are none through what is put together for the caller, nor of what
    // is missing.
    bool isPutTogether = isTarget && array.hasLevels() && !array.isTemporary;
    if (isPutTogether || array.isCompact || array.isMissing)
      return;
    if (isValues && !array.encoding && array.bits.size() <= mostDirections)
      candidates.push_back(array.name);
    if (!isTarget || array.isTemporary)
      continue;
    std::vector<uint64_t> &seeds = gradient.seeds[array.name];
    for (size_t count = array.bits.size(); count > 0; --count)
      seeds.push_back(encodeFloat(
          style.element, static_cast<double>(random.between(-4, 4)) / 2));
  }
  for (size_t count = random.between(1, 3); count > 0 && !candidates.empty();
       --count) {
    size_t next = random.position(candidates.size());
    gradient.by.push_back(candidates[next]);
    candidates.erase(candidates.begin() + static_cast<int64_t>(next));
  }
  notation.gradient = std::move(gradient);
  drawBeginnings();
}

void StatementGenerator::drawGroup() {
  std::vector<std::string> candidates;
  for (const Statement &statement : notation.statements)
    visitTerms(statement, [&](const Term &term) {
      // Gradients scatter to what statements look up.
      bool isScatter = term.name == statement.target.name &&
                       findIdentity(style.element, statement.function);
      if (term.kind != Term::Element || (!notation.gradient && !isScatter))
        return;
      for (const Term &index : term.operands)
        if (index.kind == Term::Element && index.name.front() == 'n')
          candidates.push_back(index.name);
    });
  if (!candidates.empty() && random.chance(0.4))
    notation.group = random.pick(candidates);
  if (notation.group.empty())
    return;
  // What begins with the identity, if nobody says anything else, is assigned
  // to: nobody does.
  for (StoredArray &array : notation.arrays)
    if (std::optional<uint64_t> beginning = findBeginning(notation, array.name))
      std::fill(array.bits.begin(), array.bits.end(), *beginning);
}

Program StatementGenerator::run() {
  size_t first = style.temporaries > 0 ? 2 : 1;
  for (size_t count = first + random.weighted({6, 2, 1}); count > 0; --count)
    notation.statements.push_back(drawStatement(/*isLast=*/count == 1));
  bool isDifferentiable =
      style.element == Scalar::F32 || style.element == Scalar::F64;
  if (isDifferentiable && random.chance(0.6))
    drawGradient();
  drawGroup();
  if (random.chance(0.5))
    notation.hintedDensity = random.pick({0.1, 0.5, 1.0});
  Program program = makeProgram(std::move(notation));
  // Elements are not grouped by places that there are not.
  if (!program.notation->gradient && program.notation->group.empty() &&
      random.chance(0.04))
    drawFault(program);
  else
    program.notation->sharesNames = random.chance(0.3);
  return program;
}

Program generateStatements(Random &random) {
  return StatementGenerator(random).run();
}

} // namespace ember::fuzz
