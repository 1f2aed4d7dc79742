//===- TextRecipe.cpp - How texts become ids ------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextRecipe.h"

#include "ember/Runtime/ColumnCalls.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::col;

bool TextRecipe::addBefore(Operation *op) {
  if (isa<KeepIfOp>(op)) {
    dropsTexts = true;
    return true;
  }
  auto split = dyn_cast<SplitOp>(op);
  if (!split || separator)
    return false;
  separator = split.getSeparator();
  // What was found so far is behind it.
  dropsParts = dropsTexts;
  dropsTexts = false;
  return true;
}

bool TextRecipe::makesNone() const {
  auto find = dyn_cast<FindOp>(ids);
  return dropsTexts || dropsParts ||
         (find && find.getOtherwise().value_or(0) < 0);
}

/// Appends bytes, filled up to words.
static void append(SmallVector<int64_t> &words, StringRef bytes) {
  for (; !bytes.empty(); bytes = bytes.drop_front(
                             std::min<size_t>(bytes.size(), sizeof(int64_t)))) {
    uint64_t word = 0;
    for (auto [place, byte] :
         llvm::enumerate(bytes.take_front(sizeof(int64_t))))
      word |= uint64_t(uint8_t(byte)) << 8 * place;
    words.push_back(int64_t(word));
  }
}

/// The places of texts in a list, in the order of the texts.
static SmallVector<int64_t> sortTexts(ArrayRef<StringRef> texts) {
  auto places = llvm::to_vector(llvm::seq<int64_t>(0, texts.size()));
  llvm::sort(places, [&](int64_t left, int64_t right) {
    return texts[left] < texts[right];
  });
  return places;
}

SmallVector<int64_t> TextRecipe::getWords() const {
  SmallVector<int64_t> words(EMBER_RECIPE_WORDS, 0);
  if (dropsTexts)
    words[EMBER_RECIPE_FLAGS] |= EMBER_RECIPE_DROPS_TEXTS;
  if (dropsParts)
    words[EMBER_RECIPE_FLAGS] |= EMBER_RECIPE_DROPS_PARTS;
  SmallVector<StringRef> texts;
  if (auto hash = dyn_cast<HashOp>(ids)) {
    words[EMBER_RECIPE_BUCKETS] = int64_t(hash.getBuckets());
    if (std::optional<ArrayRef<int64_t>> key = hash.getKey()) {
      words[EMBER_RECIPE_FLAGS] |= EMBER_RECIPE_HAS_KEY;
      llvm::copy(*key, &words[EMBER_RECIPE_KEY]);
    }
  } else {
    auto find = cast<FindOp>(ids);
    for (auto text : find.getTexts().getAsRange<StringAttr>())
      texts.push_back(text.getValue());
    words[EMBER_RECIPE_BUCKETS] = int64_t(find.getBuckets().value_or(0));
    words[EMBER_RECIPE_FIRST] =
        find.getOtherwise().value_or(int64_t(texts.size()));
  }
  words[EMBER_RECIPE_LISTED] = int64_t(texts.size());
  StringRef by = separator.value_or("");
  words[EMBER_RECIPE_SEPARATOR] = int64_t(by.size());
  append(words, by);

  SmallVector<int64_t> places = sortTexts(texts);
  llvm::append_range(words, places);
  std::string bytes;
  words.push_back(0);
  for (int64_t place : places) {
    bytes += texts[place];
    words.push_back(int64_t(bytes.size()));
  }
  append(words, bytes);
  return words;
}
