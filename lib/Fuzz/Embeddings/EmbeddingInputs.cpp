//===- EmbeddingInputs.cpp - Wrong and shared inputs ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Embeddings/EmbeddingInputs.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"

namespace ember::fuzz {

/// Where a wrong number may stand.
static std::vector<size_t> integerInputs(const Program &program) {
  std::vector<size_t> found;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const Input &input = program.inputs[i];
    if (input.isMemRef && isInteger(input.element) &&
        input.element != Scalar::I8 && !input.bits.empty())
      found.push_back(i);
  }
  return found;
}

/// Makes one number wrong: two might be met in another order.
static void makeNumberWrong(Random &random, Program &program) {
  std::vector<size_t> candidates = integerInputs(program);
  if (candidates.empty())
    return;
  Input &input = program.inputs[random.pick(candidates)];
  int64_t wrong =
      random.chance(0.6)
          ? random.between(-3, 40)
          : random.pick<int64_t>({-1, 1 << 20, INT32_MAX, INT32_MIN, INT64_MAX,
                                  INT64_MIN, int64_t(1) << 61});
  input.bits[random.position(input.bits.size())] =
      truncateBits(input.element, static_cast<uint64_t>(wrong));
  program.isFaulty = true;
}

/// Gives an argument one row less or more than the others ask for.
static void makeSizeWrong(Random &random, Program &program) {
  const Function &entry = program.entry();
  std::vector<size_t> candidates;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const Type &type = entry.types[entry.body.arguments[i]];
    bool isViewed = false;
    for (const Op &op : entry.body.ops)
      isViewed |= op.opcode == Opcode::SubView &&
                  op.operands[0] == entry.body.arguments[i];
    if (type.isMemRef && type.shape[0] == kDynamic && !isViewed &&
        program.inputs[i].shape[0] > 0)
      candidates.push_back(i);
  }
  if (candidates.empty())
    return;
  Input &input = program.inputs[random.pick(candidates)];
  auto row = static_cast<size_t>(elementCount(input.shape) / input.shape[0]);
  if (random.chance(0.5)) {
    --input.shape[0];
    input.bits.resize(input.bits.size() - row);
  } else {
    ++input.shape[0];
    input.bits.insert(input.bits.end(), input.bits.begin(),
                      input.bits.begin() + static_cast<long>(row));
  }
  program.isFaulty = true;
}

/// Lets two arguments that are only read be the same memory.
static void shareMemory(Random &random, Program &program) {
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < program.inputs.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      const Input &one = program.inputs[i], &other = program.inputs[k];
      if (one.isMemRef && one.isReadOnly && other.isReadOnly &&
          one.element == other.element && one.shape == other.shape &&
          isFloat(one.element) && !one.bits.empty())
        pairs.push_back({i, k});
    }
  if (pairs.empty())
    return;
  auto [later, earlier] = random.pick(pairs);
  // Views look at different elements of what is behind them.
  if (program.entry().types[program.entry().body.arguments[later]].isTensor) {
    program.inputs[later].sharedWith = earlier;
    program.inputs[later].bits = program.inputs[earlier].bits;
  }
}

/// With nothing to do, nothing need be found wrong.
static bool hasEmptyArray(const Program &program) {
  for (const Input &input : program.inputs)
    if (input.isMemRef && elementCount(input.shape) == 0)
      return true;
  return false;
}

void varyInputs(Random &random, Program &program) {
  if (random.chance(0.15))
    shareMemory(random, program);
  else if (!hasEmptyArray(program) && random.chance(0.15)) {
    if (random.chance(0.7))
      makeNumberWrong(random, program);
    else
      makeSizeWrong(random, program);
  }
}

} // namespace ember::fuzz
