//===- Expressions.h - Random addresses and arithmetic ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Picks values in scope, forms addresses that stay inside arrays (or makes
// arrays that are large enough), and computes.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_NESTS_EXPRESSIONS_H
#define EMBER_FUZZ_NESTS_EXPRESSIONS_H

#include "ember/Fuzz/Nests/Builder.h"

namespace ember::fuzz {

/// An element of a memref.
struct Access {
  ValueId memref = 0;
  std::vector<ValueId> indices;
};

class Expressions {
public:
  explicit Expressions(Builder &builder)
      : builder(builder), random(builder.random), style(builder.style) {}

  /// A size that loops and dimensions share.
  int64_t someSize() { return random.pick(style.sizes); }
  Scalar someDataType() { return random.pick(style.data); }

  /// An index in [0, limit]: one in scope, or arithmetic on some.
  ValueId index(int64_t limit = 63);
  /// Brings `value`, an index, into [0, size).
  ValueId clamp(ValueId value, int64_t size);
  /// An element of type `element` that is read or, with `forStore`, written.
  Access access(Scalar element, bool forStore);
  ValueId load(const Access &access) {
    return builder.load(access.memref, access.indices);
  }

  /// An element of a new or fitting integer array whose elements are in
  /// [0, size).
  Access indexArray(Scalar element, Content content, int64_t size,
                    std::vector<ValueId> indices);
  /// An index loaded from memory.
  ValueId lookup();

  /// A value of type `type`, computed with up to `depth` operations on a path.
  ValueId data(Scalar type, int depth);
  ValueId combine(Scalar type, ValueId lhs, ValueId rhs);
  ValueId condition();

  /// A memref whose elements at `ranges` exist; prefers those in scope.
  ValueId findOrAddArray(Scalar element, const std::vector<ValueId> &indices,
                         bool forStore);
  Array makeArray(std::string name, Scalar element,
                  const std::vector<ValueId> &indices);

private:
  std::optional<ValueId> recentScalar(Scalar type);
  ValueId rawIndex(int64_t limit);
  ValueId varyIndex(ValueId value, int64_t limit);
  ValueId leaf(Scalar type);
  ValueId castFromOther(Scalar type);
  ValueId combineFloats(Scalar type, ValueId lhs, ValueId rhs);
  ValueId combineIntegers(Scalar type, ValueId lhs, ValueId rhs);
  ValueId positiveDivisor(Scalar type);
  bool fits(ValueId memref, const std::vector<ValueId> &indices) const;

  Builder &builder;
  Random &random;
  const Style &style;
};

} // namespace ember::fuzz

#endif // EMBER_FUZZ_NESTS_EXPRESSIONS_H
