//===- Marshaling.cpp - What layers push, and where it stands -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/TMU/Marshaling.h"

#include "ConfigurationChecks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace ember::sim;

static constexpr uint32_t wordBytes = 8;

static PushEvent eventOf(TraversalOrder::Kind kind) {
  return kind == TraversalOrder::Kind::begin  ? PushEvent::begin
         : kind == TraversalOrder::Kind::step ? PushEvent::step
                                              : PushEvent::end;
}

bool ChunkLayout::applies(const Push &push, const Traversal &traversal,
                          TraversalOrder &order,
                          const uint64_t *const *bases) const {
  if (push.condition >= 0) {
    unsigned home = program.conditions[push.condition].layer;
    if (!(traversal.conditions(home, order.step(home)) >> push.condition & 1))
      return false;
  }
  return push.mask.empty() ||
         llvm::any_of(push.mask, [&](const OperandRef &mask) {
           return traversal.value(mask, bases) & 1;
         });
}

bool ChunkLayout::push(const Traversal &traversal, TraversalOrder &order,
                       TraversalOrder::Visit visit,
                       llvm::SmallVectorImpl<ChunkWrite> &writes) {
  const std::vector<Push> &pushes =
      program.layers[visit.layer].pushesAt(eventOf(visit.kind));
  if (pushes.empty())
    return true;
  bool steps = visit.kind == TraversalOrder::Kind::step;
  const uint64_t *const *bases =
      order.elements(traversal, visit.layer + (steps ? 1 : 0));
  for (const Push &push : pushes) {
    if (!applies(push, traversal, order, bases))
      continue;
    if (push.isToken) {
      pushToken(push, traversal.value(push.value, bases), writes);
      if (!message.empty())
        return false;
    } else if (!pushOperand(push, writes)) {
      return false;
    }
  }
  for (const Push &push : pushes)
    if (open[push.token] == State::tokenPushed)
      open[push.token] = State::closed;
  return true;
}

void ChunkLayout::end(llvm::SmallVectorImpl<ChunkWrite> &writes) {
  writes.push_back({ChunkWrite::Kind::last, slot * wordBytes, wordBytes,
                    program.endWord(), nullptr});
}

void ChunkLayout::makeRoom(const TokenInfo &token,
                           llvm::SmallVectorImpl<ChunkWrite> &writes) {
  bool fits =
      !token.hasReserve || operands + token.reserve <= program.chunkBytes;
  if (fits && slot + 1 < program.tokenSlots())
    return;
  writes.push_back({ChunkWrite::Kind::last, slot * wordBytes, wordBytes,
                    program.nextWord(), nullptr});
  turn();
}

void ChunkLayout::pushToken(const Push &push, uint64_t value,
                            llvm::SmallVectorImpl<ChunkWrite> &writes) {
  const TokenInfo &token = program.tokens[push.token];
  State &state = open[push.token];
  if (state == State::closed)
    makeRoom(token, writes);
  if (token.operandsFirst)
    state = State::tokenPushed;
  uint64_t id = push.token, word = id;
  bool follows = false;
  if (push.value) {
    // As lib/Conversion/RingToNative/TokenLayout.h says.
    unsigned head = program.idBits + (push.follows ? 1 : 0);
    auto extended = static_cast<uint64_t>(push.type.signExtend(value));
    bool isDouble = push.type == ElementType{64, true};
    uint64_t headMask = (uint64_t{1} << head) - 1;
    uint64_t field = isDouble && push.follows ? extended : extended << head;
    if (push.follows)
      follows = isDouble ? (extended & headMask) != 0
                         : static_cast<uint64_t>(static_cast<int64_t>(field) >>
                                                 head) != extended;
    word = follows ? id | uint64_t{1} << program.idBits : field | id;
  }
  writes.push_back(
      {ChunkWrite::Kind::token, slot * wordBytes, wordBytes, word, &push});
  ++slot;
  if (follows)
    place(push.type.bytes(), token,
          {ChunkWrite::Kind::operand, 0, 0, value, nullptr}, writes);
}

bool ChunkLayout::pushOperand(const Push &push,
                              llvm::SmallVectorImpl<ChunkWrite> &writes) {
  const TokenInfo &token = program.tokens[push.token];
  State &state = open[push.token];
  if (token.operandsFirst && state == State::closed) {
    makeRoom(token, writes);
    state = State::open;
  }
  return place(push.bytes, token, {ChunkWrite::Kind::operand, 0, 0, 0, &push},
               writes);
}

bool ChunkLayout::place(uint32_t bytes, const TokenInfo &token,
                        ChunkWrite operand,
                        llvm::SmallVectorImpl<ChunkWrite> &writes) {
  auto at = static_cast<uint32_t>(llvm::alignTo(operands, bytes));
  if (at + bytes > program.chunkBytes) {
    if (token.hasReserve) {
      message = "program " + program.name + ": a token pushes more than the " +
                std::to_string(token.reserve) + " bytes that it reserves";
      return false;
    }
    writes.push_back({ChunkWrite::Kind::turn, 0, 0, 0, nullptr});
    turn();
    at = operands;
  }
  operand.offset = at;
  operand.bytes = bytes;
  writes.push_back(operand);
  operands = at + bytes;
  return true;
}

void ChunkLayout::write(const ChunkWrite &operand, const Traversal &traversal,
                        const uint64_t *const *bases, uint8_t *to) {
  std::memset(to, 0, operand.bytes);
  if (!operand.push) {
    std::memcpy(to, &operand.word, operand.bytes);
    return;
  }
  const Push &push = *operand.push;
  if (isPackedFlags(push)) {
    for (auto [i, stream] : llvm::enumerate(push.streams)) {
      uint64_t flags = traversal.value(stream, bases);
      for (unsigned e = 0; e < push.elements; ++e) {
        size_t bit = i * push.elements + e;
        if (flags >> 8 * e & 1)
          to[bit / 8] |= static_cast<uint8_t>(1u << bit % 8);
      }
    }
    return;
  }
  unsigned bytes = push.type.bytes() * push.elements;
  for (const OperandRef &stream : push.streams) {
    uint64_t word = traversal.value(stream, bases);
    if (push.elements == 1)
      word = push.type.truncate(word);
    std::memcpy(to, &word, bytes);
    to += bytes;
  }
}
