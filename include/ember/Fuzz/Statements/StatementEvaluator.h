//===- StatementEvaluator.h - What statements compute -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_STATEMENTS_STATEMENTEVALUATOR_H
#define EMBER_FUZZ_STATEMENTS_STATEMENTEVALUATOR_H

#include "ember/Fuzz/Evaluation/Interpreter.h"
#include "ember/Fuzz/Statements/Statement.h"

namespace ember::fuzz {

/// Evaluates the statements of a program on all elements of its arrays: the
/// outcome of its parameters and, as `arrays`, all elements of each array. Of
/// arrays in formats there are no other inputs, as there is more than one way
/// to store them.
Outcome evaluateStatements(const Program &program, int64_t stepLimit);

/// Evaluates the gradients that a program asks for: the outcome of its
/// parameters alone. It is not specified where a derivative is not. Each
/// element that a gradient is by takes `stepLimit` steps at most.
Outcome evaluateGradient(const Program &program, int64_t stepLimit);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_STATEMENTS_STATEMENTEVALUATOR_H
