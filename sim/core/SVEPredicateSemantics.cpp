//===- SVEPredicateSemantics.cpp - Predicates of SVE ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/SVESemantics.h"

using namespace ember::sim;

namespace {
void trim(const State &s, PredicateRegister &p) {
  for (unsigned byte = s.vectorBytes; byte < mostVectorBytes; byte += 16)
    for (unsigned bit = byte; bit < byte + 16; ++bit)
      p.set(bit, false);
}
PredicateRegister allBytes(const State &s) {
  PredicateRegister p = {};
  for (unsigned byte = 0; byte < s.vectorBytes; ++byte)
    p.set(byte, true);
  return p;
}
template <typename T, bool flags> void allTrue(State &s, const Instruction &i) {
  unsigned count = elementsOf(i.reg(1), lanesOf<T>(s));
  PredicateRegister p = {};
  for (unsigned lane = 0; lane < count; ++lane)
    p.set(lane * sizeof(T), true);
  s.p[i.reg(0)] = p;
  if (flags)
    testPredicate(s, allBytes(s), p, sizeof(T));
}
/// Lanes for which first + lane is still before the second operand.
template <typename T, typename Register, bool orEqual>
void whileBelow(State &s, const Instruction &i) {
  Register first = s.getX<Register>(i.reg(1)), end = s.getX<Register>(i.reg(2));
  PredicateRegister p = {};
  __int128 value = first;
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane, ++value) {
    if (orEqual ? value > end : value >= end)
      break;
    p.set(lane * sizeof(T), true);
    // At the greatest number of all, counting on would begin anew.
    if (value == std::numeric_limits<Register>::max() && !orEqual)
      break;
  }
  s.p[i.reg(0)] = p;
  testPredicate(s, allBytes(s), p, sizeof(T));
}
template <typename T, typename Op, bool zeroing>
void logical(State &s, const Instruction &i) {
  PredicateRegister mask = s.p[i.reg(1)], a = s.p[i.reg(2)], b = s.p[i.reg(3)];
  for (unsigned word = 0; word < std::size(mask.words); ++word)
    s.p[i.reg(0)].words[word] =
        Op::apply(a.words[word], b.words[word]) & mask.words[word];
  trim(s, s.p[i.reg(0)]);
  if (zeroing)
    testPredicate(s, mask, s.p[i.reg(0)], 1);
}
template <typename Op>
void addLogical(SemanticsTable &t, llvm::StringRef name) {
  t.add(name + "_PPzPP", logical<uint64_t, Op, false>);
  t.add(name + "S_PPzPP", logical<uint64_t, Op, true>);
}
#define EMBER_SIM_LOGICAL(Name, expression)                                    \
  struct Name {                                                                \
    static uint64_t apply(uint64_t a, uint64_t b) { return expression; }       \
  };
EMBER_SIM_LOGICAL(AndBits, a &b)
EMBER_SIM_LOGICAL(OrBits, a | b)
EMBER_SIM_LOGICAL(ExclusiveOrBits, a ^ b)
EMBER_SIM_LOGICAL(BitClearBits, a & ~b)
EMBER_SIM_LOGICAL(OrNotBits, a | ~b)
EMBER_SIM_LOGICAL(NandBits, ~(a &b))
EMBER_SIM_LOGICAL(NorBits, ~(a | b))
#undef EMBER_SIM_LOGICAL

template <bool high> void unpack(State &s, const Instruction &i) {
  PredicateRegister a = s.p[i.reg(1)], result = {};
  unsigned half = s.vectorBytes / 2;
  for (unsigned byte = 0; byte < half; ++byte)
    result.set(2 * byte, a.get(byte + (high ? half : 0)));
  s.p[i.reg(0)] = result;
}
template <typename T> void reverse(State &s, const Instruction &i) {
  PredicateRegister a = s.p[i.reg(1)], result = {};
  unsigned lanes = lanesOf<T>(s);
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned byte = 0; byte < sizeof(T); ++byte)
      result.set(lane * sizeof(T) + byte,
                 a.get((lanes - 1 - lane) * sizeof(T) + byte));
  s.p[i.reg(0)] = result;
}
enum class Permutation { zip, unzip, transpose };
template <typename T, Permutation how, unsigned which>
void permute(State &s, const Instruction &i) {
  PredicateRegister a = s.p[i.reg(1)], b = s.p[i.reg(2)], result = {};
  unsigned lanes = lanesOf<T>(s);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    unsigned from;
    bool second;
    if constexpr (how == Permutation::zip) {
      from = lane / 2 + which * lanes / 2;
      second = lane % 2;
    } else if constexpr (how == Permutation::unzip) {
      from = 2 * lane + which;
      second = from >= lanes;
      from -= second ? lanes : 0;
    } else {
      from = lane / 2 * 2 + which;
      second = lane % 2;
    }
    for (unsigned byte = 0; byte < sizeof(T); ++byte)
      result.set(lane * sizeof(T) + byte,
                 (second ? b : a).get(from * sizeof(T) + byte));
  }
  s.p[i.reg(0)] = result;
}

