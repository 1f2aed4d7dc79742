//===- ValueSteps.h - One act of blocks on values ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a block does in one cycle, for both engines: it waits for tokens on some
// inputs (`await`), or for nothing but its own pace (`pace`), takes at most one
// of each and shows at most one on each output. A step returns false if it has
// to wait, and has done nothing then.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIM_SAM_VALUESTEPS_H
#define EMBER_LIB_SIM_SAM_VALUESTEPS_H

#include "BlockState.h"

namespace ember::sim::sam {

template <typename Act> bool stepLocate(Act &act) {
  if (!act.template await<0, 1>())
    return false;
  Token reference = act.pop(0), coordinate = act.pop(1);
  if (std::string error = locate(*act.state.description, *act.state.level,
                                 reference, coordinate);
      !error.empty())
    return act.fail(error);
  return act.pass(coordinate);
}

template <typename Act> bool stepArithmetic(Act &act) {
  if (!act.template await<0, 1>())
    return false;
  Token first = act.pop(0), second = act.pop(1);
  if (std::string error = combine(*act.state.description, first, second);
      !error.empty())
    return act.fail(error);
  return act.pass(first);
}

/// Any function of up to four values, of which missing ones count as zero.
template <typename Act> bool stepCompute(Act &act) {
  unsigned count = act.state.numInputs;
  if (!act.awaitFirst(count))
    return false;
  double operands[maxInputs];
  Token first = act.pop(0);
  bool isNumber = first.isData() || first.isEmpty();
  operands[0] = first.isData() ? first.number() : 0;
  for (unsigned port = 1; port < count; ++port) {
    Token other = act.pop(port);
    bool isAlike =
        isNumber ? other.isData() || other.isEmpty() : other == first;
    if (!isAlike)
      return act.fail(llvm::formatv("'in1' has {0} where 'in{1}' has {2}",
                                    printToken(first, StreamType::value),
                                    port + 1,
                                    printToken(other, StreamType::value)));
    operands[port] = other.isData() ? other.number() : 0;
  }
  if (!isNumber)
    return act.pass(first);
  std::optional<double> computed =
      act.state.description->function(llvm::ArrayRef(operands, count));
  if (!computed)
    return act.fail(llvm::formatv(
        "its function has no value, where 'in1' has {0}", operands[0]));
  return act.pass(Token::number(*computed));
}

/// Sums each innermost list.
template <typename Act> bool stepReduce(Act &act) {
  BlockState &state = act.state;
  if (state.owed) {
    act.pace();
    act.show(0, Token::stop(state.owed - 1));
    state.owed = 0;
    return true;
  }
  if (!act.template await<0>())
    return false;
  Token token = act.pop(0);
  const Block &block = *state.description;
  switch (token.kind) {
  case TokenKind::data:
  case TokenKind::empty:
    state.sum = combineNumbers(block.combiner, state.sum,
                               token.isData() ? token.number() : 0);
    state.sawData = true;
    break;
  case TokenKind::stop:
    if (block.dropsEmpty && !state.sawData) {
      if (token.payload)
        act.show(0, Token::stop(token.payload - 1));
      break;
    }
    state.sawData = false;
    act.show(0, Token::number(state.sum));
    state.sum = identityOf(block.combiner);
    state.owed = token.payload;
    break;
  case TokenKind::done:
    return act.pass(token);
  }
  return true;
}

template <typename Act> bool stepWrite(Act &act) {
  if (!act.template await<0>())
    return false;
  Token token = act.pop(0);
  act.state.written->push_back(token);
  if (token.isDone())
    act.finish();
  return true;
}

/// Keeps references and values by turns.
template <typename Act> bool stepStore(Act &act) {
  if (!act.template await<0, 1>())
    return false;
  Token reference = act.pop(0), value = act.pop(1);
  bool isElement = (value.isData() || value.isEmpty()) &&
                   (reference.isData() || reference.isEmpty());
  if (!isElement && reference != value)
    return act.fail(llvm::formatv("'ref' has {0} where 'val' has {1}",
                                  printToken(reference, StreamType::reference),
                                  printToken(value, StreamType::value)));
  if (reference.isData() && reference.payload >= act.state.values.size())
    return act.fail(llvm::formatv(
        "reference {0} on 'ref' is past its array, which has {1} values",
        reference.integer(), act.state.values.size()));
  act.state.written->push_back(reference);
  act.state.written->push_back(value);
  if (reference.isDone())
    act.finish();
  return true;
}

/// Tokens pass; how many may wait is what the block is for.
template <typename Act> bool stepBuffer(Act &act) {
  return act.template await<0>() && act.pass(act.pop(0));
}

} // namespace ember::sim::sam

#endif
