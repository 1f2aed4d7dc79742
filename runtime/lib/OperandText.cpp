//===- OperandText.cpp - Operands of the data queue as text ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandText.h"
#include "ember/Runtime/Trace.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

using namespace ember::runtime;

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

// IEEE half precision; every value is exact in single precision.
static float halfToFloat(uint16_t half) {
  int32_t exponent = (half >> 10) & 0x1f;
  int32_t fraction = half & 0x3ff;
  float magnitude;
  if (exponent == 0x1f)
    magnitude = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  else
    magnitude = std::ldexp(static_cast<float>(fraction | 0x400), exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

static void appendFloat(std::string &text, const Operand &operand,
                        uint64_t bits) {
  if (operand.elementBits == 64)
    return appendNumber(text, std::bit_cast<double>(bits));
  if (operand.elementBits == 32)
    return appendNumber(text,
                        std::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (operand.type.find("bf16") != std::string_view::npos)
    return appendNumber(
        text, std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
  appendNumber(text, halfToFloat(static_cast<uint16_t>(bits)));
}

static void appendElement(std::string &text, const Operand &operand,
                          int64_t lane) {
  uint64_t bits = elementBitsAt(operand, lane);
  bool isKnownFloat = operand.elementBits == 16 || operand.elementBits == 32 ||
                      operand.elementBits == 64;
  if (operand.kind == EMBER_OPERAND_FLOAT && isKnownFloat)
    return appendFloat(text, operand, bits);
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
