//===- Storage.cpp - Tensors in memory, in formats ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SAM/Evaluation/Storage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace ember;
using namespace ember::sam;
using cin::LevelKind;

/// Visits the coordinates between two positions, each that stands there several
/// times in a row once, at the first position.
static void scanRuns(ArrayRef<int64_t> coordinates, int64_t begin, int64_t end,
                     function_ref<void(int64_t, int64_t)> visit) {
  for (int64_t at = begin; at < end; ++at)
    if (at == begin || coordinates[at] != coordinates[at - 1])
      visit(coordinates[at], at);
}

int64_t StoredTensor::findRunEnd(unsigned level, int64_t begin) const {
  // Singletons have a coordinate for each of the compressed level above them.
  unsigned listed = level;
  while (listed > 0 && format.levels[listed].kind == LevelKind::singleton)
    --listed;
  ArrayRef<int64_t> positions = levels[listed].positions;
  const int64_t *fiber = llvm::upper_bound(positions, begin);
  int64_t end = begin + 1;
  int64_t limit = fiber == positions.end() ? end : *fiber;
  auto isSame = [&](unsigned above) {
    ArrayRef<int64_t> coordinates = levels[above].coordinates;
    return coordinates[end] == coordinates[begin];
  };
  while (end < limit && llvm::all_of(llvm::seq(listed, level), isSame))
    ++end;
  return end;
}

void StoredTensor::scan(unsigned level, int64_t above,
                        function_ref<void(int64_t, int64_t)> visit) const {
  const StoredLevel &arrays = levels[level];
  int64_t size = sizeOfLevel(level);
  switch (format.levels[level].kind) {
  case LevelKind::dense:
    for (int64_t coordinate = 0; coordinate < size; ++coordinate)
      visit(coordinate, above * size + coordinate);
    break;
  case LevelKind::compressed:
    scanRuns(arrays.coordinates, arrays.positions[above],
             arrays.positions[above + 1], visit);
    break;
  case LevelKind::singleton:
    scanRuns(arrays.coordinates, above, findRunEnd(level, above), visit);
    break;
  case LevelKind::bitmap:
    for (int64_t coordinate = 0; coordinate < size; ++coordinate)
      if (arrays.stored[above * size + coordinate])
        visit(coordinate, above * size + coordinate);
    break;
  }
}

namespace {
/// An element by the coordinates of levels.
struct Element {
  SmallVector<int64_t> coordinates;
  TypedAttr value;
};

/// Stores elements that are sorted by coordinates, depth first: positions of a
/// level are in the order in which it is reached.
struct Packing {
  StoredTensor &tensor;

  void pack(unsigned level, ArrayRef<Element> elements) {
    if (level == tensor.format.size()) {
      tensor.values.push_back(elements.empty() ? tensor.format.fill
                                               : elements.front().value);
      return;
    }
    StoredLevel &arrays = tensor.levels[level];
    const cin::Level &kind = tensor.format.levels[level];
    int64_t size = tensor.sizeOfLevel(level);
    switch (kind.kind) {
    case LevelKind::dense:
    case LevelKind::bitmap:
      for (int64_t coordinate = 0; coordinate < size; ++coordinate) {
        ArrayRef<Element> below = take(elements, level, coordinate);
        if (kind.kind == LevelKind::bitmap)
          arrays.stored.push_back(!below.empty());
        pack(level + 1, below);
      }
      break;
    case LevelKind::compressed:
      while (!elements.empty()) {
        int64_t coordinate = elements.front().coordinates[level];
        arrays.coordinates.push_back(coordinate);
        ArrayRef<Element> below;
        if (kind.isUnique) {
          below = take(elements, level, coordinate);
        } else {
          below = elements.take_front();
          elements = elements.drop_front();
        }
        pack(level + 1, below);
      }
      arrays.positions.push_back(arrays.coordinates.size());
      break;
    case LevelKind::singleton:
      // Below a coordinate that has several elements, the first one.
      arrays.coordinates.push_back(
          elements.empty() ? 0 : elements.front().coordinates[level]);
      pack(level + 1, elements.take_front(1));
      break;
    }
  }

