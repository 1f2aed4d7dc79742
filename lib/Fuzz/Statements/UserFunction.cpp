//===- UserFunction.cpp - Functions of one's own --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Statements/UserFunction.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <cstdio>
#include <map>

namespace ember::fuzz {

//===----------------------------------------------------------------------===//
// As text
//===----------------------------------------------------------------------===//

/// A number as the attributes of a type have it.
static std::string spellNumber(Scalar type, const std::string &number) {
  if (bitWidth(type) == 1)
    return number == "0" ? "false" : "true";
  if (!isFloat(type))
    return number + " : " + spelling(type);
  if (number.find("inf") != std::string::npos) {
    // There is no other way to write them.
    bool isNegative = number[0] == '-';
    char bits[20];
    std::snprintf(bits, sizeof bits,
                  type == Scalar::F64 ? "0x%s0000000000000" : "0x%s",
                  type == Scalar::F64 ? (isNegative ? "FFF" : "7FF")
                                      : (isNegative ? "FF800000" : "7F800000"));
    return std::string(bits) + " : " + spelling(type);
  }
  char text[40];
  std::snprintf(text, sizeof text, "%e", std::stod(number));
  return std::string(text) + " : " + spelling(type);
}

namespace {
/// Writes operations, one a line.
class FunctionPrinter {
public:
  FunctionPrinter(Scalar type, std::string known)
      : type(type), known(std::move(known)) {}

  /// The name of a term's value.
  std::string print(const Term &term);

  std::string text;

private:
  std::string add(const std::string &operation) {
    std::string name = "%" + std::to_string(count++);
    text += "  " + name + " = " + operation + "\n";
    return name;
  }
  std::string constant(const std::string &number) {
    return add("arith.constant " + spellNumber(type, number));
  }

  Scalar type;
  std::string known;
  size_t count = 0;
};
} // namespace

std::string FunctionPrinter::print(const Term &term) {
  if (term.kind == Term::Number)
    return constant(term.name);
  if (term.kind == Term::Variable)
    return term.name == "y" && !known.empty() ? constant(known)
                                              : "%" + term.name;
  bool isReal = isFloat(type);
  std::string typed = std::string(" : ") + spelling(type);
  if (term.name == "if") {
    const Term &condition = term.operands[0];
    static const std::map<std::string, std::pair<const char *, const char *>>
        predicates = {{"<", {"olt", "slt"}}, {"==", {"oeq", "eq"}}};
    auto [ofFloats, ofIntegers] = predicates.at(condition.name);
    std::string a = print(condition.operands[0]);
    std::string b = print(condition.operands[1]);
    std::string holds =
        add(std::string(isReal ? "arith.cmpf " : "arith.cmpi ") +
            (isReal ? ofFloats : ofIntegers) + ", " + a + ", " + b + typed);
    std::string first = print(term.operands[1]);
    std::string second = print(term.operands[2]);
    return add("arith.select " + holds + ", " + first + ", " + second + typed);
  }
  static const std::map<std::string, std::pair<const char *, const char *>>
      operations = {{"+", {"addf", "addi"}},
                    {"-", {"subf", "subi"}},
                    {"*", {"mulf", "muli"}},
                    {"min", {"minimumf", "minsi"}},
                    {"max", {"maximumf", "maxsi"}},
                    {"&", {"", "andi"}},
                    {"|", {"", "ori"}},
                    {"^", {"", "xori"}}};
  auto [ofFloats, ofIntegers] = operations.at(term.name);
  std::string a = print(term.operands[0]), b = print(term.operands[1]);
  return add(std::string("arith.") + (isReal ? ofFloats : ofIntegers) + " " +
             a + ", " + b + typed);
}

std::string printFunction(const UserFunction &function) {
  std::string type = spelling(function.type);
  auto region = [&](const std::string &known) {
    FunctionPrinter printer(function.type, known);
    std::string result = printer.print(function.body);
    return " {\n" + printer.text + "  cin.return " + result + " : " + type +
           "\n}";
  };
  std::string text = "cin.function @" + function.name + "(%x: " + type +
                     ", %y: " + type + ") -> " + type;
  if (!function.properties.empty())
    text += " attributes {" + function.properties + "}";
  text += region("");
  if (!function.known.empty())
    text += " case (%x, " + spellNumber(function.type, function.known) + ")" +
            region(function.known);
  return text + "\n";
}

//===----------------------------------------------------------------------===//
// What is drawn
//===----------------------------------------------------------------------===//

namespace {
class FunctionDrawer {
public:
  FunctionDrawer(Random &random, Scalar type) : random(random), type(type) {}

