//===- Footprint.h - The bytes that a memref argument covers ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_LIB_FOOTPRINT_H
#define EMBER_RUNTIME_LIB_FOOTPRINT_H

#include <stdint.h>

namespace ember::runtime {

// Reads {void *allocated; void *aligned; int64_t offset; int64_t sizes[rank];
// int64_t strides[rank]}.
class Descriptor {
public:
  Descriptor(const void *descriptor, int32_t rank)
      : words(static_cast<const int64_t *>(descriptor)), rank(rank) {}

  int64_t address() const { return words[1]; }
  int64_t offset() const { return words[2]; }
  int64_t size(int32_t dim) const { return words[3 + dim]; }
  int64_t stride(int32_t dim) const { return words[3 + rank + dim]; }

private:
  const int64_t *words;
  int32_t rank;
};

// The elements of a strided memref, as bytes in memory. Strides may be negative
// or zero, sizes zero.
class Footprint {
public:
  Footprint(const void *descriptor, int32_t rank, int64_t elementBytes);

  // `count` steps of `stride` bytes, both positive.
  struct Steps {
    int64_t stride;
    int64_t count;
  };
  // A memref with more dimensions than this overlaps everything.
  static constexpr int32_t maxSteps = 32;

  bool empty = false;
  bool exact = true; // false: covers all memory, for all we know
  int64_t first = 0; // address of the first byte
  int64_t last = 0;  // address of the last byte
  Steps steps[maxSteps];
  int32_t stepCount = 0;
  int64_t elementBytes;

private:
  bool addDimension(int64_t size, int64_t stride);
};

// Whether an element of one shares a byte with an element of the other. May
// answer yes for disjoint footprints only where telling takes unreasonably
// long, or where a descriptor makes no sense.
bool overlap(const Footprint &a, const Footprint &b);

} // namespace ember::runtime

#endif // EMBER_RUNTIME_LIB_FOOTPRINT_H
