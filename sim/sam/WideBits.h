//===- WideBits.h - Bitvectors that are wider than a token ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A token has 64 bits. Of a wider bitvector it has the number, in the order in
// which they were made; the bits are here, for the block that takes it apart.
// The two may run in threads of their own.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIM_SAM_WIDEBITS_H
#define EMBER_LIB_SIM_SAM_WIDEBITS_H

#include "ember/Sim/SAM/Graph.h"

#include <deque>
#include <memory>
#include <mutex>

namespace ember::sim::sam {

class WideBits {
public:
  using Words = std::vector<uint64_t>;

  static bool areMadeBy(const Block &block) {
    return block.kind == BlockKind::bitsConvert && block.size > 64;
  }

  uint64_t add(Words words) {
    std::scoped_lock lock(mutex);
    made.push_back(std::make_shared<const Words>(std::move(words)));
    return made.size() - 1;
  }
  std::shared_ptr<const Words> get(uint64_t number) const {
    std::scoped_lock lock(mutex);
    return made[number];
  }

private:
  mutable std::mutex mutex;
  std::deque<std::shared_ptr<const Words>> made;
};

} // namespace ember::sim::sam

#endif
