//===- Style.cpp - What one program is made of ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Nests/Style.h"
#include <iterator>

namespace ember::fuzz {

/// A feature is off, moderate or frequent.
static double drawRate(Random &random, double off, double moderate,
                       double frequent) {
  if (random.chance(off))
    return 0;
  return random.chance(0.7) ? moderate : frequent;
}

/// Types that nests are not known for are drawn once each.
static Scalar drawDataType(Random &random) {
  std::vector<double> weights(std::size(scalarTypes), 1);
  auto weigh = [&](Scalar type, double weight) {
    weights[static_cast<size_t>(type)] = weight;
  };
  weigh(Scalar::F32, 10);
  weigh(Scalar::F64, 4);
  weigh(Scalar::F16, 3);
  weigh(Scalar::BF16, 3);
  weigh(Scalar::I32, 2);
  weigh(Scalar::I64, 2);
  weigh(Scalar::Index, 0.5);
  weigh(Scalar::I1, 0);
  return scalarTypes[random.weighted(weights)].id;
}

static Scalar drawIndexType(Random &random) {
  switch (random.weighted({4, 3, 3, 0.4, 0.4})) {
  case 0:
    return Scalar::I64;
  case 1:
    return Scalar::I32;
  case 2:
    return Scalar::Index;
  case 3:
    return Scalar::I16;
  default:
    return Scalar::I8;
  }
}

Style drawStyle(Random &random) {
  Style style;
  style.data.push_back(drawDataType(random));
  style.mixedTypes = drawRate(random, 0.6, 0.1, 0.3);
  if (style.mixedTypes > 0)
    style.data.push_back(drawDataType(random));
  style.index = drawIndexType(random);
  style.offset = random.chance(0.8) ? style.index : drawIndexType(random);

  static const std::vector<int64_t> lengths = {
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 16, 17, 20, 24, 31, 33};
  for (int64_t count = random.between(2, 4); count > 0; --count)
    style.sizes.push_back(random.pick(lengths));
  style.maxDepth = static_cast<int>(random.weighted({1, 3, 5, 2})) + 1;

  style.openDimensions = random.pick({0.0, 0.3, 0.7, 1.0});
  style.scalarBounds = drawRate(random, 0.5, 0.3, 0.8);
  style.lowerBounds = drawRate(random, 0.5, 0.2, 0.6);
  style.wideSteps = drawRate(random, 0.6, 0.15, 0.5);
  style.segments = random.pick({0.2, 0.6, 0.9});
  style.iterArgs = drawRate(random, 0.4, 0.3, 0.8);
  style.workspaces = drawRate(random, 0.5, 0.3, 0.7);
  style.siblings = drawRate(random, 0.7, 0.2, 0.5);
  style.branches = drawRate(random, 0.6, 0.15, 0.4);
  style.views = drawRate(random, 0.7, 0.15, 0.4);
  style.allocations = drawRate(random, 0.7, 0.3, 0.8);
  style.stridedIndices = drawRate(random, 0.5, 0.15, 0.5);
  style.writtenLoads = drawRate(random, 0.5, 0.2, 0.5);
  style.recurrences = drawRate(random, 0.75, 0.2, 0.5);
  style.indexStores = drawRate(random, 0.6, 0.15, 0.4);
  style.localConstants = random.pick({0.0, 0.5, 1.0});
  style.loopCalls = drawRate(random, 0.7, 0.2, 0.5);
  style.copies = drawRate(random, 0.8, 0.1, 0.3);
  style.assertions = drawRate(random, 0.85, 0.1, 0.3);
  style.emptySizes = drawRate(random, 0.8, 0.1, 0.3);
  style.farRanges = drawRate(random, 0.8, 0.15, 0.5);
  return style;
}

} // namespace ember::fuzz
