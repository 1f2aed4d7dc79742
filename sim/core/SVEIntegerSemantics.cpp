//===- SVEIntegerSemantics.cpp - Integers in vectors of SVE ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/SVESemantics.h"

using namespace ember::sim;

namespace {
template <template <typename> class Op, bool isSigned = false>
void addPredicated(SemanticsTable &t, llvm::StringRef name) {
  forEachIntegerSize<isSigned>([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    t.add(name + "_ZPmZ" + size, predicatedBinary<T, Op<T>>);
  });
}
template <template <typename> class Op, bool isSigned = false>
void addPlain(SemanticsTable &t, llvm::StringRef name) {
  forEachIntegerSize<isSigned>([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    t.add(name + "_ZZZ" + size, laneBinary<T, Op<T>>);
  });
}
void prepareShifted(Instruction &i) { i.operand[2] <<= i.operand[3] & 63; }
template <template <typename> class Op, bool isSigned = false>
void addImmediate(SemanticsTable &t, llvm::StringRef name,
                  PrepareFunction prepare) {
  forEachIntegerSize<isSigned>([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    t.add(name + "_ZI" + size, laneImmediate<T, Op<T>>, prepare);
  });
}
template <template <typename> class Op, bool isSigned = false>
void addUnary(SemanticsTable &t, llvm::StringRef name, unsigned least = 1) {
  forEachIntegerSize<isSigned>(
      [&](llvm::StringRef size, auto element) {
        using T = decltype(element);
        t.add(name + "_ZPmZ" + size, predicatedUnary<T, Op<T>>);
      },
      least);
}
template <template <typename> class Op, bool isSigned = false>
void addShift(SemanticsTable &t, llvm::StringRef name) {
  forEachIntegerSize<isSigned>([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    t.add(name + "_ZZI" + size, laneImmediate<T, Op<T>>);
    t.add(name + "_ZPmI" + size, predicatedImmediate<T, Op<T>>);
  });
  addPredicated<Op, isSigned>(t, name);
}
template <template <typename> class Op, bool multiplicand>
void addTernary(SemanticsTable &t, llvm::StringRef name) {
  forEachIntegerSize<false>([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    t.add(name + "_ZPmZZ" + size, ternary<T, Op<T>, multiplicand>);
  });
}
/// The shift by an immediate that rounds towards zero.
template <typename T> struct DivideByPower {
  static T apply(T a, T by) {
    T bias = a < 0 ? static_cast<T>((modular(T{1}) << by) - 1) : T{0};
    return static_cast<T>((static_cast<__int128>(a) + bias) >> by);
  }
};
void prepareMask(Instruction &i) {
  i.operand[2] = static_cast<int64_t>(
      logicalImmediate(static_cast<uint64_t>(i.operand[2]), 64));
}
void prepareOnlyMask(Instruction &i) {
  i.operand[1] = static_cast<int64_t>(
      logicalImmediate(static_cast<uint64_t>(i.operand[1]), 64));
}

template <typename T, typename Result, template <typename> class Op>
void reduce(State &s, const Instruction &i, Result identity) {
  Result result = identity;
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    if (s.p[i.reg(1)].get(lane * sizeof(T)))
      result = Op<Result>::apply(
          result, static_cast<Result>(s.v[i.reg(2)].get<T>(lane)));
  s.v[i.reg(0)].set<Result>(0, result);
  s.v[i.reg(0)].clearFrom(sizeof(Result));
}
enum class Identity { zero, ones, least, most };
template <typename T, template <typename> class Op, Identity identity>
void reduceSame(State &s, const Instruction &i) {
  using L = std::numeric_limits<T>;
  reduce<T, T, Op>(s, i,
                   identity == Identity::zero    ? T{0}
                   : identity == Identity::ones  ? static_cast<T>(~T{0})
                   : identity == Identity::least ? L::min()
                                                 : L::max());
}
template <template <typename> class Op, Identity identity,
          bool isSigned = false>
void addReduction(SemanticsTable &t, llvm::StringRef name) {
  forEachIntegerSize<isSigned>([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    t.add(name + "_VPZ" + size, reduceSame<T, Op, identity>);
  });
}
template <typename T> void addAcross(State &s, const Instruction &i) {
  using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  reduce<T, Wide, Add>(s, i, 0);
}

template <typename T, typename Op, bool zeroing, bool immediate, bool wide>
void compare(State &s, const Instruction &i) {
  PredicateRegister mask = s.p[i.reg(1)], result = {};
  using Second = std::conditional_t<
      wide, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>, T>;
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane) {
    if (!mask.get(lane * sizeof(T)))
      continue;
    Second b =
        immediate
            ? static_cast<Second>(i.operand[3])
            : s.v[i.reg(3)].get<Second>(lane * sizeof(T) / sizeof(Second));
    result.set(lane * sizeof(T),
               Op::apply(static_cast<Second>(s.v[i.reg(2)].get<T>(lane)), b) !=
                   0);
  }
  testPredicate(s, mask, result, sizeof(T));
  s.p[i.reg(0)] = result;
}
template <template <typename> class Op, bool isSigned>
void addCompare(SemanticsTable &t, llvm::StringRef name) {
  forEachIntegerSize<isSigned>([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    using W = std::conditional_t<isSigned, int64_t, uint64_t>;
    t.add(name + "_PPzZZ" + size, compare<T, Op<T>, true, false, false>);
    t.add(name + "_PPzZI" + size, compare<T, Op<T>, true, true, false>);
    t.add(name + "_WIDE_PPzZZ" + size, compare<T, Op<W>, true, false, true>);
  });
}

