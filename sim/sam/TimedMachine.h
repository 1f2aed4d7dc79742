//===- TimedMachine.h - The state of a run by times -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With unbounded queues and no way back nothing ever waits for room, so that
// the cycle of a token is a function of the cycles of those before it: later
// than the block's last one, and than all that it is made of. Each block maps
// the tokens that are there to others, a few thousand at a time, without a
// clock.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIM_SAM_TIMEDMACHINE_H
#define EMBER_LIB_SIM_SAM_TIMEDMACHINE_H

#include "PointAccumulator.h"

#include "ember/Sim/SAM/Run.h"

#include <deque>

namespace ember::sim::sam {

/// A token and the first cycle in which it may be used, in 16 bytes.
struct PackedToken {
  uint64_t payload = 0;
  uint64_t stamp = 0;

  TokenKind kind() const { return TokenKind(stamp & 3); }
  uint64_t cycle() const { return stamp >> 2; }
  bool isData() const { return kind() == TokenKind::data; }
  bool isStop() const { return kind() == TokenKind::stop; }
  bool isEmpty() const { return kind() == TokenKind::empty; }
  bool isDone() const { return kind() == TokenKind::done; }
  Token token() const { return {payload, kind()}; }
};

struct TimedInput;

struct TimedStream {
  std::vector<PackedToken> ring = std::vector<PackedToken>(64);
  uint64_t mask = 63;
  uint64_t tail = 0;
  uint64_t limit = 64;
  /// Of stops, empty ones and D; the rest is data.
  std::array<uint64_t, 4> controls{};
  llvm::SmallVector<TimedInput *, 2> consumers;
  std::vector<TimedToken> *shown = nullptr;

  void makeRoom();
  uint64_t backlog() const;
  /// Adds a token that is shown in a cycle, and may be used in the next.
  void push(Token token, uint64_t cycle) {
    if (tail == limit)
      makeRoom();
    ring[tail++ & mask] = {token.payload,
                           (cycle + 1) << 2 | uint64_t(token.kind)};
    if (token.kind != TokenKind::data)
      ++controls[unsigned(token.kind)];
    if (shown)
      shown->push_back({token, cycle});
  }
};

struct TimedInput {
  TimedStream *stream = nullptr;
  uint64_t head = 0;

  bool isEmpty() const { return stream->tail == head; }
  const PackedToken &front() const { return stream->ring[head & stream->mask]; }
  PackedToken pop() { return stream->ring[head++ & stream->mask]; }
};

struct TimedBlock {
  BlockKind kind = BlockKind::scanCompressed;
  uint8_t numInputs = 0;
  uint8_t numOutputs = 0;
  bool isDone = false;
  enum class Phase : uint8_t { due, inside, ending } phase = Phase::due;
  TimedInput in[maxInputs];
  TimedStream *out[maxOutputs] = {};

  /// The first cycle in which the block may act again; of blocks that fetch
  /// ahead, the first one in which they may do so, and of those that have two
  /// outputs of their own pace, the other one's.
  uint64_t now = 0;
  uint64_t fetch = 0;
  uint64_t otherNow = 0;
  uint64_t valueNow = 0;

  const Level *level = nullptr;
  llvm::ArrayRef<double> values;
  int64_t position = 0;
  int64_t end = 0;
  int64_t base = 0;
  bool isFilled = false;
  bool owesStop = false;
  Token held[4];
  uint64_t heldSince = 0;
  double sum = 0;
  uint64_t word = 0;
  uint64_t otherWord = 0;
  uint64_t owed = 0;
  bool sawData = false;
  bool afterStop = true;
  bool takesMore = true;

  uint64_t busy = 0;
  uint64_t lastActed = ~uint64_t(0);
  uint64_t doneCycle = 0;
  const Block *description = nullptr;
  unsigned number = 0;
  PointAccumulator points;
  TimedStream signals;
  std::vector<Token> *written = nullptr;

  void acts(uint64_t cycle) {
    busy += cycle != lastActed;
    lastActed = cycle;
  }
};

class TimedMachine {
public:
  TimedMachine(const Graph &graph, const Parameters &parameters,
               const RunOptions &options);

  llvm::Expected<Run> run();

private:
  void connect();
  bool sweep(uint64_t mostBacklog, bool &isHeldBack);
  llvm::Error describeStarvation() const;
  Run collect();

  /// Maps what is there, up to some thousands of tokens.
  void map(TimedBlock &block);
  void mapScan(TimedBlock &block);
  bool endFiber(TimedBlock &block);
  void mapRepeatSignal(TimedBlock &block);
  void mapRepeat(TimedBlock &block, TimedInput &references,
                 TimedInput &signals);
  void mapJoin(TimedBlock &block);
  bool checkPair(TimedBlock &block);
  void intersect(TimedBlock &block, uint64_t cycle);
  void unite(TimedBlock &block, uint64_t cycle);
  void mapArray(TimedBlock &block);
  void mapPairs(TimedBlock &block);
  void mapReduce(TimedBlock &block);
  void mapReduceBeside(TimedBlock &block);
  void mapReduceAlong(TimedBlock &block);
  void mapAccumulate(TimedBlock &block);
  void takePoints(TimedBlock &block);
  void mapCoordinateHold(TimedBlock &block);
  void mapCoordinateDrop(TimedBlock &block);
  void mapStopDrop(TimedBlock &block);
  void mapEmptyFiberStopDrop(TimedBlock &block);
  void mapSplit(TimedBlock &block);
  void mapBitsConvert(TimedBlock &block);
  void mapBitsChunk(TimedBlock &block);
  void mapBitsScan(TimedBlock &block);
  void mapBitsIntersect(TimedBlock &block);
  void mapWrite(TimedBlock &block);

  void advance(TimedBlock &block, unsigned side) {
    block.held[2 * side] = block.in[2 * side].pop().token();
    block.held[2 * side + 1] = block.in[2 * side + 1].pop().token();
  }
  void showAll(TimedBlock &block, Token token, uint64_t cycle,
               unsigned outputs) {
    for (unsigned output = 0; output < outputs; ++output)
      block.out[output]->push(token, cycle);
  }
  void finish(TimedBlock &block, uint64_t cycle) {
    block.isDone = true;
    block.doneCycle = cycle;
  }
  /// Whether a block may go on: it has not ended, failed, or done enough.
  bool goesOn(const TimedBlock &block, uint64_t since) const {
    return !block.isDone && failure.empty() &&
           block.busy - since < tokensAtOnce;
  }
  void fail(const TimedBlock &block, uint64_t cycle, const std::string &what);

  static constexpr uint64_t tokensAtOnce = 4096;

  const Graph &graph;
  const Parameters &parameters;
  const RunOptions &options;
  bool isReference;
  std::string failure;
  std::vector<TimedBlock> blocks;
  std::deque<TimedStream> streams;
  Run result;
};

} // namespace ember::sim::sam

#endif
