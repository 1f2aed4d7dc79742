//===- Input.h - What programs are called with ------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_PROGRAM_INPUT_H
#define EMBER_FUZZ_PROGRAM_INPUT_H

#include "ember/Fuzz/Program/Scalar.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace ember::fuzz {

/// What a parameter of the entry is called with: the bits of a scalar, or of
/// the elements of a contiguous memref.
struct Input {
  Scalar element = Scalar::Index;
  bool isMemRef = false;
  std::vector<int64_t> shape;
  std::vector<uint64_t> bits;
  /// Of expected values: how far those of a correct program may be from `bits`;
  /// empty where they must be the same.
  std::vector<double> errors;
  /// Of expected values: which may be anything; empty where none may.
  std::vector<bool> isOpen = {};
  /// No function stores to it.
  bool isReadOnly = false;
  /// An input before it whose memory this one is too.
  std::optional<size_t> sharedWith;
};

int64_t elementCount(const std::vector<int64_t> &shape);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_PROGRAM_INPUT_H
