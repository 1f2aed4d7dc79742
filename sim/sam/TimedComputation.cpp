//===- TimedComputation.cpp - Computing and writing blocks, by times ------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockArithmetic.h"
#include "TimedMachine.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace ember::sim::sam {

using Phase = TimedBlock::Phase;

void TimedMachine::mapArray(TimedBlock &block) {
  TimedInput &references = block.in[0];
  uint64_t before = block.busy, delay = parameters.arrayLatency - 1;
  while (goesOn(block, before) && !references.isEmpty()) {
    PackedToken packed = references.pop();
    uint64_t cycle = std::max(block.now, packed.cycle());
    block.now = cycle + 1;
    block.acts(cycle);
    Token token = packed.token();
    if (std::string error = loadValue(block.values, token); !error.empty())
      return fail(block, cycle, error);
    block.out[0]->push(token, cycle + delay);
    if (token.isDone())
      finish(block, cycle + delay);
  }
}

void TimedMachine::mapPairs(TimedBlock &block) {
  TimedInput &firsts = block.in[0], &seconds = block.in[1];
  uint64_t before = block.busy;
  while (goesOn(block, before) && !firsts.isEmpty() && !seconds.isEmpty()) {
    PackedToken left = firsts.pop(), right = seconds.pop();
    uint64_t cycle = std::max({block.now, left.cycle(), right.cycle()});
    block.now = cycle + 1;
    block.acts(cycle);
    Token first = left.token(), second = right.token();
    std::string error;
    if (block.kind == BlockKind::locate) {
      error = locate(*block.description, *block.level, first, second);
      first = second;
    } else {
      error = combine(*block.description, first, second);
    }
    if (!error.empty())
      return fail(block, cycle, error);
    block.out[0]->push(first, cycle);
    if (first.isDone())
      finish(block, cycle);
  }
}

void TimedMachine::mapReduceBeside(TimedBlock &block) {
  TimedInput &values = block.in[0], &outers = block.in[1];
  uint64_t before = block.busy;
  while (goesOn(block, before)) {
    Token &outer = block.held[0];
    if (!block.isFilled) {
      if (outers.isEmpty())
        return;
      PackedToken packed = outers.pop();
      outer = packed.token();
      block.heldSince = std::max(block.now, packed.cycle());
      block.acts(block.heldSince);
      block.isFilled = true;
    }
    bool isOwed = block.owed;
    if (!isOwed && values.isEmpty())
      return;
    uint64_t cycle = std::max(block.now, block.heldSince);
    Token token = Token::stop(block.owed);
    if (!isOwed) {
      PackedToken packed = values.pop();
      token = packed.token();
      cycle = std::max(cycle, packed.cycle());
    }
    block.now = cycle + 1;
    block.acts(cycle);
    if (token.isData() || token.isEmpty()) {
      block.sum += token.isData() ? token.number() : 0;
      block.sawData = true;
      continue;
    }
    block.isFilled = false;
    if (token.isStop() && outer.isData() && !isOwed) {
      block.out[0]->push(Token::number(block.sum), cycle);
      block.sum = 0;
      block.sawData = false;
      block.owed = token.payload;
      continue;
    }
    if (std::string error = endSums(token, outer, block.sawData);
        !error.empty())
      return fail(block, cycle, error);
    block.owed = 0;
    block.out[0]->push(outer, cycle);
    if (outer.isDone())
      finish(block, cycle);
  }
}

