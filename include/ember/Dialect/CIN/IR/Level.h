//===- Level.h - How one dimension of an array is stored --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_LEVEL_H
#define EMBER_DIALECT_CIN_IR_LEVEL_H

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ember::cin {

enum class LevelKind : uint8_t { dense, compressed, singleton, bitmap };

struct Level {
  LevelKind kind = LevelKind::dense;
  /// Coordinates of a segment increase.
  bool isOrdered = true;
  /// Coordinates of a segment are different.
  bool isUnique = true;

  bool operator==(const Level &) const = default;

  /// Whether it has a list of the coordinates that are stored.
  bool isListed() const {
    return kind == LevelKind::compressed || kind == LevelKind::singleton;
  }
  /// How many arrays store it.
  unsigned countArrays() const {
    return kind == LevelKind::compressed ? 2 : kind == LevelKind::dense ? 0 : 1;
  }
};

inline llvm::hash_code hash_value(const Level &level) {
  return llvm::hash_combine(level.kind, level.isOrdered, level.isUnique);
}

/// `dense`, `compressed`, `singleton` or `bitmap`.
llvm::StringRef getName(LevelKind kind);
std::optional<LevelKind> findLevelKind(llvm::StringRef name);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_IR_LEVEL_H
