//===- NeonFloatSemantics.cpp - Floats in vectors of NEON ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/VectorSemantics.h"

using namespace ember::sim;

namespace {
/// Calls `add` for each type of float vectors: the name of the type, that of
/// integers of its shape, its elements and its length.
template <typename Add> void forEachType(Add add) {
  using Short = std::integral_constant<unsigned, 8>;
  using Long = std::integral_constant<unsigned, 16>;
  add("v4f16", "v4i16", Half{}, Short{});
  add("v8f16", "v8i16", Half{}, Long{});
  add("v2f32", "v2i32", float{}, Short{});
  add("v4f32", "v4i32", float{}, Long{});
  add("v2f64", "v2i64", double{}, Long{});
}
template <template <typename> class Op>
void addBinary(SemanticsTable &t, llvm::StringRef name) {
  forEachType(
      [&](llvm::StringRef type, llvm::StringRef, auto element, auto bytes) {
        using T = decltype(element);
        t.add(name + type, laneBinary<T, Op<T>, decltype(bytes)::value>);
      });
}
template <template <typename> class Op>
void addUnary(SemanticsTable &t, llvm::StringRef name) {
  forEachType(
      [&](llvm::StringRef type, llvm::StringRef, auto element, auto bytes) {
        using T = decltype(element);
        t.add(name + type, laneUnary<T, Op<T>, decltype(bytes)::value>);
      });
}

template <typename T, typename Op, unsigned bytes>
EMBER_SIM_FUSED_TARGET void fusedHere(State &s, const Instruction &i) {
  const VectorRegister &c = s.v[i.reg(1)], &a = s.v[i.reg(2)],
                       &b = s.v[i.reg(3)];
  for (unsigned lane = 0; lane < bytes / sizeof(T); ++lane)
    s.v[i.reg(0)].set<T>(
        lane, Op::apply(c.get<T>(lane), a.get<T>(lane), b.get<T>(lane)));
  finish<bytes>(s, i.reg(0));
}
template <typename T, typename Op, unsigned bytes>
void fusedIndexed(State &s, const Instruction &i) {
  T b = s.v[i.reg(3)].get<T>(i.reg(4));
  for (unsigned lane = 0; lane < bytes / sizeof(T); ++lane)
    s.v[i.reg(0)].set<T>(lane, Op::apply(s.v[i.reg(1)].get<T>(lane),
                                         s.v[i.reg(2)].get<T>(lane), b));
  finish<bytes>(s, i.reg(0));
}
template <typename T, unsigned bytes>
void multiplyIndexed(State &s, const Instruction &i) {
  T b = s.v[i.reg(2)].get<T>(i.reg(3));
  for (unsigned lane = 0; lane < bytes / sizeof(T); ++lane)
    s.v[i.reg(0)].set<T>(
        lane, FloatMultiply<T>::apply(s.v[i.reg(1)].get<T>(lane), b));
  finish<bytes>(s, i.reg(0));
}

template <typename T, typename Op, unsigned bytes, bool reversed, bool zero>
void compare(State &s, const Instruction &i) {
  using B = BitsOf<T>;
  VectorRegister a = s.v[i.reg(1)], b = s.v[i.reg(2) & 31];
  for (unsigned lane = 0; lane < bytes / sizeof(T); ++lane) {
    T left = a.get<T>(lane), right = zero ? static_cast<T>(0) : b.get<T>(lane);
    bool result = reversed ? Op::apply(right, left) : Op::apply(left, right);
    s.v[i.reg(0)].set<B>(lane, result ? static_cast<B>(~B{0}) : B{0});
  }
  finish<bytes>(s, i.reg(0));
}
template <template <typename> class Op>
void addCompare(SemanticsTable &t, llvm::StringRef name) {
  forEachType([&](llvm::StringRef type, llvm::StringRef, auto element,
                  auto bytes) {
    using T = decltype(element);
    t.add(name + type, compare<T, Op<T>, decltype(bytes)::value, false, false>);
  });
  t.add(name + "16", compare<Half, Op<Half>, 2, false, false>);
  t.add(name + "32", compare<float, Op<float>, 4, false, false>);
  t.add(name + "64", compare<double, Op<double>, 8, false, false>);
}
template <template <typename> class Op>
void addCompareZero(SemanticsTable &t, llvm::StringRef name) {
  forEachType(
      [&](llvm::StringRef, llvm::StringRef type, auto element, auto bytes) {
        using T = decltype(element);
        t.add(name + type + "rz",
              compare<T, Op<T>, decltype(bytes)::value, false, true>);
      });
  t.add(name + "v1i16rz", compare<Half, Op<Half>, 2, false, true>);
  t.add(name + "v1i32rz", compare<float, Op<float>, 4, false, true>);
  t.add(name + "v1i64rz", compare<double, Op<double>, 8, false, true>);
}

template <typename T, typename Op, unsigned bytes>
void across(State &s, const Instruction &i) {
  T values[16 / sizeof(T)];
  std::memcpy(values, s.v[i.reg(1)].bytes, bytes);
  s.v[i.reg(0)].set<T>(0, reducePairwise<T, Op>(values, bytes / sizeof(T)));
  s.v[i.reg(0)].clearFrom(sizeof(T));
}
template <template <typename> class Op>
void addReductions(SemanticsTable &t, llvm::StringRef name, bool whole) {
  forEachType([&](llvm::StringRef type, llvm::StringRef integers, auto element,
                  auto bytes) {
    using T = decltype(element);
    constexpr unsigned length = decltype(bytes)::value;
    t.add(name + "P" + type, pairwise<T, Op<T>, length>);
    if (whole)
      t.add(name + "V" + integers + "v", across<T, Op<T>, length>);
  });
  t.add(name + "Pv2i16p", across<Half, Op<Half>, 4>);
  t.add(name + "Pv2i32p", across<float, Op<float>, 8>);
  t.add(name + "Pv2i64p", across<double, Op<double>, 16>);
}

template <typename Integer, typename T, unsigned bytes, Rounding mode>
void toIntegers(State &s, const Instruction &i) {
  for (unsigned lane = 0; lane < bytes / sizeof(T); ++lane)
    s.v[i.reg(0)].set<Integer>(
        lane, toInteger<Integer, T, mode>(s.v[i.reg(1)].get<T>(lane)));
  finish<bytes>(s, i.reg(0));
}
/// To fixed-point numbers, whose fraction's bits op2 says.
template <typename Integer, typename T, unsigned bytes>
void toFixed(State &s, const Instruction &i) {
  for (unsigned lane = 0; lane < bytes / sizeof(T); ++lane)
    s.v[i.reg(0)].set<Integer>(
        lane, toFixedPoint<Integer>(s.v[i.reg(1)].get<T>(lane), i.reg(2)));
  finish<bytes>(s, i.reg(0));
}
/// From fixed-point numbers, whose fraction's bits op2 says if `scaled`.
template <typename Integer, typename T, unsigned bytes, bool scaled>
void fromIntegers(State &s, const Instruction &i) {
  unsigned fraction = scaled ? i.reg(2) : 0;
  for (unsigned lane = 0; lane < bytes / sizeof(T); ++lane)
    s.v[i.reg(0)].set<T>(
        lane, fromInteger<T>(s.v[i.reg(1)].get<Integer>(lane), fraction));
  finish<bytes>(s, i.reg(0));
}
template <Rounding mode>
void addToInteger(SemanticsTable &t, llvm::StringRef rounding) {
  forEachType(
      [&](llvm::StringRef type, llvm::StringRef, auto element, auto bytes) {
        using T = decltype(element);
        using B = BitsOf<T>;
        constexpr unsigned length = decltype(bytes)::value;
        t.add("FCVT" + rounding + "S" + type,
              toIntegers<std::make_signed_t<B>, T, length, mode>);
        t.add("FCVT" + rounding + "U" + type, toIntegers<B, T, length, mode>);
      });
}

/// To the format of twice the width, from the lower or the upper half.
template <typename To, typename From, bool upper>
void lengthen(State &s, const Instruction &i) {
  VectorRegister a = s.v[i.reg(1)];
  constexpr unsigned lanes = 16 / sizeof(To);
  for (unsigned lane = 0; lane < lanes; ++lane)
    s.v[i.reg(0)].set<To>(
        lane, convertFloat<To>(a.get<From>(lane + (upper ? lanes : 0))));
  finish<16>(s, i.reg(0));
}
/// Towards zero unless exact, and then odd.
float roundToOdd(double value) {
  if (isNaN(value))
    return convertFloat<float>(value);
  float result = static_cast<float>(value);
  if (isInfinite(value))
    return result;
  if (std::fabs(static_cast<double>(result)) > std::fabs(value))
    result = std::nextafter(result, 0.0f);
  if (static_cast<double>(result) != value)
    result = fromBits<float>(bitsOf(result) | 1);
  return result;
}
template <typename To, typename From, bool upper, bool odd>
void shorten(State &s, const Instruction &i) {
  VectorRegister a = s.v[i.reg(upper ? 2 : 1)];
  constexpr unsigned lanes = 16 / sizeof(From);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    From value = a.get<From>(lane);
    To result;
    if constexpr (odd)
      result = roundToOdd(value);
    else
      result = convertFloat<To>(value);
    s.v[i.reg(0)].set<To>(lane + (upper ? lanes : 0), result);
  }
  finish<upper ? 16 : 8>(s, i.reg(0));
}
template <bool upper> void shortenToBrain(State &s, const Instruction &i) {
  VectorRegister a = s.v[i.reg(upper ? 2 : 1)];
  for (unsigned lane = 0; lane < 4; ++lane)
    s.v[i.reg(0)].set<uint16_t>(lane + (upper ? 4 : 0),
                                toBrain(a.get<float>(lane)));
  finish<upper ? 16 : 8>(s, i.reg(0));
}
} // namespace

