//===- StatementPrinter.cpp - Statements as text --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Statements/StatementPrinter.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

namespace ember::fuzz {

namespace {
/// How tightly an expression binds, as in Python.
enum Binding : uint8_t {
  Choice,
  Or,
  And,
  Not,
  Comparison,
  BitOr,
  BitXor,
  BitAnd,
  Shift,
  Sum,
  Product,
  Sign,
  Power,
  Atom
};

struct Operator {
  const char *symbol;
  Binding binding;
};
} // namespace

static const std::map<std::string, Operator> operators = {
    {"|", {" | ", BitOr}},        {"^", {" ^ ", BitXor}},
    {"&", {" & ", BitAnd}},       {"<<", {" << ", Shift}},
    {">>", {" >> ", Shift}},      {"+", {" + ", Sum}},
    {"-", {" - ", Sum}},          {"*", {" * ", Product}},
    {"//", {" // ", Product}},    {"%", {" % ", Product}},
    {"/", {" / ", Product}},      {"<", {" < ", Comparison}},
    {"<=", {" <= ", Comparison}}, {">", {" > ", Comparison}},
    {">=", {" >= ", Comparison}}, {"==", {" == ", Comparison}},
    {"!=", {" != ", Comparison}}, {"and", {" and ", And}},
    {"or", {" or ", Or}}};

static std::string print(const Term &term, Binding least);

static std::string list(const std::vector<Term> &terms) {
  std::string text;
  for (const Term &term : terms)
    text += (text.empty() ? "" : ", ") + print(term, Choice);
  return text;
}

static std::string bindings(const std::vector<VariableRange> &ranges,
                            const std::vector<Term> &condition,
                            bool isAllRanged) {
  std::string text;
  for (const VariableRange &range : ranges) {
    if (isAllRanged && range.bounds.empty())
      continue;
    text += (text.empty() ? "" : ", ") + range.variable;
    for (const Term &bound : range.bounds)
      text +=
          (&bound == &range.bounds.front() ? " in " : ":") + print(bound, Or);
  }
  if (!condition.empty())
    text += (text.empty() ? "if " : " if ") + print(condition.front(), Or);
  return text;
}

/// An expression as it is written, and how tightly that binds.
static std::pair<std::string, Binding> spell(const Term &term) {
  switch (term.kind) {
  case Term::Number:
    return {term.name, term.name.starts_with("-") ? Sign : Atom};
  case Term::Variable:
    return {term.name, Atom};
  case Term::Element:
    if (term.operands.empty())
      return {term.name, Atom};
    return {term.name + "[" + list(term.operands) + "]", Atom};
  case Term::Reduction: {
    const Term &value = term.operands.front();
    if (term.isImplicit)
      return spell(value);
    std::string bound;
    if (term.isBoundBehind)
      for (const VariableRange &range : term.ranges)
        bound += (bound.empty() ? "" : ", ") + range.variable;
    else
      bound = bindings(term.ranges, term.condition, /*isAllRanged=*/false);
    return {term.name + "[" + bound + "](" + print(value, Choice) + ")", Atom};
  }
  case Term::Call:
    break;
  }
  const std::vector<Term> &operands = term.operands;
  if (size_t space = term.name.find(' '); space != std::string::npos)
    return {print(operands[0], BitOr) + " " + term.name.substr(0, space) + " " +
                print(operands[1], BitOr) + term.name.substr(space) + " " +
                print(operands[2], BitOr),
            Comparison};
  if (auto found = operators.find(term.name);
      found != operators.end() && operands.size() == 2) {
    auto [symbol, binding] = found->second;
    auto tighter = static_cast<Binding>(binding + 1);
    // Comparisons do not group, all others do to the left.
    Binding left = binding == Comparison ? tighter : binding;
    return {print(operands[0], left) + symbol + print(operands[1], tighter),
            binding};
  }
  if (term.name == "slice") {
    std::string step = operands[3].name == "1" ? "" : ":" + operands[3].name;
    return {operands[0].name + "(" + operands[1].name + ":" + operands[2].name +
                step + ")",
            Atom};
  }
  if (term.name == "-" || term.name == "~")
    return {term.name + print(operands[0], Sign), Sign};
  if (term.name == "not")
    return {"not " + print(operands[0], Not), Not};
  if (term.name == "if")
    return {print(operands[1], Or) + " if " + print(operands[0], Or) +
                " else " + print(operands[2], Choice),
            Choice};
  return {term.name + "(" + list(operands) + ")", Atom};
}

static std::string print(const Term &term, Binding least) {
  auto [text, binding] = spell(term);
  return binding < least ? "(" + text + ")" : text;
}

/// Calls the variables of reductions by how many are bound around them, where
/// `names` has what those around are called.
static void shareNames(Term &term, std::map<std::string, std::string> names,
                       size_t around = 0) {
  for (VariableRange &range : term.ranges) {
    std::string &name = names[range.variable];
    name = "v" + std::to_string(around++);
    range.variable = name;
  }
  if (term.kind == Term::Variable)
    if (auto found = names.find(term.name); found != names.end())
      term.name = found->second;
  auto shareAll = [&](std::vector<Term> &terms) {
    for (Term &part : terms)
      shareNames(part, names, around);
  };
  shareAll(term.operands);
  shareAll(term.condition);
  for (VariableRange &range : term.ranges)
    shareAll(range.bounds);
}

/// Whether reductions bind their variables where the text writes them, so that
/// others may be called the same.
static bool canShareNames(const Statement &statement) {
  bool canShare = true;
  visitTerms(statement, [&](const Term &term) {
    canShare &= !term.isImplicit && !term.isBoundBehind;
  });
  return canShare;
}

std::string printStatements(const Notation &notation) {
  std::string text;
  std::set<std::string> declared;
  for (Statement statement : notation.statements) {
    if (notation.sharesNames && canShareNames(statement))
      shareNames(statement.value, {});
    std::vector<VariableRange> all = statement.ranges;
    std::vector<Term> condition = statement.condition;
    if (statement.value.isBoundBehind) {
      all.insert(all.end(), statement.value.ranges.begin(),
                 statement.value.ranges.end());
      condition = statement.value.condition;
    }
    // `a if b` would be taken for the begin of a choice.
    Binding least = condition.empty() ? Choice : Or;
    const std::string &target = statement.target.name;
    if (notation.array(target).isTemporary && declared.insert(target).second)
      text += "let ";
    text += print(statement.target, Choice) + " " + statement.function + "= " +
            print(statement.value, least);
    std::string ranges = bindings(all, condition, /*isAllRanged=*/true);
    if (!ranges.empty())
      text += (ranges.starts_with("if ") ? " " : " for ") + ranges;
    text += "\n";
  }
  return text;
}

std::string printNumber(Scalar type, uint64_t bits) {
  if (isInteger(type)) {
    bool isBoolean = bitWidth(type) == 1;
    return std::to_string(isBoolean ? static_cast<int64_t>(bits)
                                    : signedValue(type, bits));
  }
  double value = decodeFloat(type, bits);
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// The type of an array; where statements ask for sizes alone, nothing else
/// says how many dimensions it has.
static std::string printType(const Notation &notation,
                             const StoredArray &array) {
  std::string dimensions;
  if (!notation.hasElementsOf(array))
    for (size_t rank = array.shape.size(); rank > 0; --rank)
      dimensions += "?x";
  return dimensions + spelling(array.element);
}

std::vector<std::string> arrayOptions(const Notation &notation) {
  std::vector<std::string> options;
  for (const StoredArray &array : notation.arrays) {
    options.push_back("--type=" + array.name + ":" +
                      printType(notation, array));
    if (notation.hintedDensity > 0 && !array.shape.empty() &&
        !array.isTemporary) {
      std::string size;
      for (int64_t mine : array.shape)
        size += (size.empty() ? "" : "x") + std::to_string(mine);
      options.push_back("--size=" + array.name + ":" + size);
      if (array.hasLevels())
        options.push_back(
            "--density=" + array.name + ":" +
            printNumber(Scalar::F64,
                        encodeFloat(Scalar::F64, notation.hintedDensity)));
    }
    if (array.isCompact)
      options.push_back("--compact=" + array.name);
    if (!array.hasLevels())
      continue;
    options.push_back("--format=" + array.name + ":" + array.spellFormat());
    if (!array.hasFill())
      continue;
    options.push_back(
        "--fill=" + array.name + ":" +
        (array.isMissing ? "missing" : printNumber(array.element, array.fill)));
  }
  if (!notation.group.empty())
    options.push_back("--group=" + notation.group);
  if (notation.gradient) {
    std::string of, by;
    for (const auto &[name, seeds] : notation.gradient->seeds)
      of += (of.empty() ? "" : ",") + name;
    for (const std::string &name : notation.gradient->by)
      by += (by.empty() ? "" : ",") + name;
    options.push_back("--gradient=" + of + ":" + by);
  }
  return options;
}

} // namespace ember::fuzz
