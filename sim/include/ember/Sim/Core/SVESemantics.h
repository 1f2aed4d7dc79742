//===- SVESemantics.h - Shapes of SVE's instructions ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes of which a predicate's bit is not set keep what they held. LLVM's
// names say which operands there are: Z a vector, P a predicate, Pm one that
// merges, I an immediate, and at the end the size of elements.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CORE_SVESEMANTICS_H
#define EMBER_SIM_CORE_SVESEMANTICS_H

#include "ember/Sim/Core/VectorSemantics.h"

namespace ember::sim {

/// Whether a predicate has the bits of all lanes of T.
template <typename T>
bool allActive(const State &s, const PredicateRegister &p) {
  constexpr uint64_t lanes = sizeof(T) == 1   ? ~uint64_t{0}
                             : sizeof(T) == 2 ? 0x5555555555555555
                             : sizeof(T) == 4 ? 0x1111111111111111
                                              : 0x0101010101010101;
  unsigned bytes = s.vectorBytes;
  for (unsigned word = 0; bytes; ++word) {
    unsigned here = std::min(bytes, PredicateRegister::wordBits);
    uint64_t wanted = here == 64 ? lanes : lanes & ((uint64_t{1} << here) - 1);
    if ((p.words[word] & wanted) != wanted)
      return false;
    bytes -= here;
  }
  return true;
}

/// op0[i] = Op(op2[i], op3[i]) where op1[i]; op2 is op0
template <typename T, typename Op>
void predicatedBinary(State &s, const Instruction &i) {
  const PredicateRegister &p = s.p[i.reg(1)];
  const VectorRegister &a = s.v[i.reg(2)], &b = s.v[i.reg(3)];
  VectorRegister &result = s.v[i.reg(0)];
  unsigned n = lanesOf<T>(s);
  if (allActive<T>(s, p)) {
    for (unsigned lane = 0; lane < n; ++lane)
      result.set<T>(lane, Op::apply(a.get<T>(lane), b.get<T>(lane)));
    return;
  }
  for (unsigned lane = 0; lane < n; ++lane)
    if (p.get(lane * sizeof(T)))
      result.set<T>(lane, Op::apply(a.get<T>(lane), b.get<T>(lane)));
}
/// op0[i] = Op(op2[i], the immediate op3) where op1[i]
template <typename T, typename Op>
void predicatedImmediate(State &s, const Instruction &i) {
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    if (s.p[i.reg(1)].get(lane * sizeof(T)))
      s.v[i.reg(0)].set<T>(lane, Op::apply(s.v[i.reg(2)].get<T>(lane),
                                           static_cast<T>(i.operand[3])));
}
/// op0[i] = Op(op3[i]) where op2[i]
template <typename T, typename Op>
void predicatedUnary(State &s, const Instruction &i) {
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    if (s.p[i.reg(2)].get(lane * sizeof(T)))
      s.v[i.reg(0)].set<T>(lane, Op::apply(s.v[i.reg(3)].get<T>(lane)));
}
/// op0[i] = Op(op2[i], op3[i], op4[i]) where op1[i]; if `multiplicand`, op2 is
/// multiplied and op4 added.
template <typename T, typename Op, bool multiplicand>
[[gnu::always_inline]] inline void predicatedTernary(State &s,
                                                     const Instruction &i) {
  const PredicateRegister &p = s.p[i.reg(1)];
  const VectorRegister &c = s.v[i.reg(multiplicand ? 4 : 2)],
                       &a = s.v[i.reg(multiplicand ? 2 : 3)],
                       &b = s.v[i.reg(multiplicand ? 3 : 4)];
  VectorRegister &result = s.v[i.reg(0)];
  unsigned n = lanesOf<T>(s);
  bool all = allActive<T>(s, p);
  for (unsigned lane = 0; lane < n; ++lane)
    if (all || p.get(lane * sizeof(T)))
      result.set<T>(lane,
                    Op::apply(c.get<T>(lane), a.get<T>(lane), b.get<T>(lane)));
}
template <typename T, typename Op, bool multiplicand>
void ternary(State &s, const Instruction &i) {
  predicatedTernary<T, Op, multiplicand>(s, i);
}
template <typename T, typename Op, bool multiplicand>
EMBER_SIM_FUSED_TARGET void ternaryFused(State &s, const Instruction &i) {
  predicatedTernary<T, Op, multiplicand>(s, i);
}

template <bool isSigned, typename Add>
void forEachIntegerSize(Add add, unsigned least = 1) {
  auto one = [&](llvm::StringRef suffix, auto element) {
    using U = decltype(element);
    using T = std::conditional_t<isSigned, std::make_signed_t<U>, U>;
    if (sizeof(T) >= least)
      add(suffix, T{});
  };
  one("_B", uint8_t{});
  one("_H", uint16_t{});
  one("_S", uint32_t{});
  one("_D", uint64_t{});
}
template <typename Add> void forEachFloatSize(Add add) {
  add("_H", Half{});
  add("_S", float{});
  add("_D", double{});
}

/// The number of elements that a pattern like "all" or "vl8" names.
inline unsigned elementsOf(unsigned pattern, unsigned lanes) {
  if (pattern == 31)
    return lanes;
  if (pattern == 0)
    return std::bit_floor(lanes);
  if (pattern >= 1 && pattern <= 8)
    return pattern <= lanes ? pattern : 0;
  if (pattern >= 9 && pattern <= 13)
    return 16u << (pattern - 9) <= lanes ? 16u << (pattern - 9) : 0;
  if (pattern == 29)
    return lanes / 4 * 4;
  if (pattern == 30)
    return lanes / 3 * 3;
  return 0;
}

/// Sets the flags as a predicate's test does; lanes are `size` bytes.
inline void testPredicate(State &s, const PredicateRegister &mask,
                          const PredicateRegister &value, unsigned size) {
  bool first = false, any = false, last = false, seen = false;
  for (unsigned byte = 0; byte < s.vectorBytes; byte += size) {
    if (!mask.get(byte))
      continue;
    bool bit = value.get(byte);
    if (!seen)
      first = bit;
    seen = true;
    any |= bit;
    last = bit;
  }
  s.negative = first;
  s.zero = !any;
  s.carry = !last;
  s.overflow = false;
}
} // namespace ember::sim

#endif
