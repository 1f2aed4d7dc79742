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
#include <cmath>

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

Term number(std::string text) {
  Term term;
  term.name = std::move(text);
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
  for (int kinds = 0; kinds < 32; ++kinds)
    for (bool isTurned : {false, true}) {
      bool isOrdered = kinds < 16;
      auto outer = static_cast<StoredLevel::Kind>(kinds / 4 % 4);
      auto inner = static_cast<StoredLevel::Kind>(kinds % 4);
      bool isCoordinates = inner == StoredLevel::Singleton;
      if (outer == StoredLevel::Singleton ||
          (isCoordinates && outer != StoredLevel::Compressed) ||
          (!isOrdered && outer != StoredLevel::Compressed &&
           inner != StoredLevel::Compressed))
        continue;
      StoredArray array = makeArray("A", {3, 4}, numbers);
      array.levels = {{outer, !isCoordinates, isTurned ? 1u : 0u},
                      {inner, true, isTurned ? 0u : 1u}};
      for (StoredLevel &level : array.levels)
        level.isOrdered = isOrdered || level.kind != StoredLevel::Compressed;
      std::vector<Input> parts;
      for (ArrayPart &part : partsOf(array))
        parts.push_back(part.input);
      Input elements;
      EXPECT_EQ(load(array, parts, elements), "") << array.spellFormat();
      EXPECT_EQ(numbersOf(elements), numbers) << array.spellFormat();
      ++formats;
    }
  EXPECT_EQ(formats, 32u);
}

TEST(StoredArray, rowsOfBytesAreElements) {
  StoredArray array = makeArray("A", {2, 3}, {0, 0.5, 2, -1, -2, -2});
  array.levels = {{StoredLevel::Dense, true, 0}, {StoredLevel::Dense, true, 1}};
  RowLayout layout;
  layout.encoding = ember::cin::findRowEncoding("int4");
  layout.parameters = ember::cin::findRowParameters("f16");
  array.encoding = layout;
  EXPECT_EQ(array.spellFormat(), "dense,dense/int4:f16");
  Input values = partsOf(array)[0].input;
  EXPECT_EQ(values.shape, (std::vector<int64_t>{2, 6}));
  auto parameter = [&](size_t byte) {
    return decodeFloat(Scalar::F16,
                       values.bits[byte] | values.bits[byte + 1] << 8);
  };
  for (size_t row = 0; row < 2; ++row)
    for (size_t i = 0; i < 3; ++i) {
      uint64_t element = values.bits[row * 6 + i / 2] >> (i % 2 * 4) & 0xf;
      EXPECT_EQ(static_cast<double>(element) * parameter(row * 6 + 2) +
                    parameter(row * 6 + 4),
                decodeFloat(Scalar::F32, array.bits[row * 3 + i]));
    }
  EXPECT_NE(parameter(4), parameter(10));
  // Stored coordinates are one row, with a scale for a block in front.
  array.levels[1].kind = StoredLevel::Compressed;
  array.encoding->encoding = ember::cin::findRowEncoding("e4m3");
  array.encoding->parameters = ember::cin::findRowParameters("f8E8M0FNU");
  array.encoding->isLeading = true;
  EXPECT_EQ(array.spellFormat(), "dense,compressed/e4m3:f8E8M0FNU:leading");
  values = partsOf(array).back().input;
  EXPECT_EQ(values.shape, (std::vector<int64_t>{1, 6}));
  auto scale = static_cast<int>(values.bits[0]) - 127;
  Scalar e4m3 = array.encoding->encoding->element->id;
  EXPECT_EQ(std::ldexp(decodeFloat(e4m3, values.bits[1]), scale), 0.5);
  EXPECT_EQ(std::ldexp(decodeFloat(e4m3, values.bits[5]), scale), -2);
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
  Term a = elementOf("a", {variableOf("i")});
  Term sum = callOf("+", {a, callOf("*", {callOf("-", {a, number("1")}), a})});
  Statement statement;
  statement.target = elementOf("y", {variableOf("i")});
  statement.ranges = {{"i", {}}};
  statement.value = callOf("if", {callOf("<", {a, number("2")}), sum,
                                  callOf("-", {callOf("-", {a}), sum})});
  statement.function = "max";
  notation.statements = {statement};
  EXPECT_EQ(
      printStatements(notation),
      "y[i] max= a[i] + (a[i] - 1) * a[i] if a[i] < 2 else -a[i] - (a[i] + "
      "(a[i] - 1) * a[i])\n");
}

