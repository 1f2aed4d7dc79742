//===- RowEncodings.h - The table of row encodings --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What rows of bytes may hold. A new encoding is a row of one of two tables:
// elements, and what is stored beside them. The attribute, the loops that
// decode rows, ember-fuzz and Python (by `emberc --print-tables`) follow them.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_ROWENCODINGS_H
#define EMBER_DIALECT_CIN_IR_ROWENCODINGS_H

#include "ember/Runtime/ScalarTypes.h"
#include <cstdint>
#include <string_view>

namespace ember::cin {

/// How an element is encoded; without a type of floats it is an unsigned
/// integer, which the row's scale and bias turn into a value.
struct RowEncoding {
  std::string_view name;
  int bits;
  /// The row of the table of element types, or null.
  const ScalarType *element;
  /// The parameters of rows that do not say theirs; empty for none. Those of
  /// integers are as in FBGEMM's fused rows.
  std::string_view usualParameters = "";

  constexpr bool isInteger() const { return !element; }
  /// NumPy's and PyTorch's type of such elements; empty if there is none.
  constexpr std::string_view arrayType() const {
    return element ? element->arrayType : "";
  }
  constexpr int64_t elementsOfByte() const { return 8 / bits; }
};

/// What is stored beside the elements: one scale and one bias of a row, or a
/// scale for each block of so many elements, a power of two that is stored as
/// its biased exponent.
struct RowParameters {
  /// MLIR's name of the type.
  std::string_view name;
  int bits;
  int64_t blockLength;
  std::string_view arrayType;

  constexpr bool scalesBlocks() const { return blockLength != 0; }
  /// Whether it may be beside elements of `encoding`: integers have a scale and
  /// a bias a row, floats scales of blocks.
  constexpr bool fits(const RowEncoding &encoding) const {
    return scalesBlocks() != encoding.isInteger();
  }
};

inline constexpr RowEncoding rowEncodings[] = {
    {"int8", 8, nullptr, "f32"},
    {"int4", 4, nullptr, "f16"},
    {"e4m3", 8, findScalarType("f8E4M3FN")},
    {"e5m2", 8, findScalarType("f8E5M2")},
};

inline constexpr RowParameters rowParameters[] = {
    {"f32", 32, 0, "float32"},
    {"f16", 16, 0, "float16"},
    // Of OCP's microscaling formats (MX specification 1.0, sections 5 and 6).
    {"f8E8M0FNU", 8, 32, "float8_e8m0fnu"},
};

/// The row of that name, or null.
const RowEncoding *findRowEncoding(std::string_view name);
const RowParameters *findRowParameters(std::string_view name);

/// How a row is laid out: elements, and behind them, or in front of them with
/// `isLeading`, what is stored beside them.
struct RowLayout {
  const RowEncoding *encoding = &rowEncodings[0];
  const RowParameters *parameters = nullptr;
  bool isLeading = false;

  /// Whether rows hold a scale and a bias.
  bool isScaled() const { return encoding->isInteger(); }
  bool hasBlockScales() const {
    return parameters && parameters->scalesBlocks();
  }
  /// Bytes of the elements of a row, and of what is beside them.
  int64_t elementBytes(int64_t length) const;
  int64_t parameterBytes(int64_t length) const;
  /// Bytes of a row of `length` elements.
  int64_t rowBytes(int64_t length) const;
  /// The most elements that a row of so many bytes holds.
  int64_t longestRow(int64_t bytes) const;
};

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_IR_ROWENCODINGS_H
