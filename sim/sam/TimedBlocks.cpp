//===- TimedBlocks.cpp - Scanners, repeaters and joiners, by times --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockSteps.h"
#include "TimedMachine.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace ember::sim::sam {

bool TimedMachine::map(TimedBlock &block) {
  uint64_t before = block.busy;
  switch (block.kind) {
  case BlockKind::scanCompressed:
  case BlockKind::scanDense:
  case BlockKind::scanSingleton:
  case BlockKind::scanBitvector:
  case BlockKind::scanLinkedList:
    mapScan(block);
    break;
  case BlockKind::repeat:
    mapRepeat(block, block.in[0], block.in[1]);
    break;
  case BlockKind::intersect:
  case BlockKind::unite:
    mapJoin(block);
    break;
  case BlockKind::array:
    mapArray(block);
    break;
  case BlockKind::accumulate1:
  case BlockKind::accumulate2:
    mapAccumulate(block);
    break;
  case BlockKind::coordinateHold:
    mapCoordinateHold(block);
    break;
  case BlockKind::coordinateDrop:
    mapCoordinateDrop(block);
    break;
  case BlockKind::reduce:
    if (block.in[1].stream) {
      mapReduceBeside(block);
      break;
    }
    [[fallthrough]];
  default:
    withStep(block.kind, false, [&](auto step) {
      TimedAct act{*this, block};
      while (goesOn(block, before) && step(act)) {
      }
      return true;
    });
  }
  return block.busy != before || block.isDone;
}

bool TimedMachine::endFiber(TimedBlock &block) {
  TimedInput &references = block.in[0];
  if (references.isEmpty())
    return false;
  uint64_t cycle = block.actOn(references), level = 0;
  if (references.front().isStop())
    level = references.pop().payload + 1;
  showAll(block, Token::stop(level), cycle, 2);
  block.phase = Phase::due;
  return true;
}

void TimedMachine::mapScan(TimedBlock &block) {
  TimedInput &references = block.in[0];
  bool looksAhead = block.kind == BlockKind::scanCompressed;
  uint64_t before = block.busy;
  while (goesOn(block, before)) {
    if (block.phase == Phase::ending) {
      if (!endFiber(block))
        return;
      continue;
    }
    if (block.phase == Phase::inside) {
      // All pairs but the first of a compressed fiber wait for the next
      // reference, once.
      uint64_t cycle = block.now;
      if (looksAhead) {
        if (references.isEmpty())
          return;
        cycle = std::max(cycle, references.front().cycle());
      }
      TimedStream &crd = *block.out[0], &ref = *block.out[1];
      bool isPlain = looksAhead && block.level->positions.empty();
      const int64_t *coordinates = block.level->coordinates.data();
      for (int64_t place = block.position; place < block.end;
           ++place, ++cycle) {
        crd.push(Token::integer(isPlain ? coordinates[place]
                                        : block.coordinateAt(place)),
                 cycle);
        ref.push(Token::integer(isPlain ? place : block.referenceAt(place)),
                 cycle);
      }
      block.busy += block.end - block.position;
      block.lastActed = cycle - 1;
      block.now = cycle;
      block.phase = Phase::ending;
      continue;
    }
    if (references.isEmpty())
      return;
    uint64_t cycle = block.actOn(references);
    PackedToken token = references.pop();
    if (!token.isData()) {
      bool isStop = token.isStop();
      showAll(block, isStop ? Token::stop(token.payload + 1) : token.token(),
              cycle, 2);
      if (token.isEmpty())
        block.phase = Phase::ending;
      if (token.isDone())
        finish(block, cycle);
      continue;
    }
    if (std::string error = block.enterFiber(int64_t(token.payload));
        !error.empty())
      return fail(block, cycle, error);
    if (block.position == block.end) {
      block.now = cycle;
      block.phase = Phase::ending;
      continue;
    }
    int64_t place = block.position++;
    block.out[0]->push(Token::integer(block.coordinateAt(place)), cycle);
    block.out[1]->push(Token::integer(block.referenceAt(place)), cycle);
    block.phase = block.position == block.end ? Phase::ending : Phase::inside;
  }
}

void TimedMachine::mapRepeat(TimedBlock &block, TimedInput &references,
                             TimedInput &signals) {
  uint64_t before = block.busy;
  while (goesOn(block, before)) {
    if (!block.isFilled) {
      if (references.isEmpty())
        return;
      PackedToken token = references.pop();
      block.held[0] = token.token();
      block.heldSince = std::max(block.fetch, token.cycle());
      block.isFilled = true;
      block.acts(block.heldSince);
    }
    const Token &held = block.held[0];
    if (!block.owesStop) {
      if (signals.isEmpty())
        return;
      PackedToken signal = signals.pop();
      uint64_t cycle = std::max({block.now, signal.cycle(), block.heldSince});
      block.actsAlone(cycle);
      bool isRepeated = held.isData() || held.isEmpty();
      if (signal.isDone() != held.isDone() || (signal.isData() && !isRepeated))
        return fail(block, cycle,
                    formatv("signal {0} comes while {1} is held",
                            printToken(signal.token(), StreamType::signal),
                            printToken(held, StreamType::reference)));
      if (signal.isData()) {
        block.out[0]->push(held, cycle);
        continue;
      }
      if (signal.isDone()) {
        block.out[0]->push(held, cycle);
        bool endsWithReference = block.kind == BlockKind::repeat;
        finish(block, endsWithReference
                          ? block.heldSince
                          : std::max(block.heldSince, signal.cycle() - 1));
        return;
      }
      if (!isRepeated) {
        block.out[0]->push(Token::stop(held.payload + 1), cycle);
        block.isFilled = false;
        block.fetch = cycle + 1;
        continue;
      }
      block.owesStop = true;
      block.now = cycle;
    }
    // The stop is shown once it is known whether lists around it end too.
    if (references.isEmpty())
      return;
    uint64_t cycle = std::max(block.now, references.front().cycle()), level = 0;
    if (references.front().isStop())
      level = references.pop().payload + 1;
    block.out[0]->push(Token::stop(level), cycle);
    block.acts(cycle);
    block.owesStop = block.isFilled = false;
    block.now = block.fetch = cycle + 1;
  }
}