TEST(Statements, compareThreeNumbersAtOnce) {
  Notation notation;
  notation.arrays = {makeArray("y", {4}, {7, 7, 7, 7}),
                     makeArray("a", {4}, {0, 1, 2, 3})};
  notation.sizes["i"] = 4;
  Term a = elementOf("a", {variableOf("i")});
  Statement statement;
  statement.target = elementOf("y", {variableOf("i")});
  statement.ranges = {{"i", {}}};
  statement.value = callOf(
      "if", {callOf("< <=", {number("0"), a, number("2")}), a, number("5")});
  notation.statements = {statement};
  EXPECT_EQ(printStatements(notation), "y[i] = a[i] if 0 < a[i] <= 2 else 5\n");
  Outcome outcome = interpret(makeProgram(notation), 1000);
  ASSERT_EQ(outcome.status, Outcome::Fine) << outcome.message;
  EXPECT_EQ(numbersOf(outcome.inputs.back()),
            (std::vector<double>{5, 1, 2, 5}));
}

/// `value`, of `a`, which stores 0 and 3 of four elements, and the rest is
/// missing.
std::vector<double> evaluateMissing(Term value) {
  Notation notation;
  StoredArray a = makeArray("a", {4}, {0, 77, 3, 77});
  a.levels = {{StoredLevel::Compressed, true, 0}};
  a.fill = a.bits[1];
  a.isMissing = true;
  notation.arrays = {makeArray("y", {4}, {1, 1, 1, 1}), a};
  notation.sizes["i"] = notation.sizes["j"] = 4;
  Statement statement;
  statement.target = elementOf("y", {variableOf("i")});
  statement.ranges = {{"i", {}}};
  statement.value = std::move(value);
  statement.function = "+";
  notation.statements = {statement};
  Outcome outcome = interpret(makeProgram(notation), 1000);
  EXPECT_EQ(outcome.status, Outcome::Fine) << outcome.message;
  return numbersOf(outcome.inputs.back());
}

TEST(Statements, combineWhatIsNotMissing) {
  Term a = elementOf("a", {variableOf("i")});
  EXPECT_EQ(evaluateMissing(callOf("+", {a, number("2")})),
            (std::vector<double>{3, 1, 6, 1}));
  EXPECT_EQ(evaluateMissing(callOf("coalesce", {a, number("2")})),
            (std::vector<double>{1, 3, 4, 3}));
  Term least;
  least.kind = Term::Reduction;
  least.name = "min";
  least.operands = {callOf("+", {elementOf("a", {variableOf("j")}), a})};
  least.ranges = {{"j", {}}};
  EXPECT_EQ(evaluateMissing(least), (std::vector<double>{1, 1, 4, 1}));
}