void TimedMachine::mapReduce(TimedBlock &block) {
  if (block.in[1].stream)
    return mapReduceBeside(block);
  TimedInput &values = block.in[0];
  uint64_t before = block.busy;
  while (goesOn(block, before) && !values.isEmpty()) {
    PackedToken token = values.pop();
    uint64_t cycle = std::max(block.now, token.cycle());
    block.now = cycle + 1;
    block.acts(cycle);
    if (token.isData()) {
      block.sum += token.token().number();
      block.sawData = true;
    } else if (token.isEmpty()) {
      block.sawData = true;
    } else if (token.isStop() && block.description->dropsEmpty &&
               !block.sawData) {
      if (token.payload)
        block.out[0]->push(Token::stop(token.payload - 1), cycle);
    } else if (token.isStop()) {
      block.sawData = false;
      block.out[0]->push(Token::number(block.sum), cycle);
      block.sum = 0;
      if (token.payload) {
        block.out[0]->push(Token::stop(token.payload - 1), cycle + 1);
        block.acts(cycle + 1);
        block.now = cycle + 2;
      }
    } else if (token.isDone()) {
      block.out[0]->push(Token::done(), cycle);
      finish(block, cycle);
    }
  }
}

void TimedMachine::mapReduceAlong(TimedBlock &block) {
  TimedInput &values = block.in[0], &inners = block.in[1];
  uint64_t before = block.busy;
  while (goesOn(block, before) && !values.isEmpty() && !inners.isEmpty()) {
    PackedToken packedValue = values.pop(), packedInner = inners.pop();
    uint64_t cycle =
        std::max({block.now, packedValue.cycle(), packedInner.cycle()});
    block.now = cycle + 1;
    block.acts(cycle);
    Token value = packedValue.token(), inner = packedInner.token();
    if (inner.isData() && (value.isData() || value.isEmpty())) {
      block.points.add(0, inner.integer(), value.isData() ? value.number() : 0);
      continue;
    }
    if (std::string error = endAlong(value, inner); !error.empty())
      return fail(block, cycle, error);
    if (inner.isDone()) {
      showAll(block, inner, cycle, 2);
      finish(block, cycle);
    } else if (inner.payload) {
      for (block.points.close(cycle); block.points.hasPoint();) {
        const PointAccumulator::Point &point = block.points.point();
        block.acts(++cycle);
        block.out[0]->push(Token::integer(point.inner), cycle);
        block.out[1]->push(Token::number(point.value), cycle);
        block.points.popPoint();
        block.points.popValue();
      }
      block.acts(++cycle);
      showAll(block, Token::stop(inner.payload - 1), cycle, 2);
      block.now = cycle + 1;
    }
  }
}

/// Takes the points that are there; rows that end become ready.
void TimedMachine::takePoints(TimedBlock &block) {
  uint64_t before = block.busy;
  while (goesOn(block, before) && block.takesMore && !block.in[0].isEmpty() &&
         !block.in[1].isEmpty() && !block.in[2].isEmpty()) {
    PackedToken outer = block.in[0].pop(), inner = block.in[1].pop(),
                value = block.in[2].pop();
    uint64_t cycle =
        std::max({block.now, outer.cycle(), inner.cycle(), value.cycle()});
    block.now = cycle + 1;
    block.acts(cycle);
    if (outer.isDone() && inner.isDone() && value.isDone()) {
      block.takesMore = false;
      block.points.close(cycle);
      block.fetch = cycle;
      return;
    }
    if (!outer.isData() || !inner.isData() ||
        !(value.isData() || value.isEmpty()))
      return fail(
          block, cycle,
          formatv(
              "{0}, {1} and {2} make no point; stops are to be dropped before",
              printToken(outer.token(), StreamType::coordinate),
              printToken(inner.token(), StreamType::coordinate),
              printToken(value.token(), StreamType::value)));
    auto row = int64_t(outer.payload);
    if (block.kind == BlockKind::accumulate1 && block.points.endsRow(row))
      block.points.close(cycle);
    block.points.add(row, int64_t(inner.payload),
                     value.isData() ? value.token().number() : 0);
  }
}

