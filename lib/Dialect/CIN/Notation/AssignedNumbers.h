//===- AssignedNumbers.h - Numbers that are indices -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_NOTATION_ASSIGNEDNUMBERS_H
#define EMBER_LIB_DIALECT_CIN_NOTATION_ASSIGNEDNUMBERS_H

#include "Ast.h"

#include "llvm/ADT/StringSet.h"

namespace ember::cin {

/// Has indices of a statement that are called like one of `numbers`, which
/// statements before assign to, be these numbers and no variables: those that
/// it binds itself are.
void readAssignedNumbers(Statement &statement,
                         const llvm::StringSet<> &numbers);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_NOTATION_ASSIGNEDNUMBERS_H