template <typename T>
uint64_t countActive(const State &s, unsigned mask, unsigned value) {
  uint64_t count = 0;
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    count +=
        s.p[mask].get(lane * sizeof(T)) && s.p[value].get(lane * sizeof(T));
  return count;
}
/// Up to the first true element, with it or without.
template <bool with, bool merging, bool flags>
void breakAt(State &s, const Instruction &i) {
  constexpr unsigned first = merging ? 2 : 1;
  PredicateRegister mask = s.p[i.reg(first)], a = s.p[i.reg(first + 1)],
                    result = {};
  if (merging)
    result = s.p[i.reg(1)];
  bool broken = false;
  for (unsigned byte = 0; byte < s.vectorBytes; ++byte) {
    if (!mask.get(byte))
      continue;
    bool here = a.get(byte);
    if (with) {
      result.set(byte, !broken);
      broken |= here;
    } else {
      broken |= here;
      result.set(byte, !broken);
    }
  }
  s.p[i.reg(0)] = result;
  if (flags)
    testPredicate(s, mask, result, 1);
}
/// The same, if the last active element of op2 is true.
template <bool with, bool flags>
void breakPair(State &s, const Instruction &i) {
  PredicateRegister mask = s.p[i.reg(1)], a = s.p[i.reg(2)], b = s.p[i.reg(3)],
                    result = {};
  bool last = false;
  for (unsigned byte = 0; byte < s.vectorBytes; ++byte)
    if (mask.get(byte))
      last = a.get(byte);
  for (unsigned byte = 0; byte < s.vectorBytes; ++byte) {
    if (!mask.get(byte))
      continue;
    if (!with)
      last = last && !b.get(byte);
    result.set(byte, last);
    if (with)
      last = last && !b.get(byte);
  }
  s.p[i.reg(0)] = result;
  if (flags)
    testPredicate(s, mask, result, 1);
}
template <bool flags> void breakNext(State &s, const Instruction &i) {
  PredicateRegister mask = s.p[i.reg(1)], a = s.p[i.reg(2)];
  bool last = false;
  for (unsigned byte = 0; byte < s.vectorBytes; ++byte)
    if (mask.get(byte))
      last = a.get(byte);
  PredicateRegister result = {};
  if (last)
    result = s.p[i.reg(3)];
  s.p[i.reg(0)] = result;
  if (flags)
    testPredicate(s, allBytes(s), result, 1);
}
void firstActive(State &s, const Instruction &i) {
  PredicateRegister mask = s.p[i.reg(1)], result = s.p[i.reg(2)];
  for (unsigned byte = 0; byte < s.vectorBytes; ++byte)
    if (mask.get(byte)) {
      result.set(byte, true);
      break;
    }
  testPredicate(s, mask, result, 1);
  s.p[i.reg(0)] = result;
}
template <typename T> void nextActive(State &s, const Instruction &i) {
  PredicateRegister mask = s.p[i.reg(1)], a = s.p[i.reg(2)], result = {};
  unsigned lanes = lanesOf<T>(s), next = 0;
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (a.get(lane * sizeof(T)))
      next = lane + 1;
  while (next < lanes && !mask.get(next * sizeof(T)))
    ++next;
  if (next < lanes)
    result.set(next * sizeof(T), true);
  testPredicate(s, mask, result, sizeof(T));
  s.p[i.reg(0)] = result;
}
template <typename T, bool down>
void moveByActive(State &s, const Instruction &i) {
  uint64_t count = countActive<T>(s, i.reg(1), i.reg(1));
  s.setX(i.reg(0), s.x[i.reg(2)] + (down ? -count : count));
}
template <typename T, bool down>
void moveVectorByActive(State &s, const Instruction &i) {
  uint64_t count = countActive<T>(s, i.reg(2), i.reg(2));
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    s.v[i.reg(0)].set<T>(lane, static_cast<T>(s.v[i.reg(1)].get<T>(lane) +
                                              (down ? -count : count)));
}
template <typename Register, bool equal>
void compareTerminate(State &s, const Instruction &i) {
  bool ends =
      (s.getX<Register>(i.reg(0)) == s.getX<Register>(i.reg(1))) == equal;
  s.negative = ends;
  s.overflow = !ends && !s.carry;
}
template <typename T> void addWhile(SemanticsTable &t, llvm::StringRef size) {
  t.add("WHILELO_PXX" + size, whileBelow<T, uint64_t, false>);
  t.add("WHILELS_PXX" + size, whileBelow<T, uint64_t, true>);
  t.add("WHILELT_PXX" + size, whileBelow<T, int64_t, false>);
  t.add("WHILELE_PXX" + size, whileBelow<T, int64_t, true>);
  t.add("WHILELO_PWW" + size, whileBelow<T, uint32_t, false>);
  t.add("WHILELS_PWW" + size, whileBelow<T, uint32_t, true>);
  t.add("WHILELT_PWW" + size, whileBelow<T, int32_t, false>);
  t.add("WHILELE_PWW" + size, whileBelow<T, int32_t, true>);
}
} // namespace

