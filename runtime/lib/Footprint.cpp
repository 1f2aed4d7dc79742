//===- Footprint.cpp - Which strided memrefs overlap ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two columns of one table interleave in memory without sharing a byte, so
// comparing ranges is not enough to report an overlap. An element of `a` and
// one of `b` share a byte if
//
//   a.first + sum(i * stride) + byte  ==  b.first + sum(j * stride) + byte
//
// for some indices i, j and bytes in range. Counting the right-hand side down
// from its last byte turns this into a sum of non-negative multiples of
// positive strides that must reach a given total. A depth-first search from the
// largest stride decides it; as the strides of real views nest, each level has
// one or two candidates.
//
//===----------------------------------------------------------------------===//

#include "Footprint.h"

using namespace ember::runtime;

Footprint::Footprint(const void *descriptor, int32_t rank, int64_t elementBytes)
    : elementBytes(elementBytes) {
  Descriptor memref(descriptor, rank);
  for (int32_t dim = 0; dim < rank; ++dim)
    empty |= memref.size(dim) <= 0;
  if (empty)
    return;

  int64_t start;
  exact = !__builtin_mul_overflow(memref.offset(), elementBytes, &start) &&
          !__builtin_add_overflow(start, memref.address(), &start);
  first = start;
  last = start;
  for (int32_t dim = 0; exact && dim < rank; ++dim)
    exact = addDimension(memref.size(dim), memref.stride(dim));
  int64_t extent;
  exact = exact && !__builtin_add_overflow(last, elementBytes - 1, &last) &&
          !__builtin_sub_overflow(last, first, &extent) &&
          extent < INT64_MAX / 4; // sums of a few extents fit as well
  if (exact)
    return;

  // Numbers that do not fit name no memory that can exist.
  first = INT64_MIN;
  last = INT64_MAX;
}

// Returns false if the numbers do not fit.
bool Footprint::addDimension(int64_t size, int64_t stride) {
  int64_t step, extent;
  if (__builtin_mul_overflow(stride, elementBytes, &step) ||
      __builtin_mul_overflow(step, size - 1, &extent))
    return false;
  if (extent == 0)
    return true;
  if (stepCount == maxSteps || step == INT64_MIN)
    return false;
  steps[stepCount++] = {step < 0 ? -step : step, size - 1};
  return extent < 0 ? !__builtin_add_overflow(first, extent, &first)
                    : !__builtin_add_overflow(last, extent, &last);
}

namespace {
// Whether a sum of multiples of strides can reach a total.
class SumSearch {
public:
  void add(Footprint::Steps term);
  bool reaches(int64_t total);

private:
  bool reachesFrom(int32_t term, int64_t total);

  static constexpr int32_t maxTerms = 2 * Footprint::maxSteps + 1;
  Footprint::Steps terms[maxTerms]; // by falling stride
  int32_t termCount = 0;
  int64_t maxSum[maxTerms + 1];   // of the terms from here on
  bool everySum[maxTerms + 1];    // all totals up to that one are reached
  int32_t remainingSteps = 65536; // then the answer is yes, to be safe
};
} // namespace

void SumSearch::add(Footprint::Steps term) {
  if (term.count == 0)
    return;
  int32_t place = 0;
  while (place < termCount && terms[place].stride > term.stride)
    ++place;
  if (place < termCount && terms[place].stride == term.stride) {
    terms[place].count += term.count;
    return;
  }
  for (int32_t later = termCount++; later > place; --later)
    terms[later] = terms[later - 1];
  terms[place] = term;
}

bool SumSearch::reaches(int64_t total) {
  maxSum[termCount] = 0;
  everySum[termCount] = true;
  for (int32_t term = termCount - 1; term >= 0; --term) {
    int64_t extent = terms[term].stride * terms[term].count;
    maxSum[term] = maxSum[term + 1] + extent;
    everySum[term] =
        everySum[term + 1] && terms[term].stride <= maxSum[term + 1] + 1;
  }
  return reachesFrom(0, total);
}

bool SumSearch::reachesFrom(int32_t term, int64_t total) {
  if (total < 0 || total > maxSum[term])
    return false;
  if (everySum[term] || --remainingSteps <= 0)
    return true;
  int64_t stride = terms[term].stride;
  int64_t most = total / stride;
  if (most > terms[term].count)
    most = terms[term].count;
  for (int64_t steps = most; steps >= 0; --steps) {
    int64_t rest = total - steps * stride;
    if (rest > maxSum[term + 1])
      return false;
    if (reachesFrom(term + 1, rest))
      return true;
  }
  return false;
}

bool ember::runtime::overlap(const Footprint &a, const Footprint &b) {
  if (a.empty || b.empty)
    return false;
  if (a.last < b.first || b.last < a.first)
    return false;
  if (!a.exact || !b.exact)
    return true;

  SumSearch search;
  for (int32_t step = 0; step < a.stepCount; ++step)
    search.add(a.steps[step]);
  for (int32_t step = 0; step < b.stepCount; ++step)
    search.add(b.steps[step]);
  search.add({1, a.elementBytes + b.elementBytes - 2});
  return search.reaches(b.last - a.first);
}
