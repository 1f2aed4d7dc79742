//===- Fault.h - What a program does that it must not -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_PROGRAM_FAULT_H
#define EMBER_FUZZ_PROGRAM_FAULT_H

#include <cstdint>
#include <string>

namespace ember::fuzz {

/// What compiled programs must report.
struct Fault {
  enum Kind : uint8_t {
    /// An index leads outside of its array.
    Index,
    /// Offsets decrease.
    Segment,
    /// Sizes do not fit together.
    Assertion,
    /// None of the compiler's: the program reads what nobody wrote.
    Generator
  };
  Kind kind = Index;
  std::string message;
};

} // namespace ember::fuzz

#endif // EMBER_FUZZ_PROGRAM_FAULT_H
