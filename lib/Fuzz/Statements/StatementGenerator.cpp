//===- StatementGenerator.cpp - Random statements -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Variables come first, with the sizes or segments that they have, then what is
// made of them; arrays are as large as their indices need them to be.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Statements/StatementGenerator.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include "ember/Fuzz/Generator.h"
#include "ember/Fuzz/Statements/StatementArrays.h"
#include "ember/Fuzz/Statements/StatementEvaluator.h"
#include <algorithm>
#include <utility>

namespace ember::fuzz {

namespace {

/// A variable where something is drawn of it.
struct Variable {
  std::string name;
  /// Its values are below this.
  int64_t limit = 0;
  /// It has a range; otherwise what it is an index of says its values.
  bool hasRange = false;
};

using Variables = std::vector<Variable>;

class StatementGenerator {
public:
  explicit StatementGenerator(Random &random)
      : random(random), style(drawStatementStyle(random)),
        arrays(random, style, notation) {
    notation.hasRoundNumbers = style.hasRoundNumbers;
  }

  Program run();

private:
  Statement drawStatement(bool isLast);
  void drawTarget(Statement &statement, Variables &variables);
  void drawScatter(Statement &statement, Variables &variables);
  std::string drawCombination();
  Term drawValue(const Variables &variables, const std::string &function);
  Term drawImplicit(const Variables &variables);
  Term drawTerm(const Variables &variables, int depth);
  Term drawCall(const Variables &variables, int depth);
  Term drawReduction(const Variables &variables, int depth);
  Term drawCondition(const Variables &variables);
  Term drawElement(const Variables &variables, bool hasLast = false);
  /// An element of an array that a statement before assigns to.
  Term drawComputed(const StoredArray &array, const Variables &variables);
  Term drawIndex(const Variable &variable, const Variables &variables,
                 int64_t &size);
  Term drawNumber();
  /// What a mask has, or an array in a format stores, of a row of so many.
  Term drawList(const Variables &sized, int64_t size, bool isStored);
  /// `i(1:7:2)`; `size` is how long a dimension it is of.
  Term drawSlice(const Variable &chosen, int64_t &size);
  /// A variable that is new, with a size, a segment or a list.
  Variable bind(const Variables &variables, std::vector<VariableRange> &ranges);
  void drawGradient();
  void drawFault(Program &program);

  Random &random;
  StatementStyle style;
  Notation notation;
  StatementArrays arrays;
  size_t names = 0;
  /// Elements that terms of one statement look up, all together.
  int64_t work = 1;
};

} // namespace

/// Elements of an array that a gradient is by: each takes an evaluation.
static constexpr size_t mostDirections = 50;

static Term call(std::string name, std::vector<Term> operands) {
  Term term;
  term.kind = Term::Call;
  term.name = std::move(name);
  term.operands = std::move(operands);
  return term;
}

static Term variable(const std::string &name) {
  Term term;
  term.kind = Term::Variable;
  term.name = name;
  return term;
}

static Term integer(int64_t value) {
  Term term;
  term.name = std::to_string(value);
  return term;
}

static Term element(std::string array, std::vector<Term> indices) {
  Term term;
  term.kind = Term::Element;
  term.name = std::move(array);
  term.operands = std::move(indices);
  return term;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Term StatementGenerator::drawList(const Variables &sized, int64_t size,
                                  bool isStored) {
  std::vector<Term> indices;
  std::vector<int64_t> shape;
  if (!sized.empty() && random.chance(0.6)) {
    const Variable &outer = random.pick(sized);
    indices.push_back(variable(outer.name));
    shape.push_back(outer.limit);
  }
  shape.push_back(size);
  std::string name = isStored ? arrays.list(shape) : arrays.mask(shape);
  return element(std::move(name), std::move(indices));
}

Term StatementGenerator::drawSlice(const Variable &chosen, int64_t &size) {
  int64_t begin = random.between(0, 3), step = random.between(1, 3);
  int64_t end = begin + step * (chosen.limit - 1) + 1;
  if (step > 1)
    end += random.between(0, step - 1);
  size = end + random.between(0, 2);
  return call("slice", {variable(chosen.name), integer(begin), integer(end),
                        integer(step)});
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
        call("segment", {element(lengths, {variable(outer.name)})})};
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
    Term next = call("+", {variable(outer.name), integer(1)});
    range.bounds = {element(offsets, {variable(outer.name)}),
                    element(offsets, {next})};
    bound.limit = total;
    bound.hasRange = true;
    size = 3;
    break;
  }
  default:
    range.bounds = {integer(0), integer(size)};
    bound.hasRange = true;
  }
  work *= std::max<int64_t>(size, 1);
  ranges.push_back(std::move(range));
  return bound;
}

