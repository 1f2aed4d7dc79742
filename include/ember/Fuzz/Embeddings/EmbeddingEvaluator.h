//===- EmbeddingEvaluator.h - What embedding operations compute -*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written from the dialect's documentation: formulas, order of reductions, the
// types that sums have, and which inputs are errors.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_EMBEDDINGS_EMBEDDINGEVALUATOR_H
#define EMBER_FUZZ_EMBEDDINGS_EMBEDDINGEVALUATOR_H

#include "ember/Fuzz/Embeddings/Steps.h"
#include "ember/Fuzz/Evaluation/Approximate.h"
#include "ember/Fuzz/Evaluation/Memory.h"

namespace ember::fuzz {

/// What an operation is called with: a scalar's bits or a view.
struct EmbeddingOperand {
  Scalar element = Scalar::Index;
  uint64_t bits = 0;
  View view;
};

class RowReduction;

/// Evaluates one operation, until something is wrong.
class EmbeddingEvaluator {
public:
  EmbeddingEvaluator(const Embedding &embedding,
                     const std::vector<EmbeddingOperand> &operands);

  /// Overwrites what the operand of role `Init` views, or says what is wrong.
  std::optional<Fault> run();

private:
  void runBag();
  void runBagOfTable(size_t table, int64_t firstColumn, int64_t length,
                     int64_t &lookup);
  /// Adds a row of a segment that is added up as a whole. Of rows with biases,
  /// what is the same for all elements is added up apart:
  /// sum(w * (s * x + b)) = sum((w * s) * x) + sum(w * b).
  void addRow(RowReduction &reduction, const EmbeddingOperand &table,
              int64_t row, int64_t length, std::optional<Approximate> weight);
  void checkBagSizes();
  void checkLengths();

  void checkGraph(int64_t rows);
  void runSpMM();
  void runSDDMM();
  void runMessage();
  Approximate edgeElement(int64_t row, int64_t column, int64_t d);
  Approximate edgeTotal(int64_t row, int64_t column);
  Approximate passOn(Approximate value, int64_t edge);
  /// Visits edges in their order until `visit` has met an error.
  template <typename Visit> void forEachEdge(int64_t rows, Visit visit);
  /// Reduces what `term(row, column, edge)` gives for each edge into its row.
  template <typename Add> void reduceEdges(Add add);

  void runScore();
  void checkScoreSizes();
  Approximate score(int64_t head, int64_t relation, int64_t tail);
  Approximate scoreElement(int64_t head, int64_t relation, int64_t tail,
                           int64_t d, int64_t length);

  void runGather();
  void runBlockScores();
  void runBlockValues();
  void checkBlocks(const EmbeddingOperand &queries,
                   const EmbeddingOperand &perQuery);
  /// The row that gathered row `place` of block `block` is.
  int64_t gatheredRow(int64_t block, int64_t place);

  //===--------------------------------------------------------------------===//
  // Operands
  //===--------------------------------------------------------------------===//

  bool has(Role role) const { return !embedding.positions(role).empty(); }
  const EmbeddingOperand &operand(Role role, size_t number = 0) const {
    return operands[embedding.positions(role)[number]];
  }
  static int64_t size(const EmbeddingOperand &from, size_t dimension) {
    return from.view.sizes[dimension];
  }
  int64_t size(Role role, size_t dimension) const {
    return size(operand(role), dimension);
  }

