//===- NeonSemantics.cpp - Integers in vectors of NEON -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/VectorSemantics.h"

using namespace ember::sim;

namespace {
/// Calls `add` for each type of integer vectors: its name, the type of its
/// elements and its length.
template <bool isSigned, typename Add>
void forEachType(Add add, bool wide = true) {
  auto one = [&](llvm::StringRef name, auto element, auto bytes) {
    using U = decltype(element);
    using T = std::conditional_t<isSigned, std::make_signed_t<U>, U>;
    add(name, T{}, bytes);
  };
  using Short = std::integral_constant<unsigned, 8>;
  using Long = std::integral_constant<unsigned, 16>;
  one("v8i8", uint8_t{}, Short{});
  one("v16i8", uint8_t{}, Long{});
  one("v4i16", uint16_t{}, Short{});
  one("v8i16", uint16_t{}, Long{});
  one("v2i32", uint32_t{}, Short{});
  one("v4i32", uint32_t{}, Long{});
  if (!wide)
    return;
  one("v1i64", uint64_t{}, Short{});
  one("v2i64", uint64_t{}, Long{});
}

template <template <typename> class Op, bool isSigned = false>
void addBinary(SemanticsTable &t, llvm::StringRef name) {
  forEachType<isSigned>([&](llvm::StringRef type, auto element, auto bytes) {
    using T = decltype(element);
    t.add(name + type, laneBinary<T, Op<T>, decltype(bytes)::value>);
  });
}
template <template <typename> class Op, bool isSigned = false>
void addUnary(SemanticsTable &t, llvm::StringRef name,
              llvm::StringRef suffix = "") {
  forEachType<isSigned>([&](llvm::StringRef type, auto element, auto bytes) {
    using T = decltype(element);
    t.add(name + type + suffix, laneUnary<T, Op<T>, decltype(bytes)::value>);
  });
}
template <template <typename> class Op, bool isSigned = false>
void addTernary(SemanticsTable &t, llvm::StringRef name) {
  forEachType<isSigned>([&](llvm::StringRef type, auto element, auto bytes) {
    using T = decltype(element);
    t.add(name + type, laneTernary<T, Op<T>, decltype(bytes)::value>);
  });
}

/// Like laneTernary with op3 an immediate.
template <typename T, typename Op, unsigned bytes>
void laneTernaryImmediate(State &s, const Instruction &i) {
  for (unsigned lane = 0; lane < bytes / sizeof(T); ++lane)
    s.v[i.reg(0)].set<T>(lane, Op::apply(s.v[i.reg(1)].get<T>(lane),
                                         s.v[i.reg(2)].get<T>(lane),
                                         static_cast<T>(i.operand[3])));
  finish<bytes>(s, i.reg(0));
}
template <typename T> struct RoundingShiftRight {
  static T apply(T a, T by) {
    return static_cast<T>(
        (static_cast<__int128>(a) + (__int128{1} << (by - 1))) >> by);
  }
};
template <typename T> struct InsertShiftedLeft {
  static T apply(T c, T a, T by) {
    return static_cast<T>(modular(a) << by |
                          (modular(c) & ((modular(T{1}) << by) - 1)));
  }
};
template <typename T> struct InsertShiftedRight {
  static T apply(T c, T a, T by) {
    if (by >= static_cast<T>(bitsIn<T>))
      return c;
    T mask = static_cast<T>(static_cast<T>(~T{0}) >> by);
    return static_cast<T>((c & ~mask) | a >> by);
  }
};
template <template <typename> class Op, bool isSigned = false>
void addShift(SemanticsTable &t, llvm::StringRef name, llvm::StringRef scalar) {
  forEachType<isSigned>([&](llvm::StringRef type, auto element, auto bytes) {
    using T = decltype(element);
    t.add(name + type + "_shift",
          laneImmediate<T, Op<T>, decltype(bytes)::value>);
  });
  using W = std::conditional_t<isSigned, int64_t, uint64_t>;
  if (!scalar.empty())
    t.add(scalar, laneImmediate<W, Op<W>, 8>);
}
template <template <typename> class Op, bool isSigned = false>
void addShiftInto(SemanticsTable &t, llvm::StringRef name) {
  forEachType<isSigned>([&](llvm::StringRef type, auto element, auto bytes) {
    using T = decltype(element);
    t.add(name + type + "_shift",
          laneTernaryImmediate<T, Op<T>, decltype(bytes)::value>);
  });
  using W = std::conditional_t<isSigned, int64_t, uint64_t>;
  t.add(name + "d", laneTernaryImmediate<W, Op<W>, 8>);
}

/// Operands' elements are widened first; `upper` takes their upper halves. The
/// first operand is wide already if `wideFirst`; the result is added to op1 if
/// `accumulate` is 1, subtracted if -1.
template <typename T, template <typename> class Op, bool upper, bool wideFirst,
          int accumulate, bool indexed>
void widening(State &s, const Instruction &i) {
  using W = Wider<T>;
  constexpr unsigned first = accumulate ? 2 : 1;
  constexpr unsigned lanes = 8 / sizeof(T), offset = upper ? lanes : 0;
  VectorRegister a = s.v[i.reg(first)], b = s.v[i.reg(first + 1)],
                 c = s.v[i.reg(1)];
  for (unsigned lane = 0; lane < lanes; ++lane) {
    W left =
        wideFirst ? a.get<W>(lane) : static_cast<W>(a.get<T>(lane + offset));
    W right = b.get<T>(indexed ? i.reg(first + 2) : lane + offset);
    W value = Op<W>::apply(left, right);
    if constexpr (accumulate)
      value = static_cast<W>(accumulate > 0
                                 ? modular(c.get<W>(lane)) + modular(value)
                                 : modular(c.get<W>(lane)) - modular(value));
    s.v[i.reg(0)].set<W>(lane, value);
  }
  finish<16>(s, i.reg(0));
}
template <bool isSigned, template <typename> class Op, bool wideFirst = false,
          int accumulate = 0>
void addWidening(SemanticsTable &t, llvm::StringRef name) {
  auto add = [&](llvm::StringRef lower, llvm::StringRef upper,
                 llvm::StringRef wide, auto element) {
    using U = decltype(element);
    using T = std::conditional_t<isSigned, std::make_signed_t<U>, U>;
    t.add(name + lower + "_" + wide,
          widening<T, Op, false, wideFirst, accumulate, false>);
    t.add(name + upper + "_" + wide,
          widening<T, Op, true, wideFirst, accumulate, false>);
    t.add(name + lower + "_indexed",
          widening<T, Op, false, wideFirst, accumulate, true>);
    t.add(name + upper + "_indexed",
          widening<T, Op, true, wideFirst, accumulate, true>);
  };
  add("v8i8", "v16i8", "v8i16", uint8_t{});
  add("v4i16", "v8i16", "v4i32", uint16_t{});
  add("v2i32", "v4i32", "v2i64", uint32_t{});
}

/// The elements of a wide vector made narrow, into the lower or upper half of
/// the result.
template <typename From, typename To, bool upper, typename Op>
void narrowing(State &s, const Instruction &i) {
  constexpr unsigned lanes = 16 / sizeof(From);
  constexpr unsigned source = upper ? 2 : 1;
  VectorRegister a = s.v[i.reg(source)], b = s.v[i.reg(source + 1) & 31];
  VectorRegister &result = s.v[i.reg(0)];
  for (unsigned lane = 0; lane < lanes; ++lane)
    result.set<To>(
        lane + (upper ? lanes : 0),
        static_cast<To>(Op::template apply<From, To>(
            a.get<From>(lane), b.get<From>(lane), i.operand[source + 1])));
  finish<upper ? 16 : 8>(s, i.reg(0));
}
struct Truncate {
  template <typename F, typename T> static T apply(F a, F, int64_t) {
    return static_cast<T>(a);
  }
};
struct Saturate {
  template <typename F, typename T> static T apply(F a, F, int64_t) {
    return saturate<T>(a);
  }
};
struct AddHigh {
  template <typename F, typename T> static T apply(F a, F b, int64_t) {
    return static_cast<T>((modular(a) + modular(b)) >> bitsIn<T>);
  }
};
struct SubtractHigh {
  template <typename F, typename T> static T apply(F a, F b, int64_t) {
    return static_cast<T>((modular(a) - modular(b)) >> bitsIn<T>);
  }
};
struct ShiftNarrow {
  template <typename F, typename T> static T apply(F a, F, int64_t by) {
    return static_cast<T>(a >> by);
  }
};
struct RoundingShiftNarrow {
  template <typename F, typename T> static T apply(F a, F, int64_t by) {
    return static_cast<T>(
        (static_cast<__int128>(a) + (__int128{1} << (by - 1))) >> by);
  }
};
struct SaturatingShiftNarrow {
  template <typename F, typename T> static T apply(F a, F, int64_t by) {
    return saturate<T>(a >> by);
  }
};
struct SaturatingRoundingShiftNarrow {
  template <typename F, typename T> static T apply(F a, F, int64_t by) {
    return saturate<T>((static_cast<__int128>(a) + (__int128{1} << (by - 1))) >>
                       by);
  }
};
template <typename Op, bool fromSigned = false, bool toSigned = false>
void addNarrowing(SemanticsTable &t, llvm::StringRef name,
                  llvm::StringRef suffix, bool both = false) {
  auto add = [&](llvm::StringRef lower, llvm::StringRef upper,
                 llvm::StringRef wide, auto from, auto to) {
    using UF = decltype(from);
    using UT = decltype(to);
    using F = std::conditional_t<fromSigned, std::make_signed_t<UF>, UF>;
    using T = std::conditional_t<toSigned, std::make_signed_t<UT>, UT>;
    std::string prefix = both ? (wide + "_").str() : "";
    t.add(name + prefix + lower + suffix, narrowing<F, T, false, Op>);
    t.add(name + prefix + upper + suffix, narrowing<F, T, true, Op>);
  };
  add("v8i8", "v16i8", "v8i16", uint16_t{}, uint8_t{});
  add("v4i16", "v8i16", "v4i32", uint32_t{}, uint16_t{});
  add("v2i32", "v4i32", "v2i64", uint64_t{}, uint32_t{});
}

template <typename T, bool upper, bool whole>
void shiftLong(State &s, const Instruction &i) {
  using W = Wider<T>;
  constexpr unsigned lanes = 8 / sizeof(T);
  VectorRegister a = s.v[i.reg(1)];
  for (unsigned lane = 0; lane < lanes; ++lane)
    s.v[i.reg(0)].set<W>(
        lane, static_cast<W>(static_cast<uint64_t>(static_cast<W>(
                                 a.get<T>(lane + (upper ? lanes : 0))))
                             << (whole ? bitsIn<T> : i.operand[2])));
  finish<16>(s, i.reg(0));
}
template <typename T>
void addShiftLong(SemanticsTable &t, llvm::StringRef lower,
                  llvm::StringRef upper) {
  using S = std::make_signed_t<T>;
  t.add("USHLL" + lower + "_shift", shiftLong<T, false, false>);
  t.add("USHLL" + upper + "_shift", shiftLong<T, true, false>);
  t.add("SSHLL" + lower + "_shift", shiftLong<S, false, false>);
  t.add("SSHLL" + upper + "_shift", shiftLong<S, true, false>);
  t.add("SHLL" + lower, shiftLong<T, false, true>);
  t.add("SHLL" + upper, shiftLong<T, true, true>);
}

template <template <typename> class Op, bool isSigned = false>
void addPairwise(SemanticsTable &t, llvm::StringRef name) {
  forEachType<isSigned>([&](llvm::StringRef type, auto element, auto bytes) {
    using T = decltype(element);
    t.add(name + type, pairwise<T, Op<T>, decltype(bytes)::value>);
  });
}
template <typename T, typename Result, template <typename> class Op,
          unsigned bytes>
void across(State &s, const Instruction &i) {
  VectorRegister a = s.v[i.reg(1)];
  Result result = a.get<T>(0);
  for (unsigned lane = 1; lane < bytes / sizeof(T); ++lane)
    result = Op<Result>::apply(result, a.get<T>(lane));
  s.v[i.reg(0)].set<Result>(0, result);
  s.v[i.reg(0)].clearFrom(sizeof(Result));
}
template <template <typename> class Op, bool isSigned = false>
void addAcross(SemanticsTable &t, llvm::StringRef name) {
  forEachType<isSigned>([&](llvm::StringRef type, auto element, auto bytes) {
    using T = decltype(element);
    t.add(name + type + "v", across<T, T, Op, decltype(bytes)::value>);
  });
}
template <typename T, unsigned bytes, bool accumulate>
void addLongPairs(State &s, const Instruction &i) {
  using W = Wider<T>;
  VectorRegister a = s.v[i.reg(accumulate ? 2 : 1)], c = s.v[i.reg(1)];
  for (unsigned lane = 0; lane < bytes / sizeof(W); ++lane)
    s.v[i.reg(0)].set<W>(lane,
                         static_cast<W>(static_cast<W>(a.get<T>(2 * lane)) +
                                        a.get<T>(2 * lane + 1) +
                                        (accumulate ? c.get<W>(lane) : W{0})));
  finish<bytes>(s, i.reg(0));
}
template <bool isSigned> void addLong(SemanticsTable &t, llvm::StringRef sign) {
  forEachType<isSigned>([&](llvm::StringRef type, auto element, auto bytes) {
    using T = decltype(element);
    constexpr unsigned length = decltype(bytes)::value;
    if constexpr (sizeof(T) < 8) {
      std::string wide = ("_v" + llvm::Twine(length / sizeof(T) / 2) + "i" +
                          llvm::Twine(bitsIn<T> * 2))
                             .str();
      t.add(sign + "ADDLP" + type + wide, addLongPairs<T, length, false>);
      t.add(sign + "ADALP" + type + wide, addLongPairs<T, length, true>);
      t.add(sign + "ADDLV" + type + "v", across<T, Wider<T>, Add, length>);
    }
  });
}

template <typename A, typename B, unsigned bytes, bool indexed>
void dot(State &s, const Instruction &i) {
  VectorRegister a = s.v[i.reg(2)], b = s.v[i.reg(3)];
  for (unsigned lane = 0; lane < bytes / 4; ++lane) {
    uint32_t sum = s.v[i.reg(1)].get<uint32_t>(lane);
    for (unsigned part = 0; part < 4; ++part)
      sum += static_cast<uint32_t>(
          static_cast<int32_t>(a.get<A>(4 * lane + part)) *
          b.get<B>(4 * (indexed ? i.reg(4) : lane) + part));
    s.v[i.reg(0)].set<uint32_t>(lane, sum);
  }
  finish<bytes>(s, i.reg(0));
}
template <typename A, typename B>
void addDot(SemanticsTable &t, llvm::StringRef name) {
  t.add(name + "v8i8", dot<A, B, 8, false>);
  t.add(name + "v16i8", dot<A, B, 16, false>);
  t.add(name + "lanev8i8", dot<A, B, 8, true>);
  t.add(name + "lanev16i8", dot<A, B, 16, true>);
}

/// Bits from op2 or op3 by those of a third.
enum class BitSelect { byResult, ifTrue, ifFalse };
template <BitSelect which, unsigned bytes>
void bitSelect(State &s, const Instruction &i) {
  for (unsigned lane = 0; lane < bytes / 8; ++lane) {
    uint64_t d = s.v[i.reg(1)].get<uint64_t>(lane),
             n = s.v[i.reg(2)].get<uint64_t>(lane),
             m = s.v[i.reg(3)].get<uint64_t>(lane);
    uint64_t value = which == BitSelect::byResult ? (n & d) | (m & ~d)
                     : which == BitSelect::ifTrue ? (d & ~m) | (n & m)
                                                  : (d & m) | (n & ~m);
    s.v[i.reg(0)].set<uint64_t>(lane, value);
  }
  finish<bytes>(s, i.reg(0));
}

/// op0[i] = Op(op1[i], op2[i], op3[the immediate op4])
template <typename T, typename Op, unsigned bytes>
void ternaryIndexed(State &s, const Instruction &i) {
  T b = s.v[i.reg(3)].get<T>(i.reg(4));
  for (unsigned lane = 0; lane < bytes / sizeof(T); ++lane)
    s.v[i.reg(0)].set<T>(lane, Op::apply(s.v[i.reg(1)].get<T>(lane),
                                         s.v[i.reg(2)].get<T>(lane), b));
  finish<bytes>(s, i.reg(0));
}
template <typename T, typename Op, unsigned bytes>
void binaryIndexed(State &s, const Instruction &i) {
  T b = s.v[i.reg(2)].get<T>(i.reg(3));
  for (unsigned lane = 0; lane < bytes / sizeof(T); ++lane)
    s.v[i.reg(0)].set<T>(lane, Op::apply(s.v[i.reg(1)].get<T>(lane), b));
  finish<bytes>(s, i.reg(0));
}
} // namespace

