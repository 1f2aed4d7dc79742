//===- ExtensionLists.cpp - Blocks of extensions on nested lists ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExtensionLists.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace ember;
using namespace ember::sam;

//===----------------------------------------------------------------------===//
// Parts of fibers
//===----------------------------------------------------------------------===//

static bool areInLists(const StreamLists &coordinates, StreamsBeside beside,
                       std::string &reason) {
  bool areAlike = llvm::all_of(beside, [&](const StreamLists *stream) {
    return haveSameLists(*stream, coordinates, coordinates.depth());
  });
  if (!areAlike)
    reason = "has a stream beside its coordinates with other lists";
  return areAlike;
}

std::optional<ListStreams>
ember::sam::splitLists(const StreamLists &coordinates, int64_t factor,
                       bool isRelative, StreamsBeside beside,
                       std::string &reason) {
  if (!areInLists(coordinates, beside, reason))
    return std::nullopt;
  unsigned depth = coordinates.depth();
  StreamLists outer = makeAround(coordinates, depth, false);
  StreamLists inner = makeAround(coordinates, depth, false);
  const std::vector<int64_t> &fibers = coordinates.segments.back();
  std::vector<int64_t> chunks = {0}, ends = {0};
  for (size_t fiber = 0; fiber + 1 < fibers.size(); ++fiber) {
    for (int64_t at = fibers[fiber]; at < fibers[fiber + 1]; ++at) {
      int64_t chunk = coordinates.numbers[at] / factor;
      bool isNew = at == fibers[fiber] || outer.numbers.back() != chunk;
      if (isNew && !outer.numbers.empty())
        ends.push_back(at);
      if (isNew)
        outer.numbers.push_back(chunk);
      inner.numbers.push_back(isRelative ? coordinates.numbers[at] % factor
                                         : coordinates.numbers[at]);
    }
    chunks.push_back(outer.size());
  }
  if (!outer.numbers.empty())
    ends.push_back(coordinates.size());
  outer.segments.back() = chunks;
  inner.segments.back() = chunks;
  inner.segments.push_back(ends);
  ListStreams results = {outer, inner};
  for (const StreamLists *stream : beside) {
    results.push_back(*stream);
    results.back().segments = inner.segments;
  }
  return results;
}

