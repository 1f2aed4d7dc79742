//===- GuestHeap.h - Memory of a simulated program --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program has in memory stands at addresses that follow from the order
// in which it came, so that caches see the same in every run.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATION_GUESTHEAP_H
#define EMBER_SIMULATION_GUESTHEAP_H

#include "ember/Sim/Core/GuestMemory.h"

#include <map>
#include <memory>

namespace ember {

class GuestHeap {
public:
  static constexpr uint64_t pageBytes = 4096;

  explicit GuestHeap(sim::GuestMemory &memory) : memory(memory) {}

  /// Gives `bytes` bytes of the host's an address, a multiple of a page.
  llvm::Expected<uint64_t> map(llvm::StringRef name, void *host,
                               uint64_t bytes);
  /// New memory, at a multiple of `alignment`, a power of two.
  llvm::Expected<uint64_t> allocate(uint64_t bytes, uint64_t alignment);
  /// Of what `allocate` gave; 0 is nothing. False if it gave no such thing.
  bool release(uint64_t address);

private:
  struct Block {
    uint64_t bytes;
    std::unique_ptr<uint8_t[]> host;
  };

  sim::GuestMemory &memory;
  uint64_t next = firstAddress;
  std::map<uint64_t, Block> used;
  /// Freed blocks by their size: programs that free and allocate in turn find
  /// the same lines in their caches.
  std::multimap<uint64_t, std::pair<uint64_t, Block>> unused;

  static constexpr uint64_t firstAddress = uint64_t{1} << 32;
  static constexpr uint64_t lastAddress = uint64_t{1} << 46;
};

} // namespace ember

#endif // EMBER_SIMULATION_GUESTHEAP_H
