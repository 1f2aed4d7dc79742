//===- Failure.cpp - The messages of failures -----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Invocation.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

using namespace ember::runtime;

void ember::runtime::formatError(ember_error &error, int32_t code,
                                 const char *format, ...) {
  error.code = code;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error.message, sizeof(error.message), format, arguments);
  va_end(arguments);
}

void ember::runtime::fail(int32_t code, const char *format, ...) {
  ember_error error;
  error.code = code;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error.message, sizeof(error.message), format, arguments);
  va_end(arguments);
  failWith(error);
}

// The pair of `names` whose first text `message` begins with; null for none.
static const char *findName(const char *message, const char *names) {
  while (*names) {
    size_t length = strlen(names);
    if (strncmp(message, names, length) == 0)
      return names;
    names += length + 1;
    names += strlen(names) + 1;
  }
  return nullptr;
}

void ember::runtime::rename(ember_error &error, const char *names) {
  ember_error before = error;
  char *end = error.message, *last = error.message + sizeof(error.message) - 1;
  for (const char *rest = before.message; *rest && end < last;) {
    const char *name = findName(rest, names);
    if (!name) {
      *end++ = *rest++;
      continue;
    }
    size_t length = strlen(name);
    rest += length;
    for (const char *now = name + length + 1; *now && end < last; ++now)
      *end++ = *now;
  }
  *end = '\0';
}

static bool isEmpty(const char *text) { return !text || !*text; }

void ember_fail_index(const char *what, const char *source, int64_t value,
                      int64_t size, int64_t position) {
  if (isEmpty(what))
    what = "a dimension";
  if (isEmpty(source))
    fail(EMBER_INDEX,
         "index %" PRId64 " is out of range for %s of size %" PRId64, value,
         what, size);
  if (position < 0)
    fail(EMBER_INDEX,
         "index %" PRId64 " in %s is out of range for %s of size %" PRId64,
         value, source, what, size);
  fail(EMBER_INDEX,
       "index %" PRId64 " at position %" PRId64
       " of %s is out of range for %s of size %" PRId64,
       value, position, source, what, size);
}

void ember_fail_segment(const char *source, int64_t position, int64_t begin,
                        int64_t end) {
  if (isEmpty(source))
    source = "the offsets";
  if (position < 0)
    fail(EMBER_SEGMENT,
         "offsets decrease: a segment of %s begins at %" PRId64
         " but ends at %" PRId64,
         source, begin, end);
  fail(EMBER_SEGMENT,
       "offsets decrease: %s[%" PRId64 "] is %" PRId64 " but %s[%" PRId64
       "] is %" PRId64,
       source, position, begin, source, position + 1, end);
}

void ember_fail_message(const char *message) {
  fail(EMBER_ASSERT, "%s", isEmpty(message) ? "assertion failed" : message);
}
