//===- Memory.h - What the evaluator stores to and loads from ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_EVALUATION_MEMORY_H
#define EMBER_FUZZ_EVALUATION_MEMORY_H

#include "ember/Fuzz/Program/Ast.h"
#include <memory>

namespace ember::fuzz {

struct Storage {
  std::vector<uint64_t> bits;
  /// How far each element of a correct program may be from `bits`; empty where
  /// all are exact.
  std::vector<double> errors;
  std::vector<bool> isWritten;
  bool isFreed = false;

  double error(int64_t position) const {
    return errors.empty() ? 0 : errors[static_cast<size_t>(position)];
  }
};

/// Elements of a storage at fixed distances.
struct View {
  std::shared_ptr<Storage> storage;
  int64_t offset = 0;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};

/// All elements of `storage`, in row-major order.
View contiguousView(std::shared_ptr<Storage> storage,
                    std::vector<int64_t> sizes);

/// Where element `k` of `view` is, counted in row-major order.
int64_t positionOf(const View &view, int64_t k);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_EVALUATION_MEMORY_H
