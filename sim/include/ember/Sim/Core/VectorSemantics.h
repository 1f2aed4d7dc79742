//===- VectorSemantics.h - Shapes of vector instructions --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What instructions of NEON and SVE have in common: an operation on each lane.
// `bytes` is the length of a NEON vector, 8 or 16, or 0 for a whole vector of
// SVE.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CORE_VECTORSEMANTICS_H
#define EMBER_SIM_CORE_VECTORSEMANTICS_H

#include "ember/Sim/Core/FloatArithmetic.h"
#include "ember/Sim/Core/IntegerArithmetic.h"
#include "ember/Sim/Core/Semantics.h"

#include <algorithm>

namespace ember::sim {

template <typename T, unsigned bytes = 0> unsigned lanesOf(const State &s) {
  return (bytes ? bytes : s.vectorBytes) / sizeof(T);
}
template <unsigned bytes> void finish(State &s, unsigned reg) {
  s.v[reg].clearFrom(bytes ? bytes : s.vectorBytes);
}

/// op0[i] = Op(op1[i], op2[i])
template <typename T, typename Op, unsigned bytes = 0>
void laneBinary(State &s, const Instruction &i) {
  const VectorRegister &a = s.v[i.reg(1)], &b = s.v[i.reg(2)];
  VectorRegister &result = s.v[i.reg(0)];
  for (unsigned lane = 0, n = lanesOf<T, bytes>(s); lane < n; ++lane)
    result.set<T>(lane, Op::apply(a.get<T>(lane), b.get<T>(lane)));
  finish<bytes>(s, i.reg(0));
}
/// op0[i] = Op(op1[i])
template <typename T, typename Op, unsigned bytes = 0>
void laneUnary(State &s, const Instruction &i) {
  const VectorRegister &a = s.v[i.reg(1)];
  VectorRegister &result = s.v[i.reg(0)];
  for (unsigned lane = 0, n = lanesOf<T, bytes>(s); lane < n; ++lane)
    result.set<T>(lane, Op::apply(a.get<T>(lane)));
  finish<bytes>(s, i.reg(0));
}
/// op0[i] = Op(op1[i], the immediate op2)
template <typename T, typename Op, unsigned bytes = 0>
void laneImmediate(State &s, const Instruction &i) {
  const VectorRegister &a = s.v[i.reg(1)];
  VectorRegister &result = s.v[i.reg(0)];
  T immediate = static_cast<T>(i.operand[2]);
  for (unsigned lane = 0, n = lanesOf<T, bytes>(s); lane < n; ++lane)
    result.set<T>(lane, Op::apply(a.get<T>(lane), immediate));
  finish<bytes>(s, i.reg(0));
}
/// op0[i] = op1[i] + Op(op2[i], op3[i])
template <typename T, typename Op, unsigned bytes = 0>
void laneTernary(State &s, const Instruction &i) {
  const VectorRegister &c = s.v[i.reg(1)], &a = s.v[i.reg(2)],
                       &b = s.v[i.reg(3)];
  VectorRegister &result = s.v[i.reg(0)];
  for (unsigned lane = 0, n = lanesOf<T, bytes>(s); lane < n; ++lane)
    result.set<T>(lane,
                  Op::apply(c.get<T>(lane), a.get<T>(lane), b.get<T>(lane)));
  finish<bytes>(s, i.reg(0));
}

template <typename T> struct MultiplyAdd {
  static T apply(T c, T a, T b) {
    return static_cast<T>(modular(c) + modular(a) * modular(b));
  }
};
template <typename T> struct MultiplySubtract {
  static T apply(T c, T a, T b) {
    return static_cast<T>(modular(c) - modular(a) * modular(b));
  }
};
template <typename T> struct AccumulateDifference {
  static T apply(T c, T a, T b) {
    return static_cast<T>(modular(c) +
                          modular(AbsoluteDifference<T>::apply(a, b)));
  }
};
template <typename T> struct AccumulateShifted {
  static T apply(T c, T a, T by) {
    return static_cast<T>(modular(c) + modular(ShiftRight<T>::apply(a, by)));
  }
};
template <typename T> struct FusedAdd {
  [[gnu::always_inline]] static T apply(T c, T a, T b) {
    return fused<T>(c, a, b);
  }
};
template <typename T> struct FusedSubtract {
  [[gnu::always_inline]] static T apply(T c, T a, T b) {
    return fused<T>(c, negate(a), b);
  }
};
template <typename T> struct FusedNegatedAdd {
  [[gnu::always_inline]] static T apply(T c, T a, T b) {
    return fused<T>(negate(c), negate(a), b);
  }
};
template <typename T> struct FusedNegatedSubtract {
  [[gnu::always_inline]] static T apply(T c, T a, T b) {
    return fused<T>(negate(c), a, b);
  }
};

// Rounding once is an instruction of most hosts, and a slow function elsewhere.
#if defined(__x86_64__)
#define EMBER_SIM_FUSED_TARGET [[gnu::target("fma")]]
inline bool hostFuses() { return __builtin_cpu_supports("fma"); }
#else
#define EMBER_SIM_FUSED_TARGET
inline bool hostFuses() { return true; }
#endif

template <typename T> struct FloatEqual {
  static bool apply(T a, T b) { return a == b; }
};
template <typename T> struct FloatGreater {
  static bool apply(T a, T b) { return a > b; }
};
template <typename T> struct FloatGreaterEqual {
  static bool apply(T a, T b) { return a >= b; }
};
template <typename T> struct FloatLess {
  static bool apply(T a, T b) { return a < b; }
};
template <typename T> struct FloatLessEqual {
  static bool apply(T a, T b) { return a <= b; }
};
template <typename T> struct FloatNotEqual {
  static bool apply(T a, T b) { return a != b; }
};
template <typename T> struct FloatUnordered {
  static bool apply(T a, T b) { return a != a || b != b; }
};
template <typename T> struct FloatAbsoluteGreater {
  static bool apply(T a, T b) { return absolute(a) > absolute(b); }
};
template <typename T> struct FloatAbsoluteGreaterEqual {
  static bool apply(T a, T b) { return absolute(a) >= absolute(b); }
};

/// Neighbours combined: those of op1 in the lower half, of op2 in the upper.
template <typename T, typename Op, unsigned bytes>
void pairwise(State &s, const Instruction &i) {
  VectorRegister a = s.v[i.reg(1)], b = s.v[i.reg(2)];
  constexpr unsigned half = bytes / sizeof(T) / 2;
  for (unsigned lane = 0; lane < half; ++lane) {
    s.v[i.reg(0)].set<T>(lane,
                         Op::apply(a.get<T>(2 * lane), a.get<T>(2 * lane + 1)));
    s.v[i.reg(0)].set<T>(lane + half,
                         Op::apply(b.get<T>(2 * lane), b.get<T>(2 * lane + 1)));
  }
  finish<bytes>(s, i.reg(0));
}

/// Halves of the values are combined until one is left, as SVE and NEON do.
template <typename T, typename Op> T reducePairwise(T *values, unsigned n) {
  for (; n > 1; n /= 2)
    for (unsigned lane = 0; lane < n / 2; ++lane)
      values[lane] = Op::apply(values[2 * lane], values[2 * lane + 1]);
  return values[0];
}
} // namespace ember::sim

#endif
