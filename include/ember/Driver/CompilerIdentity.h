//===- CompilerIdentity.h - Which build of the compiler this is -*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a cache key that changes whenever the compiler does.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_COMPILERIDENTITY_H
#define EMBER_DRIVER_COMPILERIDENTITY_H

#include <string>

namespace ember {

/// Names this build of the program and of the libraries it runs with, by the
/// build ids that linkers put into them, and the runtime that kernels get.
std::string getCompilerIdentity();

} // namespace ember

#endif // EMBER_DRIVER_COMPILERIDENTITY_H
