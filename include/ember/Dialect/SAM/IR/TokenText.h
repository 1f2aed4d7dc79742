//===- TokenText.h - Streams as text and as lists ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream is a nested list. Its text is the sequence of its tokens, in which
// an empty list that has lists around it cannot be told from one that has an
// empty list in it: `S1` is read as the latter.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SAM_IR_TOKENTEXT_H
#define EMBER_DIALECT_SAM_IR_TOKENTEXT_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>
#include <vector>

namespace ember::sam {

/// The tokens of a stream as lists that are nested: those of level `k` are
/// `segments[k]`, one number more than lists, each list from one of them to the
/// next. There is one list of level 0; an element of a list is a list of the
/// next level or, in the last one, a token of data.
struct StreamLists {
  /// For `N` among numbers.
  static constexpr int64_t nothing = -1;

  std::vector<std::vector<int64_t>> segments;
  /// Coordinates, references, or words of bits.
  std::vector<int64_t> numbers;
  /// Values; null for `N`.
  std::vector<mlir::TypedAttr> values;
  bool hasValues = false;
  /// Numbers are words, of which none is `N`.
  bool hasWords = false;

  unsigned depth() const { return segments.size(); }
  int64_t size() const { return hasValues ? values.size() : numbers.size(); }
  /// How many lists level `k` has; data for `k` = depth.
  int64_t count(unsigned level) const {
    return level == depth() ? size()
                            : static_cast<int64_t>(segments[level].size()) - 1;
  }
};

/// The lists of a text; none, and why, if it is not one of a stream of `type`.
std::optional<StreamLists> parseTokens(llvm::StringRef text, mlir::Type type,
                                       std::string &reason);
std::string printTokens(const StreamLists &stream);

} // namespace ember::sam

#endif // EMBER_DIALECT_SAM_IR_TOKENTEXT_H
