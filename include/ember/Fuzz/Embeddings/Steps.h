//===- Steps.h - Functions that message passing calls -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row a function: how it is written, and what it computes.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_EMBEDDINGS_STEPS_H
#define EMBER_FUZZ_EMBEDDINGS_STEPS_H

#include "ember/Fuzz/Program/Ast.h"

namespace ember::fuzz {

class ApproximateArithmetic;
struct Approximate;

/// The function of one operand, or of two.
Approximate applyStep(const ApproximateArithmetic &arithmetic,
                      StepFunction step, Approximate a, Approximate b);

/// Whether it adds, so that terms of none are 0.
inline bool isSum(StepFunction step) {
  return step == StepFunction::Add || step == StepFunction::Plus;
}

/// What operations call it where they compute in `type`: a word, or the symbol
/// of a function of the program's own.
std::string nameStep(StepFunction step, Scalar type);

/// The functions of its own that a program calls, as text.
std::string printStepFunctions(const Program &program);

/// The type that an operation computes in.
Scalar computedType(const Op &op, const std::vector<Type> &types);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_EMBEDDINGS_STEPS_H
