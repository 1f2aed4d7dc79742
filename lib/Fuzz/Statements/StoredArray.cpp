//===- StoredArray.cpp - Arrays, dense or in a format ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One element after the other, so that it shares nothing with compiled code.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Statements/StoredArray.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include "ember/Fuzz/Statements/EncodedRow.h"
#include <algorithm>
#include <set>

namespace ember::fuzz {

std::string StoredArray::spellFormat() const {
  static const char *const names[] = {"dense", "compressed", "singleton",
                                      "bitmap"};
  std::string text, order;
  bool isInOrder = true;
  for (size_t number = 0; number < levels.size(); ++number) {
    const StoredLevel &level = levels[number];
    std::string separator = number ? "," : "";
    text += separator + names[level.kind];
    if (!level.isUnique || !level.isOrdered)
      text += level.isUnique    ? "(unordered)"
              : level.isOrdered ? "(nonunique)"
                                : "(unordered nonunique)";
    order += separator + std::to_string(level.dimension);
    isInOrder &= level.dimension == number;
  }
  if (!isInOrder)
    text += "@" + order;
  if (index != Scalar::I64)
    text += std::string(":") + spelling(index);
  if (!encoding)
    return text;
  text += "/" + std::string(encoding->encoding->name);
  if (encoding->parameters)
    text += ":" + std::string(encoding->parameters->name);
  return text + (encoding->isLeading ? ":leading" : "");
}

bool StoredArray::hasFill() const {
  return !encoding || std::any_of(levels.begin(), levels.end(),
                                  [](const StoredLevel &level) {
                                    return level.kind != StoredLevel::Dense;
                                  });
}

static Input makeList(Scalar element, std::vector<uint64_t> bits) {
  Input input;
  input.element = element;
  input.isMemRef = true;
  input.shape = {static_cast<int64_t>(bits.size())};
  input.bits = std::move(bits);
  return input;
}

std::vector<ArrayPart> sizesOf(const StoredArray &array) {
  std::vector<ArrayPart> parts;
  if (!array.hasLevels())
    return parts;
  for (size_t dimension = 0; dimension < array.shape.size(); ++dimension) {
    Input size;
    size.element = Scalar::Index;
    size.bits = {static_cast<uint64_t>(array.shape[dimension])};
    parts.push_back({array.name + "_size" + std::to_string(dimension), size});
  }
  return parts;
}

static ArrayPart wholeOf(const StoredArray &array) {
  Input input;
  input.element = array.element;
  input.isMemRef = !array.isScalar;
  input.shape = array.shape;
  input.bits = array.bits;
  return {array.name, input};
}

namespace {
/// Coordinates by level.
using Place = std::vector<int64_t>;

/// A position of a level, with the elements that are below it.
struct Entry {
  Place place;
  std::vector<Place> elements;
  bool isStored = true;
};
} // namespace

/// Where an element is among all, by its coordinates in the order of levels.
static size_t flatten(const StoredArray &array, const Place &place) {
  std::vector<int64_t> at(array.shape.size());
  for (size_t number = 0; number < place.size(); ++number)
    at[array.levels[number].dimension] = place[number];
  int64_t position = 0;
  for (size_t dimension = 0; dimension < at.size(); ++dimension)
    position = position * array.shape[dimension] + at[dimension];
  return static_cast<size_t>(position);
}

static std::vector<Place> storedPlaces(const StoredArray &array) {
  std::vector<Place> places = {{}};
  for (const StoredLevel &level : array.levels) {
    std::vector<Place> longer;
    for (const Place &place : places)
      for (int64_t c = 0; c < array.shape[level.dimension]; ++c) {
        longer.push_back(place);
        longer.back().push_back(c);
      }
    places = std::move(longer);
  }
  std::erase_if(places, [&](const Place &place) {
    size_t at = flatten(array, place);
    bool isStored = array.bits[at] != array.fill ||
                    (!array.isStoredFill.empty() && array.isStoredFill[at]);
    return !isStored;
  });
  return places;
}

/// An order that follows from what there is, and is none of coordinates.
static void scatter(const StoredArray &array, std::vector<Entry> &entries) {
  auto key = [&](const Entry &entry) {
    return static_cast<uint32_t>(flatten(array, entry.elements.front()) + 1) *
           2654435761u;
  };
  std::sort(entries.begin(), entries.end(),
            [&](const Entry &a, const Entry &b) { return key(a) < key(b); });
}

/// The positions of a level below one of the level above.
static std::vector<Entry> descend(const StoredArray &array, size_t number,
                                  const Entry &above) {
  const StoredLevel &level = array.levels[number];
  std::vector<Entry> below;
  auto add = [&](int64_t coordinate) -> Entry & {
    below.push_back({above.place, {}, above.isStored});
    below.back().place.push_back(coordinate);
    return below.back();
  };
  if (!level.isListed())
    for (int64_t c = 0; c < array.shape[level.dimension]; ++c)
      add(c);
  for (const Place &element : above.elements) {
    int64_t coordinate = element[number];
    bool isSame = !below.empty() && below.back().place.back() == coordinate;
    if (!level.isListed())
      below[static_cast<size_t>(coordinate)].elements.push_back(element);
    else if (isSame && level.isUnique && level.kind == StoredLevel::Compressed)
      below.back().elements.push_back(element);
    else
      add(coordinate).elements.push_back(element);
  }
  if (level.kind == StoredLevel::Bitmap)
    for (Entry &entry : below)
      entry.isStored &= !entry.elements.empty();
  if (!level.isOrdered)
    scatter(array, below);
  return below;
}

std::vector<StoredValue> valuesOf(const StoredArray &array) {
  std::vector<StoredValue> values;
  if (!array.hasLevels())
    for (size_t element = 0; element < array.bits.size(); ++element)
      values.push_back({element});
  if (!array.hasLevels())
    return values;
  std::vector<Entry> entries = {{{}, storedPlaces(array)}};
  for (size_t number = 0; number < array.levels.size(); ++number) {
    std::vector<Entry> all;
    for (const Entry &above : entries)
      for (Entry &entry : descend(array, number, above))
        all.push_back(std::move(entry));
    entries = std::move(all);
  }
  for (const Entry &entry : entries)
    values.push_back({flatten(array, entry.place), entry.isStored});
  return values;
}

/// The values that are stored: as they are, or as `rows` rows of bytes.
static Input storeValues(const StoredArray &array, size_t rows) {
  std::vector<uint64_t> bits;
  for (const StoredValue &value : valuesOf(array))
    bits.push_back(array.bits[value.element]);
  if (!array.encoding)
    return makeList(array.element, std::move(bits));
  std::vector<uint64_t> bytes;
  size_t length = rows == 0 ? 0 : bits.size() / rows;
  for (size_t row = 0; row < rows; ++row) {
    std::vector<double> elements;
    for (size_t i = row * length; i < (row + 1) * length; ++i)
      elements.push_back(decodeFloat(array.element, bits[i]));
    std::vector<uint64_t> encoded =
        encodeRow(*array.encoding, row + array.bits.size(), elements);
    bytes.insert(bytes.end(), encoded.begin(), encoded.end());
  }
  // A row has its length also where there is none.
  if (rows == 0)
    length = static_cast<size_t>(array.shape[array.levels.back().dimension]);
  Input input = makeList(Scalar::I8, std::move(bytes));
  input.shape = {static_cast<int64_t>(rows),
                 array.encoding->rowBytes(static_cast<int64_t>(length))};
  return input;
}

std::vector<ArrayPart> partsOf(const StoredArray &array) {
  if (!array.hasLevels())
    return {wholeOf(array)};
  std::vector<Entry> entries = {{{}, storedPlaces(array)}};
  std::vector<ArrayPart> parts;
  // With an encoding: one for each position above a dense last level.
  size_t rows = 1;
  auto addPart = [&](const char *what, size_t level, Scalar element,
                     std::vector<uint64_t> bits) {
    parts.push_back({array.name + "_" + what + std::to_string(level),
                     makeList(element, std::move(bits))});
  };
  for (size_t number = 0; number < array.levels.size(); ++number) {
    const StoredLevel &level = array.levels[number];
    std::vector<Entry> all;
    std::vector<uint64_t> positions = {0}, coordinates, mask;
    bool isLast = number + 1 == array.levels.size();
    if (isLast && number > 0 && level.kind == StoredLevel::Dense)
      rows = entries.size();
    for (const Entry &above : entries) {
      for (Entry &entry : descend(array, number, above)) {
        coordinates.push_back(static_cast<uint64_t>(entry.place.back()));
        mask.push_back(!entry.elements.empty());
        all.push_back(std::move(entry));
      }
      positions.push_back(all.size());
    }
    if (level.kind == StoredLevel::Compressed)
      addPart("positions", number, array.index, positions);
    if (level.isListed())
      addPart("coordinates", number, array.index, coordinates);
    if (level.kind == StoredLevel::Bitmap)
      addPart("mask", number, Scalar::I1, mask);
    entries = std::move(all);
  }
  parts.push_back({array.name + "_values", storeValues(array, rows)});
  return parts;
}

std::vector<ArrayPart> roomFor(const StoredArray &array) {
  // As much as if all elements were stored.
  StoredArray full = array;
  full.isStoredFill.assign(array.bits.size(), true);
  std::vector<ArrayPart> parts = partsOf(full);
  size_t empty = 0;
  while (empty < array.levels.size() &&
         array.shape[array.levels[empty].dimension] != 0)
    ++empty;
  if (empty == array.levels.size())
    return parts;
  // Above a level of no size coordinates are stored all the same: as if it had
  // one.
  size_t count = 1;
  for (int64_t &size : full.shape)
    count *= static_cast<size_t>(size = std::max<int64_t>(size, 1));
  full.bits.assign(count, array.fill);
  full.isStoredFill.assign(count, true);
  std::vector<ArrayPart> larger = partsOf(full);
  size_t next = 0;
  for (size_t number = 0; number <= empty; ++number) {
    const StoredLevel &level = array.levels[number];
    if (level.kind == StoredLevel::Dense)
      continue;
    if (level.kind == StoredLevel::Compressed) {
      parts[next] = larger[next];
      ++next;
    }
    if (number < empty)
      parts[next] = larger[next];
    ++next;
  }
  return parts;
}

namespace {
/// Walks the parts of an array.
class Loader {
public:
  Loader(const StoredArray &array, const std::vector<Input> &parts,
         Input &elements)
      : array(array), parts(parts), elements(elements) {
    size_t next = 0;
    for (const StoredLevel &level : array.levels) {
      first.push_back(next);
      next += level.kind == StoredLevel::Dense        ? 0
              : level.kind == StoredLevel::Compressed ? 2
                                                      : 1;
    }
  }

