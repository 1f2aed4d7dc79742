//===- ColumnCalls.h - What kernels of columns call -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Texts and coordinates become ids in rows, which loops go over. What texts are
// and mean is said in Columns.h; here places are checked, and what is wrong is
// a failure of the kernel. Addresses are integers, as kernels compute them.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_COLUMNCALLS_H
#define EMBER_RUNTIME_COLUMNCALLS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// How texts become ids: words, in this order, and behind them, each filled up
// to words, the bytes of the separator; an id for each listed text; where each
// begins in bytes, and where the last one ends; these bytes. Listed texts
// increase, as memcmp and then their lengths have them.
enum {
  EMBER_RECIPE_FLAGS,
  // Of what is not listed: the hash modulo buckets, behind `first`. Without
  // buckets, `first`.
  EMBER_RECIPE_BUCKETS,
  EMBER_RECIPE_FIRST,
  EMBER_RECIPE_KEY, // two words, of SipHash
  EMBER_RECIPE_LISTED = EMBER_RECIPE_KEY + 2,
  EMBER_RECIPE_SEPARATOR, // its bytes; none stands for white space
  EMBER_RECIPE_WORDS
};
enum {
  EMBER_RECIPE_DROPS_TEXTS = 1, // the empty text is -1
  EMBER_RECIPE_DROPS_PARTS = 2, // an empty part is -1
  EMBER_RECIPE_HAS_KEY = 4
};

// The id of each of `count` texts. Text i is from places[2 * i] to
// places[2 * i + 1] of `size` bytes.
void ember_texts_to_ids(uint64_t bytes, int64_t size, uint64_t places,
                        int64_t count, uint64_t recipe, uint64_t ids);

// How many parts texts have in all. Row i has those from offsets[i] to
// offsets[i + 1], of the texts from i * columns on.
int64_t ember_texts_count_parts(uint64_t bytes, int64_t size, uint64_t places,
                                int64_t rows, int64_t columns, uint64_t recipe,
                                uint64_t offsets);
// The id of each part of `count` texts.
void ember_parts_to_ids(uint64_t bytes, uint64_t places, int64_t count,
                        uint64_t recipe, uint64_t ids);

// Value i is in row places[i * columns] of `rows`. Row r has the values
// order[offsets[r]] to order[offsets[r + 1]], in the order in which they stand.
void ember_order_rows(uint64_t places, int64_t count, int64_t columns,
                      int64_t rows, uint64_t order, uint64_t offsets);

#ifdef __cplusplus
}
#endif

#endif // EMBER_RUNTIME_COLUMNCALLS_H
