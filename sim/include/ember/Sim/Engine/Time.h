//===- Time.h - Ticks and clocks --------------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All parts of a machine count time in ticks of 1/12 ns. Their clocks divide
// it: 2.4 GHz is 5 ticks, 1.2 GHz 10, 1 GHz 12.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_ENGINE_TIME_H
#define EMBER_SIM_ENGINE_TIME_H

#include <cmath>
#include <cstdint>

namespace ember::sim {

using Tick = uint64_t;

inline constexpr uint64_t ticksPerNanosecond = 12;

/// The first tick at which `nanoseconds` are over.
inline Tick ticksOf(double nanoseconds) {
  return static_cast<Tick>(std::ceil(nanoseconds * ticksPerNanosecond - 1e-9));
}

inline double nanosecondsOf(Tick ticks) {
  return static_cast<double>(ticks) / ticksPerNanosecond;
}

/// Edges at the multiples of a period.
class Clock {
public:
  explicit constexpr Clock(Tick period) : length(period) {}

  Tick period() const { return length; }
  Tick ticks(uint64_t cycles) const { return cycles * length; }
  uint64_t cycle(Tick at) const { return at / length; }
  double gigahertz() const {
    return static_cast<double>(ticksPerNanosecond) /
           static_cast<double>(length);
  }

  /// The first edge that is not before `at`.
  Tick edge(Tick at) const { return (at + length - 1) / length * length; }

  /// The edge `cycles` cycles after the first one that is not before `at`.
  Tick after(Tick at, uint64_t cycles) const {
    return edge(at) + ticks(cycles);
  }

private:
  Tick length;
};

} // namespace ember::sim

#endif
