//===- ScalarTypes.h - What is known of element types -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_SCALARTYPES_H
#define EMBER_RUNTIME_SCALARTYPES_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace ember {

/// What patterns of a float stand for infinities and for what is no number.
enum class FloatSpecials : uint8_t {
  /// The largest exponent: infinities, and NaN with a fraction, as in IEEE 754.
  Infinities,
  /// Only all ones: NaN. There are no infinities.
  AllOnes,
  /// Only the sign alone: NaN. There are no infinities and there is no -0.
  NegativeZero
};

/// A float: behind its sign, an exponent above a fraction.
struct FloatLayout {
  int fractionBits;
  int bias;
  FloatSpecials specials;
};

/// Rows of the table, by their identifiers.
enum class ScalarId : uint8_t {
#define EMBER_INTEGER(id, name, bits, arrayType) id,
#define EMBER_FLOAT(id, name, bits, arrayType, fraction, bias, specials, code) \
  id,
#include "ember/Runtime/ScalarTypes.def"
};

/// A type of numbers; without a layout it is an integer.
struct ScalarType {
  ScalarId id;
  /// MLIR's name.
  std::string_view name;
  int bits;
  /// NumPy's and PyTorch's name.
  std::string_view arrayType;
  std::optional<FloatLayout> layout;
  /// DLPack's number of a float's type.
  int dlpackCode;

  constexpr bool isFloat() const { return layout.has_value(); }
  constexpr bool isBoolean() const { return id == ScalarId::I1; }
  constexpr bool isIndex() const { return id == ScalarId::Index; }
  /// Bytes of an element of an array.
  constexpr int bytes() const { return (bits + 7) / 8; }
  /// Whether it is one of IEEE 754's interchange formats, which NumPy and LLVM
  /// know. Of other floats arrays hold patterns, and code computes in f32.
  constexpr bool isInterchangeFloat() const {
    return isFloat() &&
           (bits == 32 || bits == 64 || (bits == 16 && layout->bias == 15));
  }
};

inline constexpr ScalarType scalarTypes[] = {
#define EMBER_INTEGER(id, name, bits, arrayType)                               \
  {ScalarId::id, name, bits, arrayType, std::nullopt, 0},
#define EMBER_FLOAT(id, name, bits, arrayType, fraction, bias, specials, code) \
  {ScalarId::id,                                                               \
   name,                                                                       \
   bits,                                                                       \
   arrayType,                                                                  \
   FloatLayout{fraction, bias, FloatSpecials::specials},                       \
   code},
#include "ember/Runtime/ScalarTypes.def"
};

constexpr const ScalarType &scalarType(ScalarId id) {
  return scalarTypes[static_cast<int>(id)];
}

/// The row of that name, or null.
constexpr const ScalarType *findScalarType(std::string_view name) {
  for (const ScalarType &type : scalarTypes)
    if (type.name == name)
      return &type;
  return nullptr;
}

} // namespace ember

#endif // EMBER_RUNTIME_SCALARTYPES_H
