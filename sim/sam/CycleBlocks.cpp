//===- CycleBlocks.cpp - What scanners, repeaters and joiners do a cycle --===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockSteps.h"
#include "CycleMachine.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace ember::sim::sam {

bool CycleMachine::step(CycleBlock &block) {
  switch (block.kind) {
  case BlockKind::scanCompressed:
  case BlockKind::scanDense:
  case BlockKind::scanSingleton:
  case BlockKind::scanBitvector:
  case BlockKind::scanLinkedList:
    return stepScan(block);
  case BlockKind::repeat:
    return stepRepeat(block);
  case BlockKind::intersect:
  case BlockKind::unite:
    return stepJoin(block);
  case BlockKind::array:
    return stepArray(block);
  case BlockKind::accumulate1:
  case BlockKind::accumulate2:
    return stepAccumulate(block);
  case BlockKind::coordinateHold:
    return stepCoordinateHold(block);
  case BlockKind::coordinateDrop:
    return stepCoordinateDrop(block);
  case BlockKind::reduce:
    if (block.in[1].stream)
      return stepReduceBeside(block);
    [[fallthrough]];
  default:
    return withStep(block.kind, false, [&](auto step) {
      CycleAct act{*this, block};
      return step(act);
    });
  }
}

/// Takes one skip of this fiber, or of one that has ended, off the queue.
void CycleMachine::takeSkip(CycleBlock &block, bool &moved) {
  CycleInput &skips = block.in[1];
  uint64_t waiting =
      skips.size() - (skips.stream->lastPush == cycle + 1 ? 1 : 0);
  if (!waiting || block.fibersSkipped > block.fibersEnded)
    return;
  bool isOfThisFiber = block.fibersSkipped == block.fibersEnded;
  if (isOfThisFiber && block.phase == Phase::due)
    return;
  moved = true;
  Token skip = skips.pop();
  if (skip.isStop())
    ++block.fibersSkipped;
  if (!isOfThisFiber || block.phase != Phase::inside)
    return;
  if (skip.isStop()) {
    block.position = block.end;
  } else if (skip.isData()) {
    int64_t wanted = skip.integer();
    if (block.kind == BlockKind::scanDense) {
      block.position =
          std::clamp(block.base + wanted, block.position, block.end);
    } else {
      const int64_t *coordinates = block.level->coordinates.data();
      block.position = std::lower_bound(coordinates + block.position,
                                        coordinates + block.end, wanted) -
                       coordinates;
    }
  }
  if (block.position == block.end)
    block.phase = Phase::ending;
}

/// Shows the stop of a fiber once it is known whether lists around it end too.
bool CycleMachine::endFiber(CycleBlock &block) {
  CycleInput &references = block.in[0];
  if (references.isEmpty())
    return false;
  uint64_t level = 0;
  if (references.front().isStop())
    level = references.pop().payload + 1;
  showAll(block, Token::stop(level), 2);
  ++block.fibersEnded;
  block.phase = Phase::due;
  return true;
}

bool CycleMachine::stepScan(CycleBlock &block) {
  CycleInput &references = block.in[0];
  bool looksAhead = block.kind == BlockKind::scanCompressed, moved = false;
  if (block.in[1].stream)
    takeSkip(block, moved);
  if (block.phase == Phase::ending)
    return endFiber(block) || moved;
  if (references.isEmpty())
    // Only in a compressed fiber is a look at what comes next needed.
    if (block.phase == Phase::due || looksAhead)
      return moved;
  if (block.phase == Phase::due) {
    Token token = references.pop();
    switch (token.kind) {
    case TokenKind::stop:
      showAll(block, Token::stop(token.payload + 1), 2);
      ++block.fibersEnded;
      return true;
    case TokenKind::empty:
      showAll(block, token, 2);
      block.phase = Phase::ending;
      return true;
    case TokenKind::done:
      showAll(block, token, 2);
      finish(block);
      return true;
    case TokenKind::data:
      break;
    }
    if (std::string error = block.enterFiber(token.integer()); !error.empty())
      return fail(block, error);
    if (block.position == block.end) {
      block.phase = Phase::ending;
      endFiber(block);
      return true;
    }
    block.phase = Phase::inside;
  }
  int64_t place = block.position++;
  show(block, 0, Token::integer(block.coordinateAt(place)));
  show(block, 1, Token::integer(block.referenceAt(place)));
  if (block.position == block.end)
    block.phase = Phase::ending;
  return true;
}

