//===- GraphTensors.cpp - What the tensors of a graph store ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphTensors.h"

#include "ember/Dialect/SAM/Evaluation/StoredElements.h"

using namespace mlir;
using namespace ember;

sim::sam::Elements ember::collectElements(const sam::StoredTensor &tensor) {
  const sam::TensorFormat &format = tensor.format;
  sim::sam::Elements elements;
  sam::visitElements(
      tensor, [&](ArrayRef<int64_t> coordinates, TypedAttr value) {
        if (!format.levels.empty() && cin::areSame(value, format.fill))
          return;
        std::vector<int64_t> place;
        for (unsigned dimension : format.order)
          place.push_back(coordinates[dimension]);
        elements[std::move(place)] = cast<FloatAttr>(value).getValueAsDouble();
      });
  return elements;
}