  void visit(size_t number, int64_t position, Place place);

  std::string error;

private:
  /// An integer of a part; an error if it has no such element.
  int64_t read(size_t part, int64_t position) {
    const Input &input = parts[part];
    if (position < 0 || position >= static_cast<int64_t>(input.bits.size())) {
      error = "position " + std::to_string(position) + " of part " +
              std::to_string(part) + " is outside";
      return 0;
    }
    return signedValue(input.element,
                       input.bits[static_cast<size_t>(position)]);
  }
  void visitCoordinate(size_t number, int64_t position, Place place,
                       int64_t coordinate) {
    int64_t size = array.shape[array.levels[number].dimension];
    if (coordinate < 0 || coordinate >= size) {
      error = "coordinate " + std::to_string(coordinate) + " of level " +
              std::to_string(number);
      return;
    }
    place.push_back(coordinate);
    visit(number + 1, position, std::move(place));
  }

  const StoredArray &array;
  const std::vector<Input> &parts;
  Input &elements;
  std::vector<size_t> first;
};
} // namespace

void Loader::visit(size_t number, int64_t position, Place place) {
  if (!error.empty())
    return;
  if (number == array.levels.size()) {
    int64_t bits = read(parts.size() - 1, position);
    elements.bits[flatten(array, place)] =
        truncateBits(array.element, static_cast<uint64_t>(bits));
    return;
  }
  const StoredLevel &level = array.levels[number];
  if (level.kind == StoredLevel::Singleton) {
    visitCoordinate(number, position, place, read(first[number], position));
    return;
  }
  if (level.kind == StoredLevel::Compressed) {
    int64_t begin = read(first[number], position);
    int64_t end = read(first[number], position + 1), before = -1;
    std::set<int64_t> seen;
    for (int64_t at = begin; at < end && error.empty(); ++at) {
      int64_t coordinate = read(first[number] + 1, at);
      bool isNew = seen.insert(coordinate).second;
      if ((level.isOrdered && coordinate < before) ||
          (level.isUnique && !isNew))
        error = "coordinates of level " + std::to_string(number) +
                (level.isOrdered ? " do not increase" : " are there twice");
      before = coordinate;
      visitCoordinate(number, at, place, coordinate);
    }
    return;
  }
  int64_t size = array.shape[level.dimension];
  for (int64_t c = 0; c < size; ++c) {
    int64_t at = position * size + c;
    if (level.kind == StoredLevel::Dense || read(first[number], at) != 0)
      visitCoordinate(number, at, place, c);
  }
}

std::string load(const StoredArray &array, const std::vector<Input> &parts,
                 Input &elements) {
  elements.element = array.element;
  elements.isMemRef = true;
  elements.shape = array.shape;
  elements.bits.assign(static_cast<size_t>(elementCount(array.shape)),
                       array.fill);
  Loader loader(array, parts, elements);
  loader.visit(0, 0, {});
  return loader.error;
}

} // namespace ember::fuzz
