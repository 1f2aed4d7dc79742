//===- StatementTerms.cpp - Random expressions ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementGeneration.h"
#include <algorithm>

namespace ember::fuzz {

Term StatementGenerator::drawNumber() {
  Term term;
  if (style.isBoolean())
    term.name = random.chance(0.5) ? "True" : "False";
  else if (!style.isReal())
    term.name = std::to_string(random.between(0, 7));
  else
    term.name = random.pick(
        {"0", "1", "2", "0.5", style.hasRoundNumbers ? "1.5" : "0.1", "3"});
  return term;
}

Term StatementGenerator::complete(Term value) {
  return callOf("coalesce", {std::move(value), drawNumber()});
}

Term StatementGenerator::drawChain(const Variables &variables) {
  auto comparison = [&] {
    return std::string(random.pick({"<", "<=", ">", ">=", "==", "!="}));
  };
  Term first = random.chance(0.3) ? drawNumber() : drawElement(variables);
  Term last = random.chance(0.5) ? drawNumber() : drawElement(variables);
  return callOf(comparison() + " " + comparison(),
                {std::move(first), drawElement(variables), std::move(last)});
}

Term StatementGenerator::drawCondition(const Variables &variables) {
  if (!style.isBoolean() && random.chance(0.15))
    return drawChain(variables);
  Term left = drawElement(variables);
  if (style.isBoolean() && random.chance(0.5))
    return left;
  const char *name = random.pick({"<", "<=", ">", ">=", "==", "!="});
  if (random.chance(0.15)) {
    Term right = callOf(random.pick({"<", ">", "!="}),
                        {drawElement(variables), drawNumber()});
    return callOf(
        random.pick({"and", "or"}),
        {callOf(name, {std::move(left), drawNumber()}), std::move(right)});
  }
  return callOf(name,
                {std::move(left),
                 random.chance(0.5) ? drawNumber() : drawElement(variables)});
}

const UserFunction *StatementGenerator::drawOwn(bool isReduction) {
  if (!random.chance(style.functions))
    return nullptr;
  const UserFunction &function = random.pick(notation.functions);
  return isReduction && !function.isReduction() ? nullptr : &function;
}

Term StatementGenerator::drawCall(const Variables &variables, int depth) {
  auto operand = [&] { return drawTerm(variables, depth - 1); };
  // Of numbers alone, nothing says what type they are of.
  auto typed = [&] {
    Term drawn = operand();
    return drawn.kind == Term::Number ? drawElement(variables) : drawn;
  };
  if (style.missing > 0 && random.chance(0.15))
    return callOf("coalesce", {typed(), operand()});
  if (const UserFunction *own = drawOwn(/*isReduction=*/false))
    return callOf(own->name, {typed(), operand()});
  if (random.chance(0.12))
    return callOf(random.pick({"if", "where"}),
                  {drawCondition(variables), typed(), operand()});
  if (random.chance(0.25)) {
    const char *name =
        style.isBoolean() ? "~"
        : style.isReal()
            ? random.pick({"-", "abs", "relu", "exp", "sigmoid", "cos", "sin",
                           "-", "abs", "relu", "floor", "ceil", "detach",
                           "expm1", "log1p", "erf", "trunc", "round"})
            : random.pick({"-", "abs", "~"});
    Term drawn = typed();
    // Of less than -1 it is no number.
    if (name == std::string_view("log1p"))
      drawn = callOf("abs", {std::move(drawn)});
    return callOf(name, {std::move(drawn)});
  }
  bool isWhole = !style.isReal() && !style.isBoolean();
  if (isWhole && random.chance(0.12)) {
    const char *name = random.pick({"//", "%", "<<", ">>"});
    bool isShift = name[0] != '/' && name[0] != '%';
    int64_t by = isShift ? random.between(0, 4) : random.between(1, 4);
    if (isShift && random.chance(0.2))
      by = random.pick({-1, 7, 8, 31, 32, 63, 64, 100});
    Term number = integerOf(!isShift && random.chance(0.3) ? -by : by);
    return callOf(name, {typed(), std::move(number)});
  }
  const char *name =
      style.isBoolean() ? random.pick({"&", "|", "^"})
      : style.isReal()
          ? random.pick({"+", "-", "*", "*", "*", "min", "max"})
          : random.pick({"+", "-", "*", "*", "min", "max", "&", "|", "^"});
  Term left = operand();
  Term right = left.kind == Term::Number ? typed() : operand();
  if (random.chance(0.05) && !style.isBoolean()) {
    right = callOf("<", {drawElement(variables), drawElement(variables)});
    // Beside a comparison, 0 and 1 are booleans, which are no numbers here.
    if (left.kind == Term::Number)
      left = drawElement(variables);
  }
  return callOf(name, {std::move(left), std::move(right)});
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
  if (const UserFunction *own = drawOwn(/*isReduction=*/true))
    term.name = own->name;
  Term value;
  size_t count = random.chance(0.2) ? 2 : 1;
  for (size_t i = 0; i < count; ++i) {
    inner.push_back(bind(inner, term.ranges));
    Term mine = drawElement(inner, /*hasLast=*/true);
    value = i ? callOf(style.isBoolean() ? "&" : "*",
                       {std::move(value), std::move(mine)})
              : std::move(mine);
  }
  if (random.chance(0.6))
    value = callOf(style.isBoolean() ? "|" : random.pick({"*", "*", "+", "-"}),
                   {std::move(value), drawTerm(inner, depth - 1)});
  // Of sums, which one is the largest depends on how they are rounded.
  bool isChoice = term.name == "max" || term.name == "min";
  if (isChoice && style.isReal() && depth > 1 && work < 120 &&
      random.chance(0.4))
    value = callOf("+", {std::move(value), drawReduction(inner, depth - 1)});
  term.operands.push_back(std::move(value));
  if (random.chance(style.conditions))
    term.condition.push_back(drawCondition(inner));
  Variables own(inner.begin() + static_cast<int64_t>(variables.size()),
                inner.end());
  drawGuard(term.operands, own, term.condition);
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
    return elementOf(arrays.scalar(), {});
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
    term.operands.push_back(callOf(
        "*", {drawElement(inner, /*hasLast=*/true), drawElement(inner)}));
    work = workBefore;
    return term;
  };
  Term value = drawOne();
  if (random.chance(0.4))
    value = callOf(random.pick({"+", "-"}),
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

} // namespace ember::fuzz