  void drawReduction(UserFunction &function);
  void drawCall(UserFunction &function);

private:
  bool isReal() const { return isFloat(type); }
  bool isBoolean() const { return bitWidth(type) == 1; }
  Term number() { return integerOf(random.between(0, isBoolean() ? 1 : 2)); }
  Term drawBody(int depth);
  Term ifZero(const Term &tested, Term then, Term otherwise) {
    return callOf("if", {callOf("==", {tested, integerOf(0)}), std::move(then),
                         std::move(otherwise)});
  }
  std::string special(const std::string &value, const char *at = "") {
    return "[#cin.special<" + spellNumber(type, value) + at + ">]";
  }

  Random &random;
  Scalar type;
  const Term x = variableOf("x"), y = variableOf("y");
};
} // namespace

Term FunctionDrawer::drawBody(int depth) {
  if (depth == 0)
    return random.chance(0.2) ? number() : random.chance(0.5) ? x : y;
  if (random.chance(0.2)) {
    Term condition = callOf("<", {drawBody(0), drawBody(0)});
    if (isBoolean())
      condition.name = "==";
    return callOf(
        "if", {std::move(condition), drawBody(depth - 1), drawBody(depth - 1)});
  }
  const char *name = isBoolean() ? random.pick({"&", "|", "^"})
                     : isReal()
                         ? random.pick({"+", "-", "*", "min", "max"})
                         : random.pick({"+", "-", "*", "min", "max", "^"});
  return callOf(name, {drawBody(depth - 1), drawBody(depth - 1)});
}

/// What may be in any order.
void FunctionDrawer::drawReduction(UserFunction &function) {
  function.properties = "associative, commutative";
  auto declare = [&](Term body, const std::string &identity) {
    function.body = std::move(body);
    function.identity = identity;
    function.properties += ", identities = " + special(identity);
  };
  auto simple = [&](const char *name) { return callOf(name, {x, y}); };
  bool isLargest = random.chance(0.5);
  if (isReal()) {
    // Others are rounded in another way for each order.
    declare(simple(isLargest ? "max" : "min"), isLargest ? "-inf" : "inf");
    function.properties += ", idempotent";
    return;
  }
  if (isBoolean()) {
    const char *name = random.pick({"&", "|", "^"});
    declare(simple(name), name[0] == '&' ? "1" : "0");
    return;
  }
  switch (random.weighted({2, 1, 1})) {
  case 0:
    // (1 + x) * (1 + y) - 1
    declare(callOf("+", {callOf("+", {x, y}), callOf("*", {x, y})}), "0");
    function.properties += ", annihilators = " + special("-1");
    break;
  case 1:
    declare(simple("^"), "0");
    break;
  default:
    declare(simple("&"), "-1");
    function.properties += ", idempotent, annihilators = " + special("0");
  }
}

void FunctionDrawer::drawCall(UserFunction &function) {
  const char *both = isBoolean() ? "&" : "*";
  switch (random.weighted({3, 1, 1, 1, 1})) {
  case 0:
    function.body = drawBody(2);
    break;
  case 1:
    function.body = callOf(both, {x, drawBody(1)});
    function.properties = "annihilators = " + special("0", " at 0");
    break;
  case 2: {
    const char *either =
        isBoolean() ? random.pick({"|", "^"}) : random.pick({"+", "-", "max"});
    function.body = callOf(either, {x, callOf(both, {y, integerOf(1)})});
    function.properties = "iteration = #cin.iteration<\"0 | 1\">";
    break;
  }
  case 3:
    function.body = ifZero(x, integerOf(0), callOf(both, {y, number()}));
    function.properties = "iteration = #cin.iteration<\"0 & 1\">";
    break;
  default:
    function.body = ifZero(y, x, integerOf(0));
    function.properties = "iteration = #cin.iteration<\"0 & ~1\">";
  }
  if (random.chance(0.3))
    function.known = std::to_string(random.between(0, 1));
}

UserFunction drawFunction(Random &random, Scalar type, std::string name) {
  UserFunction function;
  function.name = std::move(name);
  function.type = type;
  FunctionDrawer drawer(random, type);
  if (random.chance(0.4))
    drawer.drawReduction(function);
  else
    drawer.drawCall(function);
  return function;
}

} // namespace ember::fuzz
