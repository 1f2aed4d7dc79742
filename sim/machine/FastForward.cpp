//===- FastForward.cpp - Programs go on without time ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions are executed, and leave in caches, directories, translation
// buffers, prefetchers and predictors what they would have left had each been
// done before the next one began.
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Machine/Machine.h"

#include <algorithm>

using namespace ember::sim;

/// Of each core, before the next one's turn.
static constexpr uint64_t turn = 64;

Request Machine::warm(const Request &request, uint32_t from) {
  auto snoop = [&](uint32_t node, uint64_t line, Snoop kind) {
    return tiles[node].l2.snoop(line, kind);
  };
  return slices[homes.indexOf(request.line)].slice.warm(request, from, snoop);
}

void Machine::warmVictim(uint64_t line, LineState state, uint32_t from) {
  slices[homes.indexOf(line)].slice.warmVictim(line, state, from);
}

void Machine::warm(Tile &tile, const DynamicInstruction &executed) {
  tile.core->learn(executed);
  for (const MemoryAccess &access : executed.accesses) {
    uint64_t first = lineOf(access.address),
             last = lineOf(access.address + std::max(access.size, 1u) - 1);
    uint64_t page = tile.l1Tlb.pageOf(access.address);
    if (page != tile.warmedPage)
      tile.l1Tlb.warm(page, tile.l2);
    tile.warmedPage = page;
    Request request;
    request.access = access.store ? Access::own : Access::read;
    request.prefetch = access.prefetch;
    request.instruction = executed.pc;
    request.offset = static_cast<uint8_t>(access.address % lineBytes);
    bool isOne =
        executed.accesses.size() == 1 && first == last && access.size <= 8;
    request.bytes =
        static_cast<uint8_t>(isOne && !access.store ? access.size : 0);
    for (request.line = first; request.line <= last; ++request.line) {
      tile.l1d.warm(request);
      request.offset = 0;
    }
  }
}

llvm::Error Machine::fastForward(Tile &tile, uint64_t instructions) {
  DynamicInstruction executed;
  for (; instructions && !tile.program->returned(); --instructions) {
    if (llvm::Error error = tile.program->step(executed))
      return error;
    warm(tile, executed);
  }
  return llvm::Error::success();
}

llvm::Error Machine::fastForward(llvm::ArrayRef<uint64_t> instructions) {
  for (Tile &tile : tiles) {
    tile.l1d.beginWarming();
    tile.l2.beginWarming();
  }
  for (Slice &slice : slices)
    slice.slice.beginWarming();
  llvm::SmallVector<uint64_t, 16> left(instructions);
  llvm::Error errors = llvm::Error::success();
  for (bool any = true; any && !errors;) {
    any = false;
    tell();
    for (size_t i = 0; i < left.size() && !errors; ++i) {
      uint64_t now = std::min(left[i], turn);
      left[i] -= now;
      any |= left[i] != 0;
      if (now)
        errors =
            llvm::joinErrors(std::move(errors), fastForward(tiles[i], now));
    }
  }
  for (Tile &tile : tiles) {
    tile.l1d.endWarming();
    tile.l2.endWarming();
  }
  for (Slice &slice : slices)
    slice.slice.endWarming();
  return errors;
}
