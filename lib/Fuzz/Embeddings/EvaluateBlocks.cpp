//===- EvaluateBlocks.cpp - What operations on blocks of rows compute -----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Embeddings/EmbeddingEvaluator.h"

#include <limits>

namespace ember::fuzz {

int64_t EmbeddingEvaluator::gatheredRow(int64_t block, int64_t place) {
  int64_t chosen = index(Role::Blocks, {block, place / embedding.blockSize});
  int64_t row;
  // No table has such a row: an error where it has elements to look up.
  if (__builtin_mul_overflow(chosen, embedding.blockSize, &row))
    return std::numeric_limits<int64_t>::min();
  return row + place % embedding.blockSize;
}

void EmbeddingEvaluator::runGather() {
  const EmbeddingOperand &source = operand(Role::Source);
  const EmbeddingOperand &init = operand(Role::Init);
  int64_t length = size(init, 2), places = size(init, 1);
  require(size(source, 1) ==
              (embedding.format ? embedding.format->rowBytes(length) : length),
          "length of rows");
  require(size(init, 0) == size(Role::Blocks, 0), "number of entries");
  require(places == size(Role::Blocks, 1) * embedding.blockSize,
          "number of gathered rows");
  for (int64_t block = 0; block < size(init, 0); ++block)
    for (int64_t place = 0; place < places && isFine(); ++place) {
      int64_t row = gatheredRow(block, place);
      for (int64_t d = 0; d < length && isFine(); ++d) {
        if (source.element != init.element) {
          store({block, place, d}, tableElement(source, row, d, length));
          continue;
        }
        // Copied as it is.
        if (std::optional<int64_t> from = locate(source, {row, d}))
          storeBits({block, place, d}, source.view.storage->bits[*from],
                    source.view.storage->error(*from));
      }
    }
}

void EmbeddingEvaluator::checkBlocks(const EmbeddingOperand &queries,
                                     const EmbeddingOperand &perQuery) {
  require(size(queries, 0) == size(Role::Init, 0), "number of rows");
  require(size(queries, 0) == size(Role::Blocks, 0) * embedding.blockSize,
          "number of queries");
  require(size(perQuery, 1) == size(Role::Blocks, 1) * embedding.blockSize,
          "number of gathered rows");
}

void EmbeddingEvaluator::runBlockScores() {
  const EmbeddingOperand &queries = operand(Role::Queries);
  const EmbeddingOperand &keys = operand(Role::Keys);
  checkBlocks(queries, operand(Role::Init));
  require(size(queries, 1) == size(keys, 1), "length of rows");
  if (!isFine())
    return;
  for (int64_t query = 0; query < size(queries, 0); ++query)
    for (int64_t place = 0; place < size(Role::Init, 1) && isFine(); ++place) {
      int64_t key = gatheredRow(query / embedding.blockSize, place);
      std::vector<Approximate> terms;
      for (int64_t d = 0; d < size(queries, 1) && isFine(); ++d)
        terms.push_back(arithmetic.multiplyInSum(load(queries, {query, d}),
                                                 load(keys, {key, d})));
      Approximate score = arithmetic.sum(terms);
      if (has(Role::Scale))
        score = arithmetic.multiply(score, scalar(Role::Scale));
      store({query, place}, score);
    }
}

void EmbeddingEvaluator::runBlockValues() {
  const EmbeddingOperand &weights = operand(Role::BlockWeights);
  const EmbeddingOperand &rows = operand(Role::BlockRows);
  checkBlocks(weights, weights);
  require(size(rows, 1) == size(Role::Init, 1), "length of rows");
  if (!isFine())
    return;
  for (int64_t query = 0; query < size(weights, 0) && isFine(); ++query) {
    RowReduction reduction(arithmetic, StepFunction::Add, /*isMean=*/false,
                           size(rows, 1));
    for (int64_t place = 0; place < size(weights, 1) && isFine(); ++place) {
      int64_t row = gatheredRow(query / embedding.blockSize, place);
      Approximate weight = load(weights, {query, place});
      reduction.addProducts(weight,
                            [&](int64_t d) { return load(rows, {row, d}); });
    }
    for (int64_t d = 0; d < size(rows, 1) && isFine(); ++d)
      store({query, d}, reduction.result(d));
  }
}

} // namespace ember::fuzz
