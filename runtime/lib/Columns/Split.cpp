//===- Split.cpp - Parts of texts -----------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/Columns.h"

#include <string.h>

static const char *find(const char *from, const char *end,
                        const char *separator, int64_t length) {
  auto rest = static_cast<size_t>(end - from);
  return static_cast<const char *>(
      memmem(from, rest, separator, static_cast<size_t>(length)));
}

static bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Calls take(first, last) with the places of each part.
template <typename Take>
static void splitAt(const char *bytes, int64_t start, int64_t end,
                    const char *separator, int64_t length, Take take) {
  while (const char *found =
             find(bytes + start, bytes + end, separator, length)) {
    take(start, found - bytes);
    start = found - bytes + length;
  }
  take(start, end);
}

template <typename Take>
static void splitAtSpaces(const char *bytes, int64_t start, int64_t end,
                          Take take) {
  while (true) {
    while (start < end && isSpace(bytes[start]))
      ++start;
    if (start == end)
      return;
    int64_t first = start;
    while (start < end && !isSpace(bytes[start]))
      ++start;
    take(first, start);
  }
}

int64_t ember_col_split(const ember_texts *texts, const char *separator,
                        int64_t length, int64_t *offsets, int64_t *starts,
                        int64_t *ends) {
  int64_t parts = 0;
  auto take = [&](int64_t first, int64_t last) {
    if (starts) {
      starts[parts] = first;
      ends[parts] = last;
    }
    ++parts;
  };
  for (int64_t i = 0; i < texts->count; ++i) {
    if (offsets)
      offsets[i] = parts;
    if (length)
      splitAt(texts->bytes, texts->starts[i], texts->ends[i], separator, length,
              take);
    else
      splitAtSpaces(texts->bytes, texts->starts[i], texts->ends[i], take);
  }
  if (offsets)
    offsets[texts->count] = parts;
  return parts;
}
