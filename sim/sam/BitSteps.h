//===- BitSteps.h - One act of blocks on bitvectors -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As ValueSteps.h says.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIM_SAM_BITSTEPS_H
#define EMBER_LIB_SIM_SAM_BITSTEPS_H

#include "BlockState.h"

namespace ember::sim::sam {

/// Gathers the coordinates of a fiber to one word, shown with the stop that
/// ends it, which takes a cycle more.
template <typename Act> bool stepBitsConvert(Act &act) {
  if (!act.template await<0>())
    return false;
  BlockState &state = act.state;
  Token token = act.front(0);
  if (token.isStop() && state.sawData) {
    uint64_t word = state.word;
    if (state.wide)
      word = state.wide->add(std::exchange(state.gathered, {}));
    act.show(0, Token{word, TokenKind::data});
    state.word = 0;
    state.sawData = false;
    return true;
  }
  act.pop(0);
  if (!token.isData())
    return act.pass(token);
  if (token.payload >= state.description->size)
    return act.fail(llvm::formatv("coordinate {0} has no place in {1} bits",
                                  token.integer(), state.description->size));
  uint64_t bit = uint64_t(1) << token.payload % 64;
  if (state.wide) {
    state.gathered.resize((state.description->size + 63) / 64);
    state.gathered[token.payload / 64] |= bit;
  }
  state.word |= bit;
  state.sawData = true;
  return true;
}

/// The bits of a word, which may lie across two of a wide one.
inline uint64_t chunkOf(const BlockState &state, uint64_t payload) {
  unsigned width = state.description->width;
  if (!state.wide)
    return bitsOf(payload, state.position, width);
  std::shared_ptr<const WideBits::Words> words = state.wide->get(payload);
  uint64_t at = state.position / 64, shift = state.position % 64;
  uint64_t word = (*words)[at] >> shift;
  if (shift && at + 1 < words->size())
    word |= (*words)[at + 1] << (64 - shift);
  return bitsOf(word, 0, width);
}

/// Parts of a word, each with how many bits of all words before it are set.
template <typename Act> bool stepBitsChunk(Act &act) {
  if (!act.template await<0>())
    return false;
  BlockState &state = act.state;
  Token token = act.front(0);
  if (!token.isData()) {
    act.pop(0);
    act.showAll(token, 2);
    if (token.isDone())
      act.finish();
    return true;
  }
  // In `position`: how many bits of the word were shown; in `base`, how many
  // of those before were set.
  uint64_t part = chunkOf(state, token.payload);
  act.show(0, Token{part, TokenKind::data});
  act.show(1, Token::integer(state.base));
  state.base += std::popcount(part);
  state.position += state.description->width;
  if (state.position >= int64_t(state.description->size)) {
    state.position = 0;
    act.pop(0);
  }
  return true;
}

/// The word of each reference, and how many bits are set before it.
template <typename Act> bool stepBitsScan(Act &act) {
  if (!act.template await<0>())
    return false;
  BlockState &state = act.state;
  Token token = act.front(0);
  if (state.phase == Phase::ending) {
    // A list of one word ends once it is known whether those around it do.
    if (token.isStop())
      act.pop(0);
    act.showAll(Token::stop(token.isStop() ? token.payload + 1 : 0), 2);
    state.phase = Phase::due;
    return true;
  }
  act.pop(0);
  if (token.isStop()) {
    act.showAll(Token::stop(token.payload + 1), 2);
    return true;
  }
  if (token.isData()) {
    const std::vector<uint64_t> &words = state.description->words;
    if (token.payload >= words.size())
      return act.fail(llvm::formatv(
          "reference {0} on 'ref' is past its array, which has {1} words",
          token.integer(), words.size()));
    act.show(0, Token{words[token.payload], TokenKind::data});
    act.show(1, Token::integer(bitsBefore(words, token.payload)));
  } else {
    act.showAll(token, 2);
  }
  if (token.isDone())
    act.finish();
  else
    state.phase = Phase::ending;
  return true;
}

/// The references of the lowest bit that is left in `owed`: where a side has
/// it, the word's own and one for each bit below.
template <typename Act> void showBitReferences(Act &act) {
  BlockState &state = act.state;
  uint64_t lowest = state.owed & -state.owed;
  auto show = [&](unsigned output, uint64_t word, int64_t base) {
    bool isThere = word & lowest;
    act.show(output,
             isThere ? Token::integer(base + std::popcount(word & (lowest - 1)))
                     : Token::empty());
  };
  show(1, state.word, state.position);
  show(2, state.otherWord, state.end);
  state.owed ^= lowest;
}

/// Words of both sides, then the references of the bits that both have, or that
/// any has, one a cycle.
template <typename Act> bool stepBitsJoin(Act &act) {
  BlockState &state = act.state;
  if (state.owed) {
    act.pace();
    showBitReferences(act);
    return true;
  }
  if (!act.template await<0, 1, 2, 3>())
    return false;
  Token first = act.pop(0), firstReference = act.pop(1);
  Token second = act.pop(2), secondReference = act.pop(3);
  if (first.kind != second.kind || firstReference.kind != first.kind ||
      secondReference.kind != first.kind ||
      (first.isStop() && first.payload != second.payload))
    return act.fail(llvm::formatv("'bv1' has {0} where 'bv2' has {1}",
                                  printToken(first, StreamType::bits),
                                  printToken(second, StreamType::bits)));
  if (!first.isData()) {
    act.showAll(first, 3);
    if (first.isDone())
      act.finish();
    return true;
  }
  state.word = first.payload;
  state.otherWord = second.payload;
  state.position = firstReference.integer();
  state.end = secondReference.integer();
  state.owed = state.kind == BlockKind::bitsUnion
                   ? state.word | state.otherWord
                   : state.word & state.otherWord;
  if (state.owed || state.description->emitsZeros)
    act.show(0, Token{state.owed, TokenKind::data});
  if (state.owed)
    showBitReferences(act);
  return true;
}

} // namespace ember::sim::sam

#endif
