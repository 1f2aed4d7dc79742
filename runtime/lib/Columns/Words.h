//===- Words.h - Little-endian words of bytes -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_COLUMNS_WORDS_H
#define EMBER_RUNTIME_COLUMNS_WORDS_H

#include <bit>
#include <cstdint>
#include <cstring>

namespace ember::columns {

static_assert(std::endian::native == std::endian::little,
              "fingerprints are of little-endian words");

template <typename Word> Word wordAt(const char *bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

} // namespace ember::columns

#endif // EMBER_RUNTIME_COLUMNS_WORDS_H
