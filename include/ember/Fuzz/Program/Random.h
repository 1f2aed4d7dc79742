//===- Random.h - Random choices that every machine makes alike -*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A seeded generator with the choices the fuzzer needs. The standard library's
// distributions differ between implementations, and a seed must name the same
// program everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_PROGRAM_RANDOM_H
#define EMBER_FUZZ_PROGRAM_RANDOM_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace ember::fuzz {

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {
    next();
    next();
  }

  /// SplitMix64.
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }

  /// A number from `low` to `high`, both included.
  int64_t between(int64_t low, int64_t high) {
    return low +
           static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }

  /// A position in a list of `size` > 0 elements.
  size_t position(size_t size) { return next() % size; }

  bool chance(double probability) { return fraction() < probability; }

  /// A number in [0, 1).
  double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  template <typename T> T pick(std::initializer_list<T> values) {
    return *(values.begin() + position(values.size()));
  }
  template <typename T> const T &pick(const std::vector<T> &values) {
    return values[position(values.size())];
  }

  /// A position in a list of weights, by weight.
  size_t weighted(const std::vector<double> &weights) {
    double sum = 0;
    for (double weight : weights)
      sum += weight;
    double at = fraction() * sum;
    for (size_t i = 0; i + 1 < weights.size(); ++i)
      if ((at -= weights[i]) < 0)
        return i;
    return weights.size() - 1;
  }

private:
  uint64_t state;
};

} // namespace ember::fuzz

#endif // EMBER_FUZZ_PROGRAM_RANDOM_H