/// An index that depends on a variable; `size` is what it stays below.
Term StatementGenerator::drawIndex(const Variable &chosen,
                                   const Variables &variables, int64_t &size) {
  Term plain = variable(chosen.name);
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
    return element(arrays.indices(chosen.limit, size), {plain});
  }
  case 2: {
    int64_t shift = random.between(1, 3);
    size += shift;
    return call("+", {plain, integer(shift)});
  }
  case 3: {
    const Variable &second = random.pick(variables);
    if (second.name == chosen.name || second.limit == 0)
      return plain;
    size = (chosen.limit - 1) * second.limit + second.limit;
    return call("+", {call("*", {integer(second.limit), plain}),
                      variable(second.name)});
  }
  case 4: {
    int64_t at = random.between(0, 3);
    size = at + 1;
    return integer(at);
  }
  case 5:
    return drawSlice(chosen, size);
  default:
    return plain;
  }
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
      indices.push_back(variable(random.pick(fitting)));
      continue;
    }
    const Variable &mine = random.pick(variables);
    indices.push_back(
        element(arrays.indices(mine.limit, size), {variable(mine.name)}));
  }
  return element(std::move(name), std::move(indices));
}

Term StatementGenerator::drawElement(const Variables &variables, bool hasLast) {
  if (variables.empty())
    return element(arrays.scalar(), {});
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
    indices.push_back(variable(last.name));
    shape.push_back(last.limit);
  }
  // Where a dimension has a sum as its index, it says no variable's size.
  bool hasSum =
      std::any_of(indices.begin(), indices.end(),
                  [](const Term &index) { return index.kind == Term::Call; });
  return element(arrays.values(shape, /*canBeOld=*/!hasSum),
                 std::move(indices));
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Term StatementGenerator::drawNumber() {
  Term term;
  if (style.isBoolean())
    term.name = random.chance(0.5) ? "True" : "False";
  else if (!style.isReal())
    term.name = std::to_string(random.between(0, 7));
  else
    term.name = random.pick({"0", "1", "2", "0.5", "1.5", "3"});
  return term;
}

Term StatementGenerator::drawCondition(const Variables &variables) {
  Term left = drawElement(variables);
  if (style.isBoolean() && random.chance(0.5))
    return left;
  const char *name = random.pick({"<", "<=", ">", ">=", "==", "!="});
  if (random.chance(0.15)) {
    Term right = call(random.pick({"<", ">", "!="}),
                      {drawElement(variables), drawNumber()});
    return call(
        random.pick({"and", "or"}),
        {call(name, {std::move(left), drawNumber()}), std::move(right)});
  }
  return call(name,
              {std::move(left),
               random.chance(0.5) ? drawNumber() : drawElement(variables)});
}

Term StatementGenerator::drawCall(const Variables &variables, int depth) {
  auto operand = [&] { return drawTerm(variables, depth - 1); };
  // Of numbers alone, nothing says what type they are of.
  auto typed = [&] {
    Term drawn = operand();
    return drawn.kind == Term::Number ? drawElement(variables) : drawn;
  };
  if (random.chance(0.12))
    return call(random.pick({"if", "where"}),
                {drawCondition(variables), typed(), operand()});
  if (random.chance(0.25)) {
    const char *name =
        style.isBoolean() ? "~"
        : style.isReal()
            ? random.pick({"-", "abs", "relu", "exp", "sigmoid", "cos", "sin",
                           "-", "abs", "relu", "floor", "ceil"})
            : random.pick({"-", "abs", "~"});
    return call(name, {typed()});
  }
  bool isWhole = !style.isReal() && !style.isBoolean();
  if (isWhole && random.chance(0.12)) {
    const char *name = random.pick({"//", "%", "<<", ">>"});
    bool isShift = name[0] != '/' && name[0] != '%';
    int64_t by = isShift ? random.between(0, 4) : random.between(1, 4);
    Term number = integer(!isShift && random.chance(0.3) ? -by : by);
    return call(name, {typed(), std::move(number)});
  }
  const char *name =
      style.isBoolean() ? random.pick({"&", "|", "^"})
      : style.isReal()
          ? random.pick({"+", "-", "*", "*", "*", "min", "max"})
          : random.pick({"+", "-", "*", "*", "min", "max", "&", "|", "^"});
  Term left = operand();
  Term right = left.kind == Term::Number ? typed() : operand();
  if (random.chance(0.05) && !style.isBoolean())
    right = call("<", {drawElement(variables), drawElement(variables)});
  return call(name, {std::move(left), std::move(right)});
}

