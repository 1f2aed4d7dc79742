//===- TimedBlocks.cpp - Scanners, repeaters and joiners, by times --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimedMachine.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace ember::sim::sam {

using Phase = TimedBlock::Phase;

void TimedMachine::map(TimedBlock &block) {
  switch (block.kind) {
  case BlockKind::scanCompressed:
  case BlockKind::scanDense:
    return mapScan(block);
  case BlockKind::repeatSignal:
    return mapRepeatSignal(block);
  case BlockKind::repeat:
    return mapRepeat(block, block.in[0], block.in[1]);
  case BlockKind::intersect:
  case BlockKind::unite:
    return mapJoin(block);
  case BlockKind::array:
    return mapArray(block);
  case BlockKind::locate:
  case BlockKind::multiply:
  case BlockKind::add:
  case BlockKind::maximum:
  case BlockKind::minimum:
    return mapPairs(block);
  case BlockKind::reduce:
    return mapReduce(block);
  case BlockKind::accumulate1:
  case BlockKind::accumulate2:
    return mapAccumulate(block);
  case BlockKind::reduceAlong:
    return mapReduceAlong(block);
  case BlockKind::coordinateHold:
    return mapCoordinateHold(block);
  case BlockKind::coordinateDrop:
    return mapCoordinateDrop(block);
  case BlockKind::stopDrop:
    return mapStopDrop(block);
  case BlockKind::emptyFiberStopDrop:
    return mapEmptyFiberStopDrop(block);
  case BlockKind::split:
    return mapSplit(block);
  case BlockKind::bitsConvert:
    return mapBitsConvert(block);
  case BlockKind::bitsChunk:
    return mapBitsChunk(block);
  case BlockKind::bitsScan:
    return mapBitsScan(block);
  case BlockKind::bitsIntersect:
    return mapBitsIntersect(block);
  case BlockKind::writeCompressed:
  case BlockKind::writeValues:
    return mapWrite(block);
  }
}

bool TimedMachine::endFiber(TimedBlock &block) {
  TimedInput &references = block.in[0];
  if (references.isEmpty())
    return false;
  const PackedToken &following = references.front();
  uint64_t cycle = std::max(block.now, following.cycle()), level = 0;
  if (following.isStop())
    level = references.pop().payload + 1;
  showAll(block, Token::stop(level), cycle, 2);
  block.acts(cycle);
  block.now = cycle + 1;
  block.phase = Phase::due;
  return true;
}

void TimedMachine::mapScan(TimedBlock &block) {
  TimedInput &references = block.in[0];
  bool isDense = block.kind == BlockKind::scanDense;
  uint64_t before = block.busy;
  while (goesOn(block, before)) {
    if (block.phase == Phase::ending) {
      if (!endFiber(block))
        return;
      continue;
    }
    if (block.phase == Phase::inside) {
      // All pairs but the first wait for the next reference, once.
      uint64_t cycle = block.now;
      if (!isDense) {
        if (references.isEmpty())
          return;
        cycle = std::max(cycle, references.front().cycle());
      }
      const int64_t *coordinates =
          isDense ? nullptr : block.level->coordinates.data();
      TimedStream &crd = *block.out[0], &ref = *block.out[1];
      for (int64_t position = block.position; position < block.end;
           ++position, ++cycle) {
        crd.push(Token::integer(isDense ? position - block.base
                                        : coordinates[position]),
                 cycle);
        ref.push(Token::integer(position), cycle);
      }
      block.busy += block.end - block.position;
      block.lastActed = cycle - 1;
      block.now = cycle;
      block.phase = Phase::ending;
      continue;
    }
    if (references.isEmpty())
      return;
    PackedToken token = references.pop();
    uint64_t cycle = std::max(block.now, token.cycle());
    block.acts(cycle);
    block.now = cycle + 1;
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
    auto fiber = int64_t(token.payload);
    if (isDense) {
      if (fiber < 0 ||
          fiber > mostPositions / std::max<int64_t>(block.level->size, 1))
        return fail(block, cycle, formatv("there is no fiber {0}", fiber));
      block.position = block.base = fiber * block.level->size;
      block.end = block.position + block.level->size;
    } else {
      int64_t fibers = int64_t(block.level->segments.size()) - 1;
      if (fiber < 0 || fiber >= fibers)
        return fail(block, cycle,
                    formatv("reference {0} on 'ref' is past its array, which "
                            "has {1} fibers",
                            fiber, fibers));
      block.position = block.level->segments[fiber];
      block.end = block.level->segments[fiber + 1];
    }
    if (block.position == block.end) {
      block.now = cycle;
      block.phase = Phase::ending;
      continue;
    }
    int64_t position = block.position++;
    block.out[0]->push(Token::integer(isDense
                                          ? position - block.base
                                          : block.level->coordinates[position]),
                       cycle);
    block.out[1]->push(Token::integer(position), cycle);
    block.phase = block.position == block.end ? Phase::ending : Phase::inside;
  }
}

void TimedMachine::mapRepeatSignal(TimedBlock &block) {
  uint64_t before = block.busy;
  while (goesOn(block, before) && !block.in[0].isEmpty()) {
    PackedToken token = block.in[0].pop();
    uint64_t cycle = std::max(block.now, token.cycle());
    block.now = cycle + 1;
    block.acts(cycle);
    block.out[0]->push(token.isDone()   ? Token::done()
                       : token.isStop() ? Token::stop(0)
                                        : Token::integer(0),
                       cycle);
    if (token.isDone())
      finish(block, cycle);
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
      block.now = cycle + 1;
      block.acts(cycle);
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
    uint64_t cycle =
        std::max({block.now, in[0].front().cycle(), in[1].front().cycle(),
                  in[2].front().cycle(), in[3].front().cycle()});
    block.acts(cycle);
    block.now = cycle + 1;
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
