//===- SVEFloatSemantics.cpp - Floats in vectors of SVE -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/SVESemantics.h"

using namespace ember::sim;

namespace {
template <template <typename> class Op>
void addBinary(SemanticsTable &t, llvm::StringRef name) {
  forEachFloatSize([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    t.add(name + "_ZZZ" + size, laneBinary<T, Op<T>>);
    t.add(name + "_ZPmZ" + size, predicatedBinary<T, Op<T>>);
  });
}
template <template <typename> class Op> struct Reversed {
  template <typename T> struct Of {
    static T apply(T a, T b) { return Op<T>::apply(b, a); }
  };
};
/// One of two constants, by the immediate.
template <typename T, typename Op, int low, int high>
void binaryConstant(State &s, const Instruction &i) {
  // In halves.
  T constant = static_cast<T>((i.operand[3] ? high : low) / 2.0);
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    if (s.p[i.reg(1)].get(lane * sizeof(T)))
      s.v[i.reg(0)].set<T>(lane,
                           Op::apply(s.v[i.reg(2)].get<T>(lane), constant));
}
template <template <typename> class Op, int low, int high>
void addConstant(SemanticsTable &t, llvm::StringRef name) {
  forEachFloatSize([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    t.add(name + "_ZPmI" + size, binaryConstant<T, Op<T>, low, high>);
  });
}
template <template <typename> class Op>
void addUnary(SemanticsTable &t, llvm::StringRef name) {
  forEachFloatSize([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    t.add(name + "_ZPmZ" + size, predicatedUnary<T, Op<T>>);
  });
}
template <template <typename> class Op>
void addFused(SemanticsTable &t, llvm::StringRef accumulating,
              llvm::StringRef multiplying) {
  forEachFloatSize([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    bool fuses = hostFuses() && !std::is_same_v<T, Half>;
    t.add(accumulating + "_ZPmZZ" + size,
          fuses ? ternaryFused<T, Op<T>, false> : ternary<T, Op<T>, false>);
    t.add(multiplying + "_ZPmZZ" + size,
          fuses ? ternaryFused<T, Op<T>, true> : ternary<T, Op<T>, true>);
  });
}
/// With an element of each 16 bytes of op3 for all lanes of those.
template <typename T, typename Op>
void fusedIndexed(State &s, const Instruction &i) {
  constexpr unsigned segment = 16 / sizeof(T);
  VectorRegister b = s.v[i.reg(3)];
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    s.v[i.reg(0)].set<T>(
        lane, Op::apply(s.v[i.reg(1)].get<T>(lane), s.v[i.reg(2)].get<T>(lane),
                        b.get<T>(lane / segment * segment + i.reg(4))));
}
template <typename T> void multiplyIndexed(State &s, const Instruction &i) {
  constexpr unsigned segment = 16 / sizeof(T);
  VectorRegister b = s.v[i.reg(2)];
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    s.v[i.reg(0)].set<T>(
        lane,
        FloatMultiply<T>::apply(s.v[i.reg(1)].get<T>(lane),
                                b.get<T>(lane / segment * segment + i.reg(3))));
}

template <typename T, typename Op, bool zero, bool reversed = false>
void compare(State &s, const Instruction &i) {
  PredicateRegister result = {};
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    if (s.p[i.reg(1)].get(lane * sizeof(T))) {
      T a = s.v[i.reg(2)].get<T>(lane);
      T b = zero ? static_cast<T>(0) : s.v[i.reg(3) & 31].get<T>(lane);
      result.set(lane * sizeof(T), Op::apply(a, b));
    }
  s.p[i.reg(0)] = result;
}
template <template <typename> class Op>
void addCompare(SemanticsTable &t, llvm::StringRef name) {
  forEachFloatSize([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    t.add(name + "_PPzZZ" + size, compare<T, Op<T>, false>);
    t.add(name + "_PPzZ0" + size, compare<T, Op<T>, true>);
  });
}

/// The sum in the order of lanes.
template <typename T> void addInOrder(State &s, const Instruction &i) {
  T sum = s.v[i.reg(2)].get<T>(0);
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    if (s.p[i.reg(1)].get(lane * sizeof(T)))
      sum = FloatAdd<T>::apply(sum, s.v[i.reg(3)].get<T>(lane));
  s.v[i.reg(0)].set<T>(0, sum);
  s.v[i.reg(0)].clearFrom(sizeof(T));
}
/// Lanes that are not active count as what changes nothing.
template <typename T, typename Op, typename Identity>
void reduce(State &s, const Instruction &i) {
  T values[mostVectorBytes / sizeof(T)];
  unsigned lanes = lanesOf<T>(s), n = std::bit_ceil(lanes);
  for (unsigned lane = 0; lane < n; ++lane)
    values[lane] = lane < lanes && s.p[i.reg(1)].get(lane * sizeof(T))
                       ? s.v[i.reg(2)].get<T>(lane)
                       : Identity::template value<T>();
  s.v[i.reg(0)].set<T>(0, reducePairwise<T, Op>(values, n));
  s.v[i.reg(0)].clearFrom(sizeof(T));
}
struct Zero {
  template <typename T> static T value() { return static_cast<T>(0); }
};
struct QuietNaN {
  template <typename T> static T value() { return defaultNaN<T>(); }
};
template <bool negative> struct Infinity {
  template <typename T> static T value() {
    return fromBits<T>(static_cast<BitsOf<T>>(
        infinityBits<T>() | (negative ? signMask<T>() : BitsOf<T>{0})));
  }
};
template <template <typename> class Op, typename Identity>
void addReduction(SemanticsTable &t, llvm::StringRef name) {
  forEachFloatSize([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    t.add(name + "_VPZ" + size, reduce<T, Op<T>, Identity>);
  });
}

/// Elements of the wider of two formats, of which the narrower has the lowest
/// bytes.
template <typename From, typename To, typename Convert>
void convert(State &s, const Instruction &i) {
  using Container = BitsOf<std::conditional_t<(sizeof(From) > sizeof(To)),
                                              BitsOf<From>, BitsOf<To>>>;
  for (unsigned lane = 0; lane < lanesOf<Container>(s); ++lane) {
    if (!s.p[i.reg(2)].get(lane * sizeof(Container)))
      continue;
    From value;
    std::memcpy(&value, s.v[i.reg(3)].bytes + lane * sizeof(Container),
                sizeof(From));
    To result = Convert::template apply<From, To>(value);
    if constexpr (sizeof(To) < sizeof(Container))
      s.v[i.reg(0)].set<Container>(lane, std::bit_cast<BitsOf<To>>(result));
    else
      s.v[i.reg(0)].set<To>(lane, result);
  }
}
struct FloatToFloat {
  template <typename F, typename T> static T apply(F a) {
    return convertFloat<T>(a);
  }
};
struct FloatToInteger {
  // A narrower result is extended by its sign, so the container is made here.
  template <typename F, typename T> static T apply(F a) {
    return toInteger<T>(a);
  }
};
struct IntegerToFloat {
  template <typename F, typename T> static T apply(F a) {
    return fromInteger<T>(a);
  }
};
/// To 32 bits from a double, extended to the 64 of the container.
template <typename Integer, typename Wide>
void doubleToWord(State &s, const Instruction &i) {
  for (unsigned lane = 0; lane < lanesOf<Wide>(s); ++lane)
    if (s.p[i.reg(2)].get(lane * sizeof(Wide)))
      s.v[i.reg(0)].set<Wide>(lane, static_cast<Wide>(toInteger<Integer>(
                                        s.v[i.reg(3)].get<double>(lane))));
}
template <typename Float, typename Signed>
void addIntegers(SemanticsTable &t, llvm::StringRef f, llvm::StringRef n) {
  using U = std::make_unsigned_t<Signed>;
  if constexpr (sizeof(Signed) >= sizeof(Float)) {
    t.add("FCVTZS_ZPmZ_" + f + "to" + n,
          convert<Float, Signed, FloatToInteger>);
    t.add("FCVTZU_ZPmZ_" + f + "to" + n, convert<Float, U, FloatToInteger>);
  }
  t.add("SCVTF_ZPmZ_" + n + "to" + f, convert<Signed, Float, IntegerToFloat>);
  t.add("UCVTF_ZPmZ_" + n + "to" + f, convert<U, Float, IntegerToFloat>);
}
void toBrain(State &s, const Instruction &i) {
  for (unsigned lane = 0; lane < lanesOf<uint32_t>(s); ++lane)
    if (s.p[i.reg(2)].get(lane * 4))
      s.v[i.reg(0)].set<uint32_t>(
          lane, ember::sim::toBrain(s.v[i.reg(3)].get<float>(lane)));
}
template <typename T> void splat(State &s, const Instruction &i) {
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    s.v[i.reg(0)].set<T>(lane, expandImmediate<T>(i.reg(1)));
}
template <typename T> void splatWhere(State &s, const Instruction &i) {
  for (unsigned lane = 0; lane < lanesOf<T>(s); ++lane)
    if (s.p[i.reg(2)].get(lane * sizeof(T)))
      s.v[i.reg(0)].set<T>(lane, expandImmediate<T>(i.reg(3)));
}
} // namespace

