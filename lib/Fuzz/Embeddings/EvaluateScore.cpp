//===- EvaluateScore.cpp - What embed.score computes ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Embeddings/EmbeddingEvaluator.h"
#include <algorithm>
#include <cmath>

namespace ember::fuzz {

void EmbeddingEvaluator::checkScoreSizes() {
  int64_t length = size(Role::Entities, 1), triples = size(Role::Heads, 0);
  if (embedding.isComplex())
    require(length % 2 == 0, "length of complex rows");
  if (embedding.model == Embedding::RotatE)
    length /= 2;
  require(size(Role::Relations, 1) == length, "length of relations");
  require(size(Role::Types, 0) == triples, "number of types");
  require(size(Role::Init, 0) == triples, "number of scores");
  if (has(Role::Tails))
    require(size(Role::Tails, 0) == triples, "number of tails");
  else
    require(size(Role::Init, 1) == size(Role::Entities, 0),
            "number of columns");
}

/// The largest of the absolute values.
static double largest(std::initializer_list<Approximate> values) {
  double magnitude = 0;
  for (const Approximate &value : values)
    magnitude = std::max(magnitude, std::fabs(value.value) + value.error);
  return magnitude;
}

Approximate EmbeddingEvaluator::scoreElement(int64_t head, int64_t relation,
                                             int64_t tail, int64_t d,
                                             int64_t length) {
  const EmbeddingOperand &entities = operand(Role::Entities);
  const EmbeddingOperand &relations = operand(Role::Relations);
  const ApproximateArithmetic &on = arithmetic;
  Approximate h = load(entities, {head, d}), r = load(relations, {relation, d}),
              t = load(entities, {tail, d});
  if (embedding.model == Embedding::DistMult)
    return on.multiplyInSum(on.multiplyInSum(h, r), t);
  if (embedding.model == Embedding::TransE) {
    Approximate difference = on.subtract(on.add(h, r), t);
    return embedding.norm == 1 ? on.absolute(difference)
                               : on.multiplyInSum(difference, difference);
  }
  // In which steps complex numbers are multiplied is left open.
  Approximate hi = load(entities, {head, d + length}),
              ti = load(entities, {tail, d + length}), ri;
  if (embedding.model == Embedding::ComplEx) {
    ri = load(relations, {relation, d + length});
  } else {
    ri = on.sine(r);
    r = on.cosine(r);
  }
  Approximate ac = on.multiplyInSum(h, r), bd = on.multiplyInSum(hi, ri),
              ad = on.multiplyInSum(h, ri), bc = on.multiplyInSum(hi, r);
  Approximate real = on.loosen(on.subtract(ac, bd), largest({ac, bd}), 2);
  Approximate imaginary = on.loosen(on.add(ad, bc), largest({ad, bc}), 2);
  if (embedding.model == Embedding::ComplEx) {
    Approximate first = on.multiplyInSum(real, t),
                second = on.multiplyInSum(imaginary, ti);
    return on.loosen(on.add(first, second), largest({first, second}), 2);
  }
  real = on.loosen(on.subtract(real, t), largest({real, t}), 2);
  imaginary =
      on.loosen(on.subtract(imaginary, ti), largest({imaginary, ti}), 2);
  Approximate square = on.add(on.multiplyInSum(real, real),
                              on.multiplyInSum(imaginary, imaginary));
  return embedding.norm == 1 ? on.squareRoot(square) : square;
}

Approximate EmbeddingEvaluator::score(int64_t head, int64_t relation,
                                      int64_t tail) {
  int64_t length = size(Role::Entities, 1);
  if (embedding.isComplex())
    length /= 2;
  std::vector<Approximate> terms;
  for (int64_t d = 0; d < length; ++d)
    terms.push_back(scoreElement(head, relation, tail, d, length));
  Approximate sum = arithmetic.sum(terms);
  if (!embedding.hasNorm())
    return sum;
  return arithmetic.negate(embedding.norm == 2 ? arithmetic.squareRoot(sum)
                                               : sum);
}

void EmbeddingEvaluator::runScore() {
  checkScoreSizes();
  for (int64_t triple = 0; isFine() && triple < size(Role::Heads, 0);
       ++triple) {
    int64_t head = index(Role::Heads, {triple});
    int64_t relation = index(Role::Types, {triple});
    if (has(Role::Tails)) {
      int64_t tail = index(Role::Tails, {triple});
      store({triple}, score(head, relation, tail));
      continue;
    }
    for (int64_t tail = 0; tail < size(Role::Entities, 0); ++tail)
      store({triple, tail}, score(head, relation, tail));
  }
}

} // namespace ember::fuzz
