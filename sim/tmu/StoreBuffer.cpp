//===- StoreBuffer.cpp - Lines of store streams ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/TMU/StoreBuffer.h"

#include "llvm/ADT/STLExtras.h"

using namespace ember::sim;

bool StoreBuffer::hasRoom(const StreamAccess &access) const {
  uint64_t needed = 0;
  for (uint64_t line = lineOf(access.address);
       line <= lineOf(access.address + access.bytes - 1); ++line)
    needed += llvm::none_of(entries, [&](const Entry &entry) {
      return entry.state == State::gathering && entry.line == line;
    });
  auto unused =
      static_cast<uint64_t>(llvm::count_if(entries, [](const Entry &entry) {
        return entry.state == State::unused;
      }));
  return unused >= needed;
}

bool StoreBuffer::isEmpty() const {
  return llvm::all_of(
      entries, [](const Entry &entry) { return entry.state == State::unused; });
}

void StoreBuffer::send(Entry &entry) {
  entry.state = State::sent;
  fetcher.store(entry.line, *entry.stream, entry.bytes == ~uint64_t{0},
                static_cast<uint32_t>(&entry - entries.data()));
}

StoreBuffer::Entry *StoreBuffer::oldest() {
  Entry *oldest = nullptr;
  for (Entry &entry : entries)
    if (entry.state == State::gathering &&
        (!oldest || entry.order < oldest->order))
      oldest = &entry;
  return oldest;
}

bool StoreBuffer::flushOne() {
  Entry *entry = oldest();
  if (entry)
    send(*entry);
  return entry != nullptr;
}

uint64_t StoreBuffer::addTo(uint64_t line, uint64_t bytes,
                            const Stream &stream) {
  Entry *target = nullptr;
  for (Entry &entry : entries)
    if (entry.state == State::gathering && entry.line == line)
      target = &entry;
  if (!target) {
    target = &*llvm::find_if(
        entries, [](const Entry &e) { return e.state == State::unused; });
    *target = {State::gathering, line, 0, &stream, order++};
  }
  target->bytes |= bytes;
  if (target->bytes != ~uint64_t{0})
    return 0;
  send(*target);
  return 1;
}

uint64_t StoreBuffer::add(const Stream &stream, const StreamAccess &access) {
  uint64_t sent = 0;
  for (uint64_t at = access.address, left = access.bytes; left;) {
    uint64_t offset = at % lineBytes;
    uint64_t here = std::min(left, lineBytes - offset);
    uint64_t bytes = ~uint64_t{0} >> (lineBytes - here) << offset;
    sent += addTo(lineOf(at), bytes, stream);
    at += here;
    left -= here;
  }
  return sent;
}
