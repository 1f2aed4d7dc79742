//===- Tensor.cpp - Tensors as levels in memory ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/SAM/Tensor.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace ember::sim::sam {

Error Tensor::verify() const {
  int64_t fibers = 1;
  for (auto [number, level] : enumerate(levels)) {
    auto wrong = [&](const std::string &what) {
      return createStringError(
          formatv("tensor '{0}', level {1}: {2}", name, number, what));
    };
    if (level.size < 0)
      return wrong(formatv("its size is {0}", level.size));
    if (level.format == Level::Format::dense) {
      int64_t positions = 0;
      if (MulOverflow(fibers, level.size, positions) ||
          positions > mostPositions)
        return wrong("it has too many positions");
      fibers = positions;
      continue;
    }
    if (int64_t(level.segments.size()) != fibers + 1)
      return wrong(
          formatv("{0} fibers need {1} segment bounds, but there are {2}",
                  fibers, fibers + 1, level.segments.size()));
    if (level.segments.front() != 0 ||
        level.segments.back() != int64_t(level.coordinates.size()))
      return wrong(formatv(
          "segments reach from {0} to {1}, but there are {2} coordinates",
          level.segments.front(), level.segments.back(),
          level.coordinates.size()));
    for (int64_t fiber = 0; fiber < fibers; ++fiber) {
      int64_t begin = level.segments[fiber], end = level.segments[fiber + 1];
      if (begin > end || end > int64_t(level.coordinates.size()))
        return wrong(
            formatv("segment {0} reaches from {1} to {2}", fiber, begin, end));
      for (int64_t position = begin; position < end; ++position) {
        int64_t coordinate = level.coordinates[position];
        if (coordinate < 0 || coordinate >= level.size)
          return wrong(formatv(
              "coordinate {0} at position {1} is not below its size {2}",
              coordinate, position, level.size));
        if (position > begin && coordinate <= level.coordinates[position - 1])
          return wrong(formatv(
              "coordinate {0} at position {1} follows {2}; fibers ascend",
              coordinate, position, level.coordinates[position - 1]));
      }
    }
    fibers = int64_t(level.coordinates.size());
  }
  if (int64_t(values.size()) != fibers)
    return createStringError(
        formatv("tensor '{0}' has {1} values for {2} positions", name,
                values.size(), fibers));
  return Error::success();
}

namespace {
/// Appends the levels of elements that agree in their first coordinates.
class LevelBuilder {
public:
  explicit LevelBuilder(Tensor &tensor) : tensor(tensor) {}

  using Iterator = Elements::const_iterator;

  void build(Iterator begin, Iterator end, size_t number) {
    if (number == tensor.levels.size()) {
      tensor.values.push_back(begin == end ? 0 : begin->second);
      return;
    }
    Level &level = tensor.levels[number];
    if (level.format == Level::Format::dense) {
      for (int64_t coordinate = 0; coordinate < level.size; ++coordinate) {
        Iterator next = skip(begin, end, number, coordinate);
        build(begin, next, number + 1);
        begin = next;
      }
      return;
    }
    while (begin != end) {
      int64_t coordinate = begin->first[number];
      level.coordinates.push_back(coordinate);
      Iterator next = skip(begin, end, number, coordinate);
      build(begin, next, number + 1);
      begin = next;
    }
    level.segments.push_back(int64_t(level.coordinates.size()));
  }

private:
  static Iterator skip(Iterator begin, Iterator end, size_t number,
                       int64_t coordinate) {
    while (begin != end && begin->first[number] == coordinate)
      ++begin;
    return begin;
  }

  Tensor &tensor;
};
} // namespace

Tensor buildTensor(StringRef name, ArrayRef<Level::Format> formats,
                   ArrayRef<int64_t> sizes, const Elements &elements) {
  Tensor tensor;
  tensor.name = name.str();
  for (auto [format, size] : zip_equal(formats, sizes)) {
    Level &level = tensor.levels.emplace_back();
    level.format = format;
    level.size = size;
    if (format == Level::Format::compressed)
      level.segments.push_back(0);
  }
  LevelBuilder(tensor).build(elements.begin(), elements.end(), 0);
  return tensor;
}

static void collect(const Tensor &tensor, size_t number, int64_t fiber,
                    std::vector<int64_t> &coordinates, Elements &elements) {
  if (number == tensor.levels.size()) {
    elements[coordinates] = tensor.values[fiber];
    return;
  }
  const Level &level = tensor.levels[number];
  bool isDense = level.format == Level::Format::dense;
  int64_t begin = isDense ? fiber * level.size : level.segments[fiber];
  int64_t end = isDense ? begin + level.size : level.segments[fiber + 1];
  for (int64_t position = begin; position < end; ++position) {
    coordinates.push_back(isDense ? position - begin
                                  : level.coordinates[position]);
    collect(tensor, number + 1, position, coordinates, elements);
    coordinates.pop_back();
  }
}

Elements elementsOf(const Tensor &tensor) {
  Elements elements;
  std::vector<int64_t> coordinates;
  collect(tensor, 0, 0, coordinates, elements);
  return elements;
}

} // namespace ember::sim::sam
