//===- EvaluateGraph.cpp - What spmm, sddmm and message compute -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Embeddings/EmbeddingEvaluator.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <algorithm>
#include <cmath>

namespace ember::fuzz {

void EmbeddingEvaluator::checkGraph(int64_t rows) {
  int64_t edges = size(Role::Columns, 0);
  if (has(Role::Values))
    require(size(Role::Values, 0) == edges, "number of values");
  require(size(Role::Rows, 0) == (embedding.isCoordinates ? edges : rows + 1),
          "number of rows");
}

template <typename Visit>
void EmbeddingEvaluator::forEachEdge(int64_t rows, Visit visit) {
  if (embedding.isCoordinates) {
    for (int64_t edge = 0; edge < size(Role::Columns, 0) && isFine(); ++edge) {
      int64_t row = index(Role::Rows, {edge});
      if (row < 0 || row >= rows)
        fail(Fault::Index, "row " + std::to_string(row));
      visit(row, edge);
    }
    return;
  }
  for (int64_t row = 0; row < rows && isFine(); ++row) {
    int64_t begin = index(Role::Rows, {row}),
            end = index(Role::Rows, {row + 1});
    requireSegment(begin, end);
    for (int64_t edge = begin; edge < end && isFine(); ++edge)
      visit(row, edge);
  }
}

/// `add` adds what an edge contributes to the reduction of its row.
template <typename Add> void EmbeddingEvaluator::reduceEdges(Add add) {
  int64_t rows = size(Role::Init, 0), length = size(Role::Init, 1);
  std::vector<RowReduction> reductions(
      static_cast<size_t>(rows),
      RowReduction(arithmetic, embedding.combiningStep(),
                   embedding.reduction == Embedding::Mean, length));
  forEachEdge(rows, [&](int64_t row, int64_t edge) {
    int64_t column = index(Role::Columns, {edge});
    if (isFine())
      add(reductions[static_cast<size_t>(row)], row, column, edge);
  });
  for (int64_t row = 0; row < rows && isFine(); ++row)
    for (int64_t d = 0; d < length; ++d)
      store({row, d}, reductions[static_cast<size_t>(row)].result(d));
}

void EmbeddingEvaluator::runSpMM() {
  const EmbeddingOperand &dense = operand(Role::Dense);
  int64_t length = size(Role::Init, 1);
  require(size(dense, 1) ==
              (embedding.format ? embedding.format->rowBytes(length) : length),
          "length of rows");
  checkGraph(size(Role::Init, 0));
  reduceEdges(
      [&](RowReduction &reduction, int64_t, int64_t column, int64_t edge) {
        std::optional<Approximate> weight;
        if (has(Role::Values))
          weight = load(operand(Role::Values), {edge});
        if (!embedding.isCoordinates) {
          addRow(reduction, dense, column, length, weight);
          return;
        }
        // Rows are come back to, so that no sum of biases is known to be whole.
        auto element = [&](int64_t d) {
          return tableElement(dense, column, d, length);
        };
        if (weight)
          reduction.addProducts(*weight, element);
        else
          reduction.add(element);
      });
}

//===----------------------------------------------------------------------===//
// Values of edges
//===----------------------------------------------------------------------===//

Approximate EmbeddingEvaluator::edgeElement(int64_t row, int64_t column,
                                            int64_t d) {
  Approximate left = load(operand(Role::Left), {row, d});
  Approximate right = load(operand(Role::Right), {column, d});
  // Products of which the sum is taken need not be rounded before.
  if (embedding.edge == StepFunction::Mul &&
      (embedding.isVector || embedding.total == StepFunction::Add))
    return arithmetic.multiplyInSum(left, right);
  return applyStep(arithmetic, embedding.edge, left, right);
}

/// Sums are in any order, other functions in that of elements.
Approximate EmbeddingEvaluator::edgeTotal(int64_t row, int64_t column) {
  std::vector<Approximate> terms;
  for (int64_t d = 0; d < size(Role::Left, 1); ++d)
    terms.push_back(edgeElement(row, column, d));
  if (isSum(embedding.total))
    return arithmetic.sum(terms);
  Approximate total = terms.empty() ? Approximate() : terms.front();
  for (size_t d = 1; d < terms.size(); ++d)
    total = applyStep(arithmetic, embedding.total, total, terms[d]);
  return total;
}

/// Activated, scaled and weighted.
Approximate EmbeddingEvaluator::passOn(Approximate value, int64_t edge) {
  value = applyStep(arithmetic, embedding.activation, value, {});
  if (has(Role::Scale))
    value = arithmetic.multiply(value, scalar(Role::Scale));
  if (has(Role::Values))
    value = arithmetic.multiply(value, load(operand(Role::Values), {edge}));
  return value;
}

void EmbeddingEvaluator::runSDDMM() {
  checkGraph(size(Role::Left, 0));
  require(size(Role::Init, 0) == size(Role::Columns, 0), "size of the result");
  require(size(Role::Left, 1) == size(Role::Right, 1), "length of rows");
  if (!isFine())
    return;
  forEachEdge(size(Role::Left, 0), [&](int64_t row, int64_t edge) {
    int64_t column = index(Role::Columns, {edge});
    if (isFine())
      store({edge}, passOn(edgeTotal(row, column), edge));
  });
}

void EmbeddingEvaluator::runMessage() {
  require(size(Role::Left, 1) == size(Role::Right, 1), "length of rows");
  require(size(Role::Messages, 1) == size(Role::Init, 1), "length of messages");
  require(size(Role::Left, 0) == size(Role::Init, 0), "number of rows");
  if (embedding.isVector)
    require(size(Role::Left, 1) == size(Role::Messages, 1), "length of rows");
  checkGraph(size(Role::Init, 0));
  if (!isFine())
    return;
  reduceEdges(
      [&](RowReduction &reduction, int64_t row, int64_t column, int64_t edge) {
        auto message = [&](int64_t d) {
          return load(operand(Role::Messages), {column, d});
        };
        Approximate shared;
        if (!embedding.isVector)
          shared = passOn(edgeTotal(row, column), edge);
        auto value = [&](int64_t d) {
          if (!embedding.isVector)
            return shared;
          return passOn(edgeElement(row, column, d), edge);
        };
        reduction.addWeighted(embedding.weighting, value, message);
      });
}

} // namespace ember::fuzz
