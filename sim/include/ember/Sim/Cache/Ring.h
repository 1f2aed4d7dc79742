//===- Ring.h - A queue that keeps its storage ------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CACHE_RING_H
#define EMBER_SIM_CACHE_RING_H

#include <cstddef>
#include <vector>

namespace ember::sim {

/// First in, first out; grows by doubling and never shrinks, so that a queue in
/// steady state allocates nothing.
template <typename Element> class Ring {
public:
  bool empty() const { return count == 0; }
  size_t size() const { return count; }
  Element &front() { return slots[head]; }
  const Element &operator[](size_t index) const {
    return slots[(head + index) & (slots.size() - 1)];
  }

  void push(const Element &element) {
    if (count == slots.size())
      grow();
    slots[(head + count++) & (slots.size() - 1)] = element;
  }
  void pop() {
    head = (head + 1) & (slots.size() - 1);
    --count;
  }

private:
  void grow() {
    std::vector<Element> larger(slots.empty() ? 8 : slots.size() * 2);
    for (size_t i = 0; i < count; ++i)
      larger[i] = (*this)[i];
    slots.swap(larger);
    head = 0;
  }

  std::vector<Element> slots;
  size_t head = 0;
  size_t count = 0;
};

} // namespace ember::sim

#endif
