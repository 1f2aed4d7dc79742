//===- ListSteps.h - One act of blocks on lists -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As ValueSteps.h says.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIM_SAM_LISTSTEPS_H
#define EMBER_LIB_SIM_SAM_LISTSTEPS_H

#include "BlockState.h"

namespace ember::sim::sam {

/// Where two streams are out of step.
inline std::string describeMismatch(const Block &block, unsigned first,
                                    const Token &firstToken, unsigned second,
                                    const Token &secondToken) {
  llvm::ArrayRef<PortInfo> inputs = infoOf(block.kind).inputs;
  auto text = [&](unsigned port, const Token &token) {
    StreamType type = inputs[port].type;
    return printToken(token,
                      type == StreamType::any ? StreamType::coordinate : type);
  };
  return llvm::formatv("'{0}' has {1} where '{2}' has {3}", inputs[first].name,
                       text(first, firstToken), inputs[second].name,
                       text(second, secondToken));
}

template <typename Act> bool stepRepeatSignal(Act &act) {
  if (!act.template await<0>())
    return false;
  Token token = act.pop(0);
  return act.pass(token.isDone()   ? token
                  : token.isStop() ? Token::stop(0)
                                   : Token::integer(0));
}

template <typename Act> bool stepStopDrop(Act &act) {
  if (!act.template await<0>())
    return false;
  Token token = act.pop(0);
  return token.isStop() || act.pass(token);
}

/// A stop waits for what follows: an empty fiber's may end more lists. In
/// `owed`: one more than the level.
template <typename Act> bool stepEmptyFiberStopDrop(Act &act) {
  if (!act.template await<0>())
    return false;
  BlockState &state = act.state;
  Token token = act.front(0);
  if (state.owed) {
    if (token.isStop() && !(state.owed > 1 && token.payload > 0)) {
      act.pop(0);
      state.owed = std::max(state.owed, token.payload + 1);
      return true;
    }
    act.show(0, Token::stop(state.owed - 1));
    state.owed = 0;
    return true;
  }
  act.pop(0);
  if (!token.isStop()) {
    state.sawData = true;
    return act.pass(token);
  }
  if (state.sawData || token.payload > 0)
    state.owed = token.payload + 1;
  state.sawData = false;
  return true;
}

template <typename Act> bool stepSplit(Act &act) {
  if (!act.template await<0>())
    return false;
  BlockState &state = act.state;
  const Block &block = *state.description;
  Token token = act.front(0);
  if (!token.isData()) {
    act.pop(0);
    act.show(0, token);
    act.show(1, token.isStop() ? Token::stop(token.payload + 1) : token);
    state.sawData = false;
    if (token.isDone())
      act.finish();
    return true;
  }
  int64_t part = token.integer() / block.factor;
  if (state.sawData && part != state.base) {
    act.show(1, Token::stop(0));
    state.sawData = false;
    return true;
  }
  act.pop(0);
  if (!state.sawData)
    act.show(0, Token::integer(part));
  state.sawData = true;
  state.base = part;
  act.show(1, block.keepsCoordinate
                  ? token
                  : Token::integer(token.integer() % block.factor));
  return true;
}

/// Takes out one level. Where nothing is connected to `outer`, tokens stay what
/// they are.
template <typename Act> bool stepFlatten(Act &act) {
  BlockState &state = act.state;
  const Block &block = *state.description;
  bool hasOuter = state.numInputs > 1;
  if (!act.has(0) || (hasOuter && !state.isFilled && !act.has(1)))
    return false;
  Token inner = act.front(0);
  bool isElement = inner.isData() || inner.isEmpty();
  if (!hasOuter) {
    act.template await<0>();
    act.pop(0);
    if (!inner.isStop())
      return act.pass(inner);
    return !inner.payload || act.pass(Token::stop(inner.payload - 1));
  }
  // A coordinate around is taken with the first token inside, but for a stop
  // with which lists around end, too.
  bool takesOuter = !state.isFilled && act.front(1).isData();
  if (isElement || (inner.isStop() && !inner.payload) ||
      (inner.isStop() && takesOuter)) {
    if (!state.isFilled && !takesOuter)
      return act.template await<0, 1>() &&
             act.fail(describeMismatch(block, 0, inner, 1, act.front(1)));
    if (takesOuter)
      act.template await<0, 1>();
    else
      act.template await<0>();
    if (takesOuter) {
      state.base = act.pop(1).integer();
      state.isFilled = true;
    }
    if (inner.isStop() && inner.payload)
      return true;
    act.pop(0);
    if (inner.isStop())
      state.isFilled = false;
    else
      act.show(
          0, inner.isEmpty() || block.keepsCoordinate
                 ? inner
                 : Token::integer(state.base * block.factor + inner.integer()));
    return true;
  }
  // Lists around end on both sides.
  if (!act.template await<0, 1>())
    return false;
  Token expected = inner.isStop() ? Token::stop(inner.payload - 1) : inner;
  if (act.front(1) != expected)
    return act.fail(describeMismatch(block, 0, inner, 1, act.front(1)));
  act.pop(0);
  act.pop(1);
  state.isFilled = false;
  return act.pass(expected);
}

/// Elements go to lanes by turns, from the first one in each list.
template <typename Act> bool stepParallelize(Act &act) {
  if (!act.template await<0>())
    return false;
  BlockState &state = act.state;
  Token token = act.pop(0);
  if (token.isData() || token.isEmpty()) {
    act.show(unsigned(state.position), token);
    state.position = (state.position + 1) % state.description->lanes;
    return true;
  }
  act.showAll(token, state.description->lanes);
  state.position = 0;
  if (token.isDone())
    act.finish();
  return true;
}

/// Input of a lane of serialize; behind the first one is the order.
inline unsigned portOfLane(int64_t lane) { return lane ? lane + 1 : 0; }

/// All lanes end their lists with a token in the same cycle, but those that
/// have, with their last item. In `word`: these; in `otherWord`: those that had
/// an item, but `last`, which ends with it.
template <typename Act>
bool endLanes(Act &act, Token expected, std::optional<unsigned> last = {}) {
  BlockState &state = act.state;
  const Block &block = *state.description;
  unsigned ports = 2;
  for (unsigned lane = 0; lane < block.lanes; ++lane)
    if (!(state.word >> lane & 1))
      ports |= 1u << portOfLane(lane);
  if (!act.awaitAll(ports))
    return false;
  Token order = act.pop(1);
  if (state.word && Token::stop(state.end) != expected)
    return act.fail(llvm::formatv("a lane has ended with S{0}, and 'outer' has "
                                  "{1}",
                                  state.end,
                                  printToken(order, StreamType::coordinate)));
  for (unsigned lane = 0; lane < block.lanes; ++lane) {
    if (state.word >> lane & 1)
      continue;
    unsigned port = portOfLane(lane);
    Token token = act.pop(port);
    bool hadItem = state.otherWord >> lane & 1 && last != lane;
    if (token != expected || (block.itemDepth && hadItem))
      return act.fail(describeMismatch(block, port, token, 1, order));
  }
  state.position = 0;
  state.word = state.otherWord = 0;
  state.phase = Phase::due;
  return act.pass(expected);
}

/// The stop of an item, of which the order says what follows it.
template <typename Act> bool endItem(Act &act, unsigned port, Token stop) {
  if (!act.has(1))
    return false;
  BlockState &state = act.state;
  const Block &block = *state.description;
  uint64_t own = block.itemDepth - 1, lane = uint64_t(1) << state.position;
  Token order = act.front(1);
  if (order.isStop())
    return endLanes(act, Token::stop(order.payload + block.itemDepth),
                    unsigned(state.position));
  // A lane's last item may end it before all have come.
  bool endsLane = stop.payload != own;
  bool isUnlike = endsLane && state.word && state.end != int64_t(stop.payload);
  act.awaitAll(2u | 1u << port);
  if (order.isDone() || isUnlike)
    return act.fail(describeMismatch(block, port, stop, 1, order));
  act.pop(port);
  if (endsLane) {
    state.word |= lane;
    state.end = int64_t(stop.payload);
  }
  state.otherWord |= lane;
  state.position = (state.position + 1) % block.lanes;
  state.phase = Phase::due;
  act.show(0, Token::stop(own));
  return true;
}

/// Takes items of lanes by turns, in the order in which they were dealt.
template <typename Act> bool stepSerialize(Act &act) {
  BlockState &state = act.state;
  const Block &block = *state.description;
  unsigned port = portOfLane(state.position);
  bool begins = state.phase == Phase::due;
  if (begins) {
    if (!act.has(1))
      return false;
    Token order = act.front(1);
    if (order.isDone())
      return endLanes(act, order);
    if (order.isStop())
      return endLanes(act, Token::stop(order.payload + block.itemDepth));
  }
  if (!act.has(port))
    return false;
  Token token = act.front(port);
  bool isElement = token.isData() || token.isEmpty();
  if (begins && state.word >> state.position & 1)
    return act.awaitAll(2u | 1u << port) &&
           act.fail(llvm::formatv("lane {0} has ended before its item",
                                  state.position + 1));
  if (token.isDone() || (!block.itemDepth && !isElement))
    return act.awaitAll((begins ? 2u : 0u) | 1u << port) &&
           act.fail(llvm::formatv("'{0}' has {1} inside of an item",
                                  infoOf(block.kind).inputs[port].name,
                                  printToken(token, StreamType::coordinate)));
  if (token.isStop() && token.payload + 1 >= block.itemDepth) {
    if (!begins)
      return endItem(act, port, token);
    // An empty item: what is dealt is taken first.
    act.awaitAll(2u | 1u << port);
    act.pop(1);
    state.phase = Phase::inside;
    return true;
  }
  act.awaitAll((begins ? 2u : 0u) | 1u << port);
  if (begins)
    act.pop(1);
  act.pop(port);
  act.show(0, token);
  state.phase = block.itemDepth ? Phase::inside : Phase::due;
  if (!block.itemDepth)
    state.position = (state.position + 1) % block.lanes;
  return true;
}

/// Shows the next sum, or the stops between it and the one before.
template <typename Act> void showSum(Act &act) {
  ListSums &sums = act.state.lists;
  unsigned levels = act.state.numInputs - 1;
  act.pace();
  // Output 0 has innermost coordinates, 1 has values, 2 those around, ...
  std::optional<size_t> change = sums.firstChange();
  if (change && *change + 1 < levels && act.state.phase != Phase::ending) {
    unsigned closed = levels - 1 - *change;
    act.showAll(Token::stop(closed - 1), 2);
    for (unsigned around = 1; around < closed; ++around)
      act.show(1 + around, Token::stop(closed - 1 - around));
    act.state.phase = Phase::ending;
    return;
  }
  act.state.phase = Phase::due;
  for (unsigned around = 1; around < levels; ++around) {
    size_t level = levels - 1 - around;
    if (!change || level >= *change)
      act.show(1 + around, Token::integer(sums.coordinates()[level]));
  }
  act.show(0, Token::integer(sums.coordinates().back()));
  act.show(1, Token::number(sums.value()));
  sums.pop();
}

/// Sums lists by their coordinates, of one level or several: takes all of them,
/// then shows the sums.
template <typename Act> bool stepReduceAlong(Act &act) {
  BlockState &state = act.state;
  const Block &block = *state.description;
  ListSums &sums = state.lists;
  unsigned levels = state.numInputs - 1;
  if (state.takesMore) {
    sums.around.resize(levels - 1);
    if (!act.has(0) || !act.has(1))
      return false;
  } else if (!sums.isEmpty()) {
    showSum(act);
    return true;
  } else {
    act.pace();
    for (unsigned output = 0; output <= levels; ++output)
      act.show(output, Token::stop(state.owed - (output < 2 ? 0 : output - 1)));
    sums.endLists();
    state.takesMore = true;
    return true;
  }
  Token value = act.front(0), inner = act.front(1);
  bool isElement = inner.isData() && (value.isData() || value.isEmpty());
  if (!isElement && (value != inner || inner.isData() || inner.isEmpty()))
    return act.template await<0, 1>() &&
           act.fail(describeMismatch(block, 0, value, 1, inner));
  // Of the coordinates around, which begin here, and whose lists end here.
  unsigned ports = 3, begun = 0;
  bool endsBelow = false, isAroundEmpty = false;
  for (unsigned around = levels - 1; around > 0; --around) {
    unsigned port = 1 + around;
    bool ends = inner.isDone() || (inner.isStop() && inner.payload >= around);
    bool isKnown = sums.around[levels - 1 - around].has_value();
    if (isKnown && !ends)
      continue;
    if (!act.has(port))
      return false;
    Token outer = act.front(port);
    ports |= 1u << port;
    if (!isKnown && outer.isData() && !isAroundEmpty) {
      begun |= 1u << port;
      endsBelow |= ends;
      continue;
    }
    Token expected =
        inner.isStop() ? Token::stop(inner.payload - around) : inner;
    if (!ends || outer != expected)
      return act.awaitAll(ports) &&
             act.fail(describeMismatch(block, port, outer, 1, inner));
    // A list without coordinates has none below either.
    isAroundEmpty |= !isKnown;
  }
  act.awaitAll(ports);
  for (unsigned around = levels - 1; around > 0; --around)
    if (begun >> (1 + around) & 1)
      sums.around[levels - 1 - around] = act.pop(1 + around).integer();
  // What begins with the stop that ends it takes a cycle of its own.
  if (endsBelow)
    return true;
  act.pop(0);
  act.pop(1);
  if (isElement) {
    sums.add(inner.integer(), value.isData() ? value.number() : 0,
             block.combiner);
    return true;
  }
  for (unsigned around = 1; around < levels; ++around) {
    bool ends = inner.isDone() || inner.payload >= around;
    if (ends && (ports >> (1 + around) & 1) && !(begun >> (1 + around) & 1))
      act.pop(1 + around);
    // The coordinate whose list has ended.
    if (inner.isDone() || inner.payload + 1 >= around)
      sums.around[levels - 1 - around].reset();
  }
  if (inner.isDone()) {
    act.showAll(inner, levels + 1);
    act.finish();
  } else if (inner.payload >= levels) {
    state.takesMore = false;
    state.owed = inner.payload - 1;
  }
  return true;
}

} // namespace ember::sim::sam

#endif
