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
using namespace ember;
using namespace ember::cin;

namespace {
/// A format that has a name, by the levels that it has.
struct FormatName {
  StringLiteral name;
  /// Of one dimension; empty if it is not for one.
  StringLiteral only;
  /// Of several; without `inner` it is for two alone.
  StringLiteral first, inner, last;
  /// The last dimension is that of the first level.
  bool isTurned = false;
};
} // namespace

static constexpr FormatName formatNames[] = {
    {"dense", "dense", "dense", "dense", "dense"},
    {"csr", "", "dense", "", "compressed"},
    {"csc", "", "dense", "", "compressed", /*isTurned=*/true},
    {"dcsr", "", "compressed", "", "compressed"},
    {"dcsc", "", "compressed", "", "compressed", /*isTurned=*/true},
    {"coo", "compressed", "compressed(nonunique)", "singleton(nonunique)",
     "singleton"},
    {"csf", "compressed", "compressed", "compressed", "compressed"},
    {"bitmap", "bitmap", "dense", "dense", "bitmap"},
};

std::vector<StringRef> ember::cin::getFormatNames() {
  std::vector<StringRef> names;
  for (const FormatName &row : formatNames)
    names.push_back(row.name);
  return names;
}

std::string ember::cin::spellFormat(StringRef name, size_t rank) {
  const auto *row = llvm::find_if(
      formatNames, [&](const FormatName &row) { return row.name == name; });
  if (row == std::end(formatNames) || rank == 0 ||
      (rank == 1 && row->only.empty()) || (rank > 2 && row->inner.empty()))
    return "";
  if (rank == 1)
    return row->only.str();
  std::string text = row->first.str();
  for (size_t level = 2; level < rank; ++level)
    text += "," + row->inner.str();
  text += "," + row->last.str();
  if (row->isTurned)
    text += "@1,0";
  return text;
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
  if (words.empty())
    return std::nullopt;
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

/// `int8`, `int4:f32`, `e4m3:f8E8M0FNU:leading`
static std::optional<RowLayout> parseEncoding(StringRef text) {
  SmallVector<StringRef> words;
  text.split(words, ':');
  RowLayout layout;
  layout.encoding = findRowEncoding(words[0].trim());
  if (!layout.encoding || words.size() > 3)
    return std::nullopt;
  StringRef parameters = layout.encoding->usualParameters;
  layout.isLeading = words.size() > 1 && words.back() == "leading";
  if (words.size() == (layout.isLeading ? 3 : 2)) {
    parameters = words[1];
    if (parameters.empty())
      return std::nullopt;
  } else if (words.size() != (layout.isLeading ? 2 : 1))
    return std::nullopt;
  layout.parameters = findRowParameters(parameters);
  if (!layout.parameters && !parameters.empty())
    return std::nullopt;
  return layout;
}

std::optional<NamedFormat> ember::cin::parseNamedFormat(StringRef whole,
                                                        size_t rank,
                                                        MLIRContext *context) {
  if (rank == 0)
    return std::nullopt;
  NamedFormat format;
  // An encoding alone is that of a dense array.
  StringRef text = whole.take_until([](char c) { return c == '/'; });
  bool hasBoth = text.size() != whole.size();
  format.encoding =
      parseEncoding(hasBoth ? whole.drop_front(text.size() + 1) : whole);
  if (hasBoth && !format.encoding)
    return std::nullopt;
  if (!hasBoth && format.encoding)
    text = "dense";
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
  std::string known = spellFormat(name.trim(), rank);
  StringRef spelled = known.empty() ? name : StringRef(known);
  auto [levels, order] = spelled.split('@');
  SmallVector<StringRef> parts;
  levels.split(parts, ',');
  for (StringRef part : parts) {
    std::optional<Level> level = parseLevel(part.trim());
    if (!level)
      return std::nullopt;
    format.levels.push_back(*level);
  }
  if (levels.size() != spelled.size()) {
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
