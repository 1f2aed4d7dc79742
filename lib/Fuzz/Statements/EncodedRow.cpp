//===- EncodedRow.cpp - Elements as a row of bytes ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Statements/EncodedRow.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <algorithm>
#include <cmath>

namespace ember::fuzz {

/// What stands for the exponent of 1 in a scale of a block.
static constexpr int64_t oneAsScale = 127;

namespace {
/// What is beside the elements of a row, and the bytes of both.
struct Row {
  const RowLayout &layout;
  std::vector<uint64_t> elements = {}, parameters = {};

  void addParameter(double value) {
    Scalar type = parameterType(layout);
    uint64_t bits = encodeFloat(type, value);
    for (unsigned shift = 0; shift < bitWidth(type); shift += 8)
      parameters.push_back(bits >> shift & 0xff);
  }
  void addIntegers(size_t number, const std::vector<double> &values);
  void addFloats(size_t number, const std::vector<double> &values);
};
} // namespace

void Row::addIntegers(size_t number, const std::vector<double> &values) {
  auto [least, most] = std::minmax_element(values.begin(), values.end());
  double first = values.empty() ? 0 : *least;
  double extent = values.empty() ? 0 : *most - *least;
  // Halves are exact in each of these; with the finer ones, fewer fit.
  double largest = std::ldexp(1, layout.encoding->bits) - 1;
  double scale = 0.5;
  if (number % 3 > 0 && extent / (scale / 2) <= largest)
    scale /= 2;
  double room = largest - extent / scale;
  double bias = first - scale * std::min(room, static_cast<double>(number % 5));
  addParameter(scale);
  addParameter(bias);
  auto perByte = static_cast<size_t>(layout.encoding->elementsOfByte());
  elements.assign((values.size() + perByte - 1) / perByte, 0);
  for (size_t i = 0; i < values.size(); ++i)
    elements[i / perByte] |=
        static_cast<uint64_t>((values[i] - bias) / scale)
        << (i % perByte * static_cast<size_t>(layout.encoding->bits));
}

void Row::addFloats(size_t number, const std::vector<double> &values) {
  size_t length = values.size();
  if (layout.hasBlockScales())
    length = static_cast<size_t>(layout.parameters->blockLength);
  for (size_t i = 0; i < values.size(); ++i) {
    size_t block = i / length;
    // Two to the power of -1, 0 or 1.
    auto exponent = layout.hasBlockScales()
                        ? static_cast<int>((number + block) % 3) - 1
                        : 0;
    if (layout.hasBlockScales() && i % length == 0)
      parameters.push_back(static_cast<uint64_t>(oneAsScale + exponent));
    elements.push_back(encodeFloat(layout.encoding->element->id,
                                   std::ldexp(values[i], -exponent)));
  }
}

std::vector<uint64_t> encodeRow(const RowLayout &layout, size_t number,
                                const std::vector<double> &elements) {
  Row row{layout};
  if (layout.isScaled())
    row.addIntegers(number, elements);
  else
    row.addFloats(number, elements);
  std::vector<uint64_t> &first =
      layout.isLeading ? row.parameters : row.elements;
  const std::vector<uint64_t> &second =
      layout.isLeading ? row.elements : row.parameters;
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

} // namespace ember::fuzz