Term StatementGenerator::drawReduction(const Variables &variables, int depth) {
  int64_t workBefore = work;
  Term term;
  term.kind = Term::Reduction;
  term.name = style.isBoolean() ? random.pick({"any", "all", "xor"})
              : style.isReal()
                  ? random.pick({"sum", "sum", "sum", "min", "max", "prod"})
                  : random.pick({"sum", "sum", "min", "max", "xor", "any"});
  Variables inner = variables;
  bool isNumeric = !style.isBoolean() && !style.isReal();
  if (isNumeric && term.name == "any")
    term.name = "sum";
  Term value;
  size_t count = random.chance(0.2) ? 2 : 1;
  for (size_t i = 0; i < count; ++i) {
    inner.push_back(bind(inner, term.ranges));
    Term mine = drawElement(inner, /*hasLast=*/true);
    value = i ? call(style.isBoolean() ? "&" : "*",
                     {std::move(value), std::move(mine)})
              : std::move(mine);
  }
  if (random.chance(0.6))
    value = call(style.isBoolean() ? "|" : random.pick({"*", "*", "+", "-"}),
                 {std::move(value), drawTerm(inner, depth - 1)});
  term.operands.push_back(std::move(value));
  if (random.chance(style.conditions))
    term.condition.push_back(drawCondition(inner));
  work = workBefore;
  return term;
}

Term StatementGenerator::drawTerm(const Variables &variables, int depth) {
  bool canGrow = depth > 0;
  bool canReduce = canGrow && work < 120;
  switch (random.weighted(
      {5, 0.7, 0.4, canGrow ? 5.0 : 0.0, canReduce ? 1.2 : 0.0})) {
  case 1:
    return drawNumber();
  case 2:
    return element(arrays.scalar(), {});
  case 3:
    return drawCall(variables, depth);
  case 4:
    return drawReduction(variables, depth);
  default:
    return drawElement(variables);
  }
}

/// Terms that are summed over the variables that each has alone.
Term StatementGenerator::drawImplicit(const Variables &variables) {
  auto drawOne = [&] {
    int64_t workBefore = work;
    Term term;
    term.kind = Term::Reduction;
    term.name = "sum";
    term.isImplicit = true;
    Variables inner = variables;
    // Ranges would have to be written.
    Variable bound;
    bound.name = "x" + std::to_string(names++);
    bound.limit = random.between(1, 6);
    notation.sizes[bound.name] = bound.limit;
    term.ranges.push_back({bound.name, {}});
    inner.push_back(bound);
    work *= bound.limit;
    term.operands.push_back(
        call("*", {drawElement(inner, /*hasLast=*/true), drawElement(inner)}));
    work = workBefore;
    return term;
  };
  Term value = drawOne();
  if (random.chance(0.4))
    value = call(random.pick({"+", "-"}),
                 {std::move(value),
                  random.chance(0.5) ? drawOne() : drawElement(variables)});
  return value;
}

Term StatementGenerator::drawValue(const Variables &variables,
                                   const std::string &function) {
  bool isSum = !style.isBoolean() && (function.empty() || function == "+");
  if (isSum && work < 120 && random.chance(0.15))
    return drawImplicit(variables);
  return drawTerm(variables, 3);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

std::string StatementGenerator::drawCombination() {
  // Sums of halves round each time.
  if (isHalf(style.element))
    return random.pick({"max", "min"});
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
    variables.push_back(bind(variables, statement.ranges));
    const Variable &mine = variables.back();
    hasRanges |= mine.hasRange;
    shape.push_back(mine.limit);
    bool isPart = !mine.hasRange && mine.limit > 0 && random.chance(0.06);
    hasRanges |= isPart;
    indices.push_back(isPart ? drawSlice(mine, shape.back())
                             : variable(mine.name));
  }
  bool isCombined = random.chance(0.2);
  if (isCombined)
    statement.function = drawCombination();
  statement.target =
      element(arrays.target(shape, /*canHaveLevels=*/!isCombined && !hasRanges),
              std::move(indices));
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
    indices = {variable(mine.name)};
    shape = {0};
  } else {
    indices = {
        element(arrays.indices(mine.limit, rows), {variable(mine.name)})};
  }
  if (random.chance(0.6)) {
    variables.push_back(bind(variables, statement.ranges));
    indices.push_back(variable(variables.back().name));
    shape.push_back(variables.back().limit);
  }
  statement.target = element(arrays.target(shape, /*canHaveLevels=*/false),
                             std::move(indices));
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

