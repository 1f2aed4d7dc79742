//===- OperandText.cpp - Operands of the data queue as text ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandText.h"
#include "ember/Runtime/ScalarTypes.h"
#include "ember/Runtime/Trace.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

using namespace ember::runtime;
using ember::FloatLayout;
using ember::FloatSpecials;
using ember::ScalarType;

template <typename Number>
static void appendNumber(std::string &text, Number number) {
  char digits[64];
  auto [end, error] = std::to_chars(digits, digits + sizeof(digits), number);
  text.append(digits, end);
}

// The bits of one element; those narrower than a byte are packed.
static uint64_t elementBitsAt(const Operand &operand, int64_t lane) {
  const char *bytes = static_cast<const char *>(operand.data);
  int64_t bits = operand.elementBits;
  uint64_t element = 0;
  if (bits < 8) {
    int64_t position = lane * bits;
    std::memcpy(&element, bytes + position / 8, 1);
    return (element >> (position % 8)) & ((uint64_t(1) << bits) - 1);
  }
  int64_t elementBytes = (bits + 7) / 8;
  std::memcpy(&element, bytes + lane * elementBytes, elementBytes);
  return element;
}

static int64_t signExtended(uint64_t bits, int32_t width) {
  int32_t unused = 64 - width;
  return static_cast<int64_t>(bits << unused) >> unused;
}

// Floats of at most 16 bits; every value is exact in single precision.
static float narrowToFloat(const ScalarType &type, uint64_t bits) {
  const FloatLayout &layout = *type.layout;
  uint64_t sign = uint64_t(1) << (type.bits - 1);
  uint64_t magnitude = bits & (sign - 1);
  auto exponent = static_cast<int>(magnitude >> layout.fractionBits);
  uint64_t one = uint64_t(1) << layout.fractionBits;
  uint64_t fraction = magnitude & (one - 1);
  bool isLargest = magnitude >= sign - one;
  if (layout.specials == FloatSpecials::NegativeZero && bits == sign)
    return NAN;
  float number;
  if (layout.specials == FloatSpecials::AllOnes && magnitude == sign - 1)
    number = NAN;
  else if (layout.specials == FloatSpecials::Infinities && isLargest)
    number = fraction ? NAN : INFINITY;
  else
    number =
        std::ldexp(static_cast<float>(exponent ? fraction | one : fraction),
                   std::max(exponent, 1) - layout.bias - layout.fractionBits);
  return bits & sign ? -number : number;
}

// The name of an element's type in "f32" and "vector<4xf32>".
static std::string_view elementType(std::string_view type) {
  if (type.empty() || type.back() != '>')
    return type;
  size_t begin = type.find_last_of("<x");
  return type.substr(begin + 1, type.size() - begin - 2);
}

static void appendFloat(std::string &text, const ScalarType &type,
                        uint64_t bits) {
  if (type.bits == 64)
    return appendNumber(text, std::bit_cast<double>(bits));
  if (type.bits == 32)
    return appendNumber(text,
                        std::bit_cast<float>(static_cast<uint32_t>(bits)));
  appendNumber(text, narrowToFloat(type, bits));
}

static void appendElement(std::string &text, const Operand &operand,
                          int64_t lane) {
  uint64_t bits = elementBitsAt(operand, lane);
  const ScalarType *type = ember::findScalarType(elementType(operand.type));
  bool isKnownFloat =
      type && type->isFloat() && type->bits == operand.elementBits;
  if (operand.kind == EMBER_OPERAND_FLOAT && isKnownFloat)
    return appendFloat(text, *type, bits);
  if (operand.elementBits == 1)
    return appendNumber(text, bits);
  appendNumber(text, signExtended(bits, operand.elementBits));
}

void ember::runtime::appendOperand(std::string &text, const Operand &operand) {
  if (operand.elementBits < 1 || operand.elementBits > 64) {
    text += '?';
    return;
  }
  bool isScalar =
      operand.lanes == 1 && operand.type.find('<') == std::string_view::npos;
  if (isScalar)
    return appendElement(text, operand, 0);
  text += '[';
  for (int64_t lane = 0; lane < operand.lanes; ++lane) {
    if (lane > 0)
      text += ", ";
    appendElement(text, operand, lane);
  }
  text += ']';
}
