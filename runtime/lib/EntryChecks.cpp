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

void ember_check_dim(const void *descriptor, int32_t rank, int32_t dim,
                     int64_t expected, const char *name) {
  if (dim < 0 || dim >= rank)
    fail(EMBER_SHAPE, "%s has %" PRId32 " dimensions, expected more than %d",
         name, rank, dim);
  int64_t size = Descriptor(descriptor, rank).size(dim);
  if (size != expected)
    fail(EMBER_SHAPE,
         "dimension %" PRId32 " of %s has size %" PRId64 ", expected %" PRId64,
         dim, name, size, expected);
}
