//===- KnownNests.cpp - Operations on embeddings, varied ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nests the compiler is for, as front ends write them. Random nests alone
// would seldom have their exact form.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Nests/Nests.h"
#include <algorithm>

namespace ember::fuzz {

ValueId Nests::table(std::string name, Scalar element,
                     std::vector<int64_t> shape, bool isOutput) {
  Array array;
  array.name = std::move(name);
  array.element = element;
  for (size_t i = 0; i < shape.size(); ++i)
    array.isOpen.push_back(random.chance(style.openDimensions));
  array.shape = std::move(shape);
  array.isOutput = isOutput;
  return builder.addParameter(std::move(array));
}

using Values = std::vector<ValueId>;

/// A loop from 0 without carried values.
void Nests::simpleLoop(int64_t size, const std::function<void(ValueId)> &body) {
  builder.forLoop(builder.index(0), sizeValue(size), builder.index(1), {},
                  [&](ValueId iv, const Values &) {
                    body(iv);
                    return Values();
                  });
}

ValueId Nests::loadAs(Scalar type, ValueId memref, Values indices) {
  return builder.convert(builder.load(memref, std::move(indices)), type);
}

ValueId Nests::loadIndexAt(int64_t rows, Values indices) {
  ValueId raw = expressions.load(expressions.indexArray(
      style.index, Content::Indices, rows, std::move(indices)));
  return builder.convert(raw, Scalar::Index);
}

static Opcode addOf(Scalar type) {
  return isFloat(type) ? Opcode::AddF : Opcode::AddI;
}
static Opcode mulOf(Scalar type) {
  return isFloat(type) ? Opcode::MulF : Opcode::MulI;
}
static Opcode maxOf(Scalar type) {
  return isFloat(type) ? Opcode::MaximumF : Opcode::MaxSI;
}

/// The type sums have over tables of type `table`.
static Scalar sumType(Random &random, Scalar table) {
  if (isHalf(table) && random.chance(0.6))
    return Scalar::F32;
  if (table == Scalar::I8 && random.chance(0.6))
    return random.pick({Scalar::I32, Scalar::F32});
  return table;
}

/// Segments of given lengths, one behind the other.
void Nests::segmentsByLength(
    int64_t segments, int64_t positions,
    const std::function<void(ValueId, const Bounds &)> &body) {
  builder.forLoop(
      builder.index(0), sizeValue(segments), builder.index(1),
      {builder.index(0)}, [&](ValueId segment, const Values &reached) {
        ValueId length =
            builder.convert(expressions.load(expressions.indexArray(
                                style.offset, Content::Indices, 4, {segment})),
                            Scalar::Index);
        ValueId begin = expressions.clamp(reached[0], positions);
        body(segment, {begin, builder.binary(Opcode::AddI, begin, length),
                       builder.index(1)});
        return Values{builder.binary(Opcode::AddI, reached[0], length)};
      });
}

void Nests::bagNest() {
  int64_t bags = sizeOrEmpty(), rows = expressions.someSize(),
          length = expressions.someSize(), positions = expressions.someSize();
  Scalar type = expressions.someDataType(), sum = sumType(random, type);
  ValueId weight = table("weight", type, {rows, length}, false);
  ValueId out = table("out", sum, {bags, length}, true);
  bool isFlat = random.chance(0.2), isMax = random.chance(0.2),
       hasScale = random.chance(0.4), hasWeights = random.chance(0.4),
       hasPadding = random.chance(0.4), hasZeros = random.chance(0.6);
  // Padding is -1 or one of the rows; it is skipped, counted, or replaced. What
  // a row adds may also be computed and then not taken.
  bool isNegative = hasPadding && random.chance(0.6),
       isReplaced = random.chance(0.3), isCounted = random.chance(0.3),
       isChosen = random.chance(0.4);
  ValueId scales = table("scales", sum, {positions + bags * 3}, false);

  auto element = [&](ValueId bag, ValueId row, ValueId scale,
                     std::optional<ValueId> isTaken = std::nullopt) {
    simpleLoop(length, [&](ValueId e) {
      ValueId value = loadAs(sum, weight, {row, e});
      if (hasWeights)
        value = builder.binary(mulOf(sum), value, scale);
      ValueId old = builder.load(out, {bag, e});
      ValueId next =
          builder.binary(isMax ? maxOf(sum) : addOf(sum), old, value);
      if (isTaken)
        next = builder.select(*isTaken, next, old);
      builder.store(next, out, {bag, e});
    });
  };
  auto fill = [&](ValueId bag, const Bounds &bounds) {
    if (hasZeros)
      simpleLoop(length, [&](ValueId e) {
        builder.store(builder.constant(sum, 0), out, {bag, e});
      });
    builder.forLoop(
        bounds.lower, bounds.upper, bounds.step, {},
        [&](ValueId p, const Values &) {
          ValueId row = loadIndexAt(isNegative ? rows + 1 : rows,
                                    isFlat ? Values{bag, p} : Values{p});
          if (isNegative)
            row = builder.binary(Opcode::SubI, row, builder.index(1));
          ValueId scale = 0;
          if (hasWeights)
            scale = builder.load(scales,
                                 {expressions.clamp(p, positions + bags * 3)});
          if (!hasPadding) {
            element(bag, row, scale);
            return Values();
          }
          ValueId isUsed =
              isNegative ? (random.chance(0.5)
                                ? builder.compare(5, row, builder.index(0))
                                : builder.compare(6, row, builder.index(rows)))
                         : builder.compare(1, row, builder.index(rows / 2));
          if (isChosen && !isNegative) {
            element(bag, row, scale, isUsed);
            return Values();
          }
          if (isReplaced) {
            element(bag, builder.select(isUsed, row, builder.index(0)), scale);
            return Values();
          }
          Builder::Branch otherwise;
          if (isCounted)
            otherwise = [&] {
              simpleLoop(length, [&](ValueId e) {
                ValueId old = builder.load(out, {bag, e});
                builder.store(
                    builder.binary(addOf(sum), old, builder.someConstant(sum)),
                    out, {bag, e});
              });
              return Values();
            };
          builder.ifThen(
              isUsed,
              [&] {
                element(bag, row, scale);
                return Values();
              },
              otherwise);
          return Values();
        });
    if (!hasScale)
      return;
    // The mean of an empty bag: divide by one.
    ValueId count = builder.binary(Opcode::SubI, bounds.upper, bounds.lower);
    ValueId divisor = builder.convert(
        builder.binary(Opcode::MaxSI, count, builder.index(1)), sum);
    simpleLoop(length, [&](ValueId e) {
      ValueId old = builder.load(out, {bag, e});
      Opcode opcode = isFloat(sum) ? Opcode::DivF : Opcode::MulI;
      builder.store(builder.binary(opcode, old, divisor), out, {bag, e});
    });
  };
  if (random.chance(0.25)) {
    segmentsByLength(bags, positions, fill);
    return;
  }
  simpleLoop(bags, [&](ValueId bag) {
    fill(bag, isFlat
                  ? Bounds{builder.index(0), builder.index(3), builder.index(1)}
                  : segmentBounds(bag, positions));
  });
}

/// SDDMM, and with a second loop over the row the fused SpMM after it.
void Nests::sampledProductNest() {
  int64_t rows = expressions.someSize(), columns = expressions.someSize(),
          length = expressions.someSize(), positions = expressions.someSize();
  Scalar type = expressions.someDataType();
  ValueId left = table("left", type, {rows, length}, false);
  ValueId right = table("right", type, {columns, length}, false);
  bool isFused = random.chance(0.4);
  ValueId out = isFused ? table("out", type, {rows, length}, true)
                        : table("out", type, {positions + rows * 4}, true);
  simpleLoop(rows, [&](ValueId row) {
    Bounds bounds = segmentBounds(row, positions);
    builder.forLoop(
        bounds.lower, bounds.upper, bounds.step, {},
        [&](ValueId p, const Values &) {
          ValueId column = loadIndexAt(columns, {p});
          Values dot = builder.forLoop(
              builder.index(0), sizeValue(length), builder.index(1),
              {builder.someConstant(type)}, [&](ValueId k, const Values &sum) {
                ValueId product =
                    builder.binary(mulOf(type), builder.load(left, {row, k}),
                                   builder.load(right, {column, k}));
                return Values{builder.binary(addOf(type), sum[0], product)};
              });
          if (!isFused) {
            builder.store(dot[0], out,
                          {expressions.clamp(p, positions + rows * 4)});
            return Values();
          }
          simpleLoop(length, [&](ValueId e) {
            ValueId value = builder.binary(mulOf(type), dot[0],
                                           builder.load(right, {column, e}));
            ValueId old = builder.load(out, {row, e});
            builder.store(builder.binary(addOf(type), old, value), out,
                          {row, e});
          });
          return Values();
        });
  });
}

/// COO: rows and columns of each position; rows of the output are scattered.
void Nests::scatterNest() {
  int64_t rows = expressions.someSize(), columns = expressions.someSize(),
          length = expressions.someSize(), positions = sizeOrEmpty();
  Scalar type = expressions.someDataType();
  ValueId values = table("values", type, {positions}, false);
  ValueId dense = table("dense", type, {columns, length}, false);
  ValueId out = table("out", type, {rows, length}, true);
  bool isStore = random.chance(0.2);
  simpleLoop(positions, [&](ValueId p) {
    ValueId row = loadIndexAt(rows, {p});
    ValueId column = loadIndexAt(columns, {p});
    ValueId value = builder.load(values, {p});
    simpleLoop(length, [&](ValueId e) {
      ValueId next =
          builder.binary(mulOf(type), value, builder.load(dense, {column, e}));
      if (!isStore)
        next = builder.binary(addOf(type), builder.load(out, {row, e}), next);
      builder.store(next, out, {row, e});
    });
  });
}

/// Sparse attention: blocks of rows, copied.
void Nests::gatherNest() {
  int64_t blocks = std::min<int64_t>(expressions.someSize(), 9),
          tokens = random.between(1, 4), sources = expressions.someSize(),
          length = expressions.someSize();
  Scalar type = expressions.someDataType();
  ValueId keys = table("keys", type, {sources * tokens, length}, false);
  ValueId out = table("out", type, {blocks * tokens, length}, true);
  simpleLoop(blocks, [&](ValueId block) {
    ValueId source = loadIndexAt(sources, {block});
    simpleLoop(tokens, [&](ValueId token) {
      ValueId size = builder.index(tokens);
      ValueId from = builder.binary(
          Opcode::AddI, builder.binary(Opcode::MulI, source, size), token);
      ValueId to = builder.binary(
          Opcode::AddI, builder.binary(Opcode::MulI, block, size), token);
      simpleLoop(length, [&](ValueId e) {
        builder.store(builder.load(keys, {from, e}), out, {to, e});
      });
    });
  });
}

void Nests::matrixVectorNest() {
  int64_t rows = sizeOrEmpty(), columns = expressions.someSize(),
          positions = expressions.someSize();
  Scalar type = expressions.someDataType();
  ValueId vector = table("vector", type, {columns}, false);
  ValueId values = table("values", type, {positions + rows * 4}, false);
  ValueId out = table("out", type, {rows}, true);
  bool countsToo = random.chance(0.4);
  simpleLoop(rows, [&](ValueId row) {
    Values initial = {builder.someConstant(type)};
    if (countsToo)
      initial.push_back(builder.index(0));
    Bounds bounds = segmentBounds(row, positions);
    Values sum = builder.forLoop(
        bounds.lower, bounds.upper, bounds.step, initial,
        [&](ValueId p, const Values &carried) {
          ValueId column = loadIndexAt(columns, {p});
          ValueId product = builder.binary(
              mulOf(type), builder.load(vector, {column}),
              builder.load(values,
                           {expressions.clamp(p, positions + rows * 4)}));
          Values next = {builder.binary(addOf(type), carried[0], product)};
          if (countsToo)
            next.push_back(
                builder.binary(Opcode::AddI, carried[1], builder.index(1)));
          return next;
        });
    builder.store(sum[0], out, {row});
    if (countsToo)
      storeSomewhere(sum[1]);
  });
}

/// Knowledge graphs: a norm over head + relation - tail.
void Nests::scoreNest() {
  int64_t samples = expressions.someSize(), entities = expressions.someSize(),
          length = expressions.someSize();
  Scalar type = expressions.someDataType();
  ValueId entity = table("entity", type, {entities, length}, false);
  ValueId relation = table("relation", type, {entities, length}, false);
  ValueId out = table("out", type, {samples}, true);
  Opcode minus = isFloat(type) ? Opcode::SubF : Opcode::SubI;
  simpleLoop(samples, [&](ValueId sample) {
    ValueId head = loadIndexAt(entities, {sample});
    ValueId link = loadIndexAt(entities, {sample});
    ValueId tail = loadIndexAt(entities, {sample});
    Values norm = builder.forLoop(
        builder.index(0), sizeValue(length), builder.index(1),
        {builder.constant(type, 0)}, [&](ValueId e, const Values &sum) {
          ValueId moved =
              builder.binary(addOf(type), builder.load(entity, {head, e}),
                             builder.load(relation, {link, e}));
          ValueId distance =
              builder.binary(minus, moved, builder.load(entity, {tail, e}));
          ValueId size = isFloat(type)
                             ? builder.unary(Opcode::AbsF, distance)
                             : builder.binary(Opcode::MulI, distance, distance);
          return Values{builder.binary(
              random.chance(0.7) ? addOf(type) : maxOf(type), sum[0], size)};
        });
    builder.store(norm[0], out, {sample});
  });
}

/// Values that pass a test, stored one after the other.
void Nests::compactionNest() {
  int64_t positions = expressions.someSize(), rows = expressions.someSize();
  Scalar type = expressions.someDataType();
  ValueId values = table("values", type, {rows}, false);
  ValueId out = table("out", type, {positions + 1}, true);
  Values kept = builder.forLoop(
      builder.index(0), sizeValue(positions), builder.index(1),
      {builder.index(0)}, [&](ValueId p, const Values &count) {
        ValueId row = loadIndexAt(rows, {p});
        ValueId value = builder.load(values, {row});
        builder.store(value, out, {expressions.clamp(count[0], positions + 1)});
        ValueId isKept = builder.compare(6, row, builder.index(rows / 2));
        ValueId step = builder.convert(isKept, Scalar::Index);
        return Values{builder.binary(Opcode::AddI, count[0], step)};
      });
  storeSomewhere(kept[0]);
}

void Nests::knownNest() {
  switch (random.weighted({5, 2, 2, 1, 2, 1, 1, 2, 3})) {
  case 0:
    return bagNest();
  case 1:
    return sampledProductNest();
  case 2:
    return scatterNest();
  case 3:
    return gatherNest();
  case 4:
    return matrixVectorNest();
  case 5:
    return scoreNest();
  case 6:
    return compactionNest();
  case 7:
    return coordinateNest();
  default:
    return predicatedNest();
  }
}

} // namespace ember::fuzz
