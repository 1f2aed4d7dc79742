//===- ColumnCalls.cpp - Ids in rows, for kernels -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/ColumnCalls.h"

#include "../Invocation.h"
#include "Fingerprint.h"
#include "ember/Runtime/Columns.h"

#include <inttypes.h>
#include <string.h>

using namespace ember::columns;
using ember::runtime::fail;

namespace {
/// Texts in the memory of a kernel.
struct Texts {
  Texts(uint64_t bytes, uint64_t places)
      : bytes(reinterpret_cast<const char *>(bytes)),
        places(reinterpret_cast<const int64_t *>(places)) {}

  int64_t begin(int64_t i) const { return places[2 * i]; }
  int64_t end(int64_t i) const { return places[2 * i + 1]; }

  void check(int64_t count, int64_t size) const {
    for (int64_t i = 0; i < count; ++i)
      if (begin(i) < 0 || begin(i) > end(i) || end(i) > size)
        fail(EMBER_SEGMENT,
             "text %" PRId64 " is from %" PRId64 " to %" PRId64 " of %" PRId64
             " bytes",
             i, begin(i), end(i), size);
  }

  const char *bytes;
  const int64_t *places;
};

/// The words that say how texts become ids.
class Recipe {
public:
  explicit Recipe(uint64_t address)
      : words(reinterpret_cast<const int64_t *>(address)),
        separator(words + EMBER_RECIPE_WORDS),
        ids(separator + (words[EMBER_RECIPE_SEPARATOR] + 7) / 8),
        begins(ids + listed()),
        bytes(reinterpret_cast<const char *>(begins + listed() + 1)) {}

  bool drops(int64_t flag) const { return words[EMBER_RECIPE_FLAGS] & flag; }

  int64_t getId(const char *text, int64_t length) const {
    int64_t low = 0, high = listed();
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      int order = compare(text, length, middle);
      if (order == 0)
        return ids[middle];
      if (order < 0)
        high = middle;
      else
        low = middle + 1;
    }
    auto buckets = static_cast<uint64_t>(words[EMBER_RECIPE_BUCKETS]);
    int64_t first = words[EMBER_RECIPE_FIRST];
    if (!buckets)
      return first;
    return first + static_cast<int64_t>(hash(text, length) % buckets);
  }

  /// Calls take(begin, end) for each part of a text.
  template <typename Take>
  void split(const char *all, int64_t begin, int64_t end, Take take) const {
    auto *by = reinterpret_cast<const char *>(separator);
    int64_t length = words[EMBER_RECIPE_SEPARATOR];
    ember_texts text = {all, &begin, &end, 1};
    // Parts of one text fit on the stack, unless there are very many.
    constexpr int64_t most = 64;
    int64_t starts[most], ends[most];
    int64_t count =
        ember_col_split(&text, by, length, nullptr, nullptr, nullptr);
    if (count <= most) {
      ember_col_split(&text, by, length, nullptr, starts, ends);
      for (int64_t i = 0; i < count; ++i)
        take(starts[i], ends[i]);
      return;
    }
    int64_t bytes = count * int64_t(sizeof(int64_t));
    auto *places = static_cast<int64_t *>(ember_alloc(2 * bytes, 16));
    ember_col_split(&text, by, length, nullptr, places, places + count);
    for (int64_t i = 0; i < count; ++i)
      take(places[i], places[count + i]);
    ember_free(places);
  }

  int64_t countParts(const char *all, int64_t begin, int64_t end) const {
    ember_texts text = {all, &begin, &end, 1};
    return ember_col_split(&text, reinterpret_cast<const char *>(separator),
                           words[EMBER_RECIPE_SEPARATOR], nullptr, nullptr,
                           nullptr);
  }

private:
  int64_t listed() const { return words[EMBER_RECIPE_LISTED]; }

  int compare(const char *text, int64_t length, int64_t other) const {
    int64_t size = begins[other + 1] - begins[other];
    int64_t both = length < size ? length : size;
    int order = memcmp(text, bytes + begins[other], size_t(both));
    return order ? order : (length > size) - (length < size);
  }