void ember::sim::addSVEFloatSemantics(SemanticsTable &t) {
  addBinary<FloatAdd>(t, "FADD");
  addBinary<FloatSubtract>(t, "FSUB");
  addBinary<Reversed<FloatSubtract>::Of>(t, "FSUBR");
  addBinary<FloatMultiply>(t, "FMUL");
  addBinary<FloatMultiplyExtended>(t, "FMULX");
  addBinary<FloatDivide>(t, "FDIV");
  addBinary<Reversed<FloatDivide>::Of>(t, "FDIVR");
  addBinary<FloatMaximum>(t, "FMAX");
  addBinary<FloatMinimum>(t, "FMIN");
  addBinary<FloatMaximumNumber>(t, "FMAXNM");
  addBinary<FloatMinimumNumber>(t, "FMINNM");
  addBinary<FloatAbsoluteDifference>(t, "FABD");
  addConstant<FloatAdd, 1, 2>(t, "FADD");
  addConstant<FloatSubtract, 1, 2>(t, "FSUB");
  addConstant<Reversed<FloatSubtract>::Of, 1, 2>(t, "FSUBR");
  addConstant<FloatMultiply, 1, 4>(t, "FMUL");
  addConstant<FloatMaximum, 0, 2>(t, "FMAX");
  addConstant<FloatMinimum, 0, 2>(t, "FMIN");
  addConstant<FloatMaximumNumber, 0, 2>(t, "FMAXNM");
  addConstant<FloatMinimumNumber, 0, 2>(t, "FMINNM");
  addUnary<FloatNegate>(t, "FNEG");
  addUnary<FloatAbsolute>(t, "FABS");
  addUnary<FloatSquareRoot>(t, "FSQRT");
  addUnary<RoundOperation<Rounding::nearestAway>::Of>(t, "FRINTA");
  addUnary<RoundOperation<Rounding::down>::Of>(t, "FRINTM");
  addUnary<RoundOperation<Rounding::up>::Of>(t, "FRINTP");
  addUnary<RoundOperation<Rounding::zero>::Of>(t, "FRINTZ");
  for (llvm::StringRef mode : {"I", "N", "X"})
    addUnary<RoundOperation<Rounding::nearestEven>::Of>(t,
                                                        ("FRINT" + mode).str());
  addFused<FusedAdd>(t, "FMLA", "FMAD");
  addFused<FusedSubtract>(t, "FMLS", "FMSB");
  addFused<FusedNegatedAdd>(t, "FNMLA", "FNMAD");
  addFused<FusedNegatedSubtract>(t, "FNMLS", "FNMSB");
  addCompare<FloatEqual>(t, "FCMEQ");
  addCompare<FloatNotEqual>(t, "FCMNE");
  addCompare<FloatGreater>(t, "FCMGT");
  addCompare<FloatGreaterEqual>(t, "FCMGE");
  addCompare<FloatLess>(t, "FCMLT");
  addCompare<FloatLessEqual>(t, "FCMLE");
  addCompare<FloatUnordered>(t, "FCMUO");
  addCompare<FloatAbsoluteGreater>(t, "FACGT");
  addCompare<FloatAbsoluteGreaterEqual>(t, "FACGE");
  addReduction<FloatAdd, Zero>(t, "FADDV");
  addReduction<FloatMaximum, Infinity<true>>(t, "FMAXV");
  addReduction<FloatMinimum, Infinity<false>>(t, "FMINV");
  addReduction<FloatMaximumNumber, QuietNaN>(t, "FMAXNMV");
  addReduction<FloatMinimumNumber, QuietNaN>(t, "FMINNMV");
  forEachFloatSize([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    t.add("FADDA_VPZ" + size, addInOrder<T>);
    t.add("FMLA_ZZZI" + size, fusedIndexed<T, FusedAdd<T>>);
    t.add("FMLS_ZZZI" + size, fusedIndexed<T, FusedSubtract<T>>);
    t.add("FMUL_ZZZI" + size, multiplyIndexed<T>);
    t.add("FDUP_ZI" + size, splat<T>);
    t.add("FCPY_ZPmI" + size, splatWhere<T>);
  });
  t.add("FCVT_ZPmZ_HtoS", convert<Half, float, FloatToFloat>);
  t.add("FCVT_ZPmZ_HtoD", convert<Half, double, FloatToFloat>);
  t.add("FCVT_ZPmZ_StoD", convert<float, double, FloatToFloat>);
  t.add("FCVT_ZPmZ_StoH", convert<float, Half, FloatToFloat>);
  t.add("FCVT_ZPmZ_DtoH", convert<double, Half, FloatToFloat>);
  t.add("FCVT_ZPmZ_DtoS", convert<double, float, FloatToFloat>);
  t.add("BFCVT_ZPmZ", ::toBrain);
  addIntegers<Half, int16_t>(t, "H", "H");
  addIntegers<Half, int32_t>(t, "H", "S");
  addIntegers<Half, int64_t>(t, "H", "D");
  addIntegers<float, int32_t>(t, "S", "S");
  addIntegers<float, int64_t>(t, "S", "D");
  addIntegers<double, int32_t>(t, "D", "S");
  addIntegers<double, int64_t>(t, "D", "D");
  t.add("FCVTZS_ZPmZ_DtoS", doubleToWord<int32_t, int64_t>);
  t.add("FCVTZU_ZPmZ_DtoS", doubleToWord<uint32_t, uint64_t>);
}
