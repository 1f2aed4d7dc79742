//===- Nests.h - Random loop nests ------------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_NESTS_NESTS_H
#define EMBER_FUZZ_NESTS_NESTS_H

#include "ember/Fuzz/Nests/Expressions.h"

namespace ember::fuzz {

class Nests {
public:
  explicit Nests(Builder &builder)
      : builder(builder), random(builder.random), style(builder.style),
        expressions(builder) {}

  /// A nest of loops of any form.
  void anyNest();
  /// One of the known operations on embeddings and sparse matrices, varied.
  void knownNest();
  /// Gives every element of `memref` a value.
  void fill(ValueId memref);
  /// Stores a value of `type` somewhere.
  void storeSomewhere(ValueId value);

  /// What statements may hold beside what is here, calls for example.
  std::function<bool()> extraStatement;

private:
  struct Bounds {
    ValueId lower, upper, step;
    /// Of the visited values from `lower`, where they are large themselves.
    std::optional<Range> distance = std::nullopt;
  };

  Bounds denseBounds(int64_t size);
  Bounds farBounds(int64_t size);
  Bounds segmentBounds(ValueId segment, int64_t positions);
  Bounds someBounds(int depth);
  double expectedTrips(const Bounds &bounds) const;
  ValueId sizeValue(int64_t size);
  ValueId indexConstantOrParameter(int64_t value);

  void loop(int depth);
  void body(int depth);
  void inner(int depth);
  void statement();
  void effect();
  void branch();
  std::vector<ValueId> chosenValue(Scalar type, int depth);
  void recurrence();
  void copy();
  void assertion();
  int64_t sizeOrEmpty();
  void makeView();
  void partOf(ValueId memref);
  void workspaceLoop();
  void temporaryRow(int depth);
  void updateCarried();
  ValueId accumulate(ValueId old, ValueId value);

  // The known nests.
  void bagNest();
  void sampledProductNest();
  void scatterNest();
  void gatherNest();
  void matrixVectorNest();
  void scoreNest();
  void compactionNest();
  void coordinateNest();
  void predicatedNest();

  std::vector<ValueId> whereRow(ValueId row, int64_t rows,
                                const Builder::Branch &then,
                                const Builder::Branch &otherwise);
  ValueId valueElsewhere(Scalar type, ValueId scales, int64_t rows);

  // Coordinate format, by segments.
  struct Coordinates {
    ValueId memref;
    int64_t positions;
  };
  ValueId segmentEnd(const Coordinates &level, ValueId begin, ValueId limit);
  std::vector<ValueId>
  segmentLoop(const Coordinates &level, ValueId lower, ValueId upper,
              std::vector<ValueId> initial,
              const std::function<std::vector<ValueId>(
                  ValueId, ValueId, const std::vector<ValueId> &)> &body);

  void simpleLoop(int64_t size, const std::function<void(ValueId)> &body);
  void
  segmentsByLength(int64_t segments, int64_t positions,
                   const std::function<void(ValueId, const Bounds &)> &body);
  ValueId loadAs(Scalar type, ValueId memref, std::vector<ValueId> indices);
  ValueId loadIndexAt(int64_t rows, std::vector<ValueId> indices);
  ValueId table(std::string name, Scalar element, std::vector<int64_t> shape,
                bool isOutput);

  Builder &builder;
  Random &random;
  const Style &style;
  Expressions expressions;
  /// Values carried by the loops around, innermost last.
  std::vector<std::vector<ValueId>> carried;
  /// Iterations of the loops around, about.
  double trips = 1;
};

} // namespace ember::fuzz

#endif // EMBER_FUZZ_NESTS_NESTS_H
