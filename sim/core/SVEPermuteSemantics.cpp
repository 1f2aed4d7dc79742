//===- SVEPermuteSemantics.cpp - Moves within vectors of SVE --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/SVESemantics.h"

using namespace ember::sim;

namespace {
template <typename T> void splat(State &s, unsigned reg, T value) {
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    s.v[reg].set<T>(lane, value);
}
template <typename T> void splatImmediate(State &s, const Instruction &i) {
  splat<T>(
      s, i.reg(0),
      static_cast<T>(static_cast<int8_t>(i.operand[1]) << (i.operand[2] & 63)));
}
template <typename T> void splatGeneral(State &s, const Instruction &i) {
  splat<T>(s, i.reg(0), s.getX<T>(i.reg(1)));
}
template <typename T> void splatLane(State &s, const Instruction &i) {
  unsigned lane = i.reg(2);
  splat<T>(s, i.reg(0),
           lane < lanesOf<T>(s) ? s.v[i.reg(1)].get<T>(lane) : T{0});
}
template <typename T> void copyGeneral(State &s, const Instruction &i) {
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    if (s.p[i.reg(2)].get(lane * sizeof(T)))
      s.v[i.reg(0)].set<T>(lane, s.getX<T>(i.reg(3)));
}
template <typename T> void copyScalar(State &s, const Instruction &i) {
  T value = s.v[i.reg(3)].get<T>(0);
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    if (s.p[i.reg(2)].get(lane * sizeof(T)))
      s.v[i.reg(0)].set<T>(lane, value);
}
template <typename T> void copyImmediate(State &s, const Instruction &i) {
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    if (s.p[i.reg(2)].get(lane * sizeof(T)))
      s.v[i.reg(0)].set<T>(lane,
                           static_cast<T>(static_cast<int8_t>(i.operand[3])
                                          << (i.operand[4] & 63)));
}
template <typename T> void copyImmediateOrZero(State &s, const Instruction &i) {
  T value =
      static_cast<T>(static_cast<int8_t>(i.operand[2]) << (i.operand[3] & 63));
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    s.v[i.reg(0)].set<T>(lane,
                         s.p[i.reg(1)].get(lane * sizeof(T)) ? value : T{0});
}
template <typename T> void select(State &s, const Instruction &i) {
  const VectorRegister &a = s.v[i.reg(2)], &b = s.v[i.reg(3)];
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    s.v[i.reg(0)].set<T>(lane, s.p[i.reg(1)].get(lane * sizeof(T))
                                   ? a.get<T>(lane)
                                   : b.get<T>(lane));
}
template <typename T> void movePrefixZero(State &s, const Instruction &i) {
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    s.v[i.reg(0)].set<T>(lane, s.p[i.reg(1)].get(lane * sizeof(T))
                                   ? s.v[i.reg(2)].get<T>(lane)
                                   : T{0});
}
template <typename T> void movePrefixMerge(State &s, const Instruction &i) {
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    if (s.p[i.reg(2)].get(lane * sizeof(T)))
      s.v[i.reg(0)].set<T>(lane, s.v[i.reg(3)].get<T>(lane));
}

enum class IndexForm { immediates, registerFirst, registerSecond, registers };
template <typename T, IndexForm form>
void index(State &s, const Instruction &i) {
  T first = form == IndexForm::registerFirst || form == IndexForm::registers
                ? s.getX<T>(i.reg(1))
                : static_cast<T>(i.operand[1]);
  T step = form == IndexForm::registerSecond || form == IndexForm::registers
               ? s.getX<T>(i.reg(2))
               : static_cast<T>(i.operand[2]);
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    s.v[i.reg(0)].set<T>(lane, static_cast<T>(first + lane * step));
}

void extract(State &s, const Instruction &i) {
  VectorRegister a = s.v[i.reg(1)], b = s.v[i.reg(2)];
  unsigned bytes = s.vectorBytes, from = i.reg(3) < bytes ? i.reg(3) : 0;
  std::memcpy(s.v[i.reg(0)].bytes, a.bytes + from, bytes - from);
  std::memcpy(s.v[i.reg(0)].bytes + bytes - from, b.bytes, from);
}
template <typename T> void lookUp(State &s, const Instruction &i) {
  VectorRegister table = s.v[i.reg(1)], indices = s.v[i.reg(2)];
  unsigned lanes = lanesOf<T>(s);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    T at = indices.get<T>(lane);
    s.v[i.reg(0)].set<T>(
        lane, at < lanes ? table.get<T>(static_cast<unsigned>(at)) : T{0});
  }
}
template <typename T> void lookUpTwo(State &s, const Instruction &i) {
  VectorRegister low = s.v[i.reg(1)], high = s.v[(i.reg(1) + 1) % 32],
                 indices = s.v[i.reg(2)];
  unsigned lanes = lanesOf<T>(s);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    uint64_t at = indices.get<T>(lane);
    s.v[i.reg(0)].set<T>(
        lane, at < lanes       ? low.get<T>(static_cast<unsigned>(at))
              : at < 2 * lanes ? high.get<T>(static_cast<unsigned>(at - lanes))
                               : T{0});
  }
}
template <typename T> void reverse(State &s, const Instruction &i) {
  VectorRegister a = s.v[i.reg(1)];
  unsigned lanes = lanesOf<T>(s);
  for (unsigned lane = 0; lane < lanes; ++lane)
    s.v[i.reg(0)].set<T>(lane, a.get<T>(lanes - 1 - lane));
}
template <typename T> void splice(State &s, const Instruction &i) {
  VectorRegister a = s.v[i.reg(2)], b = s.v[i.reg(3)];
  const PredicateRegister &p = s.p[i.reg(1)];
  int lanes = static_cast<int>(lanesOf<T>(s)), first = -1, last = -2;
  for (int lane = 0; lane < lanes; ++lane)
    if (p.get(lane * sizeof(T))) {
      first = first < 0 ? lane : first;
      last = lane;
    }
  int taken = first < 0 ? 0 : last - first + 1;
  for (int lane = 0; lane < lanes; ++lane)
    s.v[i.reg(0)].set<T>(lane, lane < taken ? a.get<T>(first + lane)
                                            : b.get<T>(lane - taken));
}
template <typename T> void compact(State &s, const Instruction &i) {
  VectorRegister a = s.v[i.reg(2)];
  unsigned count = 0;
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    if (s.p[i.reg(1)].get(lane * sizeof(T)))
      s.v[i.reg(0)].set<T>(count++, a.get<T>(lane));
  for (; count < lanesOf<T>(s); ++count)
    s.v[i.reg(0)].set<T>(count, T{0});
}
template <typename T, bool high> void unpack(State &s, const Instruction &i) {
  using W = Wider<T>;
  VectorRegister a = s.v[i.reg(1)];
  unsigned lanes = lanesOf<W>(s);
  for (unsigned lane = 0; lane < lanes; ++lane)
    s.v[i.reg(0)].set<W>(lane, a.get<T>(lane + (high ? lanes : 0)));
}
enum class Permutation { zip, unzip, transpose };
template <typename T, Permutation how, unsigned which>
void permute(State &s, const Instruction &i) {
  VectorRegister a = s.v[i.reg(1)], b = s.v[i.reg(2)];
  unsigned lanes = lanesOf<T>(s);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    T value;
    if constexpr (how == Permutation::zip) {
      value = (lane % 2 ? b : a).template get<T>(lane / 2 + which * lanes / 2);
    } else if constexpr (how == Permutation::unzip) {
      unsigned from = 2 * lane + which;
      value = from < lanes ? a.get<T>(from) : b.get<T>(from - lanes);
    } else {
      value = (lane % 2 ? b : a).template get<T>(lane / 2 * 2 + which);
    }
    s.v[i.reg(0)].set<T>(lane, value);
  }
}
template <typename T> void insert(State &s, unsigned reg, T value) {
  VectorRegister &v = s.v[reg];
  std::memmove(v.bytes + sizeof(T), v.bytes, s.vectorBytes - sizeof(T));
  v.set<T>(0, value);
}
/// The lane of the last active element, or the one behind it; -1 if none is
/// active.
template <typename T, bool behind>
int lastActive(const State &s, const Instruction &i) {
  int lanes = static_cast<int>(lanesOf<T>(s)), last = -1;
  for (int lane = 0; lane < lanes; ++lane)
    if (s.p[i.reg(1)].get(lane * sizeof(T)))
      last = lane;
  return behind && last >= 0 ? (last + 1) % lanes : last;
}
/// Without an active element, the lane before the first: the last one, or the
/// first if behind it.
template <typename T, bool behind>
T lastElement(const State &s, const Instruction &i, unsigned source) {
  int lane = lastActive<T, behind>(s, i);
  if (lane < 0)
    lane = behind ? 0 : static_cast<int>(lanesOf<T>(s)) - 1;
  return s.v[i.reg(source)].get<T>(lane);
}
template <typename T, bool behind>
void addLast(SemanticsTable &t, llvm::StringRef name, llvm::StringRef size) {
  t.add("LAST" + name + "_VPZ" + size, [](State &s, const Instruction &i) {
    T value = lastElement<T, behind>(s, i, 2);
    s.v[i.reg(0)].set<T>(0, value);
    s.v[i.reg(0)].clearFrom(sizeof(T));
  });
  t.add("LAST" + name + "_RPZ" + size, [](State &s, const Instruction &i) {
    s.setX(i.reg(0), lastElement<T, behind>(s, i, 2));
  });
  t.add("CLAST" + name + "_VPZ" + size, [](State &s, const Instruction &i) {
    int lane = lastActive<T, behind>(s, i);
    T value = lane < 0 ? s.v[i.reg(2)].get<T>(0) : s.v[i.reg(3)].get<T>(lane);
    s.v[i.reg(0)].set<T>(0, value);
    s.v[i.reg(0)].clearFrom(sizeof(T));
  });
  t.add("CLAST" + name + "_RPZ" + size, [](State &s, const Instruction &i) {
    int lane = lastActive<T, behind>(s, i);
    s.setX(i.reg(0),
           lane < 0 ? s.getX<T>(i.reg(2)) : s.v[i.reg(3)].get<T>(lane));
  });
  t.add("CLAST" + name + "_ZPZ" + size, [](State &s, const Instruction &i) {
    if (int lane = lastActive<T, behind>(s, i); lane >= 0)
      splat<T>(s, i.reg(0), s.v[i.reg(3)].get<T>(lane));
  });
}
template <typename T> void addUnpack(SemanticsTable &t, llvm::StringRef size) {
  using S = std::make_signed_t<T>;
  t.add("UUNPKLO_ZZ" + size, unpack<T, false>);
  t.add("UUNPKHI_ZZ" + size, unpack<T, true>);
  t.add("SUNPKLO_ZZ" + size, unpack<S, false>);
  t.add("SUNPKHI_ZZ" + size, unpack<S, true>);
}
template <typename T>
void addPermutations(SemanticsTable &t, llvm::StringRef size) {
  t.add("ZIP1_ZZZ" + size, permute<T, Permutation::zip, 0>);
  t.add("ZIP2_ZZZ" + size, permute<T, Permutation::zip, 1>);
  t.add("UZP1_ZZZ" + size, permute<T, Permutation::unzip, 0>);
  t.add("UZP2_ZZZ" + size, permute<T, Permutation::unzip, 1>);
  t.add("TRN1_ZZZ" + size, permute<T, Permutation::transpose, 0>);
  t.add("TRN2_ZZZ" + size, permute<T, Permutation::transpose, 1>);
}
} // namespace

