//===- ScalarFloatSemantics.cpp - Floats in the first lane ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/FloatArithmetic.h"
#include "ember/Sim/Core/Semantics.h"

using namespace ember::sim;

namespace {
template <typename T> void setScalar(State &s, unsigned reg, T value) {
  s.v[reg].set<T>(0, value);
  s.v[reg].clearFrom(sizeof(T));
}
template <typename T> T getScalar(const State &s, unsigned reg) {
  return s.v[reg].get<T>(0);
}

template <typename T, typename Op> void unary(State &s, const Instruction &i) {
  setScalar<T>(s, i.reg(0), Op::apply(getScalar<T>(s, i.reg(1))));
}
template <typename T, typename Op> void binary(State &s, const Instruction &i) {
  setScalar<T>(s, i.reg(0),
               Op::apply(getScalar<T>(s, i.reg(1)), getScalar<T>(s, i.reg(2))));
}
/// addend ± a * b, with either negated.
template <typename T, bool negateProduct, bool negateAddend>
void multiplyAdd(State &s, const Instruction &i) {
  T a = getScalar<T>(s, i.reg(1)), b = getScalar<T>(s, i.reg(2)),
    addend = getScalar<T>(s, i.reg(3));
  setScalar<T>(s, i.reg(0),
               fused<T>(negateAddend ? negate(addend) : addend,
                        negateProduct ? negate(a) : a, b));
}
template <typename T> void select(State &s, const Instruction &i) {
  setScalar<T>(s, i.reg(0), getScalar<T>(s, i.reg(holds(s, i.reg(3)) ? 1 : 2)));
}
template <typename T> void setFlags(State &s, T a, T b) {
  bool unordered = isNaN(a) || isNaN(b);
  s.negative = !unordered && a < b;
  s.zero = !unordered && a == b;
  s.carry = unordered || a >= b;
  s.overflow = unordered;
}
template <typename T> void compare(State &s, const Instruction &i) {
  setFlags<T>(s, getScalar<T>(s, i.reg(0)), getScalar<T>(s, i.reg(1)));
}
template <typename T> void compareZero(State &s, const Instruction &i) {
  setFlags<T>(s, getScalar<T>(s, i.reg(0)), static_cast<T>(0));
}
template <typename T> void compareIf(State &s, const Instruction &i) {
  if (holds(s, i.reg(3)))
    return compare<T>(s, i);
  unsigned flags = i.reg(2);
  s.negative = flags >> 3 & 1;
  s.zero = flags >> 2 & 1;
  s.carry = flags >> 1 & 1;
  s.overflow = flags & 1;
}

template <typename To, typename From>
void convert(State &s, const Instruction &i) {
  setScalar<To>(s, i.reg(0), convertFloat<To>(getScalar<From>(s, i.reg(1))));
}
template <typename Integer, typename Float, Rounding mode>
void toGeneral(State &s, const Instruction &i) {
  s.setX(i.reg(0),
         static_cast<std::make_unsigned_t<Integer>>(
             toInteger<Integer, Float, mode>(getScalar<Float>(s, i.reg(1)))));
}
template <typename Integer, typename Float>
void fromGeneral(State &s, const Instruction &i) {
  setScalar<Float>(s, i.reg(0), fromInteger<Float>(s.getX<Integer>(i.reg(1))));
}
/// From and to a fixed-point number, whose fraction's bits op2 says.
template <typename Integer, typename Float>
void fromFixed(State &s, const Instruction &i) {
  setScalar<Float>(s, i.reg(0),
                   fromInteger<Float>(s.getX<Integer>(i.reg(1)), i.reg(2)));
}
template <typename Integer, typename Float>
void toFixed(State &s, const Instruction &i) {
  s.setX(i.reg(0),
         static_cast<std::make_unsigned_t<Integer>>(
             toFixedPoint<Integer>(getScalar<Float>(s, i.reg(1)), i.reg(2))));
}
template <typename Float>
void addFixedPoint(SemanticsTable &t, llvm::StringRef f) {
  t.add("SCVTFSW" + f + "ri", fromFixed<int32_t, Float>);
  t.add("SCVTFSX" + f + "ri", fromFixed<int64_t, Float>);
  t.add("UCVTFSW" + f + "ri", fromFixed<uint32_t, Float>);
  t.add("UCVTFSX" + f + "ri", fromFixed<uint64_t, Float>);
  t.add("FCVTZSSW" + f + "ri", toFixed<int32_t, Float>);
  t.add("FCVTZSSX" + f + "ri", toFixed<int64_t, Float>);
  t.add("FCVTZUSW" + f + "ri", toFixed<uint32_t, Float>);
  t.add("FCVTZUSX" + f + "ri", toFixed<uint64_t, Float>);
}
template <typename Integer, typename Float>
void fromVector(State &s, const Instruction &i) {
  setScalar<Float>(s, i.reg(0),
                   fromInteger<Float>(getScalar<Integer>(s, i.reg(1))));
}
template <typename Integer, typename Float, Rounding mode>
void toVector(State &s, const Instruction &i) {
  setScalar<Integer>(
      s, i.reg(0),
      toInteger<Integer, Float, mode>(getScalar<Float>(s, i.reg(1))));
}
template <typename T> void immediate(State &s, const Instruction &i) {
  setScalar<T>(s, i.reg(0), expandImmediate<T>(i.reg(1)));
}
template <typename T> void move(State &s, const Instruction &i) {
  setScalar<T>(s, i.reg(0), getScalar<T>(s, i.reg(1)));
}
template <typename T> void moveToGeneral(State &s, const Instruction &i) {
  s.setX(i.reg(0), getScalar<T>(s, i.reg(1)));
}
template <typename T> void moveFromGeneral(State &s, const Instruction &i) {
  setScalar<T>(s, i.reg(0), s.getX<T>(i.reg(1)));
}

template <Rounding mode, typename T>
void addConversions(SemanticsTable &t, llvm::StringRef rounding,
                    llvm::StringRef f) {
  t.add("FCVT" + rounding + "SUW" + f + "r", toGeneral<int32_t, T, mode>);
  t.add("FCVT" + rounding + "SUX" + f + "r", toGeneral<int64_t, T, mode>);
  t.add("FCVT" + rounding + "UUW" + f + "r", toGeneral<uint32_t, T, mode>);
  t.add("FCVT" + rounding + "UUX" + f + "r", toGeneral<uint64_t, T, mode>);
  using B = BitsOf<T>;
  llvm::StringRef suffix = sizeof(T) == 8   ? "v1i64"
                           : sizeof(T) == 4 ? "v1i32"
                                            : "v1f16";
  t.add("FCVT" + rounding + "S" + suffix,
        toVector<std::make_signed_t<B>, T, mode>);
  t.add("FCVT" + rounding + "U" + suffix, toVector<B, T, mode>);
}

template <typename T> void addOfType(SemanticsTable &t, llvm::StringRef f) {
  t.add("FADD" + f + "rr", binary<T, FloatAdd<T>>);
  t.add("FSUB" + f + "rr", binary<T, FloatSubtract<T>>);
  t.add("FMUL" + f + "rr", binary<T, FloatMultiply<T>>);
  t.add("FNMUL" + f + "rr", binary<T, FloatNegatedMultiply<T>>);
  t.add("FDIV" + f + "rr", binary<T, FloatDivide<T>>);
  t.add("FMAX" + f + "rr", binary<T, FloatMaximum<T>>);
  t.add("FMIN" + f + "rr", binary<T, FloatMinimum<T>>);
  t.add("FMAXNM" + f + "rr", binary<T, FloatMaximumNumber<T>>);
  t.add("FMINNM" + f + "rr", binary<T, FloatMinimumNumber<T>>);
  t.add("FNEG" + f + "r", unary<T, FloatNegate<T>>);
  t.add("FABS" + f + "r", unary<T, FloatAbsolute<T>>);
  t.add("FSQRT" + f + "r", unary<T, FloatSquareRoot<T>>);
  t.add("FRINTA" + f + "r",
        unary<T, RoundOperation<Rounding::nearestAway>::Of<T>>);
  t.add("FRINTM" + f + "r", unary<T, RoundOperation<Rounding::down>::Of<T>>);
  t.add("FRINTP" + f + "r", unary<T, RoundOperation<Rounding::up>::Of<T>>);
  t.add("FRINTZ" + f + "r", unary<T, RoundOperation<Rounding::zero>::Of<T>>);
  for (llvm::StringRef mode : {"I", "N", "X"})
    t.add("FRINT" + mode + f + "r",
          unary<T, RoundOperation<Rounding::nearestEven>::Of<T>>);
  t.add("FMADD" + f + "rrr", multiplyAdd<T, false, false>);
  t.add("FMSUB" + f + "rrr", multiplyAdd<T, true, false>);
  t.add("FNMADD" + f + "rrr", multiplyAdd<T, true, true>);
  t.add("FNMSUB" + f + "rrr", multiplyAdd<T, false, true>);
  t.add("FCSEL" + f + "rrr", select<T>);
  for (llvm::StringRef signal : {"", "E"}) {
    t.add("FCMP" + signal + f + "rr", compare<T>);
    t.add("FCMP" + signal + f + "ri", compareZero<T>);
    t.add("FCCMP" + signal + f + "rr", compareIf<T>);
  }
  addConversions<Rounding::zero, T>(t, "Z", f);
  addConversions<Rounding::nearestAway, T>(t, "A", f);
  addConversions<Rounding::down, T>(t, "M", f);
  addConversions<Rounding::nearestEven, T>(t, "N", f);
  addConversions<Rounding::up, T>(t, "P", f);
  t.add("SCVTFUW" + f + "ri", fromGeneral<int32_t, T>);
  t.add("SCVTFUX" + f + "ri", fromGeneral<int64_t, T>);
  t.add("UCVTFUW" + f + "ri", fromGeneral<uint32_t, T>);
  t.add("UCVTFUX" + f + "ri", fromGeneral<uint64_t, T>);
  using B = BitsOf<T>;
  llvm::StringRef suffix = sizeof(T) == 8   ? "v1i64"
                           : sizeof(T) == 4 ? "v1i32"
                                            : "v1i16";
  t.add("SCVTF" + suffix, fromVector<std::make_signed_t<B>, T>);
  t.add("UCVTF" + suffix, fromVector<B, T>);
  addFixedPoint<T>(t, f);
  t.add("FMOV" + f + "i", immediate<T>);
  t.add("FMOV" + f + "r", move<T>);
}
} // namespace

