//===- Storage.cpp - Tensors in memory, in formats ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SAM/Evaluation/Storage.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::sam;
using cin::LevelKind;

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
    for (int64_t at = arrays.positions[above]; at < arrays.positions[above + 1];
         ++at)
      visit(arrays.coordinates[at], at);
    break;
  case LevelKind::singleton:
    visit(arrays.coordinates[above], above);
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
