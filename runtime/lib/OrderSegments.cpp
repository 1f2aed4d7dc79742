//===- OrderSegments.cpp - Segments of one length side by side ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a short segment ends the processor guesses wrongly about once a
// segment, and then has done nothing ahead. Two steps for each iteration that
// sort some hundred of them by length cost less.
//
//===----------------------------------------------------------------------===//

#include "Invocation.h"

using namespace ember::runtime;

// Longer segments are one length.
static constexpr int64_t lengths = 32;

// Where segments are longer than this on average, a wrong guess is little of
// their time, and rows are prefetched in the order of the lookups.
static constexpr int64_t longestMean = 16;

namespace {
class Segments {
public:
  Segments(const void *offsets, int64_t stride, int64_t first)
      : start(static_cast<const char *>(offsets) + first * stride),
        stride(stride) {}

  template <typename Offset> int64_t offset(int64_t i) const {
    return *reinterpret_cast<const Offset *>(start + i * stride);
  }

  // Of iteration i: decreasing offsets, which the program finds, give one too.
  template <typename Offset> int64_t lengthOf(int64_t i) const {
    uint64_t length = uint64_t(offset<Offset>(i + 1)) - offset<Offset>(i);
    return length < lengths ? int64_t(length) : lengths - 1;
  }

private:
  const char *start;
  int64_t stride;
};
} // namespace

template <typename Offset>
static bool sortByLength(const Segments &segments, int64_t count,
                         uint8_t *order) {
  uint64_t elements =
      uint64_t(segments.offset<Offset>(count)) - segments.offset<Offset>(0);
  if (elements > uint64_t(count * longestMean))
    return false;
  uint8_t lengthOf[EMBER_ORDERED_ITERATIONS];
  uint16_t next[lengths] = {};
  for (int64_t i = 0; i < count; ++i) {
    int64_t length = segments.lengthOf<Offset>(i);
    lengthOf[i] = uint8_t(length);
    ++next[length];
  }
  uint16_t place = 0;
  for (uint16_t &start : next) {
    uint16_t number = start;
    start = place;
    place += number;
  }
  for (int64_t i = 0; i < count; ++i)
    order[next[lengthOf[i]]++] = uint8_t(i);
  return true;
}

void ember_order_segments(const void *offsets, int64_t offsetBytes,
                          int64_t offsetStride, int64_t first,
                          int64_t offsetCount, int64_t count, uint8_t *order) {
  Frame *frame = currentFrame();
  int64_t last;
  bool isInRange = first >= 0 && !__builtin_add_overflow(first, count, &last) &&
                   last < offsetCount;
  if (isInRange && frame && frame->order != Frame::InOrder) {
    Segments segments(offsets, offsetStride, first);
    if (offsetBytes == sizeof(int32_t)
            ? sortByLength<int32_t>(segments, count, order)
            : sortByLength<int64_t>(segments, count, order)) {
      frame->order = Frame::HasReordered;
      return;
    }
  }
  for (int64_t i = 0; i < count; ++i)
    order[i] = uint8_t(i);
}