Statement StatementGenerator::drawStatement(bool isLast) {
  Statement statement;
  Variables variables;
  work = 1;
  bool isForOthers = !isLast && random.chance(style.temporaries);
  if (!isForOthers && random.chance(0.25))
    drawScatter(statement, variables);
  else
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
  if (!isForOthers && random.chance(style.conditions * 0.5) &&
      !notation.array(target).hasLevels())
    statement.condition.push_back(drawCondition(variables));
  statement.value.isBoundBehind =
      canBindBehind(statement) && random.chance(0.3);
  StoredArray &array = notation.array(target);
  array.shape = shape;
  // One that has all its elements from this statement.
  bool isWhole = statement.function.empty() && statement.condition.empty() &&
                 !array.hasLevels() && !array.shape.empty() &&
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
  array.isTemporary = isWhole && isForOthers;
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

/// Asks for gradients of all that is computed, by a few arrays.
void StatementGenerator::drawGradient() {
  Gradient gradient;
  std::vector<std::string> candidates;
  notation.orderArrays();
  for (const StoredArray &array : notation.arrays) {
    bool isValues = array.name.front() == 'a' || array.name.front() == 'c';
    bool isTarget = notation.isTarget(array.name);
    // There are none through what is put together.
    if (isTarget && array.hasLevels())
      return;
    if (isValues && array.bits.size() <= mostDirections)
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
}

Program StatementGenerator::run() {
  size_t first = style.temporaries > 0 ? 2 : 1;
  for (size_t count = first + random.weighted({6, 2, 1}); count > 0; --count)
    notation.statements.push_back(drawStatement(/*isLast=*/count == 1));
  bool isDifferentiable =
      style.element == Scalar::F32 || style.element == Scalar::F64;
  if (isDifferentiable && random.chance(0.6))
    drawGradient();
  Program program = makeProgram(std::move(notation));
  if (!program.notation->gradient && random.chance(0.04))
    drawFault(program);
  return program;
}

/// Keeps of a gradient what there still is in the statements, and evaluates
/// what they assign to: the gradient is a function of that, too.
static void completeGradient(Notation &notation) {
  Gradient gradient = std::move(*notation.gradient);
  notation.gradient.reset();
  auto isThere = [&](const std::string &name) {
    return std::any_of(
        notation.arrays.begin(), notation.arrays.end(),
        [&](const StoredArray &array) { return array.name == name; });
  };
  std::erase_if(gradient.by, [&](const std::string &name) {
    return !isThere(name) || notation.isTarget(name);
  });
  std::erase_if(gradient.seeds, [&](const auto &seeds) {
    return !isThere(seeds.first) || !notation.isTarget(seeds.first) ||
           notation.array(seeds.first).isTemporary;
  });
  if (gradient.by.empty() || gradient.seeds.empty())
    return;
  Program program = makeProgram(notation);
  Outcome outcome = evaluateStatements(program, kStepLimit);
  if (outcome.status != Outcome::Fine)
    return;
  for (size_t number = 0; number < notation.arrays.size(); ++number)
    if (notation.isTarget(notation.arrays[number].name))
      gradient.results[notation.arrays[number].name] =
          outcome.arrays[number].bits;
  notation.gradient = std::move(gradient);
}

Program makeProgram(Notation notation) {
  notation.orderArrays();
  if (notation.gradient)
    completeGradient(notation);
  Program program;
  Function kernel;
  kernel.name = "kernel";
  for (KernelParameter &parameter : parametersOf(notation)) {
    kernel.parameterNames.push_back(parameter.part.name);
    program.inputs.push_back(std::move(parameter.part.input));
    program.inputs.back().isReadOnly = !parameter.isWritten;
  }
  program.functions.push_back(std::move(kernel));
  program.notation = std::move(notation);
  return program;
}

Program generateStatements(Random &random) {
  return StatementGenerator(random).run();
}

} // namespace ember::fuzz
