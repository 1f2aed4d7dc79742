//===- CycleMachine.h - The state of a run by cycles ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cycle transfers what outputs showed in the one before, then steps every
// block. Here blocks are stepped consumers first, so that what a producer adds
// to a stream is seen in the next cycle by itself; only gallop edges, which
// lead back, have to look at when the last token came. All consumers of a
// stream read one buffer, each at its own place.
//
// A block that could do nothing sleeps until one of its streams gets a token.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIM_SAM_CYCLEMACHINE_H
#define EMBER_LIB_SIM_SAM_CYCLEMACHINE_H

#include "BlockState.h"

#include "ember/Sim/SAM/Run.h"

#include <deque>

namespace ember::sim::sam {

struct CycleInput;

/// The tokens between an output and its consumers.
struct CycleStream {
  std::vector<Token> ring = std::vector<Token>(16);
  uint64_t mask = 15;
  /// Tokens that came so far, and how many may come before room is looked for.
  uint64_t tail = 0;
  uint64_t limit = 16;
  /// One more than the cycle in which the last token came.
  uint64_t lastPush = 0;
  /// One more than the last even, and the last odd cycle in which a consumer's
  /// queue was full.
  uint64_t fullCycle[2] = {0, 0};
  std::array<uint64_t, 4> counts{};
  llvm::SmallVector<CycleInput *, 2> consumers;
  /// Words and bits of the consumers among active blocks.
  llvm::SmallVector<std::pair<unsigned, uint64_t>, 2> wakes;
  /// Where tokens are kept with their cycles, if they are.
  std::vector<TimedToken> *shown = nullptr;

  void makeRoom();
};

struct CycleInput {
  CycleStream *stream = nullptr;
  uint64_t head = 0;
  uint64_t peak = 0;

  uint64_t size() const { return stream->tail - head; }
  bool isEmpty() const { return stream->tail == head; }
  const Token &front() const { return stream->ring[head & stream->mask]; }
  Token pop() { return stream->ring[head++ & stream->mask]; }
};

/// What a repeated reference is held by.
struct RepeatState {
  bool holds = false;
  bool owesStop = false;
  Token token;
};

/// What several blocks use by turns: as many of them act in a cycle as there
/// are units.
struct SharedUnits {
  unsigned count = 0;
  unsigned used = 0;
  uint64_t cycle = ~uint64_t(0);
};

struct CycleBlock : BlockState {
  /// How many tokens may wait before whoever fills the queue is held up.
  uint64_t capacity[maxInputs] = {};
  bool obeysPressure = true;
  CycleInput in[maxInputs];
  CycleStream *out[maxOutputs] = {};
  /// A unit of its kind, and a port of what it reads.
  SharedUnits *units[2] = {};

  uint64_t fibersEnded = 0;
  uint64_t fibersSkipped = 0;
  /// Joiners: a pair of each side, and whether that of the other side has
  /// changed since this one was told of it.
  bool hasNews[2] = {true, true};
  Token coordinates[2];
  Token references[2];
  RepeatState repeat;

  uint64_t busy = 0;
  uint64_t held = 0;
  uint64_t waiting = 0;
  uint64_t doneCycle = 0;
  /// When a block that holds coordinates took its last inner one.
  uint64_t lastInner = 0;
  /// One more than the last cycle in which the block was held up.
  uint64_t lastHeld = 0;
  /// Signals on their way inside of a block that holds coordinates.
  std::deque<Token> signals;
  /// Values on their way from an array, with the cycle in which they show.
  std::deque<TimedToken> loading;
  /// Why the block acted when it did, where that changed: an input's number,
  /// `ownPace`, or `heldUp` plus an output's.
  std::vector<std::pair<uint64_t, uint8_t>> causes;
};
inline constexpr uint8_t ownPace = 0x40;
inline constexpr uint8_t heldUp = 0x80;

class CycleMachine;

/// What a block may do in a cycle.
struct CycleAct {
  CycleMachine &machine;
  CycleBlock &state;

