//===- LargeStack.h - Room for deeply nested programs -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_LARGESTACK_H
#define EMBER_DRIVER_LARGESTACK_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ember {

/// Runs the body of a tool on a stack that deeply nested input cannot exhaust,
/// and ends the process with what it returns.
int runOnLargeStack(llvm::function_ref<int()> body);

} // namespace ember

#endif // EMBER_DRIVER_LARGESTACK_H
