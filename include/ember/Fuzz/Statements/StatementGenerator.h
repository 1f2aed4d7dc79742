//===- StatementGenerator.h - Random statements -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_STATEMENTS_STATEMENTGENERATOR_H
#define EMBER_FUZZ_STATEMENTS_STATEMENTGENERATOR_H

#include "ember/Fuzz/Program/Ast.h"
#include "ember/Fuzz/Program/Random.h"

namespace ember::fuzz {

/// Some statements with their arrays, dense or in formats. A few have an index
/// that is wrong.
Program generateStatements(Random &random);

/// The program of statements: one function, with the parts of arrays as its
/// parameters.
Program makeProgram(Notation notation);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_STATEMENTS_STATEMENTGENERATOR_H