/// The rule by which a reference is shown once a signal; `took` says whether
/// the signal was used.
bool CycleMachine::followSignal(CycleBlock &block, CycleInput &references,
                                const Token *signal, bool &took) {
  RepeatState &state = block.repeat;
  auto showStop = [&] {
    uint64_t level =
        references.front().isStop() ? references.pop().payload + 1 : 0;
    show(block, 0, Token::stop(level));
    state.holds = state.owesStop = false;
  };
  took = false;
  if (state.owesStop) {
    if (references.isEmpty())
      return false;
    showStop();
    return true;
  }
  bool moved = false;
  if (!state.holds && !references.isEmpty()) {
    state.token = references.pop();
    state.holds = moved = true;
    // With the last reference held, only the end of the signals is left.
    if (state.token.isDone())
      block.doneCycle = cycle;
  }
  if (!state.holds || !signal)
    return moved;
  took = true;
  bool isRepeated = state.token.isData() || state.token.isEmpty();
  if (signal->isDone() != state.token.isDone() ||
      (signal->isData() && !isRepeated))
    return fail(block, formatv("signal {0} comes while {1} is held",
                               printToken(*signal, StreamType::signal),
                               printToken(state.token, StreamType::reference)));
  if (signal->isDone()) {
    show(block, 0, *signal);
    // A block that holds coordinates has its last signal since a cycle ago.
    uint64_t since = block.doneCycle;
    finish(block);
    block.doneCycle = block.kind == BlockKind::repeat
                          ? since
                          : std::max(since, block.lastInner);
  } else if (signal->isData()) {
    show(block, 0, state.token);
  } else if (!isRepeated) {
    show(block, 0, Token::stop(state.token.payload + 1));
    state.holds = false;
  } else if (references.isEmpty()) {
    state.owesStop = true;
  } else {
    showStop();
  }
  return true;
}

bool CycleMachine::stepRepeat(CycleBlock &block) {
  CycleInput &signals = block.in[1];
  bool took = false;
  bool moved = followSignal(
      block, block.in[0], signals.isEmpty() ? nullptr : &signals.front(), took);
  if (took)
    ++signals.head;
  return moved;
}

void CycleMachine::advance(CycleBlock &block, unsigned side) {
  Token &coordinate = block.coordinates[side], before = coordinate;
  coordinate = block.in[2 * side].pop();
  block.references[side] = block.in[2 * side + 1].pop();
  if (block.isFilled && !ascend(before, coordinate))
    fail(block, describeOrder(side, before, coordinate));
  block.hasNews[1 - side] = true;
}

void CycleMachine::showPair(CycleBlock &block, const Token &coordinate,
                            const Token &first, const Token &second) {
  show(block, 0, coordinate);
  show(block, 1, first);
  show(block, 2, second);
}

