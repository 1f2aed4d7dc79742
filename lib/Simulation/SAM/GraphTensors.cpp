//===- GraphTensors.cpp - What the tensors of a graph store ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphTensors.h"

using namespace mlir;
using namespace ember;

/// By level, those of an element in row-major order.
static std::vector<int64_t> coordinatesOf(int64_t place,
                                          ArrayRef<int64_t> shape,
                                          const sam::TensorFormat &format) {
  std::vector<int64_t> coordinates(shape.size());
  for (size_t dimension = shape.size(); dimension-- > 0;) {
    coordinates[llvm::find(format.order, dimension) - format.order.begin()] =
        place % shape[dimension];
    place /= shape[dimension];
  }
  return coordinates;
}

sim::sam::Elements ember::collectElements(const sam::StoredTensor &tensor) {
  const sam::TensorFormat &format = tensor.format;
  sim::sam::Elements elements;
  for (auto [place, value] : llvm::enumerate(sam::getElements(tensor)))
    if (format.levels.empty() || !cin::areSame(value, format.fill))
      elements[coordinatesOf(place, tensor.shape, format)] =
          cast<FloatAttr>(value).getValueAsDouble();
  return elements;
}