/// Each shift amount is a double word's, for all elements of that.
template <typename T, typename Op>
void shiftWide(State &s, const Instruction &i) {
  VectorRegister a = s.v[i.reg(1)], b = s.v[i.reg(2)];
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane) {
    uint64_t by = b.get<uint64_t>(lane * sizeof(T) / 8);
    s.v[i.reg(0)].set<T>(
        lane, Op::apply(a.get<T>(lane),
                        static_cast<T>(std::min<uint64_t>(by, bitsIn<T>))));
  }
}
template <typename A, typename B, typename Sum>
void dot(State &s, const Instruction &i) {
  VectorRegister a = s.v[i.reg(2)], b = s.v[i.reg(3)];
  constexpr unsigned parts = sizeof(Sum) / sizeof(A);
  for (unsigned lane = 0; lane < lanesOf<Sum>(s); ++lane) {
    Sum sum = s.v[i.reg(1)].get<Sum>(lane);
    for (unsigned part = 0; part < parts; ++part)
      sum +=
          static_cast<Sum>(static_cast<int64_t>(a.get<A>(parts * lane + part)) *
                           static_cast<int64_t>(b.get<B>(parts * lane + part)));
    s.v[i.reg(0)].set<Sum>(lane, sum);
  }
}

template <bool down>
uint64_t counted(const State &s, const Instruction &i, unsigned first,
                 unsigned size) {
  return static_cast<uint64_t>(elementsOf(i.reg(first), s.vectorBytes / size)) *
         static_cast<uint64_t>(i.operand[first + 1]);
}
template <typename T> void count(State &s, const Instruction &i) {
  s.setX(i.reg(0), counted<false>(s, i, 1, sizeof(T)));
}
template <typename T, bool down>
void moveByCount(State &s, const Instruction &i) {
  uint64_t by = counted<down>(s, i, 2, sizeof(T));
  s.setX(i.reg(0), s.x[i.reg(1)] + (down ? -by : by));
}
template <typename T, typename Register, bool down>
void moveByCountSaturating(State &s, const Instruction &i) {
  __int128 by = static_cast<__int128>(counted<down>(s, i, 2, sizeof(T)));
  Register result =
      saturate<Register>(s.getX<Register>(i.reg(1)) + (down ? -by : by));
  // What is 32 bits wide is extended by its own sign.
  s.setX(i.reg(0), std::is_signed_v<Register>
                       ? static_cast<uint64_t>(static_cast<int64_t>(result))
                       : static_cast<uint64_t>(result));
}
template <typename T, bool down>
void moveVectorByCount(State &s, const Instruction &i) {
  uint64_t by = counted<down>(s, i, 2, sizeof(T));
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    s.v[i.reg(0)].set<T>(
        lane, static_cast<T>(s.v[i.reg(1)].get<T>(lane) + (down ? -by : by)));
}
template <typename T> void addCounts(SemanticsTable &t, llvm::StringRef size) {
  t.add("CNT" + size + "_XPiI", count<T>);
  t.add("INC" + size + "_XPiI", moveByCount<T, false>);
  t.add("DEC" + size + "_XPiI", moveByCount<T, true>);
  t.add("INC" + size + "_ZPiI", moveVectorByCount<T, false>);
  t.add("DEC" + size + "_ZPiI", moveVectorByCount<T, true>);
  t.add("UQINC" + size + "_XPiI", moveByCountSaturating<T, uint64_t, false>);
  t.add("UQDEC" + size + "_XPiI", moveByCountSaturating<T, uint64_t, true>);
  t.add("SQINC" + size + "_XPiI", moveByCountSaturating<T, int64_t, false>);
  t.add("SQDEC" + size + "_XPiI", moveByCountSaturating<T, int64_t, true>);
  t.add("UQINC" + size + "_WPiI", moveByCountSaturating<T, uint32_t, false>);
  t.add("UQDEC" + size + "_WPiI", moveByCountSaturating<T, uint32_t, true>);
}
template <typename Unit>
void addExtend(SemanticsTable &t, llvm::StringRef name) {
  forEachIntegerSize<false>(
      [&](llvm::StringRef size, auto element) {
        using T = decltype(element);
        using S = std::make_signed_t<Unit>;
        t.add("UXT" + name + "_ZPmZ" + size,
              predicatedUnary<T, typename Extend<Unit>::template Of<T>>);
        t.add("SXT" + name + "_ZPmZ" + size,
              predicatedUnary<T, typename Extend<S>::template Of<T>>);
        t.add("REV" + name + "_ZPmZ" + size,
              predicatedUnary<T, typename ReverseUnits<Unit>::template Of<T>>);
      },
      sizeof(Unit) * 2);
}
} // namespace

