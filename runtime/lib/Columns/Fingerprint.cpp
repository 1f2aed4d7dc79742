//===- Fingerprint.cpp - FarmHash's Fingerprint64 -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function is fixed: what it is of a text is stored in models, as the row
// that the text has. It has one way for each of four classes of lengths, and
// goes over longer texts in steps of 64 bytes, the last of which may overlap
// the one before.
//
//===----------------------------------------------------------------------===//

#include "Fingerprint.h"

#include "DecimalText.h"
#include "Words.h"

using namespace ember::columns;

namespace {
// Odd numbers that spread bits well.
constexpr uint64_t primes[] = {0xc3a5c85c97cb3127, 0xb492b66fbe98f273,
                               0x9ae16a3b2f90404f};
constexpr size_t blockBytes = 64;

uint64_t at(const char *bytes) { return wordAt<uint64_t>(bytes); }

uint64_t folded(uint64_t value) { return value ^ value >> 47; }

uint64_t mixed(uint64_t first, uint64_t second, uint64_t factor) {
  uint64_t low = folded((first ^ second) * factor);
  return folded((second ^ low) * factor) * factor;
}

uint64_t factorOf(size_t length) { return primes[2] + 2 * length; }

uint64_t ofUpTo16(const char *text, size_t length) {
  const char *end = text + length;
  if (length >= 8) {
    uint64_t factor = factorOf(length);
    uint64_t first = at(text) + primes[2], last = at(end - 8);
    return mixed(std::rotr(last, 37) * factor + first,
                 (std::rotr(first, 25) + last) * factor, factor);
  }
  if (length >= 4) {
    uint64_t first = wordAt<uint32_t>(text), last = wordAt<uint32_t>(end - 4);
    return mixed(length + (first << 3), last, factorOf(length));
  }
  if (!length)
    return primes[2];
  auto byteAt = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  uint64_t ends = byteAt(0) + (uint64_t{byteAt(length / 2)} << 8);
  uint64_t rest = length + (uint64_t{byteAt(length - 1)} << 2);
  return folded(ends * primes[2] ^ rest * primes[0]) * primes[2];
}

/// What texts of 17 to 64 bytes begin with: their first and last 16 bytes.
struct Ends {
  Ends(const char *text, size_t length, uint64_t prime)
      : factor(factorOf(length)), first(at(text) * prime) {
    uint64_t second = at(text + 8), last = at(text + length - 8) * factor;
    sum = std::rotr(first + second, 43) + std::rotr(last, 30) +
          at(text + length - 16) * primes[2];
    turned = first + std::rotr(second + primes[2], 18) + last;
  }

  uint64_t factor, first, sum, turned;
};

uint64_t ofUpTo32(const char *text, size_t length) {
  Ends ends(text, length, primes[1]);
  return mixed(ends.sum, ends.turned, ends.factor);
}

uint64_t ofUpTo64(const char *text, size_t length) {
  Ends ends(text, length, primes[2]);
  uint64_t factor = ends.factor;
  uint64_t whole = mixed(ends.sum, ends.turned, factor);
  uint64_t third = at(text + 16) * factor, fourth = at(text + 24);
  uint64_t before = (ends.sum + at(text + length - 32)) * factor;
  uint64_t last = (whole + at(text + length - 24)) * factor;
  return mixed(std::rotr(third + fourth, 43) + std::rotr(before, 30) + last,
               third + std::rotr(fourth + ends.first, 18) + before, factor);
}

struct Pair {
  uint64_t first, second;
};

/// What 32 bytes make of two words.
Pair spread(const char *bytes, Pair seeds) {
  uint64_t first = seeds.first + at(bytes), last = at(bytes + 24);
  uint64_t second = std::rotr(seeds.second + first + last, 21);
  uint64_t sum = first + at(bytes + 8) + at(bytes + 16);
  return {sum + last, second + std::rotr(sum, 44) + first};
}

/// What there is between the blocks of a long text.
struct Long {
  explicit Long(const char *text)
      : x(seed * primes[2] + at(text)), y(seed * primes[1] + 113),
        z(folded(y * primes[2] + 113) * primes[2]) {}

  /// `weight` is 1, and 9 for the last block.
  void add(const char *block, uint64_t factor, uint64_t weight) {
    x = std::rotr(x + y + v.first + at(block + 8), 37) * factor;
    y = std::rotr(y + v.second + at(block + 48), 42) * factor;
    x ^= weight * w.second;
    y += weight * v.first + at(block + 40);
    z = std::rotr(z + w.first, 33) * factor;
    v = spread(block, {v.second * factor, x + w.first});
    w = spread(block + 32, {z + w.second, y + at(block + 16)});
    uint64_t before = z;
    z = x;
    x = before;
  }

  static constexpr uint64_t seed = 81;
  uint64_t x, y, z;
  Pair v{0, 0}, w{0, 0};
};

uint64_t ofMore(const char *text, size_t length) {
  Long state(text);
  const char *last = text + length - blockBytes;
  size_t rest = (length - 1) % blockBytes;
  for (const char *block = text; block < last; block += blockBytes)
    state.add(block, primes[1], 1);
  uint64_t factor = primes[1] + ((state.z & 0xff) << 1);
  state.w.first += rest;
  state.v.first += state.w.first;
  state.w.first += state.v.first;
  state.add(last, factor, 9);
  return mixed(mixed(state.v.first, state.w.first, factor) +
                   folded(state.y) * primes[0] + state.z,
               mixed(state.v.second, state.w.second, factor) + state.x, factor);
}
} // namespace

uint64_t ember::columns::fingerprint(const char *text, size_t length) {
  if (length <= 16)
    return ofUpTo16(text, length);
  if (length <= 32)
    return ofUpTo32(text, length);
  if (length <= blockBytes)
    return ofUpTo64(text, length);
  return ofMore(text, length);
}

uint64_t ember::columns::fingerprintOfInteger(int64_t number) {
  DecimalText text(number);
  return fingerprint(text.begin(), text.size());
}

uint64_t ember::columns::chained(uint64_t first, uint64_t second) {
  // As MurmurHash64A takes a word in.
  constexpr uint64_t factor = 0xc6a4a7935bd1e995;
  uint64_t result = (first ^ factor ^ folded(second * factor) * factor);
  return folded(folded(result * factor) * factor);
}
