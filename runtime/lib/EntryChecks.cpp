//===- EntryChecks.cpp - Shapes and overlap of arguments ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Footprint.h"
#include "Invocation.h"

#include <inttypes.h>

using namespace ember::runtime;

void ember_check_disjoint(const void *a, int32_t rankA, int64_t elementBytesA,
                          const char *nameA, const void *b, int32_t rankB,
                          int64_t elementBytesB, const char *nameB) {
  if (overlap(Footprint(a, rankA, elementBytesA),
              Footprint(b, rankB, elementBytesB)))
    fail(EMBER_OVERLAP, "%s is written to but overlaps %s in memory", nameA,
         nameB);
}

// Whether rows of dimension `dim` follow each other.
static bool hasRows(Descriptor descriptor, int32_t rank, int32_t dim) {
  for (int32_t other = 0; other < rank; ++other)
    if (descriptor.size(other) < (other == dim ? 2 : 1))
      return false;
  return true;
}

static void checkLayout(const void *argument, int32_t rank,
                        const int64_t *expected, const char *name) {
  Descriptor descriptor(argument, rank);
  const int64_t *sizes = expected + 1, *strides = sizes + rank;
  for (int32_t dim = 0; dim < rank; ++dim)
    if (sizes[dim] != EMBER_ANY && descriptor.size(dim) != sizes[dim])
      fail(EMBER_SHAPE,
           "dimension %" PRId32 " of %s has size %" PRId64
           ", expected %" PRId64,
           dim, name, descriptor.size(dim), sizes[dim]);
  if (expected[0] != EMBER_ANY && descriptor.offset() != expected[0])
    fail(EMBER_ASSERT,
         "%s: the offset is not %" PRId64 ", as the function's type says", name,
         expected[0]);
  for (int32_t dim = 0; dim < rank; ++dim)
    if (strides[dim] != EMBER_ANY && descriptor.stride(dim) != strides[dim] &&
        hasRows(descriptor, rank, dim))
      fail(EMBER_ASSERT,
           "%s: the stride of dimension %" PRId32 " is not %" PRId64
           ", as the function's type says",
           name, dim, strides[dim]);
}

void ember_check_layouts(void *const *args, const int64_t *layouts,
                         int64_t count, const char *names) {
  for (int64_t i = 0; i < count; ++i) {
    auto rank = static_cast<int32_t>(layouts[2]);
    checkLayout(args[layouts[0]], rank, layouts + 3, names + layouts[1]);
    layouts += 4 + 2 * rank;
  }
}
