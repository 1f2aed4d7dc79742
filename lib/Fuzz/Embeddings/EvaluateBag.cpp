//===- EvaluateBag.cpp - What embed.bag computes --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Embeddings/EmbeddingEvaluator.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"

namespace ember::fuzz {

void EmbeddingEvaluator::checkBagSizes() {
  auto tables = static_cast<int64_t>(embedding.positions(Role::Table).size());
  int64_t segments = size(Role::Init, 0) * tables;
  if (embedding.segments == Embedding::Offsets)
    ++segments;
  require(size(Role::Segments, 0) == segments, "number of segments");
  if (has(Role::Weights))
    require(size(Role::Weights, 0) == size(Role::Indices, 0),
            "number of weights");
}

void EmbeddingEvaluator::checkLengths() {
  int64_t total = 0;
  for (int64_t i = 0; i < size(Role::Segments, 0) && isFine(); ++i) {
    int64_t length = index(Role::Segments, {i});
    require(length >= 0, "negative length");
    // Each is compared, so that the sum cannot wrap.
    if (isFine() && length > size(Role::Indices, 0) - total)
      require(false, "sum of lengths");
    total += length;
  }
}

void EmbeddingEvaluator::addRow(RowReduction &reduction,
                                const EmbeddingOperand &table, int64_t row,
                                int64_t length,
                                std::optional<Approximate> weight) {
  auto element = [&](int64_t d) { return tableElement(table, row, d, length); };
  bool isScaled = embedding.format && embedding.format->isScaled();
  if (isScaled && embedding.reduction != Embedding::Max) {
    reduction.shift(rowParameter(table, row, 1, length), weight);
    Approximate scale = rowParameter(table, row, 0, length);
    reduction.addProducts(
        weight ? arithmetic.multiply(scale, *weight) : scale,
        [&](int64_t d) { return encodedInteger(table, row, d, length); });
  } else if (weight) {
    reduction.addProducts(*weight, element);
  } else {
    reduction.add(element);
  }
}

void EmbeddingEvaluator::runBagOfTable(size_t table, int64_t firstColumn,
                                       int64_t length, int64_t &lookup) {
  const EmbeddingOperand &rows = operand(Role::Table, table);
  int64_t bags = size(Role::Init, 0);
  std::optional<int64_t> padding;
  if (has(Role::Padding))
    padding = static_cast<int64_t>(operand(Role::Padding, table).bits);
  if (padding && (*padding < -1 || *padding >= size(rows, 0)))
    fail(Fault::Assertion, "padding " + std::to_string(*padding));
  for (int64_t bag = 0; bag < bags && isFine(); ++bag) {
    int64_t segment = static_cast<int64_t>(table) * bags + bag;
    int64_t begin = lookup, end = lookup;
    if (embedding.segments == Embedding::Lengths) {
      end = begin + index(Role::Segments, {segment});
    } else {
      begin = index(Role::Segments, {segment});
      bool isLast = embedding.segments == Embedding::OpenOffsets &&
                    segment + 1 == size(Role::Segments, 0);
      end = isLast ? size(Role::Indices, 0)
                   : index(Role::Segments, {segment + 1});
      requireSegment(begin, end);
    }
    lookup = end;
    RowReduction reduction(arithmetic, embedding.combiningStep(),
                           embedding.reduction == Embedding::Mean, length);
    if (padding)
      reduction.skipsRows();
    for (int64_t i = begin; i < end && isFine(); ++i) {
      int64_t row = index(Role::Indices, {i});
      if (isFine() && (row < 0 || row >= size(rows, 0)))
        fail(Fault::Index, "index " + std::to_string(row));
      if (!isFine() || row == padding)
        continue;
      std::optional<Approximate> weight;
      if (has(Role::Weights))
        weight = load(operand(Role::Weights), {i});
      addRow(reduction, rows, row, length, weight);
    }
    for (int64_t d = 0; d < length && isFine(); ++d)
      store({bag, firstColumn + d}, reduction.result(d));
  }
}

void EmbeddingEvaluator::runBag() {
  checkBagSizes();
  if (embedding.segments == Embedding::Lengths)
    checkLengths();
  size_t tables = embedding.positions(Role::Table).size();
  int64_t column = 0, lookup = 0;
  for (size_t table = 0; table < tables && isFine(); ++table) {
    const EmbeddingOperand &rows = operand(Role::Table, table);
    int64_t length = size(rows, 1);
    if (tables == 1) {
      length = size(Role::Init, 1);
    } else if (embedding.format) {
      length = embedding.format->longestRow(length);
    }
    int64_t needed =
        embedding.format ? embedding.format->rowBytes(length) : length;
    require(size(rows, 1) == needed && column + length <= size(Role::Init, 1),
            "length of rows");
    if (isFine())
      runBagOfTable(table, column, length, lookup);
    column += length;
  }
  require(column == size(Role::Init, 1), "length of rows");
}

} // namespace ember::fuzz
