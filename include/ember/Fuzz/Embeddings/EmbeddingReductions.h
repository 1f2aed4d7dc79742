//===- EmbeddingReductions.h - To smaller embedding operations --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes of the operands of an embedding operation follow from each other, so
// that they shrink together.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_EMBEDDINGS_EMBEDDINGREDUCTIONS_H
#define EMBER_FUZZ_EMBEDDINGS_EMBEDDINGREDUCTIONS_H

#include "ember/Fuzz/Program/Ast.h"

namespace ember::fuzz {

/// What an operation may do without.
enum class EmbeddingSimplification : uint8_t {
  Weights,
  Values,
  Padding,
  Scale,
  Reduction,
  Combining,
  Edge,
  Total,
  Activation,
  Weighting,
  Vector
};

/// Returns whether there was something to simplify.
bool simplifyEmbedding(Op &op, EmbeddingSimplification step);

/// Gives every array of the entry that has `from` elements along a dimension
/// `to` < `from` of them; with `hasEnds`, also one more where it has one more.
/// Integers may then lead outside. Returns whether there was one.
bool replaceSize(Program &program, int64_t from, int64_t to, bool hasEnds);

/// Lowers all indices and offsets to `limit`.
void limitIntegers(Program &program, int64_t limit);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_EMBEDDINGS_EMBEDDINGREDUCTIONS_H
