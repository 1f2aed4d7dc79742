//===- Arguments.h - Memory that kernels are called with --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_FUZZ_EXECUTION_ARGUMENTS_H
#define EMBER_LIB_FUZZ_EXECUTION_ARGUMENTS_H

#include "ember/Fuzz/Program/Ast.h"
#include "ember/Simulation/GuestProcess.h"

namespace ember::fuzz {

/// The arguments and results of one call of a kernel entry. Each memref lies at
/// the end of its pages with an unreadable page behind it, so that access past
/// its end is a crash.
class Arguments {
public:
  explicit Arguments(const Program &program);
  ~Arguments();
  Arguments(const Arguments &) = delete;
  Arguments &operator=(const Arguments &) = delete;

  void **pointers() { return slots.data(); }
  /// The same for a simulated program, which keeps what it returns.
  std::vector<GuestValue> guestValues();

  /// What parameter `position` holds now.
  Input argument(size_t position) const;
  /// Result `position` of those that are returned; frees returned memory.
  Input takeResult(size_t position);

private:
  struct Mapping {
    void *base = nullptr;
    size_t size = 0;
  };
  /// Copies `input` into pages of its own; returns where it lies.
  char *place(const Input &input);

  const Program &program;
  bool ownsResults = true;
  /// Types of the results that are returned.
  std::vector<Type> results;
  std::vector<Mapping> mappings;
  /// Descriptors and scalars, as words.
  std::vector<std::vector<int64_t>> words;
  std::vector<void *> slots;
};

} // namespace ember::fuzz

#endif // EMBER_LIB_FUZZ_EXECUTION_ARGUMENTS_H
