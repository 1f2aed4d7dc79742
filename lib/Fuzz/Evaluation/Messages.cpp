//===- Messages.cpp - Whether errors tell the truth -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Evaluation/Messages.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <cinttypes>
#include <cstdio>

namespace ember::fuzz {

/// Whether element `position` of the argument called `name` is `value`.
/// Positions in views are not those of what is behind them.
static bool holds(const Program &program, const std::string &name,
                  int64_t position, int64_t value) {
  const Function &entry = program.entry();
  for (const Op &op : entry.body.ops)
    if (op.opcode == Opcode::SubView || op.opcode == Opcode::Transpose)
      return true;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const Input &input = program.inputs[i];
    if (entry.parameterNames[i] == name)
      return position >= 0 &&
             position < static_cast<int64_t>(input.bits.size()) &&
             signedValue(input.element,
                         input.bits[static_cast<size_t>(position)]) == value;
  }
  // Memory of the program itself.
  return true;
}

std::string findUntruth(const Program &program, const std::string &message) {
  char name[64], next[64];
  int64_t value, position, nextValue, nextPosition;
  bool isTrue = true;
  if (std::sscanf(message.c_str(),
                  "index %" SCNd64 " at position %" SCNd64 " of '%63[^']'",
                  &value, &position, name) == 3)
    isTrue = holds(program, name, position, value);
  else if (std::sscanf(message.c_str(),
                       "offsets decrease: '%63[^']'[%" SCNd64 "] is %" SCNd64
                       " but '%63[^']'[%" SCNd64 "] is %" SCNd64,
                       name, &position, &value, next, &nextPosition,
                       &nextValue) == 6)
    isTrue = holds(program, name, position, value) &&
             holds(program, next, nextPosition, nextValue) && value > nextValue;
  return isTrue ? "" : "not so: " + message;
}

} // namespace ember::fuzz