void ember::sim::addNeonSemantics(SemanticsTable &t) {
  addBinary<Add>(t, "ADD");
  addBinary<Subtract>(t, "SUB");
  addBinary<Multiply>(t, "MUL");
  addBinary<Maximum, true>(t, "SMAX");
  addBinary<Minimum, true>(t, "SMIN");
  addBinary<Maximum>(t, "UMAX");
  addBinary<Minimum>(t, "UMIN");
  addBinary<AbsoluteDifference, true>(t, "SABD");
  addBinary<AbsoluteDifference>(t, "UABD");
  addBinary<HalvingAdd, true>(t, "SHADD");
  addBinary<HalvingAdd>(t, "UHADD");
  addBinary<RoundingHalvingAdd, true>(t, "SRHADD");
  addBinary<RoundingHalvingAdd>(t, "URHADD");
  addBinary<HalvingSubtract, true>(t, "SHSUB");
  addBinary<HalvingSubtract>(t, "UHSUB");
  addBinary<SaturatingAdd, true>(t, "SQADD");
  addBinary<SaturatingAdd>(t, "UQADD");
  addBinary<SaturatingSubtract, true>(t, "SQSUB");
  addBinary<SaturatingSubtract>(t, "UQSUB");
  addBinary<SaturatingDoublingHigh, true>(t, "SQDMULH");
  addBinary<ShiftBySigned, true>(t, "SSHL");
  addBinary<ShiftBySigned>(t, "USHL");
  addBinary<Equal>(t, "CMEQ");
  addBinary<Greater, true>(t, "CMGT");
  addBinary<GreaterEqual, true>(t, "CMGE");
  addBinary<Greater>(t, "CMHI");
  addBinary<GreaterEqual>(t, "CMHS");
  addBinary<AnyCommonBit>(t, "CMTST");
  addUnary<EqualZero, true>(t, "CMEQ", "rz");
  addUnary<GreaterZero, true>(t, "CMGT", "rz");
  addUnary<GreaterEqualZero, true>(t, "CMGE", "rz");
  addUnary<LessZero, true>(t, "CMLT", "rz");
  addUnary<LessEqualZero, true>(t, "CMLE", "rz");
  addUnary<Negate>(t, "NEG");
  addUnary<AbsoluteValue, true>(t, "ABS");
  addUnary<CountOnes>(t, "CNT");
  addUnary<LeadingZeros>(t, "CLZ");
  addUnary<LeadingSigns, true>(t, "CLS");
  addTernary<MultiplyAdd>(t, "MLA");
  addTernary<MultiplySubtract>(t, "MLS");
  addTernary<AccumulateDifference, true>(t, "SABA");
  addTernary<AccumulateDifference>(t, "UABA");
  // Whole registers' bits have the names of vectors of bytes only.
  t.add("NOTv8i8", laneUnary<uint64_t, Not<uint64_t>, 8>);
  t.add("NOTv16i8", laneUnary<uint64_t, Not<uint64_t>, 16>);
  t.add("RBITv8i8", laneUnary<uint8_t, ReverseBits<uint8_t>, 8>);
  t.add("RBITv16i8", laneUnary<uint8_t, ReverseBits<uint8_t>, 16>);
  addBinary<And>(t, "AND");
  addBinary<BitClear>(t, "BIC");
  addBinary<Or>(t, "ORR");
  addBinary<OrNot>(t, "ORN");
  addBinary<ExclusiveOr>(t, "EOR");
  t.add("BSLv8i8", bitSelect<BitSelect::byResult, 8>);
  t.add("BSLv16i8", bitSelect<BitSelect::byResult, 16>);
  t.add("BITv8i8", bitSelect<BitSelect::ifTrue, 8>);
  t.add("BITv16i8", bitSelect<BitSelect::ifTrue, 16>);
  t.add("BIFv8i8", bitSelect<BitSelect::ifFalse, 8>);
  t.add("BIFv16i8", bitSelect<BitSelect::ifFalse, 16>);

  addShift<ShiftLeft>(t, "SHL", "SHLd");
  addShift<ShiftRight>(t, "USHR", "USHRd");
  addShift<ShiftRight, true>(t, "SSHR", "SSHRd");
  addShift<RoundingShiftRight>(t, "URSHR", "URSHRd");
  addShift<RoundingShiftRight, true>(t, "SRSHR", "SRSHRd");
  addShiftInto<AccumulateShifted>(t, "USRA");
  addShiftInto<AccumulateShifted, true>(t, "SSRA");
  addShiftInto<InsertShiftedLeft>(t, "SLI");
  addShiftInto<InsertShiftedRight>(t, "SRI");

  addWidening<true, Add>(t, "SADDL");
  addWidening<false, Add>(t, "UADDL");
  addWidening<true, Subtract>(t, "SSUBL");
  addWidening<false, Subtract>(t, "USUBL");
  addWidening<true, Add, true>(t, "SADDW");
  addWidening<false, Add, true>(t, "UADDW");
  addWidening<true, Subtract, true>(t, "SSUBW");
  addWidening<false, Subtract, true>(t, "USUBW");
  addWidening<true, Multiply>(t, "SMULL");
  addWidening<false, Multiply>(t, "UMULL");
  addWidening<true, Multiply, false, 1>(t, "SMLAL");
  addWidening<false, Multiply, false, 1>(t, "UMLAL");
  addWidening<true, Multiply, false, -1>(t, "SMLSL");
  addWidening<false, Multiply, false, -1>(t, "UMLSL");
  addWidening<true, AbsoluteDifference>(t, "SABDL");
  addWidening<false, AbsoluteDifference>(t, "UABDL");
  addWidening<true, AbsoluteDifference, false, 1>(t, "SABAL");
  addWidening<false, AbsoluteDifference, false, 1>(t, "UABAL");

  addNarrowing<Truncate>(t, "XTN", "");
  addNarrowing<Saturate, true, true>(t, "SQXTN", "");
  addNarrowing<Saturate, false, false>(t, "UQXTN", "");
  addNarrowing<Saturate, true, false>(t, "SQXTUN", "");
  addNarrowing<ShiftNarrow>(t, "SHRN", "_shift");
  addNarrowing<RoundingShiftNarrow>(t, "RSHRN", "_shift");
  addNarrowing<SaturatingShiftNarrow, true, true>(t, "SQSHRN", "_shift");
  addNarrowing<SaturatingShiftNarrow>(t, "UQSHRN", "_shift");
  addNarrowing<SaturatingShiftNarrow, true, false>(t, "SQSHRUN", "_shift");
  addNarrowing<SaturatingRoundingShiftNarrow, true, true>(t, "SQRSHRN",
                                                          "_shift");
  addNarrowing<SaturatingRoundingShiftNarrow>(t, "UQRSHRN", "_shift");
  addNarrowing<SaturatingRoundingShiftNarrow, true, false>(t, "SQRSHRUN",
                                                           "_shift");
  addNarrowing<AddHigh>(t, "ADDHN", "", true);
  addNarrowing<SubtractHigh>(t, "SUBHN", "", true);
  addShiftLong<uint8_t>(t, "v8i8", "v16i8");
  addShiftLong<uint16_t>(t, "v4i16", "v8i16");
  addShiftLong<uint32_t>(t, "v2i32", "v4i32");

  addPairwise<Add>(t, "ADDP");
  addPairwise<Maximum, true>(t, "SMAXP");
  addPairwise<Minimum, true>(t, "SMINP");
  addPairwise<Maximum>(t, "UMAXP");
  addPairwise<Minimum>(t, "UMINP");
  addAcross<Add>(t, "ADDV");
  addAcross<Maximum, true>(t, "SMAXV");
  addAcross<Minimum, true>(t, "SMINV");
  addAcross<Maximum>(t, "UMAXV");
  addAcross<Minimum>(t, "UMINV");
  t.add("ADDPv2i64p", across<uint64_t, uint64_t, Add, 16>);
  addLong<false>(t, "U");
  addLong<true>(t, "S");
  addDot<uint8_t, uint8_t>(t, "UDOT");
  addDot<int8_t, int8_t>(t, "SDOT");
  addDot<uint8_t, int8_t>(t, "USDOT");
  addDot<int8_t, uint8_t>(t, "SUDOT");
  forEachType<false>(
      [&](llvm::StringRef type, auto element, auto bytes) {
        using T = decltype(element);
        constexpr unsigned length = decltype(bytes)::value;
        t.add("MLA" + type + "_indexed",
              ternaryIndexed<T, MultiplyAdd<T>, length>);
        t.add("MLS" + type + "_indexed",
              ternaryIndexed<T, MultiplySubtract<T>, length>);
        t.add("MUL" + type + "_indexed", binaryIndexed<T, Multiply<T>, length>);
      },
      false);
}
