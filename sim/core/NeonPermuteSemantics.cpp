//===- NeonPermuteSemantics.cpp - Moves within vectors of NEON -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/VectorSemantics.h"

using namespace ember::sim;

namespace {
template <typename Add> void forEachType(Add add) {
  using Short = std::integral_constant<unsigned, 8>;
  using Long = std::integral_constant<unsigned, 16>;
  add("v8i8", uint8_t{}, Short{});
  add("v16i8", uint8_t{}, Long{});
  add("v4i16", uint16_t{}, Short{});
  add("v8i16", uint16_t{}, Long{});
  add("v2i32", uint32_t{}, Short{});
  add("v4i32", uint32_t{}, Long{});
  add("v2i64", uint64_t{}, Long{});
}

template <typename T, unsigned bytes>
void splat(State &s, unsigned reg, T value) {
  for (unsigned lane = 0; lane < bytes / sizeof(T); ++lane)
    s.v[reg].set<T>(lane, value);
  finish<bytes>(s, reg);
}
template <typename T, unsigned bytes>
void duplicateLane(State &s, const Instruction &i) {
  splat<T, bytes>(s, i.reg(0), s.v[i.reg(1)].get<T>(i.reg(2)));
}
template <typename T, unsigned bytes>
void duplicateGeneral(State &s, const Instruction &i) {
  splat<T, bytes>(s, i.reg(0), s.getX<T>(i.reg(1)));
}
template <typename T> void insertGeneral(State &s, const Instruction &i) {
  s.v[i.reg(0)].set<T>(i.reg(2), s.getX<T>(i.reg(3)));
  finish<16>(s, i.reg(0));
}
template <typename T> void insertLane(State &s, const Instruction &i) {
  s.v[i.reg(0)].set<T>(i.reg(2), s.v[i.reg(3)].get<T>(i.reg(4)));
  finish<16>(s, i.reg(0));
}
template <typename T, typename Result>
void moveLane(State &s, const Instruction &i) {
  s.setX(i.reg(0), static_cast<std::make_unsigned_t<Result>>(
                       static_cast<Result>(s.v[i.reg(1)].get<T>(i.reg(2)))));
}
template <unsigned bytes> void extract(State &s, const Instruction &i) {
  VectorRegister a = s.v[i.reg(1)], b = s.v[i.reg(2)];
  unsigned from = i.reg(3);
  for (unsigned byte = 0; byte < bytes; ++byte)
    s.v[i.reg(0)].bytes[byte] = byte + from < bytes
                                    ? a.bytes[byte + from]
                                    : b.bytes[byte + from - bytes];
  finish<bytes>(s, i.reg(0));
}
template <unsigned bytes, unsigned registers, bool keep>
void lookUp(State &s, const Instruction &i) {
  constexpr unsigned at = keep ? 2 : 1;
  uint8_t table[16 * registers];
  for (unsigned r = 0; r < registers; ++r)
    std::memcpy(table + 16 * r, s.v[(i.reg(at) + r) % 32].bytes, 16);
  VectorRegister indices = s.v[i.reg(at + 1)];
  for (unsigned byte = 0; byte < bytes; ++byte) {
    unsigned index = indices.bytes[byte];
    if (index < 16 * registers)
      s.v[i.reg(0)].bytes[byte] = table[index];
    else if (!keep)
      s.v[i.reg(0)].bytes[byte] = 0;
  }
  finish<bytes>(s, i.reg(0));
}
template <unsigned registers>
void addLookUp(SemanticsTable &t, llvm::StringRef count) {
  t.add("TBLv8i8" + count, lookUp<8, registers, false>);
  t.add("TBLv16i8" + count, lookUp<16, registers, false>);
  t.add("TBXv8i8" + count, lookUp<8, registers, true>);
  t.add("TBXv16i8" + count, lookUp<16, registers, true>);
}
enum class Permutation { zip, unzip, transpose };
template <typename T, unsigned bytes, Permutation how, unsigned which>
void permute(State &s, const Instruction &i) {
  VectorRegister a = s.v[i.reg(1)], b = s.v[i.reg(2)];
  constexpr unsigned lanes = bytes / sizeof(T);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    T value;
    if constexpr (how == Permutation::zip) {
      unsigned from = lane / 2 + which * lanes / 2;
      value = (lane % 2 ? b : a).template get<T>(from);
    } else if constexpr (how == Permutation::unzip) {
      unsigned from = 2 * lane + which;
      value = from < lanes ? a.get<T>(from) : b.get<T>(from - lanes);
    } else {
      value = (lane % 2 ? b : a).template get<T>(lane / 2 * 2 + which);
    }
    s.v[i.reg(0)].set<T>(lane, value);
  }
  finish<bytes>(s, i.reg(0));
}
template <typename Container, typename Unit>
void addReverse(SemanticsTable &t, llvm::StringRef name, llvm::StringRef units,
                llvm::StringRef allUnits) {
  using Op = typename ReverseUnits<Unit>::template Of<Container>;
  t.add(name + units, laneUnary<Container, Op, 8>);
  t.add(name + allUnits, laneUnary<Container, Op, 16>);
}

