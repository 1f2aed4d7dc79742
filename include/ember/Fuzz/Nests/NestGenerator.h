//===- NestGenerator.h - Random programs of loops ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_NESTS_NESTGENERATOR_H
#define EMBER_FUZZ_NESTS_NESTGENERATOR_H

#include "ember/Fuzz/Program/Ast.h"
#include "ember/Fuzz/Program/Random.h"

namespace ember::fuzz {

/// Functions of nests that call each other, and the inputs of the first. Some
/// inputs are wrong.
Program generateNests(Random &random);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_NESTS_NESTGENERATOR_H
