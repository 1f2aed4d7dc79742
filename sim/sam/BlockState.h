//===- BlockState.h - What a block keeps between its acts -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a block's state that has no timing, for both engines.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIM_SAM_BLOCKSTATE_H
#define EMBER_LIB_SIM_SAM_BLOCKSTATE_H

#include "ListSums.h"
#include "PointAccumulator.h"
#include "WideBits.h"

#include "ember/Sim/SAM/Graph.h"

namespace ember::sim::sam {

enum class Phase : uint8_t { due, inside, ending };

struct BlockState {
  BlockKind kind = BlockKind::scanCompressed;
  uint8_t numInputs = 0;
  uint8_t numOutputs = 0;
  bool isDone = false;
  Phase phase = Phase::due;
  bool isFilled = false;
  bool sawData = false;
  bool afterStop = true;
  bool takesMore = true;

  /// Scanners: what is read, and where in its fiber a block is. Others count
  /// with them.
  const Level *level = nullptr;
  llvm::ArrayRef<double> values;
  int64_t position = 0;
  int64_t end = 0;
  int64_t base = 0;
  /// Reducers, droppers and blocks on bits.
  double sum = 0;
  uint64_t word = 0;
  uint64_t otherWord = 0;
  /// A stop that is still to be shown.
  uint64_t owed = 0;

  const Block *description = nullptr;
  unsigned number = 0;
  PointAccumulator points;
  ListSums lists;
  /// Of what makes words that are wider than a token, and of what takes them.
  std::shared_ptr<WideBits> wide;
  WideBits::Words gathered;
  std::vector<Token> *written = nullptr;

  /// Sums at different places that a reducer held at a time, at most.
  uint64_t getMostHeld() const {
    return std::max(points.getMostHeld(), lists.getMostHeld());
  }
  /// Takes over what a graph says of a block.
  void describe(const Graph &graph, unsigned blockNumber);
  /// The coordinate and the reference of a place in a level.
  int64_t coordinateAt(int64_t place) const {
    return level->format == Level::Format::dense ? place - base
                                                 : level->coordinates[place];
  }
  int64_t referenceAt(int64_t place) const {
    return level->format == Level::Format::dense ? place
                                                 : level->positionOf(place);
  }
  /// Goes to the fiber of a reference; an error if there is none.
  std::string enterFiber(int64_t fiber);
};

} // namespace ember::sim::sam

#endif
