//===- IterationCode.h - Loops over what arrays store -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSCF_ITERATIONCODE_H
#define EMBER_LIB_CONVERSION_CINTOSCF_ITERATIONCODE_H

#include "ScannedRow.h"

#include "ember/Analysis/IterationAlgebra/IterationLattice.h"

namespace ember::cin {

/// Emits the loops over one variable: at the coordinates of a set of what some
/// fibers store.
class IterationCode {
public:
  /// What is done at a coordinate: gets and gives the values that loops carry.
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value coordinate, mlir::ValueRange carried)>;

  /// `setVariable` is told the coordinate before anything asks what is there.
  IterationCode(mlir::ImplicitLocOpBuilder &builder, LevelCode &levels,
                llvm::ArrayRef<Fiber> fibers, const CoordinateSet &set,
                llvm::function_ref<void(mlir::Value)> setVariable);

  /// Loops that walk one fiber check, too, that its coordinates increase.
  void checkIncrease() { checksIncrease = true; }

  /// Where an operand that is needed everywhere has far fewer coordinates than
  /// another one, which only the run knows, the other is searched for them. The
  /// body is emitted once for each such operand, and once for none.
  void searchLonger() { searchesLonger = true; }

  /// Where such an operand's loop meets others that have at most so many
  /// coordinates, each is compared with all of them at once. The body is
  /// emitted once more.
  void scanShort(int64_t most) { mostScanned = most; }

  /// What is done at a coordinate may as well be done where it is not to be:
  /// carried values are chosen behind it, and so is what `setCondition` is told
  /// of, as far as `hasRoom`; both may be null.
  struct Tentative {
    llvm::function_ref<mlir::Value()> hasRoom;
    llvm::function_ref<void(mlir::Value condition)> setCondition;
  };
  /// A branch for each coordinate, which nobody foresees, is left out then.
  void speculate(Tentative hooks) { tentative = hooks; }

  /// Which bodies are called where some fibers are stored and others are not:
  /// numbers that are the same for the same ones.
  using Cases = std::function<llvm::SmallVector<unsigned>(
      llvm::ArrayRef<Fiber> stored, llvm::ArrayRef<Fiber> absent)>;
  /// Where functions have several bodies, what is done at a coordinate is
  /// emitted once for each choice of them.
  void splitBy(Cases chosen) { cases = std::move(chosen); }

  /// The carried values behind the loops. All coordinates are those from 0 to
  /// `size`.
  llvm::SmallVector<mlir::Value>
  emit(mlir::Value size, llvm::ArrayRef<mlir::Value> carried, Body body);

private:
  /// What loops carry: the caller's values and where they have come to in each
  /// fiber that is listed.
  struct State {
    llvm::SmallVector<mlir::Value> carried;
    /// By operand; null for those that are not listed.
    llvm::SmallVector<mlir::Value> positions;
    /// The coordinate of the round before, of whichever loop; null at first.
    mlir::Value last;
  };
  /// Without the last coordinate, which loops that ask for it carry behind.
  llvm::SmallVector<mlir::Value> flatten(const State &state);
  State unflatten(mlir::ValueRange values);
  /// The last coordinate; one that is before all others if there is none.
  mlir::Value getLast(const State &state);