void ember::sim::addScalarFloatSemantics(SemanticsTable &t) {
  addOfType<Half>(t, "H");
  addOfType<float>(t, "S");
  addOfType<double>(t, "D");
  // Named to, from.
  t.add("FCVTDSr", convert<double, float>);
  t.add("FCVTDHr", convert<double, Half>);
  t.add("FCVTSDr", convert<float, double>);
  t.add("FCVTSHr", convert<float, Half>);
  t.add("FCVTHDr", convert<Half, double>);
  t.add("FCVTHSr", convert<Half, float>);
  t.add("BFCVT", [](State &s, const Instruction &i) {
    setScalar<uint16_t>(s, i.reg(0), toBrain(getScalar<float>(s, i.reg(1))));
  });
  t.add("FMOVSWr", moveToGeneral<uint32_t>);
  t.add("FMOVDXr", moveToGeneral<uint64_t>);
  t.add("FMOVHWr", moveToGeneral<uint16_t>);
  t.add("FMOVHXr", moveToGeneral<uint16_t>);
  t.add("FMOVWSr", moveFromGeneral<uint32_t>);
  t.add("FMOVXDr", moveFromGeneral<uint64_t>);
  t.add("FMOVWHr", moveFromGeneral<uint16_t>);
  t.add("FMOVXHr", moveFromGeneral<uint16_t>);
  t.add("FMOVDXHighr", [](State &s, const Instruction &i) {
    s.setX(i.reg(0), s.v[i.reg(1)].get<uint64_t>(1));
  });
  t.add("FMOVXDHighr", [](State &s, const Instruction &i) {
    s.v[i.reg(0)].set<uint64_t>(1, s.x[i.reg(1)]);
    s.v[i.reg(0)].clearFrom(16);
  });
}
