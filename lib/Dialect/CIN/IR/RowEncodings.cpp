//===- RowEncodings.cpp - The table of row encodings ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/RowEncodings.h"
#include <algorithm>
#include <iterator>

using namespace ember::cin;

template <typename RowT, size_t count>
static const RowT *find(const RowT (&rows)[count], std::string_view name) {
  const RowT *row =
      std::find_if(std::begin(rows), std::end(rows),
                   [&](const RowT &row) { return row.name == name; });
  return row == std::end(rows) ? nullptr : row;
}

const RowEncoding *ember::cin::findRowEncoding(std::string_view name) {
  return find(rowEncodings, name);
}

const RowParameters *ember::cin::findRowParameters(std::string_view name) {
  return find(rowParameters, name);
}

/// Of numbers that are not negative, without the sum that may wrap around.
static int64_t divideUp(int64_t number, int64_t by) {
  return number / by + (number % by != 0);
}

int64_t RowLayout::elementBytes(int64_t length) const {
  return divideUp(length, encoding->elementsOfByte());
}

int64_t RowLayout::parameterBytes(int64_t length) const {
  if (!parameters)
    return 0;
  int64_t bytes = parameters->bits / 8;
  return hasBlockScales() ? bytes * divideUp(length, parameters->blockLength)
                          : 2 * bytes;
}

int64_t RowLayout::rowBytes(int64_t length) const {
  int64_t bytes;
  bool overflows = __builtin_add_overflow(elementBytes(length),
                                          parameterBytes(length), &bytes);
  return overflows ? INT64_MAX : bytes;
}

int64_t RowLayout::longestRow(int64_t bytes) const {
  // No memory holds a row whose elements or bytes 64 bits cannot count.
  constexpr int64_t most = INT64_MAX / 2;
  int64_t fitting = 0;
  int64_t past = std::min(bytes, most / 2) * encoding->elementsOfByte() + 1;
  while (past - fitting > 1) {
    int64_t length = fitting + (past - fitting) / 2;
    (rowBytes(length) <= bytes ? fitting : past) = length;
  }
  return fitting;
}
