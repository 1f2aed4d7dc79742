//===- EmbeddingReductions.cpp - Steps to smaller embedding operations ----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Embeddings/EmbeddingReductions.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <algorithm>

namespace ember::fuzz {

/// Takes the operands of `role` away, if the operation can do without.
static bool dropOperands(Op &op, Role role) {
  std::vector<size_t> positions = op.embedding->positions(role);
  for (size_t i = positions.size(); i-- > 0;) {
    auto at = static_cast<long>(positions[i]);
    op.operands.erase(op.operands.begin() + at);
    op.embedding->roles.erase(op.embedding->roles.begin() + at);
  }
  return !positions.empty();
}

/// Sets `attribute` to its simplest value.
template <typename T> static bool simplify(T &attribute, T simplest) {
  bool changed = attribute != simplest;
  attribute = simplest;
  return changed;
}

bool simplifyEmbedding(Op &op, EmbeddingSimplification step) {
  if (!op.embedding)
    return false;
  Embedding &embedding = *op.embedding;
  switch (step) {
  case EmbeddingSimplification::Weights:
    return dropOperands(op, Role::Weights);
  case EmbeddingSimplification::Values:
    return dropOperands(op, Role::Values);
  case EmbeddingSimplification::Padding:
    return dropOperands(op, Role::Padding);
  case EmbeddingSimplification::Scale:
    return dropOperands(op, Role::Scale);
  case EmbeddingSimplification::Reduction:
    return simplify(embedding.reduction, Embedding::Sum);
  case EmbeddingSimplification::Combining:
    return simplify(embedding.combining, StepFunction::Add);
  case EmbeddingSimplification::Edge:
    return simplify(embedding.edge, StepFunction::Mul);
  case EmbeddingSimplification::Total:
    return simplify(embedding.total, StepFunction::Add);
  case EmbeddingSimplification::Activation:
    return simplify(embedding.activation, StepFunction::None);
  case EmbeddingSimplification::Weighting:
    return simplify(embedding.weighting, StepFunction::Mul);
  case EmbeddingSimplification::Vector:
    return simplify(embedding.isVector, false);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// The elements of `input` that are left where its sizes become `shape`.
static std::vector<uint64_t> crop(const Input &input,
                                  const std::vector<int64_t> &shape) {
  std::vector<uint64_t> kept;
  for (size_t k = 0; k < input.bits.size(); ++k) {
    auto rest = static_cast<int64_t>(k);
    bool isKept = true;
    for (size_t i = shape.size(); i-- > 0; rest /= input.shape[i])
      isKept &= rest % input.shape[i] < shape[i];
    if (isKept)
      kept.push_back(input.bits[k]);
  }
  return kept;
}

bool replaceSize(Program &program, int64_t from, int64_t to, bool hasEnds) {
  bool changed = false;
  auto replace = [&](int64_t &size) {
    if (size == from)
      size = to;
    else if (hasEnds && size == from + 1)
      size = to + 1;
    else
      return;
    changed = true;
  };
  Function &entry = program.functions.front();
  for (Type &type : entry.types)
    for (int64_t &size : type.shape)
      replace(size);
  for (size_t i = 0; i < entry.results.size(); ++i)
    entry.results[i] = entry.types[entry.body.yields[i]];
  for (Op &op : entry.body.ops) {
    auto constant = static_cast<int64_t>(op.immediate);
    if (op.opcode == Opcode::Constant &&
        entry.types[op.results[0]].element == Scalar::Index) {
      replace(constant);
      op.immediate = static_cast<uint64_t>(constant);
    }
  }
  for (Input &input : program.inputs) {
    if (!input.isMemRef && input.element == Scalar::Index) {
      auto size = static_cast<int64_t>(input.bits[0]);
      replace(size);
      input.bits[0] = static_cast<uint64_t>(size);
    }
    std::vector<int64_t> shape = input.shape;
    for (int64_t &size : shape)
      replace(size);
    if (input.isMemRef && shape != input.shape) {
      input.bits = crop(input, shape);
      input.shape = std::move(shape);
    }
  }
  return changed;
}

void limitIntegers(Program &program, int64_t limit) {
  for (Input &input : program.inputs)
    for (uint64_t &bits : input.bits)
      if (input.isMemRef && isInteger(input.element) &&
          bitWidth(input.element) >= 32 &&
          signedValue(input.element, bits) > limit)
        bits = static_cast<uint64_t>(limit);
}

} // namespace ember::fuzz
