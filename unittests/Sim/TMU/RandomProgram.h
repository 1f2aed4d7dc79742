//===- RandomProgram.h - Random programs of TMUs ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of any units, streams and pushes on the arrays of RandomArrays. Now
// and then a program does wrong: it divides by zero, or reserves too little.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_UNITTESTS_SIM_TMU_RANDOMPROGRAM_H
#define EMBER_UNITTESTS_SIM_TMU_RANDOMPROGRAM_H

#include "TMUPrograms.h"

#include <random>

namespace ember::sim {

/// Arrays in their order as captures; behind them, two scalars.
struct RandomArrays {
  static constexpr size_t words = 80;
  /// Positions in programs are below this.
  static constexpr size_t length = 64;
  static constexpr size_t inputs = 8, outputs = 2, coordinates = 7;
  static constexpr const char *types[] = {"i32", "i64",  "f32", "f16", "f64",
                                          "i8",  "bf16", "i16", "f32", "i64"};

  explicit RandomArrays(uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::vector<uint64_t> &array : arrays)
      for (uint64_t &word : array = std::vector<uint64_t>(words))
        word = random();
    auto *coordinate = reinterpret_cast<int16_t *>(arrays[coordinates].data());
    int16_t current = 0;
    for (size_t i = 0; i < words * 4; ++i)
      coordinate[i] = current =
          static_cast<int16_t>(current + (random() % 3 == 0));
    scalars = {random() % 7, random() % 50};
  }

  std::vector<uint64_t> arrays[inputs + outputs];
  std::vector<uint64_t> scalars;
};

class RandomProgram {
public:
  explicit RandomProgram(uint64_t seed) : random(seed) {}

  /// A configuration of one program, valid or not.
  std::string make();

private:
  struct Known {
    std::string text;
    unsigned layer;
  };

  uint64_t below(uint64_t end) { return random() % end; }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename T> const T &any(const std::vector<T> &values) {
    return values[below(values.size())];
  }
  std::string anyValue(const std::vector<std::string> &own);
  std::string add(std::vector<std::string> &streams,
                  std::vector<std::string> &own, unsigned layer, unsigned lane,
                  const std::string &stream);
  std::string makeStream(std::vector<std::string> &streams,
                         std::vector<std::string> &own, unsigned layer,
                         unsigned lane);
  std::string makeUnit(unsigned layer, unsigned lane);
  void makePushes();

  std::mt19937_64 random;
  /// Of layers around, and of the one that is made.
  std::vector<std::vector<std::string>> outer;
  std::vector<std::string> current;
  std::vector<std::vector<std::string>> units;
  std::vector<std::array<std::vector<std::string>, 3>> pushes;
};

} // namespace ember::sim

#endif
