//===- TacoText.h - Statements in TACO's syntax -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_TACOTEXT_H
#define EMBER_DRIVER_TACOTEXT_H

#include "ember/Driver/NotationText.h"

namespace ember {

/// The statement in index notation that a command line of TACO's tool says,
/// such as `"x(i)=B(i,j)*c(j)" -f=B:ss -s=reorder(j,i)`. Adds to `arrays` what
/// it says of types, formats and the schedule; a type that `arrays` has already
/// stays. With `forGraphs`, tensors are those of graphs of blocks, which are
/// stored when a graph runs: each coordinate once, and the result anew.
llvm::Expected<std::string> readTacoCommand(llvm::StringRef command,
                                            NotationArrays &arrays,
                                            bool forGraphs);

} // namespace ember

#endif // EMBER_DRIVER_TACOTEXT_H
