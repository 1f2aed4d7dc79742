//===- ListBlocks.cpp - Blocks on nested lists ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ListBlocks.h"

#include "ember/Dialect/CIN/Transforms/FunctionCode.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <map>

using namespace mlir;
using namespace ember;
using namespace ember::sam;

StreamLists ember::sam::makeAround(const StreamLists &stream, unsigned levels,
                                   bool hasValues) {
  StreamLists made;
  made.segments.assign(stream.segments.begin(),
                       stream.segments.begin() + levels);
  made.hasValues = hasValues;
  return made;
}

void ember::sam::appendFrom(StreamLists &stream, const StreamLists &source,
                            int64_t number) {
  if (stream.hasValues)
    stream.values.push_back(source.values[number]);
  else
    stream.numbers.push_back(source.numbers[number]);
}

void ember::sam::appendNothing(StreamLists &stream) {
  if (stream.hasValues)
    stream.values.emplace_back();
  else
    stream.numbers.push_back(StreamLists::nothing);
}

bool ember::sam::haveSameLists(const StreamLists &a, const StreamLists &b,
                               unsigned levels) {
  return std::equal(a.segments.begin(), a.segments.begin() + levels,
                    b.segments.begin());
}

//===----------------------------------------------------------------------===//
// Joiners
//===----------------------------------------------------------------------===//

/// Merges a fiber: takes the smallest coordinate of all sides that have more,
/// as long as there is one.
static void joinFiber(ArrayRef<JoinedSide> sides, bool isUnion, int64_t fiber,
                      MutableArrayRef<StreamLists> results) {
  SmallVector<int64_t> at, end;
  for (const JoinedSide &side : sides) {
    const std::vector<int64_t> &segments = side.front()->segments.back();
    at.push_back(segments[fiber]);
    end.push_back(segments[fiber + 1]);
  }
  while (true) {
    std::optional<int64_t> least;
    for (auto [number, side] : llvm::enumerate(sides))
      if (at[number] < end[number]) {
        int64_t coordinate = side.front()->numbers[at[number]];
        least = least ? std::min(*least, coordinate) : coordinate;
      }
    if (!least)
      return;
    SmallVector<bool> has;
    for (auto [number, side] : llvm::enumerate(sides))
      has.push_back(at[number] < end[number] &&
                    side.front()->numbers[at[number]] == *least);
    if (isUnion || llvm::all_of(has, [](bool here) { return here; })) {
      results.front().numbers.push_back(*least);
      unsigned result = 1;
      for (auto [number, side] : llvm::enumerate(sides))
        for (const StreamLists *beside : ArrayRef(side).drop_front())
          if (has[number])
            appendFrom(results[result++], *beside, at[number]);
          else
            appendNothing(results[result++]);
    }
    for (auto [number, here] : llvm::enumerate(has))
      at[number] += here;
  }
}

