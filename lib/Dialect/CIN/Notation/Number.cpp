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
