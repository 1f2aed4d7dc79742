//===- Embedding.h - Operations of the embed dialect ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an operation of the embed dialect says beyond its operands. Operands
// have roles instead of places, because most operations leave some out.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_EMBEDDINGS_EMBEDDING_H
#define EMBER_FUZZ_EMBEDDINGS_EMBEDDING_H

#include "ember/Fuzz/Program/RowLayouts.h"
#include "ember/Fuzz/Program/Scalar.h"
#include <optional>
#include <string>
#include <vector>

namespace ember::fuzz {

/// What an operand is to its operation; in the order in which they are written.
enum class Role : uint8_t {
  Table,
  Indices,
  Segments,
  Weights,
  Padding,
  Rows,
  Columns,
  Values,
  Dense,
  Left,
  Right,
  Messages,
  Entities,
  Relations,
  Heads,
  Types,
  Tails,
  Source,
  Queries,
  Keys,
  BlockWeights,
  BlockRows,
  Blocks,
  Scale,
  Init
};

/// A function that a step of message passing is; `Distance`, `Plus` and `Halve`
/// are functions of the program's own.
enum class StepFunction : uint8_t {
  None,
  Mul,
  Add,
  Sub,
  Min,
  Max,
  Larger,
  Distance,
  Plus,
  Sigmoid,
  Relu,
  Exp,
  Abs,
  Neg,
  Halve
};

struct Embedding {
  enum Kind : uint8_t {
    Bag,
    SpMM,
    SDDMM,
    Message,
    Score,
    Gather,
    BlockScores,
    BlockValues
  };
  enum Reduction : uint8_t { Sum, Mean, Max };
  enum SegmentKind : uint8_t { Offsets, OpenOffsets, Lengths };
  enum Model : uint8_t { TransE, DistMult, ComplEx, RotatE };

  Kind kind = Bag;
  /// What each operand of the operation is.
  std::vector<Role> roles;

  /// Of messages, a mean or what `combining` makes of them.
  Reduction reduction = Sum;
  SegmentKind segments = Offsets;
  /// Edges are given by the row of each, not by the first one of each row.
  bool isCoordinates = false;
  StepFunction edge = StepFunction::Mul;
  StepFunction total = StepFunction::Add;
  StepFunction activation = StepFunction::None;
  StepFunction weighting = StepFunction::Mul;
  StepFunction combining = StepFunction::Add;
  bool isVector = false;
  Model model = TransE;
  int64_t norm = 2;
  int64_t blockSize = 1;
  std::optional<RowLayout> format;

  bool hasNorm() const { return model == TransE || model == RotatE; }
  bool isComplex() const { return model == ComplEx || model == RotatE; }
  bool isReducing() const {
    return kind == Bag || kind == SpMM || kind == Message;
  }
  bool isGraph() const {
    return kind == SpMM || kind == SDDMM || kind == Message;
  }
  bool hasSteps() const { return kind == SDDMM || kind == Message; }
  std::vector<StepFunction> steps() const {
    return {edge, total, activation, weighting, combining};
  }
  /// What combines the rows of a segment, or messages; a mean divides.
  StepFunction combiningStep() const {
    if (kind == Message)
      return reduction == Mean ? StepFunction::Add : combining;
    return reduction == Max ? StepFunction::Larger : StepFunction::Add;
  }
  /// The positions of the operands of a role.
  std::vector<size_t> positions(Role role) const;
};

/// "embed.bag".
const char *mnemonic(Embedding::Kind kind);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_EMBEDDINGS_EMBEDDING_H
