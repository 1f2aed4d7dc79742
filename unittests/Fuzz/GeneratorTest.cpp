//===- GeneratorTest.cpp - Random programs are legal and reproducible -----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Generator.h"
#include "ember/Fuzz/Program/Printer.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace ember::fuzz;

namespace {

TEST(Generator, aSeedNamesOneProgram) {
  for (uint64_t seed : {1, 77, 4242}) {
    Case first = generateCase(seed), second = generateCase(seed);
    EXPECT_EQ(printProgram(first.program), printProgram(second.program));
    ASSERT_EQ(first.program.inputs.size(), second.program.inputs.size());
    for (size_t i = 0; i < first.program.inputs.size(); ++i)
      EXPECT_EQ(first.program.inputs[i].bits, second.program.inputs[i].bits);
  }
  EXPECT_NE(printProgram(generateCase(1).program),
            printProgram(generateCase(2).program));
}

TEST(Generator, programsStayInBounds) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Case drawn = generateCase(seed);
    ASSERT_TRUE(isComparable(drawn.program, drawn.expected))
        << "seed " << seed << ": " << drawn.expected.message;
  }
}

/// Whether `holds` for an operation of `block` or below.
bool any(const Block &block, const std::function<bool(const Op &)> &holds) {
  for (const Op &op : block.ops) {
    if (holds(op))
      return true;
    for (const Block &region : op.regions)
      if (any(region, holds))
        return true;
  }
  return false;
}

TEST(Generator, programsAreVaried) {
  constexpr uint64_t count = 500;
  uint64_t carried = 0, branches = 0, calls = 0, views = 0, allocations = 0,
           results = 0, wideSteps = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    Program program = generateCase(seed).program;
    auto has = [&](const std::function<bool(const Op &)> &holds) {
      for (const Function &function : program.functions)
        if (any(function.body, holds))
          return 1;
      return 0;
    };
    auto hasOpcode = [&](Opcode opcode) {
      return has([&](const Op &op) { return op.opcode == opcode; });
    };
    carried += has([](const Op &op) {
      return op.opcode == Opcode::For && !op.results.empty();
    });
    branches += hasOpcode(Opcode::If);
    calls += hasOpcode(Opcode::Call);
    views += hasOpcode(Opcode::SubView);
    allocations += hasOpcode(Opcode::Alloc);
    results += !program.entry().results.empty();
    wideSteps += has([&](const Op &op) {
      return op.opcode == Opcode::Constant && op.immediate == 3;
    });
  }
  EXPECT_GT(carried, count / 4);
  EXPECT_GT(branches, count / 8);
  EXPECT_GT(calls, count / 10);
  EXPECT_GT(views, count / 20);
  EXPECT_GT(allocations, count / 20);
  EXPECT_GT(results, count / 5);
  EXPECT_GT(wideSteps, count / 20);
}

TEST(Generator, embeddingsAreVaried) {
  constexpr uint64_t count = 400;
  std::map<Embedding::Kind, uint64_t> kinds;
  uint64_t tensors = 0, views = 0, encoded = 0, chained = 0, wrong = 0,
           mixed = 0, copied = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    Case drawn = generateCase(seed, ProgramKind::Embeddings);
    ASSERT_TRUE(isComparable(drawn.program, drawn.expected))
        << "seed " << seed << ": " << drawn.expected.message;
    const Function &entry = drawn.program.entry();
    std::set<ValueId> results;
    std::set<Scalar> types;
    bool isChained = false, isEncoded = false, isCopied = false;
    for (size_t i = 0; i < entry.body.ops.size(); ++i) {
      const Op &op = entry.body.ops[i];
      if (!op.embedding)
        continue;
      isCopied |= !op.results.empty() && !isInPlace(entry, i);
      ++kinds[op.embedding->kind];
      isEncoded |= op.embedding->format.has_value();
      for (ValueId operand : op.operands) {
        isChained |= results.count(operand) > 0;
        if (isFloat(entry.types[operand].element))
          types.insert(entry.types[operand].element);
      }
      results.insert(op.results.empty() ? op.operands.back() : op.results[0]);
    }
    chained += isChained;
    copied += isCopied;
    encoded += isEncoded;
    mixed += types.size() > 1;
    wrong += drawn.expected.status == Outcome::Trap;
    tensors += entry.types[entry.body.arguments[0]].isTensor;
    views += any(entry.body,
                 [](const Op &op) { return op.opcode == Opcode::SubView; });
  }
  EXPECT_EQ(kinds.size(), 8u);
  for (auto [kind, programs] : kinds)
    EXPECT_GT(programs, count / 16) << mnemonic(kind);
  EXPECT_GT(tensors, count / 2);
  EXPECT_GT(views, count / 10);
  EXPECT_GT(encoded, count / 10);
  EXPECT_GT(chained, count / 20);
  EXPECT_GT(mixed, count / 10);
  EXPECT_GT(copied, count / 50);
  EXPECT_GT(wrong, count / 30);
}

} // namespace
