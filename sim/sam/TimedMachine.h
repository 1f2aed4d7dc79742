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
// Blocks may be mapped in several threads at once. A consumer sees a stream as
// it was when it was last looked at (`refresh`), and a producer writes over
// nothing that a consumer had not passed then; where nobody maps, all streams
// are looked at anew.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIM_SAM_TIMEDMACHINE_H
#define EMBER_LIB_SIM_SAM_TIMEDMACHINE_H

#include "BlockState.h"

#include "ember/Sim/SAM/Run.h"

#include <atomic>
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

struct alignas(64) TimedStream {
  std::vector<PackedToken> ring = std::vector<PackedToken>(64);
  /// What consumers that have not looked since may still read.
  std::vector<std::vector<PackedToken>> outgrown;
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
  /// What the stream was like at the last look, and where this input was then.
  const PackedToken *ring = nullptr;
  uint64_t mask = 0;
  uint64_t tail = 0;
  uint64_t passed = 0;

  void refresh() {
    if (!stream)
      return;
    ring = stream->ring.data();
    mask = stream->mask;
    tail = stream->tail;
    passed = head;
  }
  bool isEmpty() const { return tail == head; }
  const PackedToken &front() const { return ring[head & mask]; }
  PackedToken pop() { return ring[head++ & mask]; }
};

struct alignas(64) TimedBlock : BlockState {
  TimedInput in[maxInputs];
  TimedStream *out[maxOutputs] = {};

  /// The first cycle in which the block may act again; of blocks that fetch
  /// ahead, the first one in which they may do so, and of those that have two
  /// outputs of their own pace, the other one's.
  uint64_t now = 0;
  uint64_t fetch = 0;
  uint64_t otherNow = 0;
  uint64_t valueNow = 0;
  bool owesStop = false;
  Token held[4];
  uint64_t heldSince = 0;

  uint64_t busy = 0;
  /// Of these, the cycles of inner coordinates that pass while outer ones are
  /// held, each at a pace of its own.
  uint64_t innerBusy = 0;
  uint64_t lastActed = ~uint64_t(0);
  uint64_t doneCycle = 0;
  TimedStream signals;
  std::string failure;

  void acts(uint64_t cycle) {
    busy += cycle != lastActed;
    lastActed = cycle;
  }
  /// Acts in a cycle, and not again before the next.
  void actsAlone(uint64_t cycle) {
    acts(cycle);
    now = cycle + 1;
  }
  /// The first cycle in which the block may act on the tokens of some inputs,
  /// all of which have one; it does so.
  template <typename... Inputs> uint64_t actOn(const Inputs &...inputs) {
    uint64_t cycle = std::max({now, inputs.front().cycle()...});
    actsAlone(cycle);
    return cycle;
  }
  void refresh() {
    for (unsigned port = 0; port < numInputs; ++port)
      in[port].refresh();
  }
};

class TimedMachine;

/// What a block does in a cycle, once it is known which.
struct TimedAct {
  TimedMachine &machine;
  TimedBlock &state;
  uint64_t cycle = 0;

  bool has(unsigned port) const { return !state.in[port].isEmpty(); }
  template <unsigned... ports> bool await() {
    if (!(has(ports) && ...))
      return false;
    cycle = state.actOn(state.in[ports]...);
    return true;
  }
  bool awaitFirst(unsigned count) { return awaitAll((1u << count) - 1); }
  bool awaitAll(unsigned ports) {
    uint64_t at = state.now;
    for (; ports; ports &= ports - 1) {
      unsigned port = std::countr_zero(ports);
      if (!has(port))
        return false;
      at = std::max(at, state.in[port].front().cycle());
    }
    begin(at);
    return true;
  }
  void pace() { begin(state.now); }
  Token front(unsigned port) const { return state.in[port].front().token(); }
  Token pop(unsigned port) { return state.in[port].pop().token(); }
  void show(unsigned output, Token token) {
    state.out[output]->push(token, cycle);
  }
  void showAll(Token token, unsigned outputs) {
    for (unsigned output = 0; output < outputs; ++output)
      show(output, token);
  }
  /// Shows what ends a block, if it does.
  bool pass(Token token) {
    show(0, token);
    if (token.isDone())
      finish();
    return true;
  }
  void finish() {
    state.isDone = true;
    state.doneCycle = cycle;
  }
  bool fail(const std::string &what);

private:
  void begin(uint64_t at) {
    cycle = at;
    state.actsAlone(at);
  }
};

class TimedMachine {
public:
  TimedMachine(const Graph &graph, const Parameters &parameters,
               const RunOptions &options);

  llvm::Expected<Run> run();

private:
  friend struct TimedAct;

  void connect();
  /// Who is far ahead of a consumer waits, which keeps memory small.
  bool isFarAhead(const TimedBlock &block, uint64_t mostBacklog) const;
  bool sweep(uint64_t mostBacklog, bool &isHeldBack);
  /// The same in several threads: what comes in a sweep is mapped in the next.
  class Team;
  struct EndTeam {
    void operator()(Team *team) const;
  };
  std::unique_ptr<Team, EndTeam> makeTeam();
  bool sweepTogether(Team &team, uint64_t mostBacklog, bool &isHeldBack);
  llvm::Error describeFailure() const;
  llvm::Error describeStarvation() const;
  Run collect();

  /// Maps what is there, up to some thousands of tokens; whether there was any.
  bool map(TimedBlock &block);
  void mapScan(TimedBlock &block);
  bool endFiber(TimedBlock &block);
  void mapRepeat(TimedBlock &block, TimedInput &references,
                 TimedInput &signals);
  void mapJoin(TimedBlock &block);
  bool checkPair(TimedBlock &block);
  void intersect(TimedBlock &block, uint64_t cycle);
  void unite(TimedBlock &block, uint64_t cycle);
  void mapArray(TimedBlock &block);
  void mapReduceBeside(TimedBlock &block);
  void mapAccumulate(TimedBlock &block);
  void takePoints(TimedBlock &block);
  void mapCoordinateHold(TimedBlock &block);
  void mapCoordinateDrop(TimedBlock &block);

  void advance(TimedBlock &block, unsigned side) {
    Token &coordinate = block.held[2 * side], before = coordinate;
    coordinate = block.in[2 * side].pop().token();
    block.held[2 * side + 1] = block.in[2 * side + 1].pop().token();
    if (block.isFilled && !ascend(before, coordinate))
      fail(block, block.now - 1, describeOrder(side, before, coordinate));
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
    return !block.isDone && block.failure.empty() &&
           block.busy - since < tokensAtOnce;
  }
  void fail(TimedBlock &block, uint64_t cycle, const std::string &what);

  static constexpr uint64_t tokensAtOnce = 4096;

  const Graph &graph;
  const Parameters &parameters;
  const RunOptions &options;
  bool isReference;
  std::vector<TimedBlock> blocks;
  std::deque<TimedStream> streams;
  Run result;
};

inline bool TimedAct::fail(const std::string &what) {
  machine.fail(state, cycle, what);
  return true;
}

} // namespace ember::sim::sam

#endif
