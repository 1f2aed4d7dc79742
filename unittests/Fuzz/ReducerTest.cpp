//===- ReducerTest.cpp - Programs become as small as their failure allows -===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Reduction/Reducer.h"
#include "ember/Fuzz/Generator.h"
#include "ember/Fuzz/Program/Printer.h"
#include "ember/Fuzz/Reduction/Reductions.h"
#include "gtest/gtest.h"

using namespace ember::fuzz;

namespace {

size_t countOpcode(const Block &block, Opcode opcode) {
  size_t count = 0;
  for (const Op &op : block.ops) {
    count += op.opcode == opcode;
    for (const Block &region : op.regions)
      count += countOpcode(region, opcode);
  }
  return count;
}

size_t countOpcode(const Program &program, Opcode opcode) {
  return countOpcode(program.entry().body, opcode);
}

/// What is left of programs that "fail" because they hold `opcode`.
void expectReduction(Opcode opcode, size_t mostOps) {
  unsigned reduced = 0;
  for (uint64_t seed = 0; seed < 200 && reduced < 8; ++seed) {
    Program program = generateCase(seed).program;
    if (countOpcode(program, opcode) == 0)
      continue;
    ++reduced;
    auto stillFails = [&](const Program &candidate) {
      return isComparable(candidate, interpret(candidate, kStepLimit)) &&
             countOpcode(candidate, opcode) > 0;
    };
    Program small = reduceProgram(program, stillFails, 30);
    EXPECT_TRUE(stillFails(small));
    size_t ops = 0;
    for (const Function &function : small.functions)
      ops += countOps(function.body);
    EXPECT_LE(ops, mostOps) << "seed " << seed << "\n" << printProgram(small);
  }
  EXPECT_EQ(reduced, 8u);
}

// A value, an array of two dimensions with its sizes, and two indices.
TEST(Reducer, keepsAStoreAndItsOperands) { expectReduction(Opcode::Store, 7); }

TEST(Reducer, keepsALoop) { expectReduction(Opcode::For, 10); }

TEST(Reducer, keepsACall) { expectReduction(Opcode::Call, 8); }

TEST(Reducer, shrinksEmbeddings) {
  unsigned reduced = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Program program = generateCase(seed, ProgramKind::Embeddings).program;
    const Op &last = program.entry().body.ops.back();
    // Views stay within larger arrays, blocks as large as they are, and the
    // rows of several tables add up to those of the result.
    if (!last.embedding || last.embedding->kind >= Embedding::Gather ||
        last.embedding->positions(Role::Table).size() > 1 ||
        countOpcode(program, Opcode::SubView) > 0)
      continue;
    ++reduced;
    auto stillFails = [&](const Program &candidate) {
      const std::vector<Op> &ops = candidate.entry().body.ops;
      return !ops.empty() && ops.back().embedding &&
             ops.back().embedding->kind == last.embedding->kind &&
             ops.back().embedding->positions(Role::Table).size() < 2 &&
             isComparable(candidate, interpret(candidate, kStepLimit));
    };
    Program small = reduceProgram(program, stillFails, 30);
    EXPECT_TRUE(stillFails(small));
    // What it reads may be the result of another one.
    EXPECT_LE(countOpcode(small, Opcode::Embed), 2u) << printProgram(small);
    for (const Input &input : small.inputs)
      EXPECT_LE(elementCount(input.shape), 12) << printProgram(small);
  }
  EXPECT_GT(reduced, 8u);
}

/// Loops that hand a loaded value to each other; the store reads the result of
/// the outer one, or what was loaded.
Program carriedLoad(bool readsResult) {
  Program program;
  Function &function = program.functions.emplace_back();
  auto scalar = [&](Scalar type) {
    return function.addValue(Type::scalar(type));
  };
  ValueId table = function.addValue(Type::memref(Scalar::I32, {4}));
  ValueId out = function.addValue(Type::memref(Scalar::I32, {4}));
  function.body.arguments = {table, out};
  auto constant = [&](Scalar type, uint64_t bits) {
    Op &op = function.body.ops.emplace_back();
    op.immediate = bits;
    op.results = {scalar(type)};
    return op.results[0];
  };
  ValueId zero = constant(Scalar::Index, 0), one = constant(Scalar::Index, 1);
  ValueId value = constant(Scalar::I32, 7), wrong = constant(Scalar::Index, 9);
  Op load;
  load.opcode = Opcode::Load;
  load.operands = {table, wrong};
  load.results = {scalar(Scalar::I32)};
  function.body.ops.push_back(load);
  auto loop = [&](ValueId init) {
    Op op;
    op.opcode = Opcode::For;
    op.operands = {zero, one, one, init};
    op.results = {scalar(Scalar::I32)};
    Block &body = op.regions.emplace_back();
    body.arguments = {scalar(Scalar::Index), scalar(Scalar::I32)};
    return op;
  };
  Op outer = loop(load.results[0]);
  Op inner = loop(outer.regions[0].arguments[1]);
  inner.regions[0].yields = {inner.regions[0].arguments[1]};
  outer.regions[0].yields = {inner.results[0]};
  outer.regions[0].ops.push_back(inner);
  function.body.ops.push_back(outer);
  Op store;
  store.opcode = Opcode::Store;
  store.operands = {readsResult ? outer.results[0] : value, out, zero};
  function.body.ops.push_back(store);
  return program;
}

TEST(Reducer, removesWhatLoopsOnlyHandToEachOther) {
  Program unread = carriedLoad(false), read = carriedLoad(true);
  removeDeadCode(unread);
  removeDeadCode(read);
  EXPECT_EQ(countOpcode(unread, Opcode::Load), 0u) << printProgram(unread);
  EXPECT_EQ(countOpcode(unread, Opcode::For), 0u);
  EXPECT_EQ(countOpcode(unread, Opcode::Store), 1u);
  EXPECT_EQ(countOpcode(read, Opcode::Load), 1u) << printProgram(read);
  EXPECT_EQ(countOpcode(read, Opcode::For), 2u);
}

} // namespace
