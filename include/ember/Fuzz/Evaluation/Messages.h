//===- Messages.h - Whether errors tell the truth ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_EVALUATION_MESSAGES_H
#define EMBER_FUZZ_EVALUATION_MESSAGES_H

#include "ember/Fuzz/Program/Ast.h"

namespace ember::fuzz {

/// What `message` says of an argument's elements that is not so, or an empty
/// text: "index 9 at position 1 of 'indices'" has to be there.
std::string findUntruth(const Program &program, const std::string &message);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_EVALUATION_MESSAGES_H
