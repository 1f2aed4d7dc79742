//===- Fingerprint.h - 64-bit fingerprints of texts -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buckets of hashed columns are the fingerprint modulo their number. They are
// those of TensorFlow, so that its tables stay what they are:
// StringToHashBucketFast takes FarmHash's Fingerprint64, integers by their
// decimal text; StringToHashBucketStrong takes SipHash-2-4 (Aumasson and
// Bernstein, 2012); SparseCross chains fingerprints.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_COLUMNS_FINGERPRINT_H
#define EMBER_RUNTIME_COLUMNS_FINGERPRINT_H

#include <cstddef>
#include <cstdint>

namespace ember::columns {

/// FarmHash's Fingerprint64.
uint64_t fingerprint(const char *text, size_t length);

/// That of the decimal text of a number, which begins with '-' below 0.
uint64_t fingerprintOfInteger(int64_t number);

/// The fingerprint of a first text and a second one, each by its own.
uint64_t chained(uint64_t first, uint64_t second);

struct SipKey {
  uint64_t words[2];
};

/// SipHash-2-4.
uint64_t sipHash(SipKey key, const char *text, size_t length);

} // namespace ember::columns

#endif // EMBER_RUNTIME_COLUMNS_FINGERPRINT_H
