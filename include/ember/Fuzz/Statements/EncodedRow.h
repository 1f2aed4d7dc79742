//===- EncodedRow.h - Elements as a row of bytes ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_STATEMENTS_ENCODEDROW_H
#define EMBER_FUZZ_STATEMENTS_ENCODEDROW_H

#include "ember/Fuzz/Program/RowLayouts.h"
#include <cstdint>
#include <vector>

namespace ember::fuzz {

/// The bytes of row `number` of elements, which are halves of at least -2 and
/// at most 2: decoded, they are the same. Rows differ in their scales and
/// biases.
std::vector<uint64_t> encodeRow(const RowLayout &layout, size_t number,
                                const std::vector<double> &elements);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_STATEMENTS_ENCODEDROW_H