bool CycleMachine::stepJoin(CycleBlock &block) {
  bool bothWait = !block.in[0].isEmpty() && !block.in[1].isEmpty() &&
                  !block.in[2].isEmpty() && !block.in[3].isEmpty();
  const Token &first = block.coordinates[0], &second = block.coordinates[1];
  if (!bothWait) {
    if (!block.isFilled || (!first.isDone() && !second.isDone()))
      return false;
    if (first.isDone() != second.isDone())
      return fail(block, formatv("one side has ended, the other one is at {0}",
                                 printToken(first.isDone() ? second : first,
                                            StreamType::coordinate)));
    showAll(block, Token::done(), 3);
    finish(block);
    return true;
  }
  if (!block.isFilled) {
    advance(block, 0);
    advance(block, 1);
    block.isFilled = true;
    return true;
  }
  for (unsigned side = 0; side < 2; ++side) {
    const Token &coordinate = block.coordinates[side],
                &reference = block.references[side];
    // The coordinate of another operand has no reference here.
    bool isMissing = coordinate.isData() && reference.isEmpty();
    if ((coordinate.kind != reference.kind && !isMissing) ||
        (coordinate.isStop() && coordinate.payload != reference.payload))
      return fail(block,
                  formatv("side {0} has coordinate {1} with reference {2}",
                          side + 1,
                          printToken(coordinate, StreamType::coordinate),
                          printToken(reference, StreamType::reference)));
    if (coordinate.isDone())
      return fail(
          block,
          formatv(
              "a token follows D on side {0}, or the other side has not ended",
              side + 1));
  }
  if (first.isStop() && second.isStop() && first.payload != second.payload)
    return fail(block, formatv("'crd1' is at S{0} while 'crd2' is at S{1}",
                               first.payload, second.payload));
  return block.kind == BlockKind::intersect ? compareForIntersection(block)
                                            : compareForUnion(block);
}

bool CycleMachine::compareForIntersection(CycleBlock &block) {
  const Token first = block.coordinates[0], second = block.coordinates[1];
  if (first.isEmpty() || second.isEmpty()) {
    // Nothing is common with a missing fiber. The reference says so by an N,
    // and does not mind that the other side may be at its stop.
    if (isReference)
      showAll(block, Token::empty(), 3);
    if (isReference || !first.isStop())
      advance(block, 0);
    if (isReference || !second.isStop())
      advance(block, 1);
    return true;
  }
  auto tell = [&](unsigned side) {
    if (!block.hasNews[side])
      return;
    block.hasNews[side] = false;
    if (block.out[3 + side]->consumers.size() || block.out[3 + side]->shown)
      show(block, 3 + side, block.coordinates[1 - side]);
  };
  bool areStops = first.isStop() && second.isStop();
  if (areStops ||
      (first.isData() && second.isData() && first.payload == second.payload)) {
    showPair(block, first, block.references[0], block.references[1]);
    if (areStops) {
      tell(0);
      tell(1);
    }
    advance(block, 0);
    advance(block, 1);
    return true;
  }
  unsigned behind =
      second.isStop() || (first.isData() && first.integer() < second.integer())
          ? 0
          : 1;
  tell(behind);
  advance(block, behind);
  return true;
}

bool CycleMachine::compareForUnion(CycleBlock &block) {
  const Token first = block.coordinates[0], second = block.coordinates[1];
  const Token firstReference = block.references[0],
              secondReference = block.references[1];
  if (first.isData() || second.isData()) {
    bool takesFirst = first.isData() &&
                      (!second.isData() || first.integer() <= second.integer());
    bool takesSecond = second.isData() &&
                       (!first.isData() || second.integer() <= first.integer());
    showPair(block, takesFirst ? first : second,
             takesFirst ? firstReference : Token::empty(),
             takesSecond ? secondReference : Token::empty());
    if (takesFirst)
      advance(block, 0);
    if (takesSecond)
      advance(block, 1);
    return true;
  }
  if (first.isStop() && second.isStop()) {
    showPair(block, first, firstReference, secondReference);
    advance(block, 0);
    advance(block, 1);
    return true;
  }
  // A missing fiber has no coordinates. The reference shows one all the same.
  if (isReference)
    showAll(block, Token::empty(), 3);
  if (first.isEmpty())
    advance(block, 0);
  if (second.isEmpty())
    advance(block, 1);
  return true;
}

} // namespace ember::sim::sam
