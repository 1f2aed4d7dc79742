//===- CycleComputation.cpp - What computing and writing blocks do a cycle ===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockArithmetic.h"
#include "CycleMachine.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace ember::sim::sam {

bool CycleMachine::stepArray(CycleBlock &block) {
  CycleInput &references = block.in[0];
  bool moved = false;
  if (!references.isEmpty()) {
    Token token = references.pop();
    if (std::string error = loadValue(block.values, token); !error.empty())
      return fail(block, error);
    block.loading.push_back({token, cycle + parameters.arrayLatency - 1});
    moved = true;
  }
  if (!block.loading.empty() && block.loading.front().cycle <= cycle) {
    Token token = block.loading.front().token;
    block.loading.pop_front();
    show(block, 0, token);
    if (token.isDone())
      finish(block);
  }
  return moved || !block.loading.empty();
}

/// Sums by the coordinates that lists belong to, which say where there is no
/// list at all.
bool CycleMachine::stepReduceBeside(CycleBlock &block) {
  CycleInput &values = block.in[0], &outers = block.in[1];
  Token &outer = block.coordinates[0];
  bool moved = false;
  // The next outer token is held as soon as it is there.
  if (!block.isFilled) {
    if (outers.isEmpty())
      return false;
    outer = outers.pop();
    block.isFilled = moved = true;
  }
  // With a sum shown, the stop of the lists around comes on its own.
  bool isOwed = block.owed;
  if (!isOwed && values.isEmpty())
    return moved;
  Token token = isOwed ? Token::stop(block.owed) : values.pop();
  if (token.isData() || token.isEmpty()) {
    block.sum = combineNumbers(block.description->combiner, block.sum,
                               token.isData() ? token.number() : 0);
    block.sawData = true;
    return true;
  }
  block.isFilled = false;
  if (token.isStop() && outer.isData() && !isOwed) {
    show(block, 0, Token::number(block.sum));
    block.sum = identityOf(block.description->combiner);
    block.sawData = false;
    block.owed = token.payload;
    return true;
  }
  if (std::string error = endSums(token, outer, block.sawData); !error.empty())
    return fail(block, error);
  block.owed = 0;
  show(block, 0, outer);
  if (outer.isDone())
    finish(block);
  return true;
}

/// Takes one point, which may end a row.
bool CycleMachine::takePoint(CycleBlock &block) {
  if (!block.takesMore || block.in[0].isEmpty() || block.in[1].isEmpty() ||
      block.in[2].isEmpty())
    return false;
  Token outer = block.in[0].pop(), inner = block.in[1].pop(),
        value = block.in[2].pop();
  if (outer.isDone() && inner.isDone() && value.isDone()) {
    block.takesMore = false;
    block.points.close(cycle, block.description->combiner);
    return true;
  }
  if (!outer.isData() || !inner.isData() ||
      !(value.isData() || value.isEmpty()))
    return fail(
        block,
        formatv(
            "{0}, {1} and {2} make no point; stops are to be dropped before",
            printToken(outer, StreamType::coordinate),
            printToken(inner, StreamType::coordinate),
            printToken(value, StreamType::value)));
  if (block.kind == BlockKind::accumulate1 &&
      block.points.endsRow(outer.integer()))
    block.points.close(cycle, block.description->combiner);
  block.points.add(outer.integer(), inner.integer(),
                   value.isData() ? value.number() : 0);
  return true;
}

bool CycleMachine::stepAccumulate(CycleBlock &block) {
  bool moved = takePoint(block);
  if (block.points.hasValue()) {
    show(block, 2, Token::number(block.points.value().value));
    block.points.popValue();
    moved = true;
  } else if (!block.takesMore && !block.sawData) {
    // Here: whether the values have ended.
    block.sawData = true;
    show(block, 2, Token::done());
    moved = true;
  }
  // In `phase`: no row, inside of one, or behind all.
  if (block.points.hasPoint()) {
    const PointAccumulator::Point &point = block.points.point();
    bool isNewRow = block.phase == Phase::due || point.outer != block.base;
    if (isNewRow && block.phase == Phase::inside) {
      show(block, 1, Token::stop(0));
      block.phase = Phase::due;
      return true;
    }
    if (isNewRow)
      show(block, 0, Token::integer(point.outer));
    show(block, 1, Token::integer(point.inner));
    block.base = point.outer;
    block.phase = Phase::inside;
    block.points.popPoint();
    return true;
  }
  if (block.takesMore)
    return moved;
  if (block.phase != Phase::ending) {
    show(block, 0, Token::stop(0));
    show(block, 1, Token::stop(1));
    block.phase = Phase::ending;
  } else {
    showAll(block, Token::done(), 2);
    finish(block);
  }
  return true;
}

bool CycleMachine::stepCoordinateHold(CycleBlock &block) {
  bool took = false;
  bool moved = followSignal(
      block, block.in[0],
      block.signals.empty() ? nullptr : &block.signals.front(), took);
  if (took)
    block.signals.pop_front();
  if (!block.in[1].isEmpty()) {
    Token inner = block.in[1].pop();
    show(block, 1, inner);
    block.lastInner = cycle;
    block.signals.push_back(inner.isDone()   ? inner
                            : inner.isStop() ? Token::stop(0)
                                             : Token::integer(0));
    moved = true;
  }
  return moved || !block.signals.empty();
}

bool CycleMachine::stepCoordinateDrop(CycleBlock &block) {
  CycleInput &outers = block.in[0], &inners = block.in[1];
  Token &outer = block.coordinates[0];
  bool moved = false;
  // The next outer token is held as soon as it is there.
  if (!block.isFilled && !outers.isEmpty()) {
    outer = outers.pop();
    block.isFilled = moved = true;
    if (outer.isStop() && !block.afterStop) {
      show(block, 0, outer);
      block.afterStop = true;
      block.isFilled = false;
      return true;
    }
    block.sawData = false;
    block.afterStop = false;
  }
  if (!block.isFilled || inners.isEmpty())
    return moved;
  Token inner = inners.pop();
  show(block, 1, inner);
  if (outer.isData()) {
    if (inner.isDone())
      return fail(block,
                  formatv("'inner' ends inside of the fiber of coordinate {0}",
                          printToken(outer, StreamType::coordinate)));
    block.sawData |= inner.isData();
    if (inner.isStop()) {
      if (block.sawData)
        show(block, 0, outer);
      block.isFilled = false;
    }
    return true;
  }
  // An empty outer fiber has a stop inside too; what ends ends on both sides.
  if (inner.kind != outer.kind)
    return fail(block, formatv("'outer' has {0} where 'inner' has {1}",
                               printToken(outer, StreamType::coordinate),
                               printToken(inner, StreamType::coordinate)));
  show(block, 0, outer);
  block.isFilled = false;
  block.afterStop = true;
  if (outer.isDone())
    finish(block);
  return true;
}

} // namespace ember::sim::sam
