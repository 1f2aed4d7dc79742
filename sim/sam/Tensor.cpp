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
    fibers = level.countPositions();
    if (!level.positions.empty() &&
        level.positions.size() != level.coordinates.size())
      return wrong(formatv("{0} coordinates have {1} positions",
                           level.coordinates.size(), level.positions.size()));
    for (int64_t position : level.positions)
      if (position < 0 || position >= fibers)
        return wrong(
            formatv("position {0} is not one of its {1}", position, fibers));
  }
  if (int64_t(values.size()) != fibers)
    return createStringError(
        formatv("tensor '{0}' has {1} values for {2} positions", name,
                values.size(), fibers));
  return Error::success();
}

Expected<Level> linkedListLevel(int64_t size, ArrayRef<int64_t> heads,
                                ArrayRef<int64_t> next,
                                ArrayRef<int64_t> coordinates) {
  auto wrong = [](const std::string &what) {
    return createStringError("linked list: " + what);
  };
  if (next.size() != coordinates.size())
    return wrong(formatv("{0} coordinates have {1} links", coordinates.size(),
                         next.size()));
  Level level;
  level.format = Level::Format::linkedList;
  level.size = size;
  level.segments.push_back(0);
  level.numPositions = int64_t(coordinates.size());
  std::vector<bool> isReached(next.size());
  for (auto [fiber, head] : enumerate(heads)) {
    for (int64_t at = head; at != -1; at = next[at]) {
      if (at < -1 || at >= int64_t(next.size()))
        return wrong(formatv("fiber {0} leads to position {1}, and there are "
                             "{2}",
                             fiber, at, next.size()));
      if (isReached[at])
        return wrong(
            formatv("fiber {0} leads to position {1}, which a fiber has had",
                    fiber, at));
      isReached[at] = true;
      level.coordinates.push_back(coordinates[at]);
      level.positions.push_back(at);
    }
    level.segments.push_back(int64_t(level.coordinates.size()));
  }
  return level;
}

std::vector<uint64_t> bitsOf(const Level &level) {
  int64_t wordsOfFiber = std::max<int64_t>((level.size + 63) / 64, 1);
  int64_t fibers = int64_t(level.segments.size()) - 1;
  std::vector<uint64_t> words(fibers * wordsOfFiber);
  for (int64_t fiber = 0; fiber < fibers; ++fiber)
    for (int64_t position = level.segments[fiber];
         position < level.segments[fiber + 1]; ++position) {
      int64_t coordinate = level.coordinates[position];
      words[fiber * wordsOfFiber + coordinate / 64] |= uint64_t(1)
                                                       << coordinate % 64;
    }
  return words;
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
    size_t behind = number + 1;
    if (level.format == Level::Format::pointList)
      while (behind < tensor.levels.size() &&
             tensor.levels[behind].format == Level::Format::singleton)
        ++behind;
    while (begin != end) {
      Iterator next = begin;
      for (size_t part = number; part < behind; ++part)
        tensor.levels[part].coordinates.push_back(begin->first[part]);
      while (next != end && std::equal(begin->first.begin() + number,
                                       begin->first.begin() + behind,
                                       next->first.begin() + number))
        ++next;
      build(begin, next, behind);
      begin = next;
    }
    level.segments.push_back(int64_t(level.coordinates.size()));
  }

  /// The coordinates of points become those of fibers: one for all points that
  /// have it in common with those before it.
  void gatherPoints() {
    std::vector<bool> begins;
    for (Level &level : tensor.levels) {
      bool isOuter = level.format == Level::Format::pointList;
      if (isOuter)
        begins = beginsOfFibers(level);
      else if (level.format != Level::Format::singleton)
        continue;
      gather(level, begins, isOuter);
    }
  }

private:
  static Iterator skip(Iterator begin, Iterator end, size_t number,
                       int64_t coordinate) {
    while (begin != end && begin->first[number] == coordinate)
      ++begin;
    return begin;
  }

  static std::vector<bool> beginsOfFibers(const Level &level) {
    std::vector<bool> begins(level.coordinates.size());
    for (int64_t segment : level.segments)
      if (segment < int64_t(begins.size()))
        begins[segment] = true;
    return begins;
  }

  /// `begins` says where coordinates around change, and then where these do.
  static void gather(Level &level, std::vector<bool> &begins, bool isOuter) {
    std::vector<int64_t> points = std::move(level.coordinates);
    level.coordinates.clear();
    level.numPositions = int64_t(points.size());
    std::vector<int64_t> before;
    for (size_t point = 0; point < points.size(); ++point) {
      // The fiber of a position is that of all with the same coordinates
      // around; those behind the first one are not asked for.
      before.push_back(begins[point] || before.empty()
                           ? int64_t(level.coordinates.size())
                           : -1);
      bool isNew = begins[point] || points[point] != points[point - 1];
      begins[point] = isNew;
      if (!isNew)
        continue;
      level.coordinates.push_back(points[point]);
      level.positions.push_back(int64_t(point));
    }
    before.push_back(int64_t(level.coordinates.size()));
    for (size_t point = points.size(); point-- > 0;)
      if (before[point] < 0)
        before[point] = before[point + 1];
    if (isOuter)
      for (int64_t &segment : level.segments)
        segment = before[segment];
    else
      level.segments = std::move(before);
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
    if (format != Level::Format::dense && format != Level::Format::singleton)
      level.segments.push_back(0);
  }
  LevelBuilder builder(tensor);
  builder.build(elements.begin(), elements.end(), 0);
  builder.gatherPoints();
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
    collect(tensor, number + 1, isDense ? position : level.positionOf(position),
            coordinates, elements);
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
