//===- Reducer.h - Smaller programs that still fail -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_REDUCTION_REDUCER_H
#define EMBER_FUZZ_REDUCTION_REDUCER_H

#include "ember/Fuzz/Program/Ast.h"
#include <functional>

namespace ember::fuzz {

/// A test of a program that may be illegal: then it has to say no.
using StillFails = std::function<bool(const Program &)>;

/// Takes parts of `program` away for as long as `stillFails` says yes and
/// `seconds` have not passed.
Program reduceProgram(Program program, const StillFails &stillFails,
                      double seconds);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_REDUCTION_REDUCER_H
