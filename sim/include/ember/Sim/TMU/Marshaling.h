//===- Marshaling.h - What layers push, and where it stands -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of a program's events, and the places that pushes have in chunks.
// A chunk has words of tokens, and behind them operands:
//
//   | token | token | next |      | operand | operand |    |
//   0                             tokenBytes               bytes
//
// What a token reserves never crosses a chunk: the one before ends early, with
// the word `next`. Operands of a token that reserves nothing go on in the next
// chunk where they do not fit, and both sides know without a word.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TMU_MARSHALING_H
#define EMBER_SIM_TMU_MARSHALING_H

#include "ember/Sim/TMU/Traversal.h"

namespace ember::sim {

/// Goes through the steps of all layers in the program's order.
class TraversalOrder {
public:
  enum class Kind : uint8_t { begin, step, end, over, failed, wait };
  struct Visit {
    Kind kind;
    unsigned layer;
  };

  explicit TraversalOrder(unsigned layers) : steps(layers), bases(layers) {}

  /// The next event. `find(layer, step, parent)` says a kind: `step`, `end`
  /// for a fiber that is over, `failed`, or `wait`, which is answered with
  /// `wait` and asked again. `release(layer)` is called behind the last event
  /// of a step.
  template <typename Find, typename Release>
  Visit next(Find find, Release release) {
    if (stepLeft) {
      // The inner fiber of this step is over, or there is none.
      stepLeft = false;
      ++steps[layer];
      release(layer);
    }
    if (isOver)
      return {Kind::over, 0};
    if (atBegin) {
      atBegin = false;
      return {Kind::begin, layer};
    }
    Kind kind = find(layer, steps[layer], layer ? steps[layer - 1] : 0);
    Visit visit{kind, layer};
    if (kind == Kind::step) {
      if (layer + 1 < steps.size()) {
        ++layer;
        atBegin = true;
      } else {
        stepLeft = true;
      }
    } else if (kind == Kind::end) {
      if (layer) {
        --layer;
        stepLeft = true;
      } else {
        isOver = true;
      }
    }
    return visit;
  }

  /// The step of a layer that is visited, or the next one to be.
  uint64_t step(unsigned number) const { return steps[number]; }
  /// The elements of visited steps, for `Traversal::value`.
  const uint64_t *const *elements(const Traversal &traversal,
                                  unsigned visited) {
    for (unsigned i = 0; i < visited; ++i)
      bases[i] = traversal.elements(i, steps[i]);
    return bases.data();
  }

private:
  std::vector<uint64_t> steps;
  std::vector<const uint64_t *> bases;
  unsigned layer = 0;
  bool atBegin = true;
  bool stepLeft = false;
  bool isOver = false;
};

/// A thing that is written to a chunk.
struct ChunkWrite {
  enum class Kind : uint8_t {
    token,
    operand,
    /// A word that ends the chunk.
    last,
    /// The chunk ends without a word.
    turn,
  };
  Kind kind = Kind::token;
  /// Where it stands in the chunk.
  uint32_t offset = 0;
  uint32_t bytes = 0;
  /// The token, or the value that follows one.
  uint64_t word = 0;
  /// Null for values.
  const Push *push = nullptr;
};

class ChunkLayout {
public:
  explicit ChunkLayout(const TMUProgram &program)
      : program(program), operands(program.tokenBytes),
        open(program.tokens.size()) {}

  /// Adds what an event of a layer pushes. False, with an error, if the
  /// program reserved less than it pushes.
  bool push(const Traversal &traversal, TraversalOrder &order,
            TraversalOrder::Visit visit,
            llvm::SmallVectorImpl<ChunkWrite> &writes);
  /// Adds the end of the program.
  void end(llvm::SmallVectorImpl<ChunkWrite> &writes);

  const std::string &error() const { return message; }

  /// The bytes of an operand.
  static void write(const ChunkWrite &operand, const Traversal &traversal,
                    const uint64_t *const *bases, uint8_t *to);

private:
  /// What is known of a token's pushes so far.
  enum class State : uint8_t { closed, open, tokenPushed };

  bool applies(const Push &push, const Traversal &traversal,
               TraversalOrder &order, const uint64_t *const *bases) const;
  void makeRoom(const TokenInfo &token,
                llvm::SmallVectorImpl<ChunkWrite> &writes);
  void pushToken(const Push &push, uint64_t value,
                 llvm::SmallVectorImpl<ChunkWrite> &writes);
  bool pushOperand(const Push &push, llvm::SmallVectorImpl<ChunkWrite> &writes);
  bool place(uint32_t bytes, const TokenInfo &token, ChunkWrite operand,
             llvm::SmallVectorImpl<ChunkWrite> &writes);
  void turn() {
    slot = 0;
    operands = program.tokenBytes;
  }

  const TMUProgram &program;
  uint32_t slot = 0;
  uint32_t operands;
  std::vector<State> open;
  std::string message;
};

} // namespace ember::sim

#endif