  /// Takes the elements with a coordinate from the front.
  static ArrayRef<Element> take(ArrayRef<Element> &elements, unsigned level,
                                int64_t coordinate) {
    size_t count = 0;
    while (count < elements.size() &&
           elements[count].coordinates[level] == coordinate)
      ++count;
    ArrayRef<Element> taken = elements.take_front(count);
    elements = elements.drop_front(count);
    return taken;
  }
};
} // namespace

StoredTensor ember::sam::store(const TensorFormat &format,
                               ArrayRef<int64_t> shape,
                               ArrayRef<TypedAttr> elements) {
  StoredTensor tensor{format, SmallVector<int64_t>(shape), {}, {}};
  tensor.levels.resize(format.size());
  for (StoredLevel &arrays : tensor.levels)
    arrays.positions.push_back(0);
  std::vector<Element> stored;
  for (auto [number, value] : llvm::enumerate(elements)) {
    if (cin::areSame(value, format.fill))
      continue;
    SmallVector<int64_t> coordinates(shape.size());
    int64_t rest = number;
    for (size_t dimension = shape.size(); dimension-- > 0;) {
      coordinates[llvm::find(format.order, dimension) - format.order.begin()] =
          rest % shape[dimension];
      rest /= shape[dimension];
    }
    stored.push_back({coordinates, value});
  }
  llvm::sort(stored, [](const Element &a, const Element &b) {
    return a.coordinates < b.coordinates;
  });
  Packing{tensor}.pack(0, stored);
  return tensor;
}

/// Appends the elements of lists of coordinates that levels have as compressed
/// ones do, depth first.
static void appendElements(const StoredTensor &lists, unsigned level,
                           int64_t above, SmallVector<int64_t> &coordinates,
                           std::vector<Element> &elements) {
  if (level == lists.format.size()) {
    elements.push_back({coordinates, lists.values[above]});
    return;
  }
  const StoredLevel &arrays = lists.levels[level];
  for (int64_t at = arrays.positions[above]; at < arrays.positions[above + 1];
       ++at) {
    coordinates.push_back(arrays.coordinates[at]);
    appendElements(lists, level + 1, at, coordinates, elements);
    coordinates.pop_back();
  }
}

StoredTensor ember::sam::storeLists(const StoredTensor &lists) {
  std::vector<Element> elements;
  SmallVector<int64_t> coordinates;
  appendElements(lists, 0, 0, coordinates, elements);
  StoredTensor tensor{lists.format, lists.shape, {}, {}};
  tensor.levels.resize(tensor.format.size());
  for (StoredLevel &arrays : tensor.levels)
    arrays.positions.push_back(0);
  Packing{tensor}.pack(0, elements);
  return tensor;
}

namespace {
/// Puts stored values where they are among all elements.
struct Unpacking {
  const StoredTensor &tensor;
  std::vector<TypedAttr> &elements;

  void unpack(unsigned level, int64_t position, int64_t offset) {
    if (level == tensor.format.size()) {
      elements[offset] = tensor.values[position];
      return;
    }
    int64_t stride = 1;
    for (unsigned dimension = tensor.format.order[level] + 1;
         dimension < tensor.shape.size(); ++dimension)
      stride *= tensor.shape[dimension];
    tensor.scan(level, position, [&](int64_t coordinate, int64_t below) {
      unpack(level + 1, below, offset + coordinate * stride);
    });
  }
};
} // namespace

std::vector<TypedAttr> ember::sam::getElements(const StoredTensor &tensor) {
  int64_t count = 1;
  for (int64_t size : tensor.shape)
    count *= size;
  std::vector<TypedAttr> elements(count, tensor.format.fill);
  if (count)
    Unpacking{tensor, elements}.unpack(0, 0, 0);
  return elements;
}
