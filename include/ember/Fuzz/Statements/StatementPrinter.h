//===- StatementPrinter.h - Statements as text ------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_STATEMENTS_STATEMENTPRINTER_H
#define EMBER_FUZZ_STATEMENTS_STATEMENTPRINTER_H

#include "ember/Fuzz/Statements/Statement.h"

namespace ember::fuzz {

/// The statements in index notation, a line each, with no more parentheses than
/// they need.
std::string printStatements(const Notation &notation);

/// The number that a pattern of bits is, as options and statements write it.
std::string printNumber(Scalar type, uint64_t bits);

/// What emberc is told of the arrays: `--type=A:f32` and the like.
std::vector<std::string> arrayOptions(const Notation &notation);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_STATEMENTS_STATEMENTPRINTER_H
