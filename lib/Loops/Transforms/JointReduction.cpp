//===- JointReduction.cpp - Reduce several vectors at once ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reducing one vector of N lanes takes log N steps, each of which leaves half
// of the lanes idle. Of two vectors, one step makes a vector that holds half as
// many parts of each:
//
//   a0 a1 a2 a3   b0 b1 b2 b3    =>    a0+a2 b0+b2 a1+a3 b1+b3
//
// Steps first stay within 128 bits, where shuffles are cheapest on every
// processor, and then move blocks of 128 bits.
//
//===----------------------------------------------------------------------===//

#include "JointReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace ember::loops {
using namespace mlir;

namespace {
/// Vectors of equal layout, which hold parts of so many results each.
class PartialResults {
public:
  PartialResults(OpBuilder &builder, Location loc, Combination combination,
                 SmallVector<Value> vectors)
      : builder(builder), loc(loc), combination(combination),
        vectors(std::move(vectors)) {
    auto type = cast<VectorType>(this->vectors.front().getType());
    lanes = type.getNumElements();
    Type element = type.getElementType();
    int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    perBlock = std::clamp<int64_t>(128 / bits, 1, lanes);
  }

  Value reduce();

private:
  Value combine(Value first, Value second, ArrayRef<int64_t> left,
                ArrayRef<int64_t> right);
  Value combineBlocks(Value first, Value second, int64_t groups, int64_t parts);
  void joinWithinBlocks();
  void joinBlocks();
  void foldBlocks();
  void foldWithinBlock();

  OpBuilder &builder;
  Location loc;
  Combination combination;
  SmallVector<Value> vectors;
  int64_t lanes, perBlock;
  /// Results that each vector holds parts of.
  int64_t results = 1;
};
} // namespace

/// Combines two choices of the lanes of `first` and, behind them, `second`.
Value PartialResults::combine(Value first, Value second, ArrayRef<int64_t> left,
                              ArrayRef<int64_t> right) {
  Value one = vector::ShuffleOp::create(builder, loc, first, second, left);
  Value other = vector::ShuffleOp::create(builder, loc, first, second, right);
  return vector::makeArithReduction(builder, loc, combination.kind, one, other,
                                    combination.flags);
}

/// Joins pairs: in each block, the results of both side by side, once for each
/// part.
void PartialResults::joinWithinBlocks() {
  SmallVector<int64_t> left, right;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t block = lane / perBlock, at = lane % perBlock;
    int64_t result = at % (2 * results), part = at / (2 * results);
    int64_t from = (result / results) * lanes + block * perBlock +
                   part * results + result % results;
    left.push_back(from);
    right.push_back(from + perBlock / 2);
  }
  SmallVector<Value> joined;
  for (size_t i = 0; i < vectors.size(); i += 2)
    joined.push_back(combine(vectors[i], vectors[i + 1], left, right));
  vectors = joined;
  results *= 2;
}

/// Combines blocks with parts of the same results, which stand side by side:
/// the first half of the parts of each group with the second. Groups behind the
/// lanes of `first` are those of `second`.
Value PartialResults::combineBlocks(Value first, Value second, int64_t groups,
                                    int64_t parts) {
  SmallVector<int64_t> left, right;
  for (int64_t group = 0; group < groups; ++group)
    for (int64_t part = 0; part < parts / 2; ++part)
      for (int64_t at = 0; at < perBlock; ++at) {
        int64_t block = group * parts + part;
        left.push_back(block * perBlock + at);
        right.push_back((block + parts / 2) * perBlock + at);
      }
  return combine(first, second, left, right);
}

/// Joins pairs: the groups of the first, then those of the second.
void PartialResults::joinBlocks() {
  int64_t groups = results / perBlock, parts = lanes / results;
  SmallVector<Value> joined;
  for (size_t i = 0; i < vectors.size(); i += 2)
    joined.push_back(
        combineBlocks(vectors[i], vectors[i + 1], 2 * groups, parts));
  vectors = joined;
  results *= 2;
}

/// Halves the blocks of the only vector.
void PartialResults::foldBlocks() {
  int64_t groups = std::max<int64_t>(results / perBlock, 1);
  Value only = vectors.front();
  vectors.front() =
      combineBlocks(only, only, groups, lanes / perBlock / groups);
  lanes /= 2;
}

/// Combines the two halves of the only block.
void PartialResults::foldWithinBlock() {
  SmallVector<int64_t> left, right;
  for (int64_t lane = 0; lane < lanes / 2; ++lane) {
    left.push_back(lane);
    right.push_back(lane + lanes / 2);
  }
  vectors.front() = combine(vectors.front(), vectors.front(), left, right);
  lanes /= 2;
}

Value PartialResults::reduce() {
  while (vectors.size() > 1) {
    if (results < perBlock)
      joinWithinBlocks();
    else
      joinBlocks();
  }
  int64_t groups = std::max<int64_t>(results / perBlock, 1);
  while (lanes > groups * perBlock)
    foldBlocks();
  while (lanes > results)
    foldWithinBlock();
  return vectors.front();
}

Value reduceTogether(OpBuilder &builder, Location loc, Combination combination,
                     SmallVector<Value> vectors) {
  return PartialResults(builder, loc, combination, std::move(vectors)).reduce();
}

} // namespace ember::loops
