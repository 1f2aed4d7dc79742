//===- StoreBuffer.h - Lines of store streams -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements that store streams write gather in lines. A line that is whole, or
// whose place is needed, is written: whole ones where the stream says, without
// being read, and others through the L2, which has to own them.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TMU_STOREBUFFER_H
#define EMBER_SIM_TMU_STOREBUFFER_H

#include "ember/Sim/TMU/LineFetcher.h"
#include "ember/Sim/TMU/Traversal.h"

namespace ember::sim {

class StoreBuffer {
public:
  StoreBuffer(uint64_t lines, LineFetcher &fetcher)
      : fetcher(fetcher), entries(lines) {}

  /// Whether bytes can be taken: they may be in two lines.
  bool hasRoom(const StreamAccess &access) const;
  /// Takes bytes; returns how many lines were sent away.
  uint64_t add(const Stream &stream, const StreamAccess &access);
  /// Writes a line that is gathered, if there is one.
  bool flushOne();
  void written(uint32_t entry) { entries[entry].state = State::unused; }
  bool isEmpty() const;

private:
  enum class State : uint8_t { unused, gathering, sent };
  struct Entry {
    State state = State::unused;
    uint64_t line = 0;
    /// A bit for each byte.
    uint64_t bytes = 0;
    const Stream *stream = nullptr;
    uint64_t order = 0;
  };

  void send(Entry &entry);
  uint64_t addTo(uint64_t line, uint64_t bytes, const Stream &stream);
  Entry *oldest();

  LineFetcher &fetcher;
  std::vector<Entry> entries;
  uint64_t order = 0;
};

} // namespace ember::sim

#endif
