//===- ElementType.h - What streams consist of ------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The unit computes with integers alone and moves floats as they are: of a type
// it needs the bits. Elements are held in words of 64 bits, with zeros above.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TMU_ELEMENTTYPE_H
#define EMBER_SIM_TMU_ELEMENTTYPE_H

#include "llvm/ADT/StringRef.h"

#include <bit>
#include <cstdint>
#include <optional>

namespace ember::sim {

struct ElementType {
  static constexpr unsigned wordBits = 64;

  uint8_t bits = wordBits;
  bool isFloat = false;

  /// "index", "i1" to "i64", "f16", "bf16", "f32", "f64", and floats of 8 bits,
  /// "f8E4M3FN".
  static std::optional<ElementType> parse(llvm::StringRef name);

  /// In memory.
  unsigned bytes() const { return std::bit_ceil((bits + 7u) / 8u); }
  uint64_t mask() const { return ~uint64_t{0} >> (wordBits - bits); }
  uint64_t truncate(uint64_t word) const { return word & mask(); }
  int64_t signExtend(uint64_t word) const {
    unsigned above = wordBits - bits;
    return static_cast<int64_t>(word << above) >> above;
  }
  bool operator==(const ElementType &) const = default;
};

} // namespace ember::sim

#endif