void ember::sim::addSVEPermuteSemantics(SemanticsTable &t) {
  forEachIntegerSize<false>([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    t.add("DUP_ZI" + size, splatImmediate<T>);
    t.add("DUP_ZR" + size, splatGeneral<T>);
    t.add("DUP_ZZI" + size, splatLane<T>);
    t.add("CPY_ZPmR" + size, copyGeneral<T>);
    t.add("CPY_ZPmV" + size, copyScalar<T>);
    t.add("CPY_ZPmI" + size, copyImmediate<T>);
    t.add("CPY_ZPzI" + size, copyImmediateOrZero<T>);
    t.add("SEL_ZPZZ" + size, select<T>);
    t.add("MOVPRFX_ZPzZ" + size, movePrefixZero<T>);
    t.add("MOVPRFX_ZPmZ" + size, movePrefixMerge<T>);
    t.add("INDEX_II" + size, index<T, IndexForm::immediates>);
    t.add("INDEX_RI" + size, index<T, IndexForm::registerFirst>);
    t.add("INDEX_IR" + size, index<T, IndexForm::registerSecond>);
    t.add("INDEX_RR" + size, index<T, IndexForm::registers>);
    t.add("TBL_ZZZ" + size, lookUp<T>);
    t.add("TBL_ZZZZ" + size, lookUpTwo<T>);
    t.add("REV_ZZ" + size, reverse<T>);
    t.add("SPLICE_ZPZ" + size, splice<T>);
    t.add("COMPACT_ZPZ" + size, compact<T>);
    t.add("INSR_ZR" + size, [](State &s, const Instruction &i) {
      insert<T>(s, i.reg(0), s.getX<T>(i.reg(2)));
    });
    t.add("INSR_ZV" + size, [](State &s, const Instruction &i) {
      insert<T>(s, i.reg(0), s.v[i.reg(2)].get<T>(0));
    });
    addLast<T, false>(t, "B", size);
    addLast<T, true>(t, "A", size);
    addPermutations<T>(t, size);
  });
  addPermutations<unsigned __int128>(t, "_Q");
  t.add("DUP_ZZI_Q", splatLane<unsigned __int128>);
  t.add("EXT_ZZI", extract);
  t.add("MOVPRFX_ZZ",
        [](State &s, const Instruction &i) { s.v[i.reg(0)] = s.v[i.reg(1)]; });
  addUnpack<uint8_t>(t, "_H");
  addUnpack<uint16_t>(t, "_S");
  addUnpack<uint32_t>(t, "_D");
}
