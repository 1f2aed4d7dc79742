//===- Number.cpp - Numbers as they are written ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Number.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using llvm::ArrayRef;
using llvm::StringRef;
using namespace ember::cin;

/// The base that a prefix says.
static unsigned takeBase(StringRef &digits) {
  if (digits.consume_front_insensitive("0x"))
    return 16;
  if (digits.consume_front_insensitive("0b"))
    return 2;
  if (digits.consume_front_insensitive("0o"))
    return 8;
  return 10;
}

/// An underscore stands between two digits, or behind what says the base.
static bool areUnderscoresRight(StringRef text, unsigned base) {
  auto isDigit = [&](char character) {
    return base == 16 ? llvm::isHexDigit(character) : llvm::isDigit(character);
  };
  for (auto [place, character] : llvm::enumerate(text)) {
    if (character != '_')
      continue;
    bool isBehindDigit = place > 0 ? isDigit(text[place - 1]) : base != 10;
    if (!isBehindDigit || place + 1 == text.size() || !isDigit(text[place + 1]))
      return false;
  }
  return true;
}

static std::optional<Number> parseInteger(StringRef digits, unsigned base) {
  llvm::APInt value;
  if (digits.empty() || digits.getAsInteger(base, value))
    return std::nullopt;
  Number number{.isInteger = true};
  number.fits = value.getActiveBits() < 64;
  number.integer = number.fits ? static_cast<int64_t>(value.getZExtValue()) : 0;
  number.value = value.roundToDouble(/*isSigned=*/false);
  return number;
}

std::optional<Number> ember::cin::parseNumber(StringRef text) {
  StringRef rest = text;
  unsigned base = takeBase(rest);
  if (!areUnderscoresRight(rest, base))
    return std::nullopt;
  std::string digits = rest.str();
  llvm::erase(digits, '_');
  if (base != 10)
    return parseInteger(digits, base);
  if (llvm::all_of(digits, llvm::isDigit)) {
    // As in Python, no digits behind a zero: they would be octal elsewhere.
    StringRef all(digits);
    if (all.size() > 1 && all.front() == '0' && !all.ltrim('0').empty())
      return std::nullopt;
    return parseInteger(digits, base);
  }
  Number number;
  // An exponent without digits is taken for 0.
  if (StringRef(digits).ends_with_insensitive("e") ||
      StringRef(digits).getAsDouble(number.value, /*AllowInexact=*/true))
    return std::nullopt;
  return number;
}

/// None if it does not fit.
static std::optional<int64_t> computeInteger(StringRef function, int64_t a,
                                             int64_t b) {
  bool hasQuotient =
      b != 0 && (a != std::numeric_limits<int64_t>::min() || b != -1);
  int64_t result;
  if (function == "add" && !llvm::AddOverflow(a, b, result))
    return result;
  if (function == "sub" && !llvm::SubOverflow(a, b, result))
    return result;
  if (function == "mul" && !llvm::MulOverflow(a, b, result))
    return result;
  if (function == "floordiv" && hasQuotient)
    return llvm::divideFloorSigned(a, b);
  if (function == "mod" && hasQuotient)
    return a - llvm::divideFloorSigned(a, b) * b;
  return std::nullopt;
}

static std::optional<double> computeFloat(StringRef function, double a,
                                          double b) {
  if (function == "add")
    return a + b;
  if (function == "sub")
    return a - b;
  if (function == "mul")
    return a * b;
  if (function == "div" && b != 0)
    return a / b;
  return std::nullopt;
}

/// Of an integer, whether its value is exact.
static bool isExact(const Number &number) {
  return !number.isInteger ||
         std::abs(number.value) <=
             static_cast<double>(int64_t(1)
                                 << std::numeric_limits<double>::digits);
}

std::optional<Number> ember::cin::compute(StringRef function,
                                          ArrayRef<Number> operands) {
  auto makeInteger = [](std::optional<int64_t> value) -> std::optional<Number> {
    if (!value)
      return std::nullopt;
    return Number{.isInteger = true,
                  .integer = *value,
                  .value = static_cast<double>(*value)};
  };
  Number first = operands.front();
  if (function == "neg") {
    first.integer = -first.integer;
    first.value = -first.value;
    return first;
  }
  if (operands.size() != 2)
    return std::nullopt;
  Number second = operands.back();
  bool areIntegers = first.isInteger && second.isInteger;
  if (areIntegers && function != "div")
    return makeInteger(computeInteger(function, first.integer, second.integer));
  std::optional<double> value =
      isExact(first) && isExact(second)
          ? computeFloat(function, first.value, second.value)
          : std::nullopt;
  if (!value)
    return std::nullopt;
  return Number{.value = *value};
}

size_t ember::cin::findLengthOfNumber(StringRef text) {
  StringRef rest = text;
  bool isDecimal = takeBase(rest) == 10;
  auto isPart = [](char character) {
    return llvm::isAlnum(character) || character == '_';
  };
  size_t length = 0;
  while (length < text.size()) {
    char character = text[length];
    bool isSign = (character == '+' || character == '-') && isDecimal &&
                  length > 0 && llvm::toLower(text[length - 1]) == 'e' &&
                  length + 1 < text.size() && llvm::isDigit(text[length + 1]);
    bool isPoint = character == '.' && isDecimal;
    if (!isPart(character) && !isSign && !isPoint)
      break;
    ++length;
  }
  return length;
}