void TimedMachine::mapAccumulate(TimedBlock &block) {
  takePoints(block);
  for (; block.points.hasValue(); block.points.popValue()) {
    const PointAccumulator::Point &point = block.points.value();
    uint64_t cycle = std::max(block.valueNow, point.cycle);
    block.out[2]->push(Token::number(point.value), cycle);
    block.valueNow = cycle + 1;
  }
  for (; block.points.hasPoint(); block.points.popPoint()) {
    const PointAccumulator::Point &point = block.points.point();
    uint64_t cycle = std::max(block.otherNow, point.cycle);
    bool isNewRow = block.phase == Phase::due || point.outer != block.base;
    if (isNewRow && block.phase == Phase::inside)
      block.out[1]->push(Token::stop(0), cycle++);
    if (isNewRow)
      block.out[0]->push(Token::integer(point.outer), cycle);
    block.out[1]->push(Token::integer(point.inner), cycle);
    block.base = point.outer;
    block.phase = Phase::inside;
    block.otherNow = cycle + 1;
  }
  if (block.takesMore || block.isDone || !failure.empty())
    return;
  block.out[2]->push(Token::done(), std::max(block.valueNow, block.fetch));
  uint64_t cycle = std::max(block.otherNow, block.fetch);
  block.out[0]->push(Token::stop(0), cycle);
  block.out[1]->push(Token::stop(1), cycle);
  showAll(block, Token::done(), cycle + 1, 2);
  finish(block, cycle + 1);
}

void TimedMachine::mapCoordinateHold(TimedBlock &block) {
  TimedInput &inners = block.in[1];
  for (uint64_t taken = 0; taken < tokensAtOnce && !inners.isEmpty(); ++taken) {
    PackedToken inner = inners.pop();
    uint64_t cycle = std::max(block.otherNow, inner.cycle());
    block.otherNow = cycle + 1;
    block.out[1]->push(inner.token(), cycle);
    // Used from the next cycle on.
    block.signals.push(inner.isDone()   ? Token::done()
                       : inner.isStop() ? Token::stop(0)
                                        : Token::integer(0),
                       cycle);
    ++block.busy;
  }
  mapRepeat(block, block.in[0], *block.signals.consumers[0]);
}

void TimedMachine::mapCoordinateDrop(TimedBlock &block) {
  TimedInput &outers = block.in[0], &inners = block.in[1];
  uint64_t before = block.busy;
  while (goesOn(block, before)) {
    Token &outer = block.held[0];
    if (!block.isFilled) {
      if (outers.isEmpty())
        return;
      PackedToken packed = outers.pop();
      outer = packed.token();
      block.heldSince = std::max(block.now, packed.cycle());
      block.acts(block.heldSince);
      if (outer.isStop() && !block.afterStop) {
        block.out[0]->push(outer, block.heldSince);
        block.afterStop = true;
        block.now = block.heldSince + 1;
        continue;
      }
      block.isFilled = true;
      block.sawData = block.afterStop = false;
    }
    if (inners.isEmpty())
      return;
    PackedToken packed = inners.pop();
    Token inner = packed.token();
    uint64_t cycle = std::max({block.now, packed.cycle(), block.heldSince});
    block.now = cycle + 1;
    block.acts(cycle);
    block.out[1]->push(inner, cycle);
    if (outer.isData()) {
      if (inner.isDone())
        return fail(
            block, cycle,
            formatv("'inner' ends inside of the fiber of coordinate {0}",
                    printToken(outer, StreamType::coordinate)));
      block.sawData |= inner.isData();
      if (inner.isStop()) {
        if (block.sawData)
          block.out[0]->push(outer, cycle);
        block.isFilled = false;
      }
      continue;
    }
    if (inner.kind != outer.kind)
      return fail(block, cycle,
                  formatv("'outer' has {0} where 'inner' has {1}",
                          printToken(outer, StreamType::coordinate),
                          printToken(inner, StreamType::coordinate)));
    block.out[0]->push(outer, cycle);
    block.isFilled = false;
    block.afterStop = true;
    if (outer.isDone())
      finish(block, cycle);
  }
}

