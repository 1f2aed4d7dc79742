//===- ElementType.cpp - What streams consist of --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/TMU/ElementType.h"

using namespace ember::sim;

std::optional<ElementType> ElementType::parse(llvm::StringRef name) {
  if (name == "index")
    return ElementType{wordBits, false};
  if (name == "bf16")
    return ElementType{16, true};
  if (name == "f16" || name == "f32" || name == "f64") {
    unsigned bits = 0;
    name.drop_front().getAsInteger(10, bits);
    return ElementType{static_cast<uint8_t>(bits), true};
  }
  // f8E4M3FN, f8E5M2 and their kin.
  if (name.starts_with("f8E"))
    return ElementType{8, true};
  unsigned bits = 0;
  if (!name.consume_front("i") || name.starts_with("0") ||
      name.getAsInteger(10, bits) || bits < 1 || bits > wordBits)
    return std::nullopt;
  return ElementType{static_cast<uint8_t>(bits), false};
}
