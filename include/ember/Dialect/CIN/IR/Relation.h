//===- Relation.h - Scheduling relations ------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_RELATION_H
#define EMBER_DIALECT_CIN_IR_RELATION_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ember::cin {

enum class RelationKind : uint8_t {
  /// A variable is two: which tile, and what is in it.
  split,
  /// Two variables are one.
  fuse,
  /// Loops stand in this order.
  reorder,
  /// An expression is kept in a workspace.
  precompute,
  /// Values of a variable are worked on at the same time.
  parallelize,
};

/// `split`, `fuse`, `reorder`, `precompute` or `parallelize`.
llvm::StringRef getName(RelationKind kind);
std::optional<RelationKind> findRelationKind(llvm::StringRef name);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_IR_RELATION_H