void TimedMachine::mapStopDrop(TimedBlock &block) {
  uint64_t before = block.busy;
  while (goesOn(block, before) && !block.in[0].isEmpty()) {
    PackedToken token = block.in[0].pop();
    uint64_t cycle = std::max(block.now, token.cycle());
    block.now = cycle + 1;
    block.acts(cycle);
    if (!token.isStop())
      block.out[0]->push(token.token(), cycle);
    if (token.isDone())
      finish(block, cycle);
  }
}

void TimedMachine::mapEmptyFiberStopDrop(TimedBlock &block) {
  TimedInput &input = block.in[0];
  uint64_t before = block.busy;
  while (goesOn(block, before) && !input.isEmpty()) {
    const PackedToken front = input.front();
    uint64_t cycle = std::max(block.now, front.cycle());
    block.now = cycle + 1;
    block.acts(cycle);
    if (block.owed) {
      if (front.isStop() && !(block.owed > 1 && front.payload > 0)) {
        block.owed = std::max(block.owed, input.pop().payload + 1);
        continue;
      }
      block.out[0]->push(Token::stop(block.owed - 1), cycle);
      block.owed = 0;
      continue;
    }
    input.pop();
    if (front.isStop()) {
      if (block.sawData || front.payload > 0)
        block.owed = front.payload + 1;
      block.sawData = false;
      continue;
    }
    block.sawData = true;
    block.out[0]->push(front.token(), cycle);
    if (front.isDone())
      finish(block, cycle);
  }
}

void TimedMachine::mapSplit(TimedBlock &block) {
  TimedInput &input = block.in[0];
  int64_t factor = block.description->factor;
  uint64_t before = block.busy;
  while (goesOn(block, before) && !input.isEmpty()) {
    const PackedToken front = input.front();
    uint64_t cycle = std::max(block.now, front.cycle());
    block.now = cycle + 1;
    block.acts(cycle);
    Token token = front.token();
    if (token.isData()) {
      int64_t part = token.integer() / factor;
      if (block.sawData && part != block.base) {
        block.out[1]->push(Token::stop(0), cycle);
        block.sawData = false;
        continue;
      }
      if (!block.sawData)
        block.out[0]->push(Token::integer(part), cycle);
      block.sawData = true;
      block.base = part;
      block.out[1]->push(block.description->keepsCoordinate
                             ? token
                             : Token::integer(token.integer() % factor),
                         cycle);
    } else {
      block.out[0]->push(token, cycle);
      block.out[1]->push(
          token.isStop() ? Token::stop(token.payload + 1) : token, cycle);
      block.sawData = false;
      if (token.isDone())
        finish(block, cycle);
    }
    input.pop();
  }
}

void TimedMachine::mapBitsConvert(TimedBlock &block) {
  TimedInput &input = block.in[0];
  uint64_t before = block.busy;
  while (goesOn(block, before) && !input.isEmpty()) {
    const PackedToken front = input.front();
    uint64_t cycle = std::max(block.now, front.cycle());
    block.now = cycle + 1;
    block.acts(cycle);
    if (front.isStop() && block.sawData) {
      block.out[0]->push(Token{block.word, TokenKind::data}, cycle);
      block.word = 0;
      block.sawData = false;
      continue;
    }
    input.pop();
    if (front.isData()) {
      if (front.payload >= 64)
        return fail(block, cycle,
                    formatv("coordinate {0} has no place in 64 bits",
                            front.token().integer()));
      block.word |= uint64_t(1) << front.payload;
      block.sawData = true;
      continue;
    }
    block.out[0]->push(front.token(), cycle);
    if (front.isDone())
      finish(block, cycle);
  }
}

void TimedMachine::mapBitsChunk(TimedBlock &block) {
  TimedInput &input = block.in[0];
  unsigned width = block.description->width;
  uint64_t before = block.busy;
  while (goesOn(block, before) && !input.isEmpty()) {
    const PackedToken front = input.front();
    uint64_t cycle = std::max(block.now, front.cycle());
    block.now = cycle + 1;
    block.acts(cycle);
    if (!front.isData()) {
      input.pop();
      showAll(block, front.token(), cycle, 2);
      if (front.isDone())
        finish(block, cycle);
      continue;
    }
    uint64_t part = bitsOf(front.payload, block.position, width);
    block.out[0]->push(Token{part, TokenKind::data}, cycle);
    block.out[1]->push(Token::integer(block.base), cycle);
    block.base += std::popcount(part);
    block.position += width;
    if (block.position >= int64_t(block.description->size)) {
      block.position = 0;
      input.pop();
    }
  }
}

