//===- StoredElements.cpp - Tensors as lists of their elements ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SAM/Evaluation/StoredElements.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::sam;

/// Levels of elements that are sorted by their coordinates in the order of
/// levels, all as compressed ones.
static void listLevels(StoredTensor &lists, ArrayRef<ListedElement> elements) {
  size_t levels = lists.format.size();
  lists.levels.resize(levels);
  for (StoredLevel &level : lists.levels)
    level.positions.push_back(0);
  const ListedElement *last = nullptr;
  for (const ListedElement &element : elements) {
    bool isNew = !last;
    for (size_t number = 0; number < levels; ++number) {
      unsigned dimension = lists.format.order[number];
      int64_t coordinate = element.coordinates[dimension];
      isNew |= last && last->coordinates[dimension] != coordinate;
      if (!isNew)
        continue;
      lists.levels[number].coordinates.push_back(coordinate);
      // The fiber below begins where those before it end.
      if (number + 1 < levels)
        lists.levels[number + 1].positions.push_back(
            lists.levels[number + 1].coordinates.size());
    }
    lists.values.push_back(element.value);
    last = &element;
  }
  // So far, a fiber's bound is its beginning: each has its end behind it.
  for (StoredLevel &level : lists.levels) {
    if (level.positions.size() > 1)
      level.positions.erase(level.positions.begin());
    level.positions.push_back(level.coordinates.size());
  }
}

std::optional<StoredTensor>
ember::sam::storeElements(const TensorFormat &format, ArrayRef<int64_t> shape,
                          std::vector<ListedElement> elements,
                          SmallVectorImpl<int64_t> &twice) {
  auto comesBefore = [&](const ListedElement &a, const ListedElement &b) {
    for (unsigned dimension : format.order)
      if (a.coordinates[dimension] != b.coordinates[dimension])
        return a.coordinates[dimension] < b.coordinates[dimension];
    return false;
  };
  llvm::sort(elements, comesBefore);
  auto same =
      std::adjacent_find(elements.begin(), elements.end(),
                         [](const ListedElement &a, const ListedElement &b) {
                           return a.coordinates == b.coordinates;
                         });
  if (same != elements.end()) {
    twice.assign(same->coordinates.begin(), same->coordinates.end());
    return std::nullopt;
  }
  llvm::erase_if(elements, [&](const ListedElement &element) {
    return cin::areSame(element.value, format.fill);
  });
  StoredTensor lists{format, SmallVector<int64_t>(shape), {}, {}};
  listLevels(lists, elements);
  return storeLists(lists);
}

static void
visitBelow(const StoredTensor &tensor, unsigned level, int64_t position,
           SmallVectorImpl<int64_t> &coordinates,
           llvm::function_ref<void(ArrayRef<int64_t>, TypedAttr)> visit) {
  if (level == tensor.format.size())
    return visit(coordinates, tensor.values[position]);
  tensor.scan(level, position, [&](int64_t coordinate, int64_t below) {
    coordinates[tensor.format.order[level]] = coordinate;
    visitBelow(tensor, level + 1, below, coordinates, visit);
  });
}

void ember::sam::visitElements(
    const StoredTensor &tensor,
    llvm::function_ref<void(ArrayRef<int64_t>, TypedAttr)> visit) {
  SmallVector<int64_t> coordinates(tensor.shape.size());
  visitBelow(tensor, 0, 0, coordinates, visit);
}
