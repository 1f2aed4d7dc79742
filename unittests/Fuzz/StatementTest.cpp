//===- StatementTest.cpp - What statements compute ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats there and back, statements as text, and results small enough to
// compute by hand.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include "ember/Fuzz/Statements/StatementEvaluator.h"
#include "ember/Fuzz/Statements/StatementGenerator.h"
#include "ember/Fuzz/Statements/StatementPrinter.h"
#include "gtest/gtest.h"

using namespace ember::fuzz;

namespace {

StoredArray makeArray(std::string name, std::vector<int64_t> shape,
                      const std::vector<double> &numbers) {
  StoredArray array;
  array.name = std::move(name);
  array.shape = std::move(shape);
  for (double number : numbers)
    array.bits.push_back(encodeFloat(Scalar::F32, number));
  return array;
}

StoredArray makeIndices(std::string name, std::vector<uint64_t> numbers) {
  StoredArray array;
  array.name = std::move(name);
  array.element = Scalar::I64;
  array.shape = {static_cast<int64_t>(numbers.size())};
  array.bits = std::move(numbers);
  return array;
}

Term variable(std::string name) {
  Term term;
  term.kind = Term::Variable;
  term.name = std::move(name);
  return term;
}

Term number(std::string text) {
  Term term;
  term.name = std::move(text);
  return term;
}

Term element(std::string array, std::vector<Term> indices) {
  Term term;
  term.kind = Term::Element;
  term.name = std::move(array);
  term.operands = std::move(indices);
  return term;
}

Term call(std::string name, std::vector<Term> operands) {
  Term term;
  term.kind = Term::Call;
  term.name = std::move(name);
  term.operands = std::move(operands);
  return term;
}

std::vector<double> numbersOf(const Input &input) {
  std::vector<double> numbers;
  for (uint64_t bits : input.bits)
    numbers.push_back(decodeFloat(input.element, bits));
  return numbers;
}

TEST(StoredArray, everyFormatHoldsWhatItIsMadeOf) {
  std::vector<double> numbers = {0, 1, 0, 0, 0, 0, 2, 0, 3, 4, 0, 5};
  size_t formats = 0;
  for (int kinds = 0; kinds < 16; ++kinds)
    for (bool isTurned : {false, true}) {
      auto outer = static_cast<StoredLevel::Kind>(kinds / 4);
      auto inner = static_cast<StoredLevel::Kind>(kinds % 4);
      bool isCoordinates = inner == StoredLevel::Singleton;
      if (outer == StoredLevel::Singleton ||
          (isCoordinates && outer != StoredLevel::Compressed))
        continue;
      StoredArray array = makeArray("A", {3, 4}, numbers);
      array.levels = {{outer, !isCoordinates, isTurned ? 1u : 0u},
                      {inner, true, isTurned ? 0u : 1u}};
      std::vector<Input> parts;
      for (ArrayPart &part : partsOf(array))
        parts.push_back(part.input);
      Input elements;
      EXPECT_EQ(load(array, parts, elements), "") << array.spellFormat();
      EXPECT_EQ(numbersOf(elements), numbers) << array.spellFormat();
      ++formats;
    }
  EXPECT_EQ(formats, 20u);
}

TEST(StoredArray, whatIsWrongIsFound) {
  StoredArray array = makeArray("A", {2, 3}, {0, 1, 2, 3, 0, 0});
  array.levels = {{StoredLevel::Dense, true, 0},
                  {StoredLevel::Compressed, true, 1}};
  EXPECT_EQ(array.spellFormat(), "dense,compressed");
  std::vector<Input> parts;
  for (ArrayPart &part : partsOf(array))
    parts.push_back(part.input);
  EXPECT_EQ(parts[0].bits, (std::vector<uint64_t>{0, 2, 3}));
  EXPECT_EQ(parts[1].bits, (std::vector<uint64_t>{1, 2, 0}));
  Input elements;
  parts[1].bits[1] = 1;
  EXPECT_EQ(load(array, parts, elements),
            "coordinates of level 1 do not increase");
  parts[1].bits[1] = 7;
  EXPECT_EQ(load(array, parts, elements), "coordinate 7 of level 1");
}

TEST(Statements, haveNoMoreParenthesesThanTheyNeed) {
  Notation notation;
  notation.arrays = {makeArray("y", {2}, {0, 0}), makeArray("a", {2}, {1, 2})};
  Term a = element("a", {variable("i")});
  Term sum = call("+", {a, call("*", {call("-", {a, number("1")}), a})});
  Statement statement;
  statement.target = element("y", {variable("i")});
  statement.ranges = {{"i", {}}};
  statement.value = call("if", {call("<", {a, number("2")}), sum,
                                call("-", {call("-", {a}), sum})});
  statement.function = "max";
  notation.statements = {statement};
  EXPECT_EQ(
      printStatements(notation),
      "y[i] max= a[i] + (a[i] - 1) * a[i] if a[i] < 2 else -a[i] - (a[i] + "
      "(a[i] - 1) * a[i])\n");
}

/// out[b] = sum[p in s[b]:s[b + 1] if w[p] != 0](w[p] * T[I[p]])
Notation makeBags(std::vector<uint64_t> indices) {
  Notation notation;
  Term p = variable("p"), b = variable("b");
  Term weight = element("w", {p});
  Term sum;
  sum.kind = Term::Reduction;
  sum.name = "sum";
  sum.operands = {call("*", {weight, element("T", {element("I", {p})})})};
  sum.ranges = {
      {"p", {element("s", {b}), element("s", {call("+", {b, number("1")})})}}};
  sum.condition = {call("!=", {weight, number("0")})};
  Statement statement;
  statement.target = element("out", {b});
  statement.ranges = {{"b", {}}};
  statement.value = sum;
  notation.statements = {statement};
  notation.sizes["b"] = 3;
  notation.arrays = {
      makeArray("out", {3}, {9, 9, 9}), makeArray("w", {4}, {1, 0, 2, 3}),
      makeArray("T", {2}, {10, 20}), makeIndices("I", std::move(indices)),
      makeIndices("s", {0, 2, 2, 4})};
  return notation;
}

TEST(Statements, areEvaluatedElementByElement) {
  Program program = makeProgram(makeBags({1, 7, 0, 1}));
  EXPECT_EQ(printStatements(*program.notation),
            "out[b] = sum[p in s[b]:s[b + 1] if w[p] != 0](w[p] * T[I[p]])\n");
  Outcome outcome = interpret(program, 1000);
  ASSERT_EQ(outcome.status, Outcome::Fine) << outcome.message;
  // What is assigned to comes last.
  EXPECT_EQ(program.entry().parameterNames.back(), "out");
  EXPECT_EQ(numbersOf(outcome.inputs.back()), (std::vector<double>{20, 0, 80}));
}

TEST(Statements, lookUpNothingThatThereIsNot) {
  Outcome outcome = interpret(makeProgram(makeBags({1, 7, 2, 1})), 1000);
  EXPECT_EQ(outcome.status, Outcome::Trap);
  EXPECT_TRUE(outcome.isReported);
  EXPECT_EQ(outcome.message, "index 2 is out of range for dimension 0 of T");
}

/// Gradients of `notation` by two of its arrays, with those of `of` given.
Outcome evaluateGradients(Notation notation, const std::string &of,
                          const std::vector<double> &seeds,
                          std::vector<std::string> by) {
  Gradient gradient;
  for (double seed : seeds)
    gradient.seeds[of].push_back(encodeFloat(Scalar::F32, seed));
  gradient.by = std::move(by);
  notation.gradient = std::move(gradient);
  return interpret(makeProgram(std::move(notation)), 1000);
}

TEST(Statements, haveGradients) {
  Outcome outcome =
      evaluateGradients(makeBags({1, 7, 0, 1}), "out", {1, 5, 10}, {"w", "T"});
  ASSERT_EQ(outcome.status, Outcome::Fine) << outcome.message;
  // A weight that does not count has none.
  size_t last = outcome.inputs.size() - 1;
  EXPECT_EQ(numbersOf(outcome.inputs[last - 1]),
            (std::vector<double>{20, 0, 100, 200}));
  EXPECT_EQ(numbersOf(outcome.inputs[last]), (std::vector<double>{20, 31}));
}

/// y[] = function[i](a[i] * a[i])
Notation makeReduction(const std::string &function,
                       const std::vector<double> &numbers) {
  Notation notation;
  Term a = element("a", {variable("i")});
  Term value;
  value.kind = Term::Reduction;
  value.name = function;
  value.operands = {call("*", {a, a})};
  value.ranges = {{"i", {}}};
  Statement statement;
  statement.target = element("y", {});
  statement.value = value;
  notation.statements = {statement};
  auto size = static_cast<int64_t>(numbers.size());
  notation.sizes["i"] = size;
  notation.arrays = {makeArray("y", {}, {0}), makeArray("a", {size}, numbers)};
  return notation;
}

TEST(Statements, shareGradientsWhereTheyChoose) {
  Outcome outcome =
      evaluateGradients(makeReduction("max", {2, -1, -2}), "y", {3}, {"a"});
  EXPECT_EQ(numbersOf(outcome.inputs.back()), (std::vector<double>{6, 0, -6}));
}

TEST(Statements, haveGradientsOfProductsWithZeros) {
  Outcome outcome =
      evaluateGradients(makeReduction("prod", {2, 0, 3}), "y", {1}, {"a"});
  EXPECT_EQ(numbersOf(outcome.inputs.back()), (std::vector<double>{0, 0, 0}));
  outcome =
      evaluateGradients(makeReduction("prod", {1, 2, 3}), "y", {1}, {"a"});
  EXPECT_EQ(numbersOf(outcome.inputs.back()),
            (std::vector<double>{72, 36, 24}));
}

TEST(Statements, haveNoGradientWhereItIsNotClear) {
  // A product that is rounded, and may be equal to another one.
  Outcome outcome =
      evaluateGradients(makeReduction("max", {0.1, 0.1}), "y", {1}, {"a"});
  EXPECT_EQ(outcome.status, Outcome::Unspecified);
}

TEST(Statements, fillArraysInFormats) {
  Notation notation;
  Statement statement;
  statement.target = element("y", {variable("i")});
  statement.ranges = {{"i", {}}};
  statement.value = call("+", {element("a", {variable("i")}), number("1")});
  statement.condition = {
      call(">", {element("a", {variable("i")}), number("0")})};
  notation.statements = {statement};
  notation.sizes["i"] = 3;
  notation.arrays = {makeArray("y", {3}, {5, 5, 5}),
                     makeArray("a", {3}, {0, 1, 2})};
  for (StoredArray &array : notation.arrays)
    array.levels = {{StoredLevel::Compressed, true, 0}};
  notation.arrays[0].fill = encodeFloat(Scalar::F32, 5);
  Program program = makeProgram(std::move(notation));
  EXPECT_EQ(program.entry().parameterNames,
            (std::vector<std::string>{
                "y_size0", "a_size0", "a_positions0", "a_coordinates0",
                "a_values", "y_positions0", "y_coordinates0", "y_values"}));
  Outcome outcome = interpret(program, 1000);
  EXPECT_EQ(numbersOf(outcome.arrays[0]), (std::vector<double>{5, 2, 3}));
}

} // namespace
