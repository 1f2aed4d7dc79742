//===- StatementProgram.cpp - Statements as programs ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Generator.h"
#include "ember/Fuzz/Statements/StatementEvaluator.h"
#include "ember/Fuzz/Statements/StatementGenerator.h"
#include <algorithm>

namespace ember::fuzz {

/// Keeps of a gradient what there still is in the statements, and evaluates
/// what they assign to: the gradient is a function of that, too.
static void completeGradient(Notation &notation) {
  Gradient gradient = std::move(*notation.gradient);
  notation.gradient.reset();
  auto isThere = [&](const std::string &name) {
    return std::any_of(
        notation.arrays.begin(), notation.arrays.end(),
        [&](const StoredArray &array) { return array.name == name; });
  };
  std::erase_if(gradient.by, [&](const std::string &name) {
    return !isThere(name) || notation.isTarget(name);
  });
  std::erase_if(gradient.seeds, [&](const auto &seeds) {
    return !isThere(seeds.first) || !notation.isTarget(seeds.first) ||
           notation.array(seeds.first).isTemporary;
  });
  if (gradient.by.empty() || gradient.seeds.empty())
    return;
  Program program = makeProgram(notation);
  Outcome outcome = evaluateStatements(program, kStepLimit);
  if (outcome.status != Outcome::Fine)
    return;
  for (size_t number = 0; number < notation.arrays.size(); ++number)
    if (notation.isTarget(notation.arrays[number].name))
      gradient.results[notation.arrays[number].name] =
          outcome.arrays[number].bits;
  notation.gradient = std::move(gradient);
}

Program makeProgram(Notation notation) {
  notation.orderArrays();
  if (notation.gradient)
    completeGradient(notation);
  Program program;
  Function kernel;
  kernel.name = "kernel";
  for (KernelParameter &parameter : parametersOf(notation)) {
    kernel.parameterNames.push_back(parameter.part.name);
    program.inputs.push_back(std::move(parameter.part.input));
    program.inputs.back().isReadOnly = !parameter.isWritten;
  }
  program.functions.push_back(std::move(kernel));
  program.notation = std::move(notation);
  return program;
}

} // namespace ember::fuzz