  bool isWalked(unsigned operand, OperandMask mask) const {
    return mask & listed & (OperandMask(1) << operand);
  }
  /// The loops of all points of the lattice.
  State emitPoints(State state, Body body);
  /// The operands that are stored wherever anything is done, and may lead.
  llvm::SmallVector<unsigned> findLeaders();
  /// The loops with one of `leaders` that is much shorter than all others, and
  /// those of all points if none is.
  State emitLed(llvm::ArrayRef<unsigned> leaders, State state, Body body);
  /// The loop with `leader` where all others are short enough to be scanned,
  /// and those of all points where one is not.
  State emitScanned(unsigned leader, State state, Body body);
  /// Whether the segments of all but one operand are.
  mlir::Value areScanned(unsigned leader);
  /// The loop along an operand that others are looked up for.
  State emitLeader(unsigned leader, State state, Body body);
  /// Loops behind a branch.
  State emitEither(mlir::Value condition, State state,
                   llvm::function_ref<State()> emitFirst,
                   llvm::function_ref<State()> emitSecond);
  /// Whether the segment of an operand is much shorter than all others.
  mlir::Value isShort(unsigned operand);
  /// A loop over all coordinates.
  State emitAll(mlir::Value size, State state, Body body);
  /// The loop of a point that walks one fiber.
  State emitFor(const LatticePoint &point, OperandMask exhausted,
                unsigned operand, State state, Body body);
  /// The loop of a point that walks several. Where nothing branches, each
  /// coordinate is loaded a round before it may be needed: comparisons do not
  /// wait for memory then.
  State emitWhile(const LatticePoint &point, OperandMask exhausted, State state,
                  Body body);
  /// The same along `operands`, with their `first` coordinates if these are
  /// loaded ahead.
  State emitWhile(const LatticePoint &point, OperandMask exhausted,
                  llvm::ArrayRef<unsigned> operands,
                  llvm::ArrayRef<mlir::Value> first, State state, Body body);
  /// Whether all of some operands have more.
  mlir::Value isOpen(llvm::ArrayRef<unsigned> operands, const State &state);
  /// What one round of a loop looks at.
  struct Round {
    CoordinateSet visited;
    /// Fibers that the loop moves along, and those that are at their end.
    OperandMask walked, exhausted;
    /// Nothing may be stored at the coordinate.
    bool walksAll;
    mlir::Value coordinate;
    /// Of walked fibers, whether they have it; null for surely.
    llvm::SmallVector<mlir::Value> isAt;
  };
  /// Which of `operands` have the smallest of their coordinates.
  void findWhereSmallest(Round &round, llvm::ArrayRef<unsigned> operands,
                         llvm::ArrayRef<mlir::Value> coordinates);
  /// What is done in a round: the state behind it.
  State emitRound(Round round, State state, Body body);
  /// Whether a round may come to a coordinate that the fibers of `region`
  /// store.
  bool isPossible(const Round &round, OperandMask region) const;
  /// Of a coordinate at which something is done: operands that store it, and
  /// those that may.
  struct Stored {
    OperandMask surely, maybe;
  };
  /// Regions of a round in which the same bodies of functions are called.
  struct Part {
    CoordinateSet set;
    Stored stored;
    llvm::SmallVector<unsigned> cases;
  };
  /// What a round visits, in parts; empty if it is all one.
  llvm::SmallVector<Part> findParts(const Round &round);
  /// What is done in a round, by `parts`; `isRest`: nothing else is possible.
  llvm::SmallVector<mlir::Value>
  emitParts(const Round &round, llvm::ArrayRef<Part> parts, bool isRest,
            const State &state, llvm::ArrayRef<mlir::Value> ends, Body body);
  llvm::SmallVector<mlir::Value> emitPart(const Round &round, const Part &part,
                                          const State &state,
                                          llvm::ArrayRef<mlir::Value> ends,
                                          Body body);
  /// The body, with fibers bound.
  llvm::SmallVector<mlir::Value> emitBody(const Round &round, Stored stored,
                                          const State &state,
                                          llvm::ArrayRef<mlir::Value> ends,
                                          Body body);
  /// The same under a condition, by a branch.
  llvm::SmallVector<mlir::Value> emitGuarded(const Round &round, Stored stored,
                                             const State &state,
                                             llvm::ArrayRef<mlir::Value> ends,
                                             Body body);
  /// The same without, where there is room.
  llvm::SmallVector<mlir::Value>
  emitTentative(const Round &round, Stored stored, const State &state,
                llvm::ArrayRef<mlir::Value> ends, Body body);
  /// Whether all that a round looks at is where the loop is.
  bool isWhereLoopIs(const Round &round) const;
  /// A value that holds where a round is to do anything.
  mlir::Value emitCondition(const Round &round);
  /// Moves `state` to the first position of a fiber whose coordinate is not
  /// below `coordinate`; whether it has that coordinate.
  mlir::Value follow(unsigned operand, mlir::Value coordinate, State &state);
  /// Whether a position is in its segment, and has `coordinate`.
  mlir::Value isHere(unsigned operand, mlir::Value position,
                     mlir::Value coordinate);
  /// Behind the positions from `position` on that have `coordinate`.
  mlir::Value skipEqual(unsigned operand, mlir::Value position,
                        mlir::Value coordinate);
  /// Whether a loop along one operand relies on that its coordinates increase:
  /// others are where it is, or were until they ended.
  bool needsIncrease(unsigned operand) const;
  /// Checks, behind a loop over all coordinates, that it has come to all that a
  /// fiber stores: from `position` on there is nothing.
  void emitWalkedAssertion(unsigned operand, mlir::Value position);
  /// Checks that a coordinate of some fibers is behind that of the round
  /// before.
  void emitIncrease(mlir::Value coordinate, mlir::Value before,
                    OperandMask walked);
  /// The operands that surely have nothing left when a point is reached; none
  /// if it is not reached.
  std::optional<OperandMask> getExhausted(const LatticePoint &point);

  mlir::ImplicitLocOpBuilder &builder;
  LevelCode &levels;
  llvm::ArrayRef<Fiber> fibers;
  CoordinateSet set;
  llvm::function_ref<void(mlir::Value)> setVariable;
  OperandMask listed = 0;
  bool checksIncrease = false, searchesLonger = false;
  int64_t mostScanned = 0;
  /// By operand, in a loop in which they are looked up in.
  llvm::SmallVector<std::optional<ScannedRow>> scanned;
  std::optional<Tentative> tentative;
  Cases cases;
  llvm::SmallVector<Segment> segments;
  size_t carriedCount = 0;
};

} // namespace ember::cin

#endif // EMBER_LIB_CONVERSION_CINTOSCF_ITERATIONCODE_H
