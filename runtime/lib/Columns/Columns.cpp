//===- Columns.cpp - Fingerprints of whole columns ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/Columns.h"

#include "Fingerprint.h"

using namespace ember::columns;

template <typename Hash>
static void hashTexts(const ember_texts &texts, uint64_t *result, Hash hash) {
  for (int64_t i = 0; i < texts.count; ++i)
    result[i] = hash(texts.bytes + texts.starts[i],
                     static_cast<size_t>(texts.ends[i] - texts.starts[i]));
}

void ember_col_fingerprint_texts(const ember_texts *texts, uint64_t *result) {
  hashTexts(*texts, result, fingerprint);
}

void ember_col_fingerprint_integers(const int64_t *numbers, int64_t count,
                                    uint64_t *result) {
  for (int64_t i = 0; i < count; ++i)
    result[i] = fingerprintOfInteger(numbers[i]);
}

void ember_col_sip_hash_texts(const uint64_t *key, const ember_texts *texts,
                              uint64_t *result) {
  SipKey words{{key[0], key[1]}};
  hashTexts(*texts, result, [&](const char *text, size_t length) {
    return sipHash(words, text, length);
  });
}

void ember_col_cross(const uint64_t *const *values,
                     const int64_t *const *offsets, int64_t lists, int64_t rows,
                     uint64_t key, uint64_t buckets, int64_t *result) {
  for (int64_t row = 0; row < rows; ++row) {
    int64_t combinations = 1;
    for (int64_t list = 0; list < lists; ++list)
      combinations *= offsets[list][row + 1] - offsets[list][row];
    for (int64_t number = 0; number < combinations; ++number) {
      // The digits of the number, the first list's first.
      int64_t weight = combinations, rest = number;
      uint64_t chain = key;
      for (int64_t list = 0; list < lists; ++list) {
        int64_t first = offsets[list][row];
        weight /= offsets[list][row + 1] - first;
        chain = chained(chain, values[list][first + rest / weight]);
        rest %= weight;
      }
      *result++ = static_cast<int64_t>(chain % buckets);
    }
  }
}