/// op0 = the splat immediate op1 << op2, inverted or combined with op0.
template <typename T, unsigned bytes, bool inverted, bool ones>
void immediate(State &s, const Instruction &i) {
  unsigned shift = i.reg(2) & 63;
  uint64_t value = static_cast<uint64_t>(i.operand[1]) << shift;
  if (ones)
    value |= (uint64_t{1} << shift) - 1;
  splat<T, bytes>(s, i.reg(0), static_cast<T>(inverted ? ~value : value));
}
template <typename T, unsigned bytes, bool clear>
void combineImmediate(State &s, const Instruction &i) {
  T value = static_cast<T>(i.operand[2] << (i.operand[3] & 63));
  for (unsigned lane = 0; lane < bytes / sizeof(T); ++lane) {
    T old = s.v[i.reg(1)].get<T>(lane);
    s.v[i.reg(0)].set<T>(lane, clear ? static_cast<T>(old & ~value)
                                     : static_cast<T>(old | value));
  }
  finish<bytes>(s, i.reg(0));
}
template <unsigned bytes> void byteMask(State &s, const Instruction &i) {
  uint64_t value = 0;
  for (unsigned bit = 0; bit < 8; ++bit)
    if (i.operand[1] >> bit & 1)
      value |= uint64_t{0xff} << 8 * bit;
  splat<uint64_t, bytes>(s, i.reg(0), value);
}
template <typename T, unsigned bytes>
void floatImmediate(State &s, const Instruction &i) {
  splat<T, bytes>(s, i.reg(0), expandImmediate<T>(i.reg(1)));
}
template <typename T, unsigned bytes>
void addImmediates(SemanticsTable &t, llvm::StringRef type) {
  t.add("MOVI" + type, immediate<T, bytes, false, false>);
  t.add("MVNI" + type, immediate<T, bytes, true, false>);
  t.add("ORR" + type, combineImmediate<T, bytes, false>);
  t.add("BIC" + type, combineImmediate<T, bytes, true>);
}
} // namespace

void ember::sim::addNeonPermuteSemantics(SemanticsTable &t) {
  forEachType([&](llvm::StringRef type, auto element, auto bytes) {
    using T = decltype(element);
    constexpr unsigned length = decltype(bytes)::value;
    t.add("DUP" + type + "lane", duplicateLane<T, length>);
    t.add("DUP" + type + "gpr", duplicateGeneral<T, length>);
    t.add("ZIP1" + type, permute<T, length, Permutation::zip, 0>);
    t.add("ZIP2" + type, permute<T, length, Permutation::zip, 1>);
    t.add("UZP1" + type, permute<T, length, Permutation::unzip, 0>);
    t.add("UZP2" + type, permute<T, length, Permutation::unzip, 1>);
    t.add("TRN1" + type, permute<T, length, Permutation::transpose, 0>);
    t.add("TRN2" + type, permute<T, length, Permutation::transpose, 1>);
    if constexpr (length == 16) {
      std::string bits = std::to_string(sizeof(T) * 8);
      t.add("DUPi" + bits, duplicateLane<T, sizeof(T)>);
      t.add("INSvi" + bits + "gpr", insertGeneral<T>);
      t.add("INSvi" + bits + "lane", insertLane<T>);
      for (llvm::StringRef index : {"", "_idx0"}) {
        t.add("UMOVvi" + bits + index, moveLane<T, T>);
        using S = std::make_signed_t<T>;
        if constexpr (sizeof(T) < 4)
          t.add("SMOVvi" + bits + "to32" + index, moveLane<S, int32_t>);
        t.add("SMOVvi" + bits + "to64" + index, moveLane<S, int64_t>);
      }
    }
  });
  t.add("EXTv8i8", extract<8>);
  t.add("EXTv16i8", extract<16>);
  addLookUp<1>(t, "One");
  addLookUp<2>(t, "Two");
  addLookUp<3>(t, "Three");
  addLookUp<4>(t, "Four");
  addReverse<uint64_t, uint8_t>(t, "REV64", "v8i8", "v16i8");
  addReverse<uint64_t, uint16_t>(t, "REV64", "v4i16", "v8i16");
  addReverse<uint64_t, uint32_t>(t, "REV64", "v2i32", "v4i32");
  addReverse<uint32_t, uint8_t>(t, "REV32", "v8i8", "v16i8");
  addReverse<uint32_t, uint16_t>(t, "REV32", "v4i16", "v8i16");
  addReverse<uint16_t, uint8_t>(t, "REV16", "v8i8", "v16i8");

  addImmediates<uint16_t, 8>(t, "v4i16");
  addImmediates<uint16_t, 16>(t, "v8i16");
  addImmediates<uint32_t, 8>(t, "v2i32");
  addImmediates<uint32_t, 16>(t, "v4i32");
  t.add("MOVIv2s_msl", immediate<uint32_t, 8, false, true>);
  t.add("MOVIv4s_msl", immediate<uint32_t, 16, false, true>);
  t.add("MVNIv2s_msl", immediate<uint32_t, 8, true, true>);
  t.add("MVNIv4s_msl", immediate<uint32_t, 16, true, true>);
  t.add("MOVIv8b_ns", immediate<uint8_t, 8, false, false>);
  t.add("MOVIv16b_ns", immediate<uint8_t, 16, false, false>);
  t.add("MOVID", byteMask<8>);
  t.add("MOVIv2d_ns", byteMask<16>);
  t.add("FMOVv4f16_ns", floatImmediate<Half, 8>);
  t.add("FMOVv8f16_ns", floatImmediate<Half, 16>);
  t.add("FMOVv2f32_ns", floatImmediate<float, 8>);
  t.add("FMOVv4f32_ns", floatImmediate<float, 16>);
  t.add("FMOVv2f64_ns", floatImmediate<double, 16>);
}
