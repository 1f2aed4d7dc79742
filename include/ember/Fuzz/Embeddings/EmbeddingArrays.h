//===- EmbeddingArrays.h - Operands of embedding operations -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters with their inputs, views of them, results of operations before:
// what an operation reads and overwrites.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_EMBEDDINGS_EMBEDDINGARRAYS_H
#define EMBER_FUZZ_EMBEDDINGS_EMBEDDINGARRAYS_H

#include "ember/Fuzz/Program/Ast.h"
#include "ember/Fuzz/Program/Random.h"

namespace ember::fuzz {

/// What one program is made of.
struct EmbeddingStyle {
  bool isOnTensors = true;
  /// Types of values, indices, and offsets.
  std::vector<Scalar> values;
  Scalar index = Scalar::I64;
  Scalar offset = Scalar::I64;
  /// Sizes that operations share, so that results fit the next one.
  std::vector<int64_t> counts, lengths;
  /// Probabilities.
  double openDimensions = 0;
  double views = 0;
  double allocations = 0;
  double reuse = 0;
  double encodedTables = 0;
  /// That a tensor which others read is overwritten, and so has to be copied.
  double conflicts = 0;
  /// Numbers of few bits, whose sums are exact in every order.
  bool hasRoundNumbers = false;
  bool hasWildNumbers = false;
};

EmbeddingStyle drawEmbeddingStyle(Random &random);

class EmbeddingArrays {
public:
  EmbeddingArrays(Random &random, const EmbeddingStyle &style);

  /// Values of that shape: a result, a parameter there is, or a new one. With
  /// `hasFixedRows`, its type says how long rows are.
  ValueId values(const std::string &name, std::vector<int64_t> shape,
                 bool hasFixedRows = false);
  ValueId encodedTable(int64_t rows, int64_t length, const RowLayout &format,
                       bool hasFixedRows);
  ValueId integers(const std::string &name, Scalar element,
                   std::vector<int64_t> shape,
                   const std::vector<int64_t> &numbers);
  ValueId indexScalar(int64_t value);
  ValueId floatScalar();
  /// What an operation overwrites.
  ValueId init(std::vector<int64_t> shape);

  /// Appends an operation that overwrites the last one of its operands, of
  /// that shape.
  void append(Embedding embedding, std::vector<ValueId> operands,
              std::vector<int64_t> shape);
  /// Ends the function: what nobody reads is returned, and some more.
  Program finish();

  int64_t someCount() { return random.pick(style.counts); }
  int64_t someLength() { return random.pick(style.lengths); }
  Scalar someType() { return random.pick(style.values); }

private:
  void drawBlockScales(std::vector<uint64_t> &bits, int64_t rows,
                       int64_t length, const RowLayout &format);
  /// Values that operations may read.
  struct Known {
    ValueId value = 0;
    std::vector<int64_t> shape;
  };

  bool isRead(ValueId value) const;
  bool isOverwritten(ValueId value) const;
  /// A tensor that operations read, to be overwritten.
  std::optional<ValueId> readTensor(const std::vector<int64_t> &shape);
  ValueId parameter(std::string name, Type type, Input input);
  /// A parameter, or a view of one, of those elements.
  ValueId shaped(const std::string &name, Scalar element,
                 std::vector<int64_t> shape, std::vector<uint64_t> bits,
                 bool isWritten, bool hasFixedRows);
  ValueId view(const std::string &name, Scalar element,
               const std::vector<int64_t> &shape,
               const std::vector<uint64_t> &bits, bool isWritten);
  ValueId constant(Scalar element, uint64_t bits);
  uint64_t number(Scalar element);
  /// Some of the sizes, left open.
  std::vector<int64_t> openSizes(const std::vector<int64_t> &shape);
  std::vector<ValueId> sizesOf(const Type &type,
                               const std::vector<int64_t> &shape);

  Random &random;
  const EmbeddingStyle &style;
  Program program;
  Function &function;
  std::vector<Known> known;
  /// Of operations on tensors.
  std::vector<ValueId> results;
  /// Memory of this function.
  std::vector<ValueId> allocated;
};

} // namespace ember::fuzz

#endif // EMBER_FUZZ_EMBEDDINGS_EMBEDDINGARRAYS_H