std::optional<SmallVector<StreamLists>>
ember::sam::joinSides(ArrayRef<JoinedSide> sides, bool isUnion,
                      std::string &reason) {
  const StreamLists &first = *sides.front().front();
  unsigned depth = first.depth();
  SmallVector<StreamLists> results = {makeAround(first, depth, false)};
  for (auto [number, side] : llvm::enumerate(sides)) {
    if (!haveSameLists(first, *side.front(), depth - 1)) {
      reason = "side " + std::to_string(number) +
               " has other outer lists than side 0";
      return std::nullopt;
    }
    for (const StreamLists *beside : ArrayRef(side).drop_front()) {
      if (!haveSameLists(*side.front(), *beside, depth)) {
        reason = "side " + std::to_string(number) +
                 " has a stream beside its coordinates with other lists";
        return std::nullopt;
      }
      results.push_back(makeAround(first, depth, beside->hasValues));
    }
  }
  for (StreamLists &result : results)
    result.segments.back() = {0};
  for (int64_t fiber = 0; fiber < first.count(depth - 1); ++fiber) {
    joinFiber(sides, isUnion, fiber, results);
    for (StreamLists &result : results)
      result.segments.back().push_back(result.size());
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Reducers
//===----------------------------------------------------------------------===//

namespace {
/// What is at the coordinates of some levels: coordinates below or a value.
struct Place {
  std::map<int64_t, Place> below;
  TypedAttr value;
};

class Reducer {
public:
  Reducer(cin::Function function, Type element, bool drops,
          const StreamLists &values, ArrayRef<const StreamLists *> coordinates,
          std::string &reason)
      : function(function), element(element), drops(drops), values(values),
        coordinates(coordinates), reason(reason),
        level(values.depth() - 1 - coordinates.size()) {}

  std::optional<SmallVector<StreamLists>> run() {
    results.push_back(makeAround(values, level, true));
    for (size_t number = 0; number < coordinates.size(); ++number)
      results.push_back(makeAround(values, level, false));
    // Levels below the one that goes away, each one higher now.
    for (unsigned number = 0; number < coordinates.size(); ++number) {
      results[0].segments.push_back({0});
      for (unsigned at = number; at < coordinates.size(); ++at)
        results[at + 1].segments.push_back({0});
    }
    for (int64_t list = 0; list < values.count(level); ++list) {
      Place whole;
      keptBefore.push_back(results[0].values.size());
      for (int64_t at = values.segments[level][list];
           at < values.segments[level][list + 1]; ++at)
        if (!add(whole, 0, at))
          return std::nullopt;
      if (!(coordinates.empty() ? emitValue(whole) : emit(whole, 0)))
        return std::nullopt;
    }
    // Values have gone from the lists that have become innermost.
    keptBefore.push_back(results[0].values.size());
    if (coordinates.empty() && drops && level > 0)
      for (int64_t &end : results[0].segments.back())
        end = keptBefore[end];
    return std::move(results);
  }

private:
  /// Adds what `list` of a level below has, or the value of that number.
  bool add(Place &place, unsigned below, int64_t list) {
    if (below == coordinates.size()) {
      TypedAttr value = values.values[list];
      if (!value)
        value = cin::getConstant(cin::Constant::zero, element);
      place.value = place.value
                        ? cin::foldCall(function, {place.value, value}, element)
                        : value;
      if (place.value)
        return true;
      reason = "values of " + function.getName().str() + " cannot be combined";
      return false;
    }
    const std::vector<int64_t> &segments = values.segments[level + 1 + below];
    for (int64_t at = segments[list]; at < segments[list + 1]; ++at)
      if (!add(place.below[coordinates[below]->numbers[at]], below + 1, at))
        return false;
    return true;
  }

  bool emitValue(const Place &place) {
    TypedAttr value = place.value;
    bool isDropped = !value && drops && level > 0;
    if (!value && !isDropped) {
      value = function.getIdentity(element);
      if (!value) {
        reason = function.getName().str() +
                 " has no identity, and a fiber has nothing to combine";
        return false;
      }
    }
    if (!isDropped)
      results[0].values.push_back(value);
    return true;
  }

  bool emit(const Place &place, unsigned below) {
    if (below == coordinates.size())
      return emitValue(place);
    for (const auto &[coordinate, inner] : place.below) {
      if (drops && isEmpty(inner, below + 1))
        continue;
      results[below + 1].numbers.push_back(coordinate);
      if (!emit(inner, below + 1))
        return false;
    }
    // All streams of this level and of deeper ones have its lists.
    int64_t end = results[below + 1].numbers.size();
    results[0].segments[level + below].push_back(end);
    for (unsigned at = below; at < coordinates.size(); ++at)
      results[at + 1].segments[level + below].push_back(end);
    return true;
  }

  bool isEmpty(const Place &place, unsigned below) const {
    if (below == coordinates.size())
      return !place.value;
    return llvm::all_of(place.below, [&](const auto &entry) {
      return isEmpty(entry.second, below + 1);
    });
  }

  cin::Function function;
  Type element;
  bool drops;
  const StreamLists &values;
  ArrayRef<const StreamLists *> coordinates;
  std::string &reason;
  /// The level that goes away.
  unsigned level;
  SmallVector<StreamLists> results;
  /// How many values there were before each list of the level that goes away.
  std::vector<int64_t> keptBefore;
};
} // namespace

std::optional<SmallVector<StreamLists>> ember::sam::reduceLists(
    cin::Function function, Type element, bool drops, const StreamLists &values,
    ArrayRef<const StreamLists *> coordinates, std::string &reason) {
  for (const StreamLists *stream : coordinates)
    if (!haveSameLists(*stream, values, stream->depth())) {
      reason = "coordinates have other lists than the values";
      return std::nullopt;
    }
  return Reducer(function, element, drops, values, coordinates, reason).run();
}

//===----------------------------------------------------------------------===//
// Droppers
//===----------------------------------------------------------------------===//

/// Whether what is below a token of the outer stream stays.
static bool isKept(const StreamLists &outer, const StreamLists &inner,
                   int64_t number) {
  if (inner.depth() == outer.depth()) {
    TypedAttr value = inner.values[number];
    return value && !cin::areSame(value, cin::getConstant(cin::Constant::zero,
                                                          value.getType()));
  }
  const std::vector<int64_t> &segments = inner.segments.back();
  return segments[number] < segments[number + 1];
}

std::optional<std::pair<StreamLists, StreamLists>>
ember::sam::dropLists(const StreamLists &outer, const StreamLists &inner,
                      std::string &reason) {
  if (!haveSameLists(outer, inner, outer.depth())) {
    reason = "the inner stream has other outer lists than the outer one";
    return std::nullopt;
  }
  StreamLists keptOuter = makeAround(outer, outer.depth(), outer.hasValues);
  StreamLists keptInner = makeAround(inner, inner.depth(), inner.hasValues);
  bool isDeeper = inner.depth() > outer.depth();
  std::vector<int64_t> &ends = keptOuter.segments.back();
  ends = {0};
  if (isDeeper)
    keptInner.segments.back() = {0};
  for (int64_t list = 0; list < outer.count(outer.depth() - 1); ++list) {
    for (int64_t at = outer.segments.back()[list];
         at < outer.segments.back()[list + 1]; ++at) {
      if (!isKept(outer, inner, at))
        continue;
      appendFrom(keptOuter, outer, at);
      if (!isDeeper) {
        appendFrom(keptInner, inner, at);
        continue;
      }
      for (int64_t below = inner.segments.back()[at];
           below < inner.segments.back()[at + 1]; ++below)
        appendFrom(keptInner, inner, below);
      keptInner.segments.back().push_back(keptInner.size());
    }
    ends.push_back(keptOuter.size());
  }
  keptInner.segments[outer.depth() - 1] = ends;
  return std::pair(std::move(keptOuter), std::move(keptInner));
}
