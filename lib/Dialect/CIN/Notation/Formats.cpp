//===- Formats.cpp - Formats as they are named ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/Notation/Notation.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ember::cin;

/// Formats that have a name, in terms of levels: the last one again for each
/// further dimension.
static StringRef spellOut(StringRef name) {
  static const llvm::StringMap<StringRef> known = {
      {"csr", "dense,compressed"},
      {"csc", "dense,compressed@1,0"},
      {"dcsr", "compressed,compressed"},
      {"dcsc", "compressed,compressed@1,0"},
      {"coo", "compressed(nonunique),singleton"},
  };
  auto found = known.find(name);
  return found == known.end() ? name : found->second;
}

/// `compressed(unordered nonunique)`
static std::optional<Level> parseLevel(StringRef text) {
  auto [name, marks] = text.split('(');
  std::optional<LevelKind> kind = findLevelKind(name.trim());
  if (!kind)
    return std::nullopt;
  Level level{*kind};
  if (name.size() == text.size())
    return level;
  if (!marks.consume_back(")"))
    return std::nullopt;
  SmallVector<StringRef> words;
  llvm::SplitString(marks, words);
  for (StringRef word : words) {
    if (word == "unordered")
      level.isOrdered = false;
    else if (word == "nonunique")
      level.isUnique = false;
    else
      return std::nullopt;
  }
  return level;
}

/// The formats of any number of dimensions.
static std::optional<std::vector<Level>> makeLevels(StringRef name,
                                                    size_t rank) {
  std::vector<Level> levels(rank);
  if (name == "csf") {
    for (Level &level : levels)
      level.kind = LevelKind::compressed;
  } else if (name == "bitmap") {
    levels.back().kind = LevelKind::bitmap;
  } else if (name == "coo") {
    for (Level &level : llvm::drop_begin(levels))
      level.kind = LevelKind::singleton;
    levels.front().kind = LevelKind::compressed;
    for (Level &level : llvm::drop_end(levels))
      level.isUnique = false;
  } else if (name != "dense") {
    return std::nullopt;
  }
  return levels;
}

std::optional<NamedFormat> ember::cin::parseNamedFormat(StringRef text,
                                                        size_t rank,
                                                        MLIRContext *context) {
  if (rank == 0)
    return std::nullopt;
  NamedFormat format;
  format.index = IntegerType::get(context, 64);
  auto [name, width] = text.split(':');
  if (name.size() != text.size()) {
    unsigned bits = 0;
    if (!width.consume_front("i") || width.getAsInteger(10, bits) ||
        !llvm::is_contained({8u, 16u, 32u, 64u}, bits))
      return std::nullopt;
    format.index = IntegerType::get(context, bits);
  }
  for (size_t dimension = 0; dimension < rank; ++dimension)
    format.order.push_back(dimension);
  if (auto levels = makeLevels(name.trim(), rank)) {
    format.levels = std::move(*levels);
    return format;
  }
  auto [levels, order] = spellOut(name.trim()).split('@');
  SmallVector<StringRef> parts;
  levels.split(parts, ',');
  for (StringRef part : parts) {
    std::optional<Level> level = parseLevel(part.trim());
    if (!level)
      return std::nullopt;
    format.levels.push_back(*level);
  }
  if (!order.empty()) {
    format.order.clear();
    SmallVector<StringRef> dimensions;
    order.split(dimensions, ',');
    for (StringRef dimension : dimensions)
      if (dimension.trim().getAsInteger(10, format.order.emplace_back()))
        return std::nullopt;
  }
  if (format.levels.size() != rank || format.order.size() != rank)
    return std::nullopt;
  return format;
}
