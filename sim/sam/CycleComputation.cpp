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

bool CycleMachine::stepLocate(CycleBlock &block) {
  if (block.in[0].isEmpty() || block.in[1].isEmpty())
    return false;
  Token reference = block.in[0].pop(), coordinate = block.in[1].pop();
  if (std::string error =
          locate(*block.description, *block.level, reference, coordinate);
      !error.empty())
    return fail(block, error);
  show(block, 0, coordinate);
  if (coordinate.isDone())
    finish(block);
  return true;
}

bool CycleMachine::stepArithmetic(CycleBlock &block) {
  if (block.in[0].isEmpty() || block.in[1].isEmpty())
    return false;
  Token first = block.in[0].pop(), second = block.in[1].pop();
  if (std::string error = combine(*block.description, first, second);
      !error.empty())
    return fail(block, error);
  show(block, 0, first);
  if (first.isDone())
    finish(block);
  return true;
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
  bool isOwed = block.owedStop;
  if (!isOwed && values.isEmpty())
    return moved;
  Token token = isOwed ? Token::stop(block.owedStop) : values.pop();
  if (token.isData() || token.isEmpty()) {
    block.sum += token.isData() ? token.number() : 0;
    block.sawData = true;
    return true;
  }
  block.isFilled = false;
  if (token.isStop() && outer.isData() && !isOwed) {
    show(block, 0, Token::number(block.sum));
    block.sum = 0;
    block.sawData = false;
    block.owedStop = token.payload;
    return true;
  }
  if (std::string error = endSums(token, outer, block.sawData); !error.empty())
    return fail(block, error);
  block.owedStop = 0;
  show(block, 0, outer);
  if (outer.isDone())
    finish(block);
  return true;
}

bool CycleMachine::stepReduce(CycleBlock &block) {
  if (block.in[1].stream)
    return stepReduceBeside(block);
  if (block.owedStop) {
    show(block, 0, Token::stop(--block.owedStop));
    block.owedStop = 0;
    return true;
  }
  if (block.in[0].isEmpty())
    return false;
  Token token = block.in[0].pop();
  switch (token.kind) {
  case TokenKind::data:
    block.sum += token.number();
    block.sawData = true;
    break;
  case TokenKind::empty:
    block.sawData = true;
    break;
  case TokenKind::stop:
    if (block.description->dropsEmpty && !block.sawData) {
      if (token.payload)
        show(block, 0, Token::stop(token.payload - 1));
      break;
    }
    block.sawData = false;
    show(block, 0, Token::number(block.sum));
    block.sum = 0;
    block.owedStop = token.payload;
    break;
  case TokenKind::done:
    show(block, 0, token);
    finish(block);
    break;
  }
  return true;
}

