//===- StoredArray.h - Arrays, dense or in a format -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arrays that store an array, level by level, made of all its elements, and
// the way back.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_STATEMENTS_STOREDARRAY_H
#define EMBER_FUZZ_STATEMENTS_STOREDARRAY_H

#include "ember/Fuzz/Program/Input.h"
#include "ember/Fuzz/Program/RowLayouts.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ember::fuzz {

/// How one dimension is stored.
struct StoredLevel {
  enum Kind : uint8_t { Dense, Compressed, Singleton, Bitmap };
  Kind kind = Dense;
  /// No coordinate is twice below the same position.
  bool isUnique = true;
  /// The dimension that it stores.
  size_t dimension = 0;
  /// Coordinates below a position increase.
  bool isOrdered = true;

  bool isListed() const { return kind == Compressed || kind == Singleton; }
};

struct StoredArray {
  std::string name;
  Scalar element = Scalar::F32;
  std::vector<int64_t> shape;
  /// All elements, as patterns of bits.
  std::vector<uint64_t> bits;
  /// Outermost first; none for a dense array.
  std::vector<StoredLevel> levels;
  /// Of positions and coordinates.
  Scalar index = Scalar::I64;
  /// What is not stored; a number that means nothing where that is missing.
  uint64_t fill = 0;
  bool isMissing = false;
  /// Which elements are stored though they are the fill.
  std::vector<bool> isStoredFill;
  /// How values are encoded in rows of bytes, if they are; see `encodeRow`.
  std::optional<RowLayout> encoding = std::nullopt;
  bool isScalar = false;
  /// Only the statements know it.
  bool isTemporary = false;
  /// What is assigned along its last dimension is stored without gaps.
  bool isCompact = false;

  bool hasLevels() const { return !levels.empty(); }
  /// Whether a fill may be said: not of rows of bytes that are all stored.
  bool hasFill() const;
  /// The format as `emberc --format` reads it.
  std::string spellFormat() const;
};

/// An argument of a kernel for (a part of) an array.
struct ArrayPart {
  std::string name;
  Input input;
};

/// The sizes of an array that has levels, which kernels take first.
std::vector<ArrayPart> sizesOf(const StoredArray &array);
/// The arrays that store it, by level, and its values; of a dense one itself.
std::vector<ArrayPart> partsOf(const StoredArray &array);
/// One of the values that an array stores.
struct StoredValue {
  /// Which of all elements it is.
  size_t element = 0;
  /// Not what a bitmap leaves out.
  bool isStored = true;
};

/// In the order in which they are stored; of a dense array, all elements.
std::vector<StoredValue> valuesOf(const StoredArray &array);

/// Arrays of the same kinds for a kernel to fill, with room for all elements.
std::vector<ArrayPart> roomFor(const StoredArray &array);
/// All elements of the array that parts, in the order of `partsOf`, store; an
/// empty text, or what is wrong with them.
std::string load(const StoredArray &array, const std::vector<Input> &parts,
                 Input &elements);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_STATEMENTS_STOREDARRAY_H
