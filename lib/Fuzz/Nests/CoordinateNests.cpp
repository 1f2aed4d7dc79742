//===- CoordinateNests.cpp - Nests over coordinate format -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of a matrix, or levels of a tensor, in coordinate format: a loop goes on
// from the end of one segment of equal coordinates to the end of the next,
// which it looks for, as the sparsifier writes it.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Nests/Nests.h"

namespace ember::fuzz {

using Values = std::vector<ValueId>;

/// arith.cmpi's predicates.
constexpr uint64_t kEqual = 0, kBelow = 6;

/// The first position from `begin` on, below `limit`, with another coordinate.
ValueId Nests::segmentEnd(const Coordinates &level, ValueId begin,
                          ValueId limit) {
  // Positions are only read where they are below the limit.
  Range inside{0, level.positions - 1};
  Range outer = *builder.rangeOf(begin);
  builder.assume(begin, inside);
  auto isSame = [&](const Values &position) {
    ValueId isInside = builder.compare(kBelow, position[0], limit);
    return builder
        .ifThen(
            isInside,
            [&] {
              ValueId first = builder.load(level.memref, {begin});
              ValueId other = builder.load(level.memref, {position[0]});
              return Values{builder.compare(kEqual, first, other)};
            },
            [&] { return Values{builder.constant(Scalar::I1, 0)}; })
        .front();
  };
  auto advance = [&](const Values &position) {
    ValueId next = builder.binary(Opcode::AddI, position[0], builder.index(1));
    return Values{next};
  };
  ValueId end = builder.whileLoop({begin}, isSame, advance).front();
  builder.assume(begin, outer);
  return builder.assume(end, {0, level.positions});
}

/// Visits the segments from `lower` to below `upper`.
std::vector<ValueId> Nests::segmentLoop(
    const Coordinates &level, ValueId lower, ValueId upper, Values initial,
    const std::function<Values(ValueId, ValueId, const Values &)> &body) {
  Values carried{lower, segmentEnd(level, lower, upper)};
  carried.insert(carried.end(), initial.begin(), initial.end());
  // What the first search has read need not be what the loop reads.
  if (level.positions > 0 && random.chance(0.1))
    builder.store(builder.constant(style.index, 0), level.memref,
                  {builder.index(random.between(0, level.positions - 1))});
  auto isLeft = [&](const Values &values) {
    return builder.compare(kBelow, values[0], upper);
  };
  auto visit = [&](const Values &values) {
    builder.assume(values[0], {0, level.positions - 1});
    Values next =
        body(values[0], values[1], Values(values.begin() + 2, values.end()));
    Values handed{values[1], segmentEnd(level, values[1], upper)};
    handed.insert(handed.end(), next.begin(), next.end());
    return handed;
  };
  Values results = builder.whileLoop(std::move(carried), isLeft, visit);
  return Values(results.begin() + 2, results.end());
}

/// A matrix or a tensor of three levels, times a vector or a matrix.
void Nests::coordinateNest() {
  int64_t positions = expressions.someSize(), rows = expressions.someSize(),
          columns = expressions.someSize(), length = expressions.someSize();
  Scalar type = expressions.someDataType();
  bool isTensor = random.chance(0.3), hasRows = random.chance(0.5),
       counts = random.chance(0.2);
  auto coordinates = [&](std::string name, int64_t size) {
    Array array;
    array.name = std::move(name);
    array.element = style.index;
    array.shape = {positions};
    array.isOpen = {random.chance(style.openDimensions)};
    array.content = random.chance(0.9) ? Content::Offsets : Content::Indices;
    array.range = {0, std::min<int64_t>(size, 100) - 1};
    return Coordinates{builder.addParameter(array), positions};
  };
  Coordinates row = coordinates("row", rows);
  Coordinates fiber = isTensor ? coordinates("fiber", rows) : row;
  ValueId values = table("values", type, {positions}, false);
  ValueId dense = table("dense", type, {columns, length}, false);
  ValueId out = table("out", type, {rows, hasRows ? length : 1}, true);
  auto multiply = [&](ValueId p, ValueId e) {
    ValueId column = loadIndexAt(columns, {p});
    ValueId factor = builder.load(dense, {column, e});
    return builder.binary(isFloat(type) ? Opcode::MulF : Opcode::MulI,
                          builder.load(values, {p}), factor);
  };
  Opcode add = isFloat(type) ? Opcode::AddF : Opcode::AddI;
  auto segment = [&](const Coordinates &level, ValueId begin, ValueId end) {
    ValueId at =
        builder.convert(builder.load(level.memref, {begin}), Scalar::Index);
    ValueId one = builder.index(1), zero = builder.index(0);
    if (!hasRows) {
      ValueId old = builder.load(out, {at, zero});
      Values sum = builder.forLoop(
          begin, end, one, {old}, [&](ValueId p, const Values &soFar) {
            return Values{builder.binary(add, soFar[0], multiply(p, zero))};
          });
      builder.store(sum[0], out, {at, zero});
      return;
    }
    builder.forLoop(begin, end, one, {}, [&](ValueId p, const Values &) {
      simpleLoop(length, [&](ValueId e) {
        ValueId old = builder.load(out, {at, e});
        builder.store(builder.binary(add, old, multiply(p, e)), out, {at, e});
      });
      return Values();
    });
  };
  auto visit = [&](ValueId begin, ValueId end, const Values &count) {
    if (isTensor)
      segmentLoop(fiber, begin, end, {},
                  [&](ValueId first, ValueId last, const Values &) {
                    segment(fiber, first, last);
                    return Values();
                  });
    else
      segment(row, begin, end);
    Values next;
    for (ValueId value : count)
      builder.assume(value, {0, positions});
    for (ValueId value : count)
      next.push_back(builder.binary(Opcode::AddI, value, builder.index(1)));
    return next;
  };
  ValueId lower = builder.index(random.chance(0.8) ? 0 : positions / 2);
  ValueId upper = sizeValue(positions);
  Values initial;
  if (counts)
    initial.push_back(builder.index(0));
  Values results = segmentLoop(row, lower, upper, initial, visit);
  for (ValueId count : results)
    storeSomewhere(builder.assume(count, {0, positions}));
}

} // namespace ember::fuzz
