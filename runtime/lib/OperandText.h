//===- OperandText.h - Operands of the data queue as text -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_LIB_OPERANDTEXT_H
#define EMBER_RUNTIME_LIB_OPERANDTEXT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace ember::runtime {

// As in ember_trace_operand.
struct Operand {
  std::string_view type;
  int64_t lanes;
  int32_t elementBits;
  int32_t kind;
  const void *data;
};

// Appends "1.5", or "[1, 2, 3, 4]" for a vector. Floats are printed with as
// many digits as it takes to read the same value back, integers as signed, but
// i1 as 0 or 1.
void appendOperand(std::string &text, const Operand &operand);

} // namespace ember::runtime

#endif // EMBER_RUNTIME_LIB_OPERANDTEXT_H