void ember::sim::addNeonFloatSemantics(SemanticsTable &t) {
  addBinary<FloatAdd>(t, "FADD");
  addBinary<FloatSubtract>(t, "FSUB");
  addBinary<FloatMultiply>(t, "FMUL");
  addBinary<FloatMultiplyExtended>(t, "FMULX");
  addBinary<FloatDivide>(t, "FDIV");
  addBinary<FloatMaximum>(t, "FMAX");
  addBinary<FloatMinimum>(t, "FMIN");
  addBinary<FloatMaximumNumber>(t, "FMAXNM");
  addBinary<FloatMinimumNumber>(t, "FMINNM");
  addBinary<FloatAbsoluteDifference>(t, "FABD");
  t.add("FABD16", laneBinary<Half, FloatAbsoluteDifference<Half>, 2>);
  t.add("FABD32", laneBinary<float, FloatAbsoluteDifference<float>, 4>);
  t.add("FABD64", laneBinary<double, FloatAbsoluteDifference<double>, 8>);
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
  addCompare<FloatEqual>(t, "FCMEQ");
  addCompare<FloatGreater>(t, "FCMGT");
  addCompare<FloatGreaterEqual>(t, "FCMGE");
  addCompare<FloatAbsoluteGreater>(t, "FACGT");
  addCompare<FloatAbsoluteGreaterEqual>(t, "FACGE");
  addCompareZero<FloatEqual>(t, "FCMEQ");
  addCompareZero<FloatGreater>(t, "FCMGT");
  addCompareZero<FloatGreaterEqual>(t, "FCMGE");
  addCompareZero<FloatLess>(t, "FCMLT");
  addCompareZero<FloatLessEqual>(t, "FCMLE");
  addReductions<FloatAdd>(t, "FADD", false);
  addReductions<FloatMaximum>(t, "FMAX", true);
  addReductions<FloatMinimum>(t, "FMIN", true);
  addReductions<FloatMaximumNumber>(t, "FMAXNM", true);
  addReductions<FloatMinimumNumber>(t, "FMINNM", true);
  forEachType([&](llvm::StringRef type, llvm::StringRef integers, auto element,
                  auto bytes) {
    using T = decltype(element);
    using B = BitsOf<T>;
    using S = std::make_signed_t<B>;
    constexpr unsigned length = decltype(bytes)::value;
    bool fuses = hostFuses() && !std::is_same_v<T, Half>;
    t.add("FMLA" + type, fuses ? fusedHere<T, FusedAdd<T>, length>
                               : laneTernary<T, FusedAdd<T>, length>);
    t.add("FMLS" + type, fuses ? fusedHere<T, FusedSubtract<T>, length>
                               : laneTernary<T, FusedSubtract<T>, length>);
    t.add("FMLA" + integers + "_indexed", fusedIndexed<T, FusedAdd<T>, length>);
    t.add("FMLS" + integers + "_indexed",
          fusedIndexed<T, FusedSubtract<T>, length>);
    t.add("FMUL" + integers + "_indexed", multiplyIndexed<T, length>);
    if constexpr (length == 16) {
      std::string scalar = ("v1i" + llvm::Twine(sizeof(T) * 8)).str();
      t.add("FMLA" + scalar + "_indexed",
            fusedIndexed<T, FusedAdd<T>, sizeof(T)>);
      t.add("FMLS" + scalar + "_indexed",
            fusedIndexed<T, FusedSubtract<T>, sizeof(T)>);
      t.add("FMUL" + scalar + "_indexed", multiplyIndexed<T, sizeof(T)>);
    }
    t.add("SCVTF" + type, fromIntegers<S, T, length, false>);
    t.add("UCVTF" + type, fromIntegers<B, T, length, false>);
    t.add("SCVTF" + integers + "_shift", fromIntegers<S, T, length, true>);
    t.add("UCVTF" + integers + "_shift", fromIntegers<B, T, length, true>);
    t.add("FCVTZS" + integers + "_shift", toFixed<S, T, length>);
    t.add("FCVTZU" + integers + "_shift", toFixed<B, T, length>);
  });
  t.add("SCVTFh", fromIntegers<int16_t, Half, 2, true>);
  t.add("UCVTFh", fromIntegers<uint16_t, Half, 2, true>);
  t.add("SCVTFs", fromIntegers<int32_t, float, 4, true>);
  t.add("UCVTFs", fromIntegers<uint32_t, float, 4, true>);
  t.add("SCVTFd", fromIntegers<int64_t, double, 8, true>);
  t.add("UCVTFd", fromIntegers<uint64_t, double, 8, true>);
  t.add("FCVTZSh", toFixed<int16_t, Half, 2>);
  t.add("FCVTZUh", toFixed<uint16_t, Half, 2>);
  t.add("FCVTZSs", toFixed<int32_t, float, 4>);
  t.add("FCVTZUs", toFixed<uint32_t, float, 4>);
  t.add("FCVTZSd", toFixed<int64_t, double, 8>);
  t.add("FCVTZUd", toFixed<uint64_t, double, 8>);
  addToInteger<Rounding::zero>(t, "Z");
  addToInteger<Rounding::nearestAway>(t, "A");
  addToInteger<Rounding::down>(t, "M");
  addToInteger<Rounding::nearestEven>(t, "N");
  addToInteger<Rounding::up>(t, "P");
  t.add("FCVTLv4i16", lengthen<float, Half, false>);
  t.add("FCVTLv8i16", lengthen<float, Half, true>);
  t.add("FCVTLv2i32", lengthen<double, float, false>);
  t.add("FCVTLv4i32", lengthen<double, float, true>);
  t.add("FCVTNv4i16", shorten<Half, float, false, false>);
  t.add("FCVTNv8i16", shorten<Half, float, true, false>);
  t.add("FCVTNv2i32", shorten<float, double, false, false>);
  t.add("FCVTNv4i32", shorten<float, double, true, false>);
  t.add("FCVTXNv2f32", shorten<float, double, false, true>);
  t.add("FCVTXNv4f32", shorten<float, double, true, true>);
  t.add("BFCVTN", shortenToBrain<false>);
  t.add("BFCVTN2", shortenToBrain<true>);
}
