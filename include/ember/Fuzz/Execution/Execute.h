//===- Execute.h - Compiles and runs programs in this process ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_EXECUTION_EXECUTE_H
#define EMBER_FUZZ_EXECUTION_EXECUTE_H

#include "ember/Fuzz/Evaluation/Interpreter.h"
#include "ember/Fuzz/Execution/Variant.h"
#include <memory>
#include <set>

namespace ember::fuzz {

struct Failure {
  /// "parse", "pass", "native", "run" or "mismatch"; "crash" and "hang" come
  /// from outside.
  std::string kind;
  std::string variant;
  std::string message;
};

/// Compiles programs one after another in one MLIR context.
class Executor {
public:
  Executor();
  ~Executor();

  /// Parses `program`, which the following runs are of. A failure of the kind
  /// "refusal" is an error that it may end with: there is no such gradient.
  std::optional<Failure> load(const Program &program);

  /// Runs the loaded program in `variant` and compares it with `expected`.
  /// Adds what the compiler made of it to `features`.
  std::optional<Failure> run(const Program &program, const Outcome &expected,
                             const Variant &variant,
                             std::set<std::string> &features);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace ember::fuzz

#endif // EMBER_FUZZ_EXECUTION_EXECUTE_H
