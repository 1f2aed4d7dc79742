//===- PrintValue.h - Kernel values as text ---------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ember-run shows of results: scalars and small arrays whole, of large
// arrays the corners, as NumPy does.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_PRINTVALUE_H
#define EMBER_DRIVER_PRINTVALUE_H

#include "ember/Driver/Arguments.h"

namespace ember {

/// Prints one line: "result 0: memref<?x2xf32> [2, 2] = [[1, 2], [3, 4]]". A
/// float is printed with as many digits as tell it from its neighbours.
void printValue(const KernelValue &value, llvm::raw_ostream &os);

} // namespace ember

#endif // EMBER_DRIVER_PRINTVALUE_H
