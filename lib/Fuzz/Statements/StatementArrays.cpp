//===- StatementArrays.cpp - Arrays of random statements ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Statements/StatementArrays.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <algorithm>
#include <numeric>

namespace ember::fuzz {

StatementStyle drawStatementStyle(Random &random) {
  StatementStyle style;
  style.element = random.pick({Scalar::F32, Scalar::F32, Scalar::F32,
                               Scalar::F64, Scalar::F16, Scalar::BF16,
                               Scalar::I32, Scalar::I64, Scalar::I1});
  style.hasRoundNumbers = random.chance(0.7);
  style.formats = random.pick({0.0, 0.0, 0.4, 0.7});
  style.fills = random.pick({0.0, 0.0, 0.5});
  style.missing = random.pick({0.0, 0.0, 0.0, 0.5});
  style.unordered = random.pick({0.0, 0.0, 0.3});
  bool hasHalves = style.hasRoundNumbers && (style.element == Scalar::F32 ||
                                             style.element == Scalar::F64);
  style.encodings = hasHalves ? random.pick({0.0, 0.0, 0.4}) : 0;
  style.functions = random.pick({0.0, 0.0, 0.3});
  style.reuse = random.pick({0.1, 0.5});
  style.indirection = random.pick({0.0, 0.2, 0.4});
  style.conditions = random.pick({0.0, 0.1, 0.3});
  style.temporaries = random.pick({0.0, 0.9});
  return style;
}

/// What no statement may look at: nothing else is as large.
static constexpr int missingNumber = 77;

std::string StatementArrays::add(StoredArray array, const char *prefix) {
  array.name = prefix + std::to_string(notation.arrays.size());
  notation.arrays.push_back(std::move(array));
  return notation.arrays.back().name;
}

uint64_t StatementArrays::number() {
  if (style.isBoolean())
    return random.chance(0.5);
  if (!style.isReal())
    return truncateBits(style.element,
                        static_cast<uint64_t>(random.between(-9, 9)));
  // Some are equal, and some are 0, which gradients have to tell apart.
  double fraction = random.chance(0.15) ? random.pick({0.0, 0.3, -1.7})
                                        : random.fraction() * 6 - 3;
  double value = style.hasRoundNumbers
                     ? static_cast<double>(random.between(-4, 4)) / 2
                     : fraction;
  // A zero with a sign is the fill and is not.
  return encodeFloat(style.element, value == 0 ? 0 : value);
}

void StatementArrays::drawFill(StoredArray &array) {
  array.fill = random.chance(style.fills) ? number() : 0;
  // A dense last level stores every element: none is missing.
  bool isAllStored =
      !array.hasLevels() || array.levels.back().kind == StoredLevel::Dense;
  if (isAllStored || style.isBoolean() || !canBeMissing ||
      !random.chance(style.missing))
    return;
  array.isMissing = true;
  array.fill = style.isReal() ? encodeFloat(style.element, missingNumber)
                              : static_cast<uint64_t>(missingNumber);
}

void StatementArrays::drawLevels(StoredArray &array, bool isTarget,
                                 Levels levels) {
  size_t rank = array.shape.size();
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (random.chance(isTarget ? 0.15 : 0.3))
    for (size_t i = rank; i-- > 1;)
      std::swap(order[i], order[random.position(i + 1)]);
  bool isLocated = levels == Levels::Located;
  bool isCoordinates = !isLocated && rank > 1 && random.chance(0.2);
  for (size_t number = 0; number < rank; ++number) {
    StoredLevel level;
    level.dimension = order[number];
    bool isLast = number + 1 == rank;
    if (isCoordinates) {
      level.kind = number ? StoredLevel::Singleton : StoredLevel::Compressed;
      level.isUnique = isLast;
    } else {
      using Kinds = std::vector<double>;
      Kinds weights = isLocated ? Kinds{1, 0, 0, 2}
                      : isLast  ? Kinds{1, 6, 0, 2}
                                : Kinds{4, 4, 0, 1};
      level.kind = static_cast<StoredLevel::Kind>(random.weighted(weights));
    }
    level.isOrdered = level.kind != StoredLevel::Compressed ||
                      !random.chance(style.unordered);
    array.levels.push_back(level);
  }
  array.index = random.pick({Scalar::I64, Scalar::I64, Scalar::I32});
  drawFill(array);
}

void StatementArrays::drawEncoding(StoredArray &array) {
  if (array.isMissing)
    return;
  array.encoding = drawRowLayout(random);
  // Encoded elements are below levels, dense ones if there are no others.
  for (size_t number = array.levels.size(); number < array.shape.size();
       ++number) {
    StoredLevel level;
    level.dimension = number;
    array.levels.push_back(level);
  }
}

std::string StatementArrays::values(const std::vector<int64_t> &shape,
                                    bool canBeOld) {
  if (canBeOld && random.chance(style.reuse)) {
    std::vector<std::string> fitting;
    for (const StoredArray &array : notation.arrays)
      if (array.shape == shape && array.element == style.element &&
          !array.isScalar && !array.isCompact)
        fitting.push_back(array.name);
    if (!fitting.empty())
      return random.pick(fitting);
  }
  StoredArray array;
  array.element = style.element;
  array.shape = shape;
  bool hasLevels = !shape.empty() && random.chance(style.formats);
  if (hasLevels)
    drawLevels(array, /*isTarget=*/false, Levels::Any);
  if (!shape.empty() && random.chance(style.encodings))
    drawEncoding(array);
  double density = random.pick({0.1, 0.4, 0.8});
  for (int64_t k = elementCount(shape); k > 0; --k) {
    bool isStored = !hasLevels || random.chance(density);
    array.bits.push_back(isStored ? number() : array.fill);
    array.isStoredFill.push_back(hasLevels && random.chance(0.05));
  }
  return add(std::move(array), "a");
}

std::string StatementArrays::indices(int64_t count, int64_t limit) {
  StoredArray array;
  array.element = random.pick({Scalar::I64, Scalar::I64, Scalar::I32});
  array.shape = {count};
  for (; count > 0; --count)
    array.bits.push_back(static_cast<uint64_t>(random.between(0, limit - 1)));
  return add(std::move(array), "n");
}

std::string StatementArrays::offsets(int64_t count, int64_t &total) {
  StoredArray array;
  array.element = random.pick({Scalar::I64, Scalar::I64, Scalar::I32});
  array.shape = {count + 1};
  array.bits = {0};
  total = 0;
  for (; count > 0; --count) {
    total += random.chance(0.2) ? 0 : random.between(0, 5);
    array.bits.push_back(static_cast<uint64_t>(total));
  }
  return add(std::move(array), "s");
}

std::string StatementArrays::lengths(int64_t count, int64_t &total) {
  StoredArray array;
  array.element = random.pick({Scalar::I64, Scalar::I64, Scalar::I32});
  array.shape = {count};
  total = 0;
  for (; count > 0; --count) {
    int64_t length = random.chance(0.2) ? 0 : random.between(0, 5);
    array.bits.push_back(static_cast<uint64_t>(length));
    total += length;
  }
  return add(std::move(array), "s");
}

std::string StatementArrays::mask(const std::vector<int64_t> &shape) {
  StoredArray array;
  array.element = Scalar::I1;
  array.shape = shape;
  for (int64_t count = elementCount(shape); count > 0; --count)
    array.bits.push_back(random.chance(0.6));
  return add(std::move(array), "m");
}

std::string StatementArrays::list(const std::vector<int64_t> &shape) {
  StoredArray array;
  array.element = style.element;
  array.shape = shape;
  for (size_t dimension = 0; dimension < shape.size(); ++dimension) {
    StoredLevel level;
    level.dimension = dimension;
    bool isLast = dimension + 1 == shape.size();
    level.kind = isLast || random.chance(0.3) ? StoredLevel::Compressed
                                              : StoredLevel::Dense;
    array.levels.push_back(level);
  }
  array.index = random.pick({Scalar::I64, Scalar::I32});
  drawFill(array);
  for (int64_t count = elementCount(shape); count > 0; --count) {
    array.bits.push_back(random.chance(0.5) ? number() : array.fill);
    array.isStoredFill.push_back(random.chance(0.05));
  }
  return add(std::move(array), "a");
}

std::string StatementArrays::scalar() {
  StoredArray array;
  array.element = style.element;
  array.isScalar = true;
  array.bits = {number()};
  return add(std::move(array), "c");
}

std::string StatementArrays::target(const std::vector<int64_t> &shape,
                                    Levels levels) {
  StoredArray array;
  array.element = style.element;
  array.shape = shape;
  if (levels != Levels::None && !shape.empty() &&
      random.chance(style.formats * 0.7))
    drawLevels(array, /*isTarget=*/true, levels);
  for (int64_t k = elementCount(shape); k > 0; --k)
    array.bits.push_back(array.hasLevels() ? array.fill : number());
  return add(std::move(array), "r");
}

} // namespace ember::fuzz
