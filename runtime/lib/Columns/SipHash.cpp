//===- SipHash.cpp - SipHash-2-4 ------------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fingerprint.h"

#include "Words.h"

using namespace ember::columns;

namespace {
struct State {
  explicit State(SipKey key)
      : v{key.words[0] ^ 0x736f6d6570736575, key.words[1] ^ 0x646f72616e646f6d,
          key.words[0] ^ 0x6c7967656e657261,
          key.words[1] ^ 0x7465646279746573} {}

  void turn() {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = std::rotl(v[1], 13) ^ v[0];
    v[3] = std::rotl(v[3], 16) ^ v[2];
    v[0] = std::rotl(v[0], 32) + v[3];
    v[2] += v[1];
    v[3] = std::rotl(v[3], 21) ^ v[0];
    v[1] = std::rotl(v[1], 17) ^ v[2];
    v[2] = std::rotl(v[2], 32);
  }

  void add(uint64_t word) {
    v[3] ^= word;
    turn();
    turn();
    v[0] ^= word;
  }

  uint64_t finish() {
    v[2] ^= 0xff;
    for (int i = 0; i < 4; ++i)
      turn();
    return v[0] ^ v[1] ^ v[2] ^ v[3];
  }

  uint64_t v[4];
};
} // namespace

uint64_t ember::columns::sipHash(SipKey key, const char *text, size_t length) {
  constexpr size_t wordBytes = sizeof(uint64_t);
  State state(key);
  size_t whole = length / wordBytes * wordBytes;
  for (size_t i = 0; i < whole; i += wordBytes)
    state.add(wordAt<uint64_t>(text + i));
  uint64_t last = static_cast<uint64_t>(length) << 56;
  for (size_t i = whole; i < length; ++i)
    last |= uint64_t{static_cast<uint8_t>(text[i])} << (i - whole) * 8;
  state.add(last);
  return state.finish();
}