bool TimedMachine::checkPair(TimedBlock &block) {
  for (unsigned side = 0; side < 2; ++side) {
    const Token &coordinate = block.held[2 * side],
                &reference = block.held[2 * side + 1];
    bool isMissing = coordinate.isData() && reference.isEmpty();
    if ((coordinate.kind != reference.kind && !isMissing) ||
        (coordinate.isStop() && coordinate.payload != reference.payload)) {
      fail(block, block.now,
           formatv("side {0} has coordinate {1} with reference {2}", side + 1,
                   printToken(coordinate, StreamType::coordinate),
                   printToken(reference, StreamType::reference)));
      return false;
    }
  }
  const Token &first = block.held[0], &second = block.held[2];
  if (first.isDone() != second.isDone()) {
    fail(block, block.now,
         formatv("one side has ended, the other one is at {0}",
                 printToken(first.isDone() ? second : first,
                            StreamType::coordinate)));
    return false;
  }
  if (first.isStop() && second.isStop() && first.payload != second.payload) {
    fail(block, block.now,
         formatv("'crd1' is at S{0} while 'crd2' is at S{1}", first.payload,
                 second.payload));
    return false;
  }
  return true;
}

void TimedMachine::mapJoin(TimedBlock &block) {
  uint64_t before = block.busy;
  TimedInput *in = block.in;
  while (goesOn(block, before)) {
    if (block.isFilled) {
      if (!checkPair(block))
        return;
      if (block.held[0].isDone()) {
        showAll(block, Token::done(), block.now, 3);
        block.acts(block.now);
        return finish(block, block.now);
      }
    }
    if (in[0].isEmpty() || in[1].isEmpty() || in[2].isEmpty() ||
        in[3].isEmpty())
      return;
    uint64_t cycle = block.actOn(in[0], in[1], in[2], in[3]);
    if (!block.isFilled) {
      advance(block, 0);
      advance(block, 1);
      block.isFilled = true;
    } else if (block.kind == BlockKind::intersect) {
      intersect(block, cycle);
    } else {
      unite(block, cycle);
    }
  }
}

void TimedMachine::intersect(TimedBlock &block, uint64_t cycle) {
  const Token first = block.held[0], second = block.held[2];
  if (first.isData() && second.isData()) {
    bool takesFirst = first.integer() <= second.integer();
    bool takesSecond = second.integer() <= first.integer();
    if (takesFirst && takesSecond) {
      block.out[0]->push(first, cycle);
      block.out[1]->push(block.held[1], cycle);
      block.out[2]->push(block.held[3], cycle);
    }
    if (takesFirst)
      advance(block, 0);
    if (takesSecond)
      advance(block, 1);
    return;
  }
  if (first.isEmpty() || second.isEmpty()) {
    if (isReference)
      showAll(block, Token::empty(), cycle, 3);
    if (isReference || !first.isStop())
      advance(block, 0);
    if (isReference || !second.isStop())
      advance(block, 1);
    return;
  }
  if (first.isStop() && second.isStop()) {
    showAll(block, first, cycle, 3);
    advance(block, 0);
    advance(block, 1);
    return;
  }
  advance(block, second.isStop() ? 0 : 1);
}

void TimedMachine::unite(TimedBlock &block, uint64_t cycle) {
  const Token first = block.held[0], second = block.held[2];
  if (first.isData() || second.isData()) {
    bool takesFirst = first.isData() &&
                      (!second.isData() || first.integer() <= second.integer());
    bool takesSecond = second.isData() &&
                       (!first.isData() || second.integer() <= first.integer());
    block.out[0]->push(takesFirst ? first : second, cycle);
    block.out[1]->push(takesFirst ? block.held[1] : Token::empty(), cycle);
    block.out[2]->push(takesSecond ? block.held[3] : Token::empty(), cycle);
    if (takesFirst)
      advance(block, 0);
    if (takesSecond)
      advance(block, 1);
    return;
  }
  if (first.isStop() && second.isStop()) {
    showAll(block, first, cycle, 3);
    advance(block, 0);
    advance(block, 1);
    return;
  }
  if (isReference)
    showAll(block, Token::empty(), cycle, 3);
  if (first.isEmpty())
    advance(block, 0);
  if (second.isEmpty())
    advance(block, 1);
}

} // namespace ember::sim::sam