void TimedMachine::mapBitsScan(TimedBlock &block) {
  TimedInput &references = block.in[0];
  const std::vector<uint64_t> &words = block.description->words;
  uint64_t before = block.busy;
  while (goesOn(block, before)) {
    if (block.phase == Phase::ending) {
      if (!endFiber(block))
        return;
      continue;
    }
    if (references.isEmpty())
      return;
    PackedToken token = references.pop();
    uint64_t cycle = std::max(block.now, token.cycle());
    block.now = cycle + 1;
    block.acts(cycle);
    if (token.isStop()) {
      showAll(block, Token::stop(token.payload + 1), cycle, 2);
      continue;
    }
    if (!token.isData()) {
      showAll(block, token.token(), cycle, 2);
    } else if (token.payload >= words.size()) {
      return fail(
          block, cycle,
          formatv(
              "reference {0} on 'ref' is past its array, which has {1} words",
              token.token().integer(), words.size()));
    } else {
      block.out[0]->push(Token{words[token.payload], TokenKind::data}, cycle);
      block.out[1]->push(Token::integer(bitsBefore(words, token.payload)),
                         cycle);
    }
    if (token.isDone())
      finish(block, cycle);
    else
      block.phase = Phase::ending;
  }
}

void TimedMachine::mapBitsIntersect(TimedBlock &block) {
  TimedInput *in = block.in;
  uint64_t before = block.busy;
  while (goesOn(block, before)) {
    if (in[0].isEmpty() || in[1].isEmpty() || in[2].isEmpty() ||
        in[3].isEmpty())
      return;
    PackedToken first = in[0].pop(), firstReference = in[1].pop();
    PackedToken second = in[2].pop(), secondReference = in[3].pop();
    uint64_t cycle = std::max({block.now, first.cycle(), firstReference.cycle(),
                               second.cycle(), secondReference.cycle()});
    block.now = cycle + 1;
    block.acts(cycle);
    if (first.kind() != second.kind() ||
        firstReference.kind() != first.kind() ||
        secondReference.kind() != first.kind() ||
        (first.isStop() && first.payload != second.payload))
      return fail(block, cycle,
                  formatv("'bv1' has {0} where 'bv2' has {1}",
                          printToken(first.token(), StreamType::bits),
                          printToken(second.token(), StreamType::bits)));
    if (!first.isData()) {
      showAll(block, first.token(), cycle, 3);
      if (first.isDone())
        finish(block, cycle);
      continue;
    }
    uint64_t common = first.payload & second.payload;
    if (common || block.description->emitsZeros)
      block.out[0]->push(Token{common, TokenKind::data}, cycle);
    for (; common; common &= common - 1, ++cycle) {
      uint64_t below = (common & -common) - 1;
      block.out[1]->push(Token::integer(firstReference.token().integer() +
                                        std::popcount(first.payload & below)),
                         cycle);
      block.out[2]->push(Token::integer(secondReference.token().integer() +
                                        std::popcount(second.payload & below)),
                         cycle);
      block.acts(cycle);
      block.now = cycle + 1;
    }
  }
}

void TimedMachine::mapWrite(TimedBlock &block) {
  uint64_t before = block.busy;
  while (goesOn(block, before) && !block.in[0].isEmpty()) {
    PackedToken token = block.in[0].pop();
    uint64_t cycle = std::max(block.now, token.cycle());
    block.now = cycle + 1;
    block.acts(cycle);
    block.written->push_back(token.token());
    if (token.isDone())
      finish(block, cycle);
  }
}

} // namespace ember::sim::sam