void ember::sim::addSVEPredicateSemantics(SemanticsTable &t) {
  forEachIntegerSize<false>([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    t.add("PTRUE" + size, allTrue<T, false>);
    t.add("PTRUES" + size, allTrue<T, true>);
    addWhile<T>(t, size);
    t.add("REV_PP" + size, reverse<T>);
    t.add("PNEXT" + size, nextActive<T>);
    t.add("ZIP1_PPP" + size, permute<T, Permutation::zip, 0>);
    t.add("ZIP2_PPP" + size, permute<T, Permutation::zip, 1>);
    t.add("UZP1_PPP" + size, permute<T, Permutation::unzip, 0>);
    t.add("UZP2_PPP" + size, permute<T, Permutation::unzip, 1>);
    t.add("TRN1_PPP" + size, permute<T, Permutation::transpose, 0>);
    t.add("TRN2_PPP" + size, permute<T, Permutation::transpose, 1>);
    t.add("CNTP_XPP" + size, [](State &s, const Instruction &i) {
      s.setX(i.reg(0), countActive<T>(s, i.reg(1), i.reg(2)));
    });
    t.add("INCP_XP" + size, moveByActive<T, false>);
    t.add("DECP_XP" + size, moveByActive<T, true>);
    t.add("INCP_ZP" + size, moveVectorByActive<T, false>);
    t.add("DECP_ZP" + size, moveVectorByActive<T, true>);
  });
  addLogical<AndBits>(t, "AND");
  addLogical<OrBits>(t, "ORR");
  addLogical<ExclusiveOrBits>(t, "EOR");
  addLogical<BitClearBits>(t, "BIC");
  addLogical<OrNotBits>(t, "ORN");
  addLogical<NandBits>(t, "NAND");
  addLogical<NorBits>(t, "NOR");
  t.add("SEL_PPPP", [](State &s, const Instruction &i) {
    PredicateRegister mask = s.p[i.reg(1)], a = s.p[i.reg(2)],
                      b = s.p[i.reg(3)];
    for (unsigned word = 0; word < std::size(mask.words); ++word)
      s.p[i.reg(0)].words[word] = (a.words[word] & mask.words[word]) |
                                  (b.words[word] & ~mask.words[word]);
  });
  t.add("PFALSE",
        [](State &s, const Instruction &i) { s.p[i.reg(0)].clear(); });
  t.add("PTEST_PP", [](State &s, const Instruction &i) {
    testPredicate(s, s.p[i.reg(0)], s.p[i.reg(1)], 1);
  });
  t.add("PUNPKLO_PP", unpack<false>);
  t.add("PUNPKHI_PP", unpack<true>);
  t.add("PFIRST_B", firstActive);
  t.add("BRKA_PPzP", breakAt<true, false, false>);
  t.add("BRKB_PPzP", breakAt<false, false, false>);
  t.add("BRKAS_PPzP", breakAt<true, false, true>);
  t.add("BRKBS_PPzP", breakAt<false, false, true>);
  t.add("BRKA_PPmP", breakAt<true, true, false>);
  t.add("BRKB_PPmP", breakAt<false, true, false>);
  t.add("BRKPA_PPzPP", breakPair<true, false>);
  t.add("BRKPB_PPzPP", breakPair<false, false>);
  t.add("BRKPAS_PPzPP", breakPair<true, true>);
  t.add("BRKPBS_PPzPP", breakPair<false, true>);
  t.add("BRKN_PPzP", breakNext<false>);
  t.add("BRKNS_PPzP", breakNext<true>);
  t.add("CTERMEQ_XX", compareTerminate<uint64_t, true>);
  t.add("CTERMNE_XX", compareTerminate<uint64_t, false>);
  t.add("CTERMEQ_WW", compareTerminate<uint32_t, true>);
  t.add("CTERMNE_WW", compareTerminate<uint32_t, false>);
  t.add("SETFFR",
        [](State &s, const Instruction &) { s.firstFault = allBytes(s); });
  t.add("RDFFR_P",
        [](State &s, const Instruction &i) { s.p[i.reg(0)] = s.firstFault; });
  t.add("WRFFR",
        [](State &s, const Instruction &i) { s.firstFault = s.p[i.reg(0)]; });
  t.add("RDFFR_PPz", [](State &s, const Instruction &i) {
    for (unsigned word = 0; word < std::size(s.firstFault.words); ++word)
      s.p[i.reg(0)].words[word] =
          s.p[i.reg(1)].words[word] & s.firstFault.words[word];
  });
}
