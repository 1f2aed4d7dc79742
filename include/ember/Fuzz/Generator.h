//===- Generator.h - Random programs ----------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_GENERATOR_H
#define EMBER_FUZZ_GENERATOR_H

#include "ember/Fuzz/Evaluation/Interpreter.h"

namespace ember::fuzz {

struct Case {
  Program program;
  /// What the program computes.
  Outcome expected;
};

/// What programs are made of.
enum class ProgramKind : uint8_t {
  /// One in four of embedding operations, and one in four of statements.
  Any,
  /// Nests of loops.
  Nests,
  /// Operations of the embed dialect.
  Embeddings,
  /// Statements in index notation.
  Statements
};

/// The program `seed` names: legal and in bounds, with one result on every
/// correct machine, or with wrong inputs that have to be reported. If it is not
/// comparable, the generator is at fault.
Case generateCase(uint64_t seed, ProgramKind kind = ProgramKind::Any);

/// Operations a generated program executes at most.
constexpr int64_t kStepLimit = 60000;

} // namespace ember::fuzz

#endif // EMBER_FUZZ_GENERATOR_H