  bool has(unsigned port) const { return !state.in[port].isEmpty(); }
  template <unsigned... ports> bool await() const {
    return (has(ports) && ...);
  }
  bool awaitFirst(unsigned count) const { return awaitAll((1u << count) - 1); }
  bool awaitAll(unsigned ports) const {
    for (; ports; ports &= ports - 1)
      if (!has(std::countr_zero(ports)))
        return false;
    return true;
  }
  void pace() const {}
  Token front(unsigned port) const { return state.in[port].front(); }
  Token pop(unsigned port) { return state.in[port].pop(); }
  void show(unsigned output, Token token);
  void showAll(Token token, unsigned outputs);
  /// Shows what ends a block, if it does.
  bool pass(Token token);
  void finish();
  bool fail(const std::string &what);
};

class CycleMachine {
public:
  CycleMachine(const Graph &graph, const Parameters &parameters,
               const RunOptions &options);

  llvm::Expected<Run> run();

private:
  friend struct CycleAct;

  void connect();
  void connectInput(CycleBlock &block, unsigned port);
  void shareUnits();
  static bool mayUseUnits(CycleBlock &block, uint64_t cycle);
  void deliverFeeds();
  /// The blocks of a cycle; whether anything moved.
  bool stepAll();
  bool isHeld(const CycleBlock &block) const;
  void markFullQueues(CycleBlock &block);
  void noteCause(CycleBlock &block);
  llvm::Error describeDeadlock() const;
  std::string describeWait(const CycleBlock &block) const;
  Run collect();
  std::vector<ChainLink> walkCriticalChain() const;

  /// One step of a block; whether it did something.
  bool step(CycleBlock &block);
  bool stepScan(CycleBlock &block);
  bool endFiber(CycleBlock &block);
  void takeSkip(CycleBlock &block, bool &moved);
  bool stepRepeat(CycleBlock &block);
  bool followSignal(CycleBlock &block, CycleInput &references,
                    const Token *signal, bool &took);
  bool stepJoin(CycleBlock &block);
  void advance(CycleBlock &block, unsigned side);
  void showPair(CycleBlock &block, const Token &coordinate, const Token &first,
                const Token &second);
  bool compareForIntersection(CycleBlock &block);
  bool compareForUnion(CycleBlock &block);
  bool stepArray(CycleBlock &block);
  bool stepReduceBeside(CycleBlock &block);
  bool stepAccumulate(CycleBlock &block);
  bool takePoint(CycleBlock &block);
  bool stepCoordinateHold(CycleBlock &block);
  bool stepCoordinateDrop(CycleBlock &block);

  void show(CycleBlock &block, unsigned output, Token token) {
    CycleStream &stream = *block.out[output];
    if (stream.tail == stream.limit)
      stream.makeRoom();
    stream.ring[stream.tail++ & stream.mask] = token;
    stream.lastPush = cycle + 1;
    ++stream.counts[unsigned(token.kind)];
    for (auto [word, bits] : stream.wakes)
      next[word] |= bits;
    if (stream.shown)
      stream.shown->push_back({token, cycle});
  }
  void showAll(CycleBlock &block, Token token, unsigned outputs) {
    for (unsigned output = 0; output < outputs; ++output)
      show(block, output, token);
  }
  void finish(CycleBlock &block) {
    block.isDone = true;
    block.doneCycle = cycle;
    if (isWriter(block.kind))
      --runningWriters;
  }
  /// Ends the run with a message about a block and a token.
  bool fail(const CycleBlock &block, const std::string &what);
  std::string text(const CycleBlock &block, unsigned input,
                   const Token &token) const;

  const Graph &graph;
  const Parameters &parameters;
  const RunOptions &options;
  bool isReference;
  uint64_t cycle = 0;
  unsigned runningWriters = 0;
  std::string failure;

  std::vector<CycleBlock> blocks;
  /// The places of blocks, by their numbers in the graph.
  std::vector<unsigned> places;
  std::deque<CycleStream> streams;
  /// Which blocks are awake, in this cycle and the next.
  std::vector<uint64_t> active;
  std::vector<uint64_t> next;
  struct Feed {
    CycleStream *stream;
    llvm::ArrayRef<TimedToken> tokens;
    size_t position = 0;
  };
  std::vector<Feed> feeds;
  std::deque<SharedUnits> units;
  Run result;
};

inline void CycleAct::show(unsigned output, Token token) {
  machine.show(state, output, token);
}
inline void CycleAct::showAll(Token token, unsigned outputs) {
  machine.showAll(state, token, outputs);
}
inline bool CycleAct::pass(Token token) {
  show(0, token);
  if (token.isDone())
    finish();
  return true;
}
inline void CycleAct::finish() { machine.finish(state); }
inline bool CycleAct::fail(const std::string &what) {
  return machine.fail(state, what);
}

} // namespace ember::sim::sam

#endif