/// Adds elements of a vector of addresses and of one of offsets, which are
/// extended from `Offset` and shifted.
template <typename T, typename Offset, unsigned shift>
static void addShifted(State &s, const Instruction &i) {
  VectorRegister a = s.v[i.reg(1)], b = s.v[i.reg(2)];
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    s.v[i.reg(0)].set<T>(
        lane,
        a.get<T>(lane) +
            (static_cast<T>(static_cast<Offset>(b.get<T>(lane))) << shift));
}
template <unsigned shift> static void addAddresses(SemanticsTable &t) {
  std::string name = "_" + std::to_string(shift);
  t.add("ADR_LSL_ZZZ_S" + name, addShifted<uint32_t, uint32_t, shift>);
  t.add("ADR_LSL_ZZZ_D" + name, addShifted<uint64_t, uint64_t, shift>);
  t.add("ADR_SXTW_ZZZ_D" + name, addShifted<uint64_t, int32_t, shift>);
  t.add("ADR_UXTW_ZZZ_D" + name, addShifted<uint64_t, uint32_t, shift>);
}

void ember::sim::addSVEIntegerSemantics(SemanticsTable &t) {
  addPlain<Add>(t, "ADD");
  addPlain<Subtract>(t, "SUB");
  addPlain<SaturatingAdd, true>(t, "SQADD");
  addPlain<SaturatingAdd>(t, "UQADD");
  addPlain<SaturatingSubtract, true>(t, "SQSUB");
  addPlain<SaturatingSubtract>(t, "UQSUB");
  addPlain<Multiply>(t, "MUL");
  addPlain<MultiplyHigh, true>(t, "SMULH");
  addPlain<MultiplyHigh>(t, "UMULH");
  t.add("AND_ZZZ", laneBinary<uint64_t, And<uint64_t>>);
  t.add("ORR_ZZZ", laneBinary<uint64_t, Or<uint64_t>>);
  t.add("EOR_ZZZ", laneBinary<uint64_t, ExclusiveOr<uint64_t>>);
  t.add("BIC_ZZZ", laneBinary<uint64_t, BitClear<uint64_t>>);
  t.add("AND_ZI", laneImmediate<uint64_t, And<uint64_t>>, prepareMask);
  t.add("ORR_ZI", laneImmediate<uint64_t, Or<uint64_t>>, prepareMask);
  t.add("EOR_ZI", laneImmediate<uint64_t, ExclusiveOr<uint64_t>>, prepareMask);
  t.add(
      "DUPM_ZI",
      [](State &s, const Instruction &i) {
        for (unsigned lane = 0; lane < lanesOf<uint64_t>(s); ++lane)
          s.v[i.reg(0)].set<int64_t>(lane, i.operand[1]);
      },
      prepareOnlyMask);
  addImmediate<Add>(t, "ADD", prepareShifted);
  addImmediate<Subtract>(t, "SUB", prepareShifted);
  addImmediate<SubtractReversed>(t, "SUBR", prepareShifted);
  addImmediate<SaturatingAdd, true>(t, "SQADD", prepareShifted);
  addImmediate<SaturatingAdd>(t, "UQADD", prepareShifted);
  addImmediate<SaturatingSubtract, true>(t, "SQSUB", prepareShifted);
  addImmediate<SaturatingSubtract>(t, "UQSUB", prepareShifted);
  addImmediate<Multiply>(t, "MUL", nullptr);
  addImmediate<Maximum, true>(t, "SMAX", nullptr);
  addImmediate<Minimum, true>(t, "SMIN", nullptr);
  addImmediate<Maximum>(t, "UMAX", nullptr);
  addImmediate<Minimum>(t, "UMIN", nullptr);

  addPredicated<Add>(t, "ADD");
  addPredicated<Subtract>(t, "SUB");
  addPredicated<SubtractReversed>(t, "SUBR");
  addPredicated<Multiply>(t, "MUL");
  addPredicated<MultiplyHigh, true>(t, "SMULH");
  addPredicated<MultiplyHigh>(t, "UMULH");
  addPredicated<Divide, true>(t, "SDIV");
  addPredicated<Divide>(t, "UDIV");
  addPredicated<DivideReversed, true>(t, "SDIVR");
  addPredicated<DivideReversed>(t, "UDIVR");
  addPredicated<Maximum, true>(t, "SMAX");
  addPredicated<Minimum, true>(t, "SMIN");
  addPredicated<Maximum>(t, "UMAX");
  addPredicated<Minimum>(t, "UMIN");
  addPredicated<AbsoluteDifference, true>(t, "SABD");
  addPredicated<AbsoluteDifference>(t, "UABD");
  addPredicated<And>(t, "AND");
  addPredicated<Or>(t, "ORR");
  addPredicated<ExclusiveOr>(t, "EOR");
  addPredicated<BitClear>(t, "BIC");
  addPredicated<ShiftLeftReversed>(t, "LSLR");
  addPredicated<ShiftRightReversed>(t, "LSRR");
  addPredicated<ShiftRightReversed, true>(t, "ASRR");
  addShift<ShiftLeft>(t, "LSL");
  addShift<ShiftRight>(t, "LSR");
  addShift<ShiftRight, true>(t, "ASR");
  forEachIntegerSize<true>([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    using U = std::make_unsigned_t<T>;
    t.add("ASRD_ZPmI" + size, predicatedImmediate<T, DivideByPower<T>>);
    t.add("ASR_WIDE_ZZZ" + size, shiftWide<T, ShiftRight<T>>);
    t.add("LSR_WIDE_ZZZ" + size, shiftWide<U, ShiftRight<U>>);
    t.add("LSL_WIDE_ZZZ" + size, shiftWide<U, ShiftLeft<U>>);
    if constexpr (sizeof(T) < 8) {
      t.add("SADDV_VPZ" + size, addAcross<T>);
    }
    t.add("UADDV_VPZ" + size, addAcross<U>);
  });
  addTernary<MultiplyAdd, false>(t, "MLA");
  addTernary<MultiplySubtract, false>(t, "MLS");
  addTernary<MultiplyAdd, true>(t, "MAD");
  addTernary<MultiplySubtract, true>(t, "MSB");

  addUnary<AbsoluteValue, true>(t, "ABS");
  addUnary<Negate>(t, "NEG");
  addUnary<Not>(t, "NOT");
  addUnary<LogicalNot>(t, "CNOT");
  addUnary<CountOnes>(t, "CNT");
  addUnary<LeadingZeros>(t, "CLZ");
  addUnary<LeadingSigns, true>(t, "CLS");
  addUnary<ReverseBits>(t, "RBIT");
  addExtend<uint8_t>(t, "B");
  addExtend<uint16_t>(t, "H");
  addExtend<uint32_t>(t, "W");

  addReduction<And, Identity::ones>(t, "ANDV");
  addReduction<Or, Identity::zero>(t, "ORV");
  addReduction<ExclusiveOr, Identity::zero>(t, "EORV");
  addReduction<Maximum, Identity::least, true>(t, "SMAXV");
  addReduction<Minimum, Identity::most, true>(t, "SMINV");
  addReduction<Maximum, Identity::least>(t, "UMAXV");
  addReduction<Minimum, Identity::most>(t, "UMINV");

  addCompare<Equal, true>(t, "CMPEQ");
  forEachIntegerSize<true>([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    t.add("CMPNE_PPzZZ" + size, compare<T, ExclusiveOr<T>, true, false, false>);
    t.add("CMPNE_PPzZI" + size, compare<T, ExclusiveOr<T>, true, true, false>);
    t.add("CMPNE_WIDE_PPzZZ" + size,
          compare<T, ExclusiveOr<int64_t>, true, false, true>);
  });
  addCompare<Greater, true>(t, "CMPGT");
  addCompare<GreaterEqual, true>(t, "CMPGE");
  addCompare<Less, true>(t, "CMPLT");
  addCompare<LessEqual, true>(t, "CMPLE");
  addCompare<Greater, false>(t, "CMPHI");
  addCompare<GreaterEqual, false>(t, "CMPHS");
  addCompare<Less, false>(t, "CMPLO");
  addCompare<LessEqual, false>(t, "CMPLS");

  t.add("SDOT_ZZZ_BtoS", dot<int8_t, int8_t, uint32_t>);
  t.add("UDOT_ZZZ_BtoS", dot<uint8_t, uint8_t, uint32_t>);
  t.add("SDOT_ZZZ_HtoD", dot<int16_t, int16_t, uint64_t>);
  t.add("UDOT_ZZZ_HtoD", dot<uint16_t, uint16_t, uint64_t>);
  t.add("USDOT_ZZZ", dot<uint8_t, int8_t, uint32_t>);
  addCounts<uint8_t>(t, "B");
  addCounts<uint16_t>(t, "H");
  addCounts<uint32_t>(t, "W");
  addCounts<uint64_t>(t, "D");
  addAddresses<0>(t);
  addAddresses<1>(t);
  addAddresses<2>(t);
  addAddresses<3>(t);
  t.add("RDVLI_XI", [](State &s, const Instruction &i) {
    s.setX(i.reg(0), static_cast<uint64_t>(i.operand[1]) * s.vectorBytes);
  });
  t.add("ADDVL_XXI", [](State &s, const Instruction &i) {
    s.setX(i.reg(0),
           s.x[i.reg(1)] + static_cast<uint64_t>(i.operand[2]) * s.vectorBytes);
  });
  t.add("ADDPL_XXI", [](State &s, const Instruction &i) {
    s.setX(i.reg(0), s.x[i.reg(1)] + static_cast<uint64_t>(i.operand[2]) *
                                         (s.vectorBytes / 8));
  });
}
