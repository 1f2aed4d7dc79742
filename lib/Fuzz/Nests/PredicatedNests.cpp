//===- PredicatedNests.cpp - Lookups under conditions ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ids that may be no rows: below the table, or behind it. What is looked up for
// them stands under conditions, as values, as loops, or as what a loop carries.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Nests/Nests.h"

namespace ember::fuzz {

using Values = std::vector<ValueId>;

namespace {
enum Predicate : uint64_t { Less = 2, NotLess = 5, Below = 6, NotBelow = 9 };
} // namespace

/// Runs `then` where `row` is one of `rows` rows, and `otherwise`, which may be
/// null, elsewhere.
Values Nests::whereRow(ValueId row, int64_t rows, const Builder::Branch &then,
                       const Builder::Branch &otherwise) {
  auto isInside = [&] {
    return builder.compare(Less, row, builder.index(rows));
  };
  auto nothing = [] { return Values(); };
  switch (random.weighted({2, 1, 3, 1})) {
  case 0:
    return builder.ifThen(builder.compare(Below, row, builder.index(rows)),
                          then, otherwise);
  case 1: {
    ValueId isRow =
        builder.binary(Opcode::AndI, isInside(),
                       builder.compare(NotLess, row, builder.index(0)));
    return builder.ifThen(isRow, then, otherwise);
  }
  case 2:
    return builder.ifThen(
        builder.compare(NotLess, row, builder.index(0)),
        [&] {
          if (random.chance(0.2))
            effect();
          Values values = builder.ifThen(isInside(), then, otherwise);
          if (!otherwise && random.chance(0.2))
            effect();
          return values;
        },
        otherwise);
  default:
    return builder.ifThen(builder.compare(NotBelow, row, builder.index(rows)),
                          otherwise ? otherwise : nothing, then);
  }
}

/// What there is where nothing is looked up.
ValueId Nests::valueElsewhere(Scalar type, ValueId scales, int64_t rows) {
  switch (random.weighted({2, 1, 2, 1})) {
  case 0:
    return builder.constant(type, 0);
  case 1:
    return builder.someConstant(type);
  case 2:
    return builder.load(scales, {expressions.clamp(expressions.index(), rows)});
  default:
    return expressions.data(type, 1);
  }
}

void Nests::predicatedNest() {
  int64_t positions = sizeOrEmpty(), rows = expressions.someSize(),
          length = expressions.someSize();
  Scalar type = expressions.someDataType();
  ValueId weight = table("weight", type, {rows, length}, false);
  ValueId scales = table("scales", type, {rows}, false);
  ValueId out = table("out", type, {positions, length}, true);
  bool isScaled = random.chance(0.3), isAdded = random.chance(0.6),
       isChosen = random.chance(0.3);
  auto keep = [&](ValueId value, const Values &at) {
    ValueId old = isAdded || isChosen ? builder.load(out, at) : 0;
    if (isAdded)
      value = accumulate(old, value);
    if (isChosen)
      value = builder.select(expressions.condition(), value, old);
    builder.store(value, out, at);
  };
  auto elsewhere = [&] { return Values{valueElsewhere(type, scales, rows)}; };

  /// The condition is asked for each element.
  auto elements = [&](ValueId p, ValueId row) {
    simpleLoop(length, [&](ValueId e) {
      Values value = whereRow(
          row, rows,
          [&] {
            ValueId found = builder.load(weight, {row, e});
            if (isScaled)
              found =
                  expressions.combine(type, found, builder.load(scales, {row}));
            return Values{found};
          },
          elsewhere);
      keep(value[0], {p, e});
    });
  };
  /// The condition is asked once for the row.
  auto wholeRow = [&](ValueId p, ValueId row) {
    Builder::Branch otherwise;
    if (random.chance(0.4))
      otherwise = [&] {
        if (random.chance(0.5))
          effect();
        else
          simpleLoop(length, [&](ValueId e) {
            keep(builder.someConstant(type), {p, e});
          });
        return Values();
      };
    whereRow(
        row, rows,
        [&] {
          std::optional<ValueId> scale;
          if (isScaled)
            scale = builder.load(scales, {row});
          simpleLoop(length, [&](ValueId e) {
            ValueId value = builder.load(weight, {row, e});
            keep(scale ? expressions.combine(type, value, *scale) : value,
                 {p, e});
          });
          return Values();
        },
        otherwise);
  };
  /// What is carried changes where there is a row.
  auto sum = [&](ValueId row, ValueId carried) {
    bool stays = random.chance(0.6);
    auto other = [&] { return stays ? Values{carried} : elsewhere(); };
    return whereRow(
        row, rows,
        [&] {
          ValueId found = builder.load(scales, {row});
          return Values{random.chance(0.7)
                            ? expressions.combine(type, carried, found)
                            : found};
        },
        other);
  };

  size_t form = random.position(3);
  Values initial;
  if (form == 2)
    initial.push_back(builder.someConstant(type));
  Values results = builder.forLoop(
      builder.index(0), sizeValue(positions), builder.index(1), initial,
      [&](ValueId p, const Values &carried) {
        ValueId row = builder.binary(Opcode::SubI, loadIndexAt(rows + 2, {p}),
                                     builder.index(1));
        if (form == 0)
          elements(p, row);
        else if (form == 1)
          wholeRow(p, row);
        else
          return sum(row, carried[0]);
        return Values();
      });
  for (ValueId result : results)
    storeSomewhere(result);
}

} // namespace ember::fuzz
