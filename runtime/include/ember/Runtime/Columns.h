//===- Columns.h - From raw features to ids ---------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What columns of features do with texts and integers ahead of a lookup, with
// the meanings of TensorFlow's operators, so that tables trained there stay
// what they are. Nothing here allocates or fails. A list for each row is values
// and offsets: row i has the values offsets[i] to offsets[i + 1].
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_COLUMNS_H
#define EMBER_RUNTIME_COLUMNS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Of bytes of any value: text i is bytes[starts[i]] to bytes[ends[i]].
struct ember_texts {
  const char *bytes;
  const int64_t *starts;
  const int64_t *ends;
  int64_t count;
};

// FarmHash's Fingerprint64 of each text: modulo the number of buckets it is
// StringToHashBucketFast.
void ember_col_fingerprint_texts(const struct ember_texts *texts,
                                 uint64_t *result);

// That of the decimal text of each number, which begins with '-' below 0.
void ember_col_fingerprint_integers(const int64_t *numbers, int64_t count,
                                    uint64_t *result);

// SipHash-2-4 by a key of two words: StringToHashBucketStrong, in the same way.
void ember_col_sip_hash_texts(const uint64_t *key,
                              const struct ember_texts *texts,
                              uint64_t *result);

// Each combination of a row's values, one of each list, those of the last list
// first: the chain of their fingerprints, which begins with `key`, modulo
// `buckets` (SparseCross). A row has as many results as the product of its
// lengths, one row's after the other's.
void ember_col_cross(const uint64_t *const *values,
                     const int64_t *const *offsets, int64_t lists, int64_t rows,
                     uint64_t key, uint64_t buckets, int64_t *result);

// The parts of texts between separators (StringSplitV2): a text without one is
// one part, the empty text as well. An empty separator stands for runs of white
// space, which begin, end and make no empty part. Returns how many parts there
// are; `offsets` (texts->count + 1 elements), `starts` and `ends` say which
// ones a text has and where they are in its bytes, or are null.
int64_t ember_col_split(const struct ember_texts *texts, const char *separator,
                        int64_t length, int64_t *offsets, int64_t *starts,
                        int64_t *ends);

#ifdef __cplusplus
}
#endif

#endif // EMBER_RUNTIME_COLUMNS_H