std::optional<ListStreams>
ember::sam::flattenLists(const StreamLists &outer, const StreamLists &inner,
                         int64_t factor, bool isRelative, StreamsBeside beside,
                         std::string &reason) {
  if (!haveSameLists(outer, inner, outer.depth())) {
    reason = "has inner coordinates in other lists than the outer ones";
    return std::nullopt;
  }
  if (!areInLists(inner, beside, reason))
    return std::nullopt;
  const std::vector<int64_t> &ends = inner.segments.back();
  StreamLists flat = makeAround(outer, outer.depth(), false);
  for (int64_t &end : flat.segments.back())
    end = ends[end];
  for (int64_t chunk = 0; chunk < outer.size(); ++chunk)
    for (int64_t at = ends[chunk]; at < ends[chunk + 1]; ++at)
      flat.numbers.push_back((isRelative ? outer.numbers[chunk] * factor : 0) +
                             inner.numbers[at]);
  ListStreams results = {flat};
  for (const StreamLists *stream : beside) {
    results.push_back(*stream);
    results.back().segments = flat.segments;
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

StreamLists ember::sam::dropStops(const StreamLists &stream) {
  StreamLists points = stream;
  points.segments = {{0, stream.size()}};
  return points;
}

/// A point as lists of one element, as many as it is nested deep.
static StreamLists nest(const StreamLists &points, unsigned depth) {
  StreamLists nested = points;
  std::vector<int64_t> single(points.size() + 1);
  std::iota(single.begin(), single.end(), 0);
  nested.segments.resize(depth + 1, single);
  return nested;
}

std::optional<ListStreams>
ember::sam::accumulatePoints(cin::Function function, Type element,
                             const StreamLists &values,
                             StreamsBeside coordinates, std::string &reason) {
  ListStreams nested;
  for (auto [level, stream] : llvm::enumerate(coordinates)) {
    if (stream->size() != values.size()) {
      reason = "has " + std::to_string(values.size()) + " values and " +
               std::to_string(stream->size()) + " coordinates of level " +
               std::to_string(level);
      return std::nullopt;
    }
    nested.push_back(nest(*stream, level + 1));
  }
  SmallVector<const StreamLists *> streams;
  for (const StreamLists &stream : nested)
    streams.push_back(&stream);
  return reduceLists(function, element, /*drops=*/true,
                     nest(values, coordinates.size()), streams, reason);
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// Appends a list of a level, or data, with all that is nested in it.
static void copyElement(const StreamLists &from, unsigned level, int64_t number,
                        StreamLists &to) {
  if (level == from.depth())
    return appendFrom(to, from, number);
  const std::vector<int64_t> &segments = from.segments[level];
  for (int64_t below = segments[number]; below < segments[number + 1]; ++below)
    copyElement(from, level + 1, below, to);
  to.segments[level].push_back(to.count(level + 1));
}

static StreamLists makeEmpty(const StreamLists &like) {
  StreamLists made;
  made.segments.assign(like.depth(), {0});
  made.hasValues = like.hasValues;
  return made;
}

ListStreams ember::sam::dealLists(const StreamLists &stream, int64_t lanes) {
  ListStreams dealt(lanes, makeEmpty(stream));
  for (int64_t element = 0; element < stream.count(1); ++element)
    copyElement(stream, 1, element, dealt[element % lanes]);
  for (StreamLists &lane : dealt)
    lane.segments.front().push_back(lane.count(1));
  return dealt;
}

std::optional<StreamLists> ember::sam::joinLanes(StreamsBeside lanes,
                                                 std::string &reason) {
  int64_t total = 0;
  for (const StreamLists *lane : lanes)
    total += lane->count(1);
  int64_t count = lanes.size();
  StreamLists joined = makeEmpty(*lanes.front());
  for (int64_t element = 0; element < total; ++element) {
    const StreamLists &lane = *lanes[element % count];
    if (element / count >= lane.count(1)) {
      reason = "has no element " + std::to_string(element / count) +
               " of lane " + std::to_string(element % count) +
               ", whose turn it is, and others have more";
      return std::nullopt;
    }
    copyElement(lane, 1, element / count, joined);
  }
  joined.segments.front().push_back(joined.count(1));
  return joined;
}

//===----------------------------------------------------------------------===//
// Words of bits
//===----------------------------------------------------------------------===//

WordLists ember::sam::makeWordsAround(const StreamLists &stream,
                                      unsigned levels) {
  WordLists lists{makeAround(stream, levels, false),
                  makeAround(stream, levels, false)};
  lists.words.hasWords = true;
  for (StreamLists *made : {&lists.words, &lists.positions})
    made->segments.push_back({0});
  return lists;
}

void WordLists::append(ArrayRef<int64_t> coordinates, int64_t size,
                       unsigned width, std::optional<int64_t> position) {
  size_t next = 0;
  for (int64_t first = 0; first < size; first += width) {
    uint64_t word = 0;
    positions.numbers.push_back(position ? *position + int64_t(next)
                                         : StreamLists::nothing);
    for (; next < coordinates.size() && coordinates[next] < first + width;
         ++next)
      word |= uint64_t(1) << (coordinates[next] - first);
    words.numbers.push_back(static_cast<int64_t>(word));
  }
  words.segments.back().push_back(words.size());
  positions.segments.back().push_back(words.size());
}

std::optional<StreamLists>
ember::sam::joinWords(StreamsBeside sides, bool isUnion, std::string &reason) {
  StreamLists joined = *sides.front();
  for (const StreamLists *side : sides.drop_front()) {
    if (!haveSameLists(*side, joined, joined.depth())) {
      reason = "has words in unlike lists";
      return std::nullopt;
    }
    for (auto [word, other] : llvm::zip(joined.numbers, side->numbers))
      word = isUnion ? word | other : word & other;
  }
  return joined;
}

std::optional<ListStreams> ember::sam::expandWords(const StreamLists &joined,
                                                   StreamsBeside words,
                                                   StreamsBeside positions,
                                                   unsigned width,
                                                   std::string &reason) {
  for (StreamsBeside streams : {words, positions})
    for (const StreamLists *stream : streams)
      if (!haveSameLists(*stream, joined, joined.depth())) {
        reason = "has a side in other lists than those of its words";
        return std::nullopt;
      }
  ListStreams results(1 + words.size(),
                      makeAround(joined, joined.depth(), false));
  for (StreamLists &result : results)
    result.segments.back() = {0};
  const std::vector<int64_t> &fibers = joined.segments.back();
  for (size_t fiber = 0; fiber + 1 < fibers.size(); ++fiber) {
    for (int64_t at = fibers[fiber]; at < fibers[fiber + 1]; ++at)
      for (auto rest = static_cast<uint64_t>(joined.numbers[at]); rest;
           rest &= rest - 1) {
        unsigned bit = llvm::countr_zero(rest);
        results[0].numbers.push_back((at - fibers[fiber]) * width + bit);
        for (auto [side, word] : llvm::enumerate(words)) {
          auto bits = static_cast<uint64_t>(word->numbers[at]);
          int64_t first = positions[side]->numbers[at];
          bool isThere = bits >> bit & 1 && first != StreamLists::nothing;
          uint64_t below = bits & llvm::maskTrailingOnes<uint64_t>(bit);
          results[1 + side].numbers.push_back(
              isThere ? first + llvm::popcount(below) : StreamLists::nothing);
        }
      }
    for (StreamLists &result : results)
      result.segments.back().push_back(result.size());
  }
  return results;
}