/// Sums lists by their coordinates: takes all of them, then shows the sums.
bool CycleMachine::stepReduceAlong(CycleBlock &block) {
  if (block.points.hasPoint()) {
    const PointAccumulator::Point &point = block.points.point();
    show(block, 0, Token::integer(point.inner));
    show(block, 1, Token::number(point.value));
    block.points.popPoint();
    block.points.popValue();
    return true;
  }
  if (block.owedStop) {
    showAll(block, Token::stop(block.owedStop - 1), 2);
    block.owedStop = 0;
    return true;
  }
  if (block.in[0].isEmpty() || block.in[1].isEmpty())
    return false;
  Token value = block.in[0].pop(), inner = block.in[1].pop();
  if (inner.isData() && (value.isData() || value.isEmpty())) {
    block.points.add(0, inner.integer(), value.isData() ? value.number() : 0);
    return true;
  }
  if (std::string error = endAlong(value, inner); !error.empty())
    return fail(block, error);
  if (inner.isDone()) {
    showAll(block, inner, 2);
    finish(block);
  } else if (inner.payload) {
    block.points.close(cycle);
    block.owedStop = inner.payload;
  }
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
    block.points.close(cycle);
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
    block.points.close(cycle);
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

bool CycleMachine::stepStopDrop(CycleBlock &block) {
  if (block.in[0].isEmpty())
    return false;
  Token token = block.in[0].pop();
  if (!token.isStop())
    show(block, 0, token);
  if (token.isDone())
    finish(block);
  return true;
}

bool CycleMachine::stepEmptyFiberStopDrop(CycleBlock &block) {
  CycleInput &input = block.in[0];
  if (input.isEmpty())
    return false;
  // A stop waits for what follows: an empty fiber's may end more lists. In
  // `owedStop`: one more than the level.
  if (block.owedStop) {
    const Token &following = input.front();
    if (following.isStop() && !(block.owedStop > 1 && following.payload > 0)) {
      block.owedStop = std::max(block.owedStop, input.pop().payload + 1);
      return true;
    }
    show(block, 0, Token::stop(block.owedStop - 1));
    block.owedStop = 0;
    return true;
  }
  Token token = input.pop();
  if (token.isStop()) {
    if (block.sawData || token.payload > 0)
      block.owedStop = token.payload + 1;
    block.sawData = false;
    return true;
  }
  block.sawData = true;
  show(block, 0, token);
  if (token.isDone())
    finish(block);
  return true;
}

bool CycleMachine::stepSplit(CycleBlock &block) {
  CycleInput &input = block.in[0];
  if (input.isEmpty())
    return false;
  Token token = input.front();
  if (token.isData()) {
    int64_t factor = block.description->factor, part = token.integer() / factor;
    if (block.sawData && part != block.base) {
      show(block, 1, Token::stop(0));
      block.sawData = false;
      return true;
    }
    if (!block.sawData)
      show(block, 0, Token::integer(part));
    block.sawData = true;
    block.base = part;
    show(block, 1,
         block.description->keepsCoordinate
             ? token
             : Token::integer(token.integer() % factor));
  } else {
    show(block, 0, token);
    show(block, 1, token.isStop() ? Token::stop(token.payload + 1) : token);
    block.sawData = false;
    if (token.isDone())
      finish(block);
  }
  input.pop();
  return true;
}

bool CycleMachine::stepBitsConvert(CycleBlock &block) {
  CycleInput &input = block.in[0];
  if (input.isEmpty())
    return false;
  const Token &token = input.front();
  if (token.isStop() && block.sawData) {
    show(block, 0, Token{block.word, TokenKind::data});
    block.word = 0;
    block.sawData = false;
    return true;
  }
  if (token.isData()) {
    if (token.payload >= 64)
      return fail(block, formatv("coordinate {0} has no place in 64 bits",
                                 token.integer()));
    block.word |= uint64_t(1) << token.payload;
    block.sawData = true;
  } else {
    show(block, 0, token);
    if (token.isDone())
      finish(block);
  }
  input.pop();
  return true;
}

bool CycleMachine::stepBitsChunk(CycleBlock &block) {
  CycleInput &input = block.in[0];
  if (input.isEmpty())
    return false;
  const Token &token = input.front();
  if (!token.isData()) {
    showAll(block, token, 2);
    if (token.isDone())
      finish(block);
    input.pop();
    return true;
  }
  // In `position`: how many bits of the word were shown; in `base`, how many
  // of those before were set.
  unsigned width = block.description->width;
  uint64_t part = bitsOf(token.payload, block.position, width);
  show(block, 0, Token{part, TokenKind::data});
  show(block, 1, Token::integer(block.base));
  block.base += std::popcount(part);
  block.position += width;
  if (block.position >= int64_t(block.description->size)) {
    block.position = 0;
    input.pop();
  }
  return true;
}

bool CycleMachine::stepBitsScan(CycleBlock &block) {
  if (block.phase == Phase::ending)
    return endFiber(block);
  if (block.in[0].isEmpty())
    return false;
  Token token = block.in[0].pop();
  if (token.isStop()) {
    showAll(block, Token::stop(token.payload + 1), 2);
    return true;
  }
  if (token.isData()) {
    const std::vector<uint64_t> &words = block.description->words;
    if (token.payload >= words.size())
      return fail(
          block,
          formatv(
              "reference {0} on 'ref' is past its array, which has {1} words",
              token.integer(), words.size()));
    show(block, 0, Token{words[token.payload], TokenKind::data});
    show(block, 1, Token::integer(bitsBefore(words, token.payload)));
  } else {
    showAll(block, token, 2);
  }
  if (token.isDone())
    finish(block);
  else
    block.phase = Phase::ending;
  return true;
}

bool CycleMachine::stepBitsIntersect(CycleBlock &block) {
  // The references of a word's common bits, one a cycle. In `owedStop`: which
  // bits are left.
  auto showReferences = [&] {
    uint64_t lowest = block.owedStop & -block.owedStop;
    show(block, 1,
         Token::integer(block.position +
                        std::popcount(block.word & (lowest - 1))));
    show(block, 2,
         Token::integer(block.end +
                        std::popcount(block.otherWord & (lowest - 1))));
    block.owedStop ^= lowest;
  };
  if (block.owedStop) {
    showReferences();
    return true;
  }
  for (const CycleInput &input : block.in)
    if (input.isEmpty())
      return false;
  Token first = block.in[0].pop(), firstReference = block.in[1].pop();
  Token second = block.in[2].pop(), secondReference = block.in[3].pop();
  if (first.kind != second.kind || firstReference.kind != first.kind ||
      secondReference.kind != first.kind ||
      (first.isStop() && first.payload != second.payload))
    return fail(block, formatv("'bv1' has {0} where 'bv2' has {1}",
                               printToken(first, StreamType::bits),
                               printToken(second, StreamType::bits)));
  if (!first.isData()) {
    showAll(block, first, 3);
    if (first.isDone())
      finish(block);
    return true;
  }
  block.word = first.payload;
  block.otherWord = second.payload;
  block.position = firstReference.integer();
  block.end = secondReference.integer();
  block.owedStop = block.word & block.otherWord;
  if (block.owedStop || block.description->emitsZeros)
    show(block, 0, Token{block.owedStop, TokenKind::data});
  if (block.owedStop)
    showReferences();
  return true;
}

bool CycleMachine::stepWrite(CycleBlock &block) {
  if (block.in[0].isEmpty())
    return false;
  Token token = block.in[0].pop();
  block.written->push_back(token);
  if (token.isDone())
    finish(block);
  return true;
}

} // namespace ember::sim::sam