TEST(Statements, callFunctionsOfOnesOwn) {
  Notation notation;
  UserFunction function;
  function.name = "f0";
  Term x = variableOf("x"), y = variableOf("y");
  function.body =
      callOf("if", {callOf("<", {x, y}), callOf("-", {y, x}), number("2")});
  function.known = "1";
  EXPECT_EQ(printFunction(function),
            R"(cin.function @f0(%x: f32, %y: f32) -> f32 {
  %0 = arith.cmpf olt, %x, %y : f32
  %1 = arith.subf %y, %x : f32
  %2 = arith.constant 2.000000e+00 : f32
  %3 = arith.select %0, %1, %2 : f32
  cin.return %3 : f32
} case (%x, 1.000000e+00 : f32) {
  %0 = arith.constant 1.000000e+00 : f32
  %1 = arith.cmpf olt, %x, %0 : f32
  %2 = arith.constant 1.000000e+00 : f32
  %3 = arith.subf %2, %x : f32
  %4 = arith.constant 2.000000e+00 : f32
  %5 = arith.select %1, %3, %4 : f32
  cin.return %5 : f32
}
)");
  notation.functions = {function};
  notation.arrays = {makeArray("y", {2}, {0, 0}), makeArray("a", {2}, {0, 3})};
  notation.sizes["i"] = 2;
  Statement statement;
  statement.target = elementOf("y", {variableOf("i")});
  statement.ranges = {{"i", {}}};
  statement.value =
      callOf("f0", {elementOf("a", {variableOf("i")}), number("1")});
  notation.statements = {statement};
  Outcome outcome = interpret(makeProgram(notation), 1000);
  ASSERT_EQ(outcome.status, Outcome::Fine) << outcome.message;
  EXPECT_EQ(numbersOf(outcome.inputs.back()), (std::vector<double>{1, 2}));
}

