//===- Interpreter.h - What a program computes ------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates a program one operation at a time: the reference that all levels
// are compared with.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_EVALUATION_INTERPRETER_H
#define EMBER_FUZZ_EVALUATION_INTERPRETER_H

#include "ember/Fuzz/Program/Ast.h"

namespace ember::fuzz {

struct Outcome {
  enum Status : uint8_t {
    Fine,
    /// The program does something illegal; `message` says what.
    Trap,
    /// Its result may legally differ between machines.
    Unspecified,
    /// It ran longer than it was allowed to.
    TooLong
  };
  Status status = Fine;
  /// The illegal thing is one that compiled programs report.
  bool isReported = false;
  /// Of which sort it is, if programs must report it as such.
  std::optional<Fault::Kind> fault;
  /// Compiled programs need not find it: nothing is computed from what is
  /// read, because the operation's output has no elements.
  bool mayGoUnnoticed = false;
  /// A loop ends below where it begins. Where offsets say so, perhaps because
  /// the program overwrote them, compiled programs may report it.
  bool hasReversedRange = false;
  std::string message;
  /// The entry's inputs after the run, and its results.
  std::vector<Input> inputs;
  std::vector<Input> results;
  /// All elements of each array of the program's notation.
  std::vector<Input> arrays;
  /// Operations executed.
  int64_t steps = 0;
};

/// True if compiled programs can be compared with `outcome`: the program is
/// legal, or is meant to fail and does so in a way that must be reported.
bool isComparable(const Program &program, const Outcome &outcome);

/// Runs the entry of `program` on its inputs.
Outcome interpret(const Program &program, int64_t stepLimit);

/// "argument 3: element 17 is 2 but must be 3" for the first difference of two
/// results of one type, or an empty text. All NaNs are alike, and elements may
/// differ by the errors that `expected` allows.
std::string describeDifference(const std::string &what, const Input &actual,
                               const Input &expected);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_EVALUATION_INTERPRETER_H