  uint64_t hash(const char *text, int64_t length) const {
    if (!(words[EMBER_RECIPE_FLAGS] & EMBER_RECIPE_HAS_KEY))
      return fingerprint(text, size_t(length));
    auto *key = reinterpret_cast<const uint64_t *>(words + EMBER_RECIPE_KEY);
    return sipHash({{key[0], key[1]}}, text, size_t(length));
  }

  const int64_t *words, *separator, *ids, *begins;
  const char *bytes;
};
} // namespace

void ember_texts_to_ids(uint64_t bytes, int64_t size, uint64_t places,
                        int64_t count, uint64_t recipe, uint64_t ids) {
  Texts texts(bytes, places);
  texts.check(count, size);
  Recipe by(recipe);
  bool drops = by.drops(EMBER_RECIPE_DROPS_TEXTS);
  auto *result = reinterpret_cast<int64_t *>(ids);
  for (int64_t i = 0; i < count; ++i) {
    int64_t begin = texts.begin(i), length = texts.end(i) - begin;
    result[i] = drops && !length ? -1 : by.getId(texts.bytes + begin, length);
  }
}

int64_t ember_texts_count_parts(uint64_t bytes, int64_t size, uint64_t places,
                                int64_t rows, int64_t columns, uint64_t recipe,
                                uint64_t offsets) {
  Texts texts(bytes, places);
  texts.check(rows * columns, size);
  Recipe by(recipe);
  bool drops = by.drops(EMBER_RECIPE_DROPS_TEXTS);
  auto *result = reinterpret_cast<int64_t *>(offsets);
  int64_t parts = 0;
  *result++ = parts;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = row * columns; i < (row + 1) * columns; ++i)
      if (!drops || texts.begin(i) < texts.end(i))
        parts += by.countParts(texts.bytes, texts.begin(i), texts.end(i));
    *result++ = parts;
  }
  return parts;
}

void ember_parts_to_ids(uint64_t bytes, uint64_t places, int64_t count,
                        uint64_t recipe, uint64_t ids) {
  Texts texts(bytes, places);
  Recipe by(recipe);
  bool drops = by.drops(EMBER_RECIPE_DROPS_TEXTS);
  bool dropsParts = by.drops(EMBER_RECIPE_DROPS_PARTS);
  auto *result = reinterpret_cast<int64_t *>(ids);
  for (int64_t i = 0; i < count; ++i) {
    if (drops && texts.begin(i) == texts.end(i))
      continue;
    by.split(texts.bytes, texts.begin(i), texts.end(i),
             [&](int64_t begin, int64_t end) {
               *result++ = dropsParts && begin == end
                               ? -1
                               : by.getId(texts.bytes + begin, end - begin);
             });
  }
}

void ember_order_rows(uint64_t places, int64_t count, int64_t columns,
                      int64_t rows, uint64_t order, uint64_t offsets) {
  auto *coordinates = reinterpret_cast<const int64_t *>(places);
  auto *begins = reinterpret_cast<int64_t *>(offsets);
  auto *result = reinterpret_cast<int64_t *>(order);
  memset(begins, 0, size_t(rows + 1) * sizeof(int64_t));
  for (int64_t i = 0; i < count; ++i) {
    int64_t row = coordinates[i * columns];
    if (row < 0 || row >= rows)
      fail(EMBER_INDEX,
           "value %" PRId64 " is in row %" PRId64 " of a batch of %" PRId64
           " rows",
           i, row, rows);
    // Where the row after it begins, once they are added up.
    if (row + 2 <= rows)
      ++begins[row + 2];
  }
  // Behind them all stands what comes next in each row.
  for (int64_t row = 2; row <= rows; ++row)
    begins[row] += begins[row - 1];
  for (int64_t i = 0; i < count; ++i)
    result[begins[coordinates[i * columns] + 1]++] = i;
}