/// out[b] = sum[p in s[b]:s[b + 1] if w[p] != 0](w[p] * T[I[p]])
Notation makeBags(std::vector<uint64_t> indices) {
  Notation notation;
  Term p = variableOf("p"), b = variableOf("b");
  Term weight = elementOf("w", {p});
  Term sum;
  sum.kind = Term::Reduction;
  sum.name = "sum";
  sum.operands = {callOf("*", {weight, elementOf("T", {elementOf("I", {p})})})};
  sum.ranges = {
      {"p",
       {elementOf("s", {b}), elementOf("s", {callOf("+", {b, number("1")})})}}};
  sum.condition = {callOf("!=", {weight, number("0")})};
  Statement statement;
  statement.target = elementOf("out", {b});
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

TEST(Statements, callVariablesOfReductionsSideBySideTheSame) {
  auto sumOver = [](const char *variable, Term value) {
    Term sum;
    sum.kind = Term::Reduction;
    sum.name = "sum";
    sum.ranges = {{variable, {}}};
    sum.operands = {std::move(value)};
    return sum;
  };
  auto element = [](const char *variable) {
    return elementOf("a", {variableOf(variable)});
  };
  Notation notation;
  notation.arrays = {makeArray("y", {2}, {0, 0}), makeArray("a", {2}, {1, 2})};
  Statement statement;
  statement.target = elementOf("y", {variableOf("i")});
  statement.ranges = {{"i", {}}};
  Term inner = sumOver("k", callOf("*", {element("j"), element("k")}));
  statement.value =
      callOf("+", {sumOver("j", inner),
                   sumOver("l", callOf("*", {element("l"), element("i")}))});
  notation.statements = {statement};
  notation.sharesNames = true;
  EXPECT_EQ(printStatements(notation),
            "y[i] = sum[v0](sum[v1](a[v0] * a[v1])) + sum[v0](a[v0] * a[i])\n");
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
  Term a = elementOf("a", {variableOf("i")});
  Term value;
  value.kind = Term::Reduction;
  value.name = function;
  value.operands = {callOf("*", {a, a})};
  value.ranges = {{"i", {}}};
  Statement statement;
  statement.target = elementOf("y", {});
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
  statement.target = elementOf("y", {variableOf("i")});
  statement.ranges = {{"i", {}}};
  statement.value =
      callOf("+", {elementOf("a", {variableOf("i")}), number("1")});
  statement.condition = {
      callOf(">", {elementOf("a", {variableOf("i")}), number("0")})};
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

TEST(Statements, leaveOutGaps) {
  Notation notation;
  Statement statement;
  Term row = variableOf("r"), place = variableOf("e");
  statement.target = elementOf("y", {row, place});
  statement.ranges = {{"r", {}}, {"e", {}}};
  statement.value = elementOf("a", {row, place});
  statement.condition = {callOf("!=", {elementOf("w", {place}), number("0")})};
  notation.statements = {statement};
  notation.sizes = {{"r", 2}, {"e", 3}};
  notation.arrays = {makeArray("y", {2, 3}, {9, 9, 9, 9, 9, 9}),
                     makeArray("a", {2, 3}, {1, 2, 3, 4, 5, 6}),
                     makeArray("w", {3}, {1, 0, 1})};
  notation.arrays[0].isCompact = true;
  EXPECT_EQ(arrayOptions(notation)[1], "--compact=y");
  Program program = makeProgram(std::move(notation));
  EXPECT_EQ(program.entry().parameterNames,
            (std::vector<std::string>{"a", "w", "y", "y_count"}));
  Outcome outcome = interpret(program, 1000);
  ASSERT_EQ(outcome.status, Outcome::Fine) << outcome.message;
  EXPECT_EQ(outcome.inputs[3].bits, (std::vector<uint64_t>{2}));
  const Input &expected = outcome.inputs[2];
  EXPECT_EQ(expected.isOpen,
            (std::vector<bool>{false, false, true, false, false, true}));
  // What is behind them may be anything.
  Input found = makeProgram(Notation(*program.notation)).inputs[2];
  found.bits = {expected.bits[0], expected.bits[1], 77,
                expected.bits[3], expected.bits[4], 78};
  EXPECT_EQ(describeDifference("y", found, expected), "");
  EXPECT_EQ(numbersOf(expected)[1], 3);
  EXPECT_EQ(numbersOf(expected)[4], 6);
}

TEST(Statements, takeElementsByTheirPlaces) {
  Notation notation;
  Statement statement;
  Term element = variableOf("e");
  statement.target = elementOf("y", {elementOf("n0", {element})});
  statement.function = "+";
  statement.ranges = {{"e", {}}};
  statement.value = elementOf("x", {elementOf("n1", {element})});
  notation.statements = {statement};
  notation.sizes["e"] = 4;
  notation.arrays = {
      makeArray("y", {3}, {0, 0, 0}), makeIndices("n0", {2, 0, 2, 0}),
      makeArray("x", {5}, {1, 2, 3, 4, 5}), makeIndices("n1", {4, 3, 2, 1})};
  notation.group = "n0";
  EXPECT_EQ(arrayOptions(notation).back(), "--group=n0");
  Program program = makeProgram(std::move(notation));
  EXPECT_EQ(program.entry().parameterNames,
            (std::vector<std::string>{"n0", "x", "n1", "n0_offsets", "n1_by_n0",
                                      "n0_order", "y"}));
  EXPECT_EQ(program.inputs[3].bits, (std::vector<uint64_t>{0, 2, 2, 4}));
  EXPECT_EQ(program.inputs[4].bits, (std::vector<uint64_t>{3, 1, 4, 2}));
  EXPECT_EQ(program.inputs[5].bits, (std::vector<uint64_t>{1, 3, 0, 2}));
  Outcome outcome = interpret(program, 1000);
  EXPECT_EQ(numbersOf(outcome.inputs.back()), (std::vector<double>{6, 0, 8}));
}

TEST(Statements, areDrawnOfAllSorts) {
  bool hasGroup = false, hasNoGaps = false, hasDigits = false;
  bool hasStoredDigits = false;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    Program program = generateStatements(random);
    hasGroup |= !program.notation->group.empty();
    for (const StoredArray &array : program.notation->arrays)
      hasNoGaps |= array.isCompact;
    for (const Statement &statement : program.notation->statements)
      for (const Term &index : statement.target.operands) {
        if (index.name != "+" || index.operands[0].name != "*")
          continue;
        hasDigits = true;
        const std::string &target = statement.target.name;
        hasStoredDigits |= program.notation->array(target).hasLevels();
      }
  }
  EXPECT_TRUE(hasGroup);
  EXPECT_TRUE(hasNoGaps);
  EXPECT_TRUE(hasDigits);
  EXPECT_TRUE(hasStoredDigits);
}

} // namespace