  /// The functions below return zero after an error.
  int64_t index(Role role, std::vector<int64_t> at);
  /// An element in the type of the computation.
  Approximate load(const EmbeddingOperand &from, std::vector<int64_t> at);
  Approximate scalar(Role role) const;
  /// Element `d` of row `row` of a table that may be encoded.
  Approximate tableElement(const EmbeddingOperand &table, int64_t row,
                           int64_t d, int64_t length);
  /// The integer that encodes it, and the scale (0) or bias (1) of the row.
  Approximate encodedInteger(const EmbeddingOperand &table, int64_t row,
                             int64_t d, int64_t length);
  Approximate blockScale(const EmbeddingOperand &table, int64_t row, int64_t d,
                         int64_t length);
  Approximate rowParameter(const EmbeddingOperand &table, int64_t row,
                           int64_t number, int64_t length);
  uint64_t tableByte(const EmbeddingOperand &table, int64_t row, int64_t at);
  void store(const std::vector<int64_t> &at, Approximate value);
  void storeBits(const std::vector<int64_t> &at, uint64_t bits, double error);
  /// The place of an element, or nothing after an error.
  std::optional<int64_t> locate(const EmbeddingOperand &in,
                                const std::vector<int64_t> &at);

  bool isFine() const { return !fault; }
  void fail(Fault::Kind kind, std::string message) {
    if (!fault)
      fault = Fault{kind, std::move(message)};
  }
  void require(bool holds, const char *message) {
    if (!holds)
      fail(Fault::Assertion, message);
  }
  /// Whether a segment may run from `begin` to `end`.
  void requireSegment(int64_t begin, int64_t end);

  const Embedding &embedding;
  const std::vector<EmbeddingOperand> &operands;
  ApproximateArithmetic arithmetic;
  std::optional<Fault> fault;
};

/// The rows of one segment, reduced in their order.
class RowReduction {
public:
  RowReduction(const ApproximateArithmetic &arithmetic, StepFunction function,
               bool isMean, int64_t length)
      : arithmetic(arithmetic), function(function), isMean(isMean),
        row(static_cast<size_t>(length)) {}

  /// Some rows count for nothing: between a product and the sum stands a choice
  /// then, before which the product may be rounded.
  void skipsRows() { isChosen = true; }

  /// Adds the row whose elements `term(d)` gives.
  template <typename Term> void add(Term term) {
    for (size_t d = 0; d < row.size(); ++d)
      row[d] = combine(row[d], term(static_cast<int64_t>(d)));
    ++count;
  }
  /// Adds the row of what a function makes of `term(d)` and `weight(d)`.
  template <typename Weight, typename Term>
  void addWeighted(StepFunction weighting, Weight weight, Term term) {
    bool isProduct =
        weighting == StepFunction::Mul && function == StepFunction::Add;
    for (size_t at = 0; at < row.size(); ++at) {
      auto d = static_cast<int64_t>(at);
      if (!isProduct)
        row[at] = combine(row[at],
                          applyStep(arithmetic, weighting, term(d), weight(d)));
      else if (isChosen)
        row[at] = arithmetic.add(row[at],
                                 arithmetic.multiplyInSum(term(d), weight(d)));
      else
        row[at] = arithmetic.multiplyAdd(term(d), weight(d), row[at]);
    }
    ++count;
  }
  template <typename Term> void addProducts(Approximate factor, Term term) {
    addWeighted(StepFunction::Mul, [factor](int64_t) { return factor; }, term);
  }
  /// Adds `value`, times a factor if there is one, to all elements, apart from
  /// the rows.
  void shift(Approximate value, std::optional<Approximate> factor) {
    Approximate before = shifts.value_or(Approximate());
    shifts = factor ? arithmetic.multiplyAdd(value, *factor, before)
                    : arithmetic.add(before, value);
  }
  Approximate result(int64_t d) const {
    Approximate element = row[static_cast<size_t>(d)];
    if (shifts)
      element = arithmetic.add(element, *shifts);
    return isMean ? arithmetic.divide(element, count) : element;
  }

private:
  Approximate combine(Approximate old, Approximate value) const {
    if (count == 0 && !isSum(function))
      return value;
    return applyStep(arithmetic, function, old, value);
  }

  const ApproximateArithmetic &arithmetic;
  StepFunction function;
  bool isChosen = false;
  bool isMean;
  std::vector<Approximate> row;
  std::optional<Approximate> shifts;
  int64_t count = 0;
};

} // namespace ember::fuzz

#endif // EMBER_FUZZ_EMBEDDINGS_EMBEDDINGEVALUATOR_H
