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

void TimedMachine::mapArray(TimedBlock &block) {
  TimedInput &references = block.in[0];
  uint64_t before = block.busy, delay = parameters.arrayLatency - 1;
  while (goesOn(block, before) && !references.isEmpty()) {
    uint64_t cycle = block.actOn(references);
    Token token = references.pop().token();
    if (std::string error = loadValue(block.values, token); !error.empty())
      return fail(block, cycle, error);
    block.out[0]->push(token, cycle + delay);
    if (token.isDone())
      finish(block, cycle + delay);
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
    block.actsAlone(cycle);
    if (token.isData() || token.isEmpty()) {
      block.sum = combineNumbers(block.description->combiner, block.sum,
                                 token.isData() ? token.number() : 0);
      block.sawData = true;
      continue;
    }
    block.isFilled = false;
    if (token.isStop() && outer.isData() && !isOwed) {
      block.out[0]->push(Token::number(block.sum), cycle);
      block.sum = identityOf(block.description->combiner);
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

/// Takes the points that are there; rows that end become ready.
void TimedMachine::takePoints(TimedBlock &block) {
  uint64_t before = block.busy;
  while (goesOn(block, before) && block.takesMore && !block.in[0].isEmpty() &&
         !block.in[1].isEmpty() && !block.in[2].isEmpty()) {
    uint64_t cycle = block.actOn(block.in[0], block.in[1], block.in[2]);
    PackedToken outer = block.in[0].pop(), inner = block.in[1].pop(),
                value = block.in[2].pop();
    if (outer.isDone() && inner.isDone() && value.isDone()) {
      block.takesMore = false;
      block.points.close(cycle, block.description->combiner);
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
      block.points.close(cycle, block.description->combiner);
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
  if (block.takesMore || block.isDone || !block.failure.empty())
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
    ++block.innerBusy;
  }
  block.in[2].refresh();
  mapRepeat(block, block.in[0], block.in[2]);
  block.in[2].refresh();
  block.signals.outgrown.clear();
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
    block.actsAlone(cycle);
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

} // namespace ember::sim::sam
