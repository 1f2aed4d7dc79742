//===- ScalarSemantics.cpp - General registers, flags, branches ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/IntegerArithmetic.h"
#include "ember/Sim/Core/Semantics.h"

using namespace ember::sim;

uint64_t ember::sim::logicalImmediate(uint64_t encoding, unsigned bits) {
  unsigned n = encoding >> 12 & 1, immr = encoding >> 6 & 63,
           imms = encoding & 63;
  unsigned length = 31 - std::countl_zero(n << 6 | (~imms & 63));
  unsigned size = 1u << length;
  unsigned ones = (imms & (size - 1)) + 1, rotation = immr & (size - 1);
  uint64_t mask = ones == 64 ? ~uint64_t{0} : (uint64_t{1} << ones) - 1;
  uint64_t field = size == 64 ? ~uint64_t{0} : (uint64_t{1} << size) - 1;
  if (rotation)
    mask = (mask >> rotation | mask << (size - rotation)) & field;
  for (; size < 64; size *= 2)
    mask |= mask << size;
  return bits == 64 ? mask : mask & 0xffffffff;
}

namespace {
template <typename T> using Signed = std::make_signed_t<T>;

template <typename T> T shifted(T value, unsigned shift) {
  unsigned amount = shift & 63 & (bitsIn<T> - 1);
  switch (shift >> 6 & 3) {
  case 0:
    return value << amount;
  case 1:
    return value >> amount;
  case 2:
    return static_cast<T>(static_cast<Signed<T>>(value) >> amount);
  default:
    return std::rotr(value, static_cast<int>(amount));
  }
}

uint64_t extended(uint64_t value, unsigned extend) {
  switch (extend >> 3 & 7) {
  case 0:
    value = static_cast<uint8_t>(value);
    break;
  case 1:
    value = static_cast<uint16_t>(value);
    break;
  case 2:
    value = static_cast<uint32_t>(value);
    break;
  case 4:
    value = static_cast<uint64_t>(static_cast<int8_t>(value));
    break;
  case 5:
    value = static_cast<uint64_t>(static_cast<int16_t>(value));
    break;
  case 6:
    value = static_cast<uint64_t>(static_cast<int32_t>(value));
    break;
  default:
    break;
  }
  return value << (extend & 7);
}

template <typename T> void setFlags(State &s, T result) {
  s.negative = result >> (bitsIn<T> - 1) & 1;
  s.zero = result == 0;
}
/// `flags`: negative, zero, carry and overflow, from bit 3 down.
void setAllFlags(State &s, uint64_t flags) {
  s.negative = flags >> 3 & 1;
  s.zero = flags >> 2 & 1;
  s.carry = flags >> 1 & 1;
  s.overflow = flags & 1;
}
template <typename T> T addWithCarry(State &s, T a, T b, bool carry) {
  T result = a + b + carry;
  setFlags(s, result);
  s.carry = carry ? result <= a : result < a;
  s.overflow = ((a ^ result) & (b ^ result)) >> (bitsIn<T> - 1) & 1;
  return result;
}

enum class Second { shifted, extended, immediate };

template <typename T, Second form> T second(State &s, const Instruction &i) {
  if constexpr (form == Second::shifted)
    return shifted(s.getX<T>(i.reg(2)), i.reg(3));
  else if constexpr (form == Second::extended)
    return static_cast<T>(extended(s.x[i.reg(2)], i.reg(3)));
  else
    return static_cast<T>(i.operand[2]);
}

template <typename T, Second form, bool subtract, bool flags>
void addSubtract(State &s, const Instruction &i) {
  T a = s.getX<T>(i.reg(1)), b = second<T, form>(s, i);
  T result;
  if constexpr (flags)
    result = addWithCarry<T>(s, a, subtract ? ~b : b, subtract);
  else
    result = subtract ? a - b : a + b;
  s.setX(i.reg(0), result);
}
template <typename T, bool subtract, bool flags>
void addSubtractCarry(State &s, const Instruction &i) {
  T a = s.getX<T>(i.reg(1)), b = s.getX<T>(i.reg(2));
  if (subtract)
    b = ~b;
  T result = a + b + s.carry;
  if constexpr (flags)
    addWithCarry<T>(s, a, b, s.carry);
  s.setX(i.reg(0), result);
}

template <typename T, Second form, typename Op, bool inverted, bool flags>
void logical(State &s, const Instruction &i) {
  T b = second<T, form>(s, i);
  T result = Op::apply(s.getX<T>(i.reg(1)), inverted ? static_cast<T>(~b) : b);
  if constexpr (flags) {
    setFlags(s, result);
    s.carry = s.overflow = false;
  }
  s.setX(i.reg(0), result);
}

template <typename T> void prepareLogical(Instruction &i) {
  i.operand[2] = static_cast<int64_t>(
      logicalImmediate(static_cast<uint64_t>(i.operand[2]), bitsIn<T>));
}
void prepareAddImmediate(Instruction &i) { i.operand[2] <<= i.operand[3] & 63; }
template <typename T, typename Op> void binary(State &s, const Instruction &i) {
  s.setX(i.reg(0), static_cast<std::make_unsigned_t<T>>(
                       Op::apply(s.getX<T>(i.reg(1)), s.getX<T>(i.reg(2)))));
}
template <typename T, typename Op> void unary(State &s, const Instruction &i) {
  s.setX(i.reg(0),
         static_cast<std::make_unsigned_t<T>>(Op::apply(s.getX<T>(i.reg(1)))));
}
template <typename T> struct MaskedLeft {
  static T apply(T a, T b) { return a << (b & (bitsIn<T> - 1)); }
};
template <typename T> struct MaskedRight {
  static T apply(T a, T b) { return a >> (b & (bitsIn<T> - 1)); }
};
template <typename T> struct Rotate {
  static T apply(T a, T b) {
    return std::rotr(a, static_cast<int>(b & (bitsIn<T> - 1)));
  }
};

enum class Field { unsignedMove, signedMove, insert };
template <typename T, Field field>
void bitField(State &s, const Instruction &i) {
  constexpr unsigned at = field == Field::insert ? 2 : 1;
  T source = s.getX<T>(i.reg(at));
  unsigned immr = i.reg(at + 1), imms = i.reg(at + 2);
  constexpr unsigned bits = bitsIn<T>;
  bool extract = imms >= immr;
  unsigned width = extract ? imms - immr + 1 : imms + 1;
  unsigned low = extract ? 0 : bits - immr;
  T ones = width == bits ? ~T{0} : (T{1} << width) - 1;
  T value = (extract ? source >> immr : source) & ones;
  T result;
  if constexpr (field == Field::insert)
    result = (s.getX<T>(i.reg(1)) & ~(ones << low)) | value << low;
  else if constexpr (field == Field::unsignedMove)
    result = value << low;
  else
    result = static_cast<T>(static_cast<Signed<T>>(value << (bits - width)) >>
                            (bits - width))
             << low;
  s.setX(i.reg(0), result);
}
template <typename T> void extract(State &s, const Instruction &i) {
  T high = s.getX<T>(i.reg(1)), low = s.getX<T>(i.reg(2));
  unsigned by = i.reg(3);
  s.setX(i.reg(0), by ? high << (bitsIn<T> - by) | low >> by : low);
}

template <typename T, bool inverted>
void moveWide(State &s, const Instruction &i) {
  T value = static_cast<T>(i.operand[1]) << (i.operand[2] & 63);
  s.setX(i.reg(0), inverted ? static_cast<T>(~value) : value);
}
template <typename T> void moveKeep(State &s, const Instruction &i) {
  unsigned shift = i.reg(3) & 63;
  s.setX(i.reg(0), static_cast<T>((s.getX<T>(i.reg(1)) &
                                   ~(static_cast<T>(0xffff) << shift)) |
                                  static_cast<T>(i.operand[2]) << shift));
}

enum class Otherwise { same, increment, invert, negate };
template <typename T, Otherwise otherwise>
void select(State &s, const Instruction &i) {
  T a = s.getX<T>(i.reg(1)), b = s.getX<T>(i.reg(2));
  if (holds(s, i.reg(3)))
    b = a;
  else if constexpr (otherwise == Otherwise::increment)
    ++b;
  else if constexpr (otherwise == Otherwise::invert)
    b = ~b;
  else if constexpr (otherwise == Otherwise::negate)
    b = -b;
  s.setX(i.reg(0), b);
}
template <typename T, bool subtract, bool immediate>
void conditionalCompare(State &s, const Instruction &i) {
  if (holds(s, i.reg(3))) {
    T b = immediate ? static_cast<T>(i.operand[1]) : s.getX<T>(i.reg(1));
    addWithCarry<T>(s, s.getX<T>(i.reg(0)), subtract ? ~b : b, subtract);
    return;
  }
  setAllFlags(s, i.reg(2));
}

/// Where NZCV begins in the register of the system.
constexpr unsigned flagsShift = 28;

void moveFromFlags(State &s, const Instruction &i) {
  auto flags = static_cast<uint64_t>(s.negative << 3 | s.zero << 2 |
                                     s.carry << 1 | s.overflow);
  s.setX(i.reg(0), flags << flagsShift);
}
void moveToFlags(State &s, const Instruction &i) {
  setAllFlags(s, s.x[i.reg(1)] >> flagsShift);
}

template <typename T, bool subtract>
void multiplyAdd(State &s, const Instruction &i) {
  T product = s.getX<T>(i.reg(1)) * s.getX<T>(i.reg(2));
  T addend = s.getX<T>(i.reg(3));
  s.setX(i.reg(0), subtract ? addend - product : addend + product);
}
template <typename T, bool subtract>
void multiplyAddLong(State &s, const Instruction &i) {
  uint64_t product = static_cast<uint64_t>(
      static_cast<Wider<T>>(s.getX<T>(i.reg(1))) * s.getX<T>(i.reg(2)));
  uint64_t addend = s.x[i.reg(3)];
  s.setX(i.reg(0), subtract ? addend - product : addend + product);
}

void branchTo(State &s, int64_t words) {
  s.next = s.pc + static_cast<uint64_t>(words) * 4;
}
void branch(State &s, const Instruction &i) { branchTo(s, i.operand[0]); }
void branchIf(State &s, const Instruction &i) {
  if (holds(s, i.reg(0)))
    branchTo(s, i.operand[1]);
}
void call(State &s, const Instruction &i) {
  s.setX(30, s.pc + 4);
  branchTo(s, i.operand[0]);
}
void callRegister(State &s, const Instruction &i) {
  s.next = s.x[i.reg(0)];
  s.setX(30, s.pc + 4);
}
void branchRegister(State &s, const Instruction &i) { s.next = s.x[i.reg(0)]; }
template <typename T, bool wanted>
void branchIfZero(State &s, const Instruction &i) {
  if ((s.getX<T>(i.reg(0)) == 0) == wanted)
    branchTo(s, i.operand[1]);
}
template <bool wanted> void branchIfBit(State &s, const Instruction &i) {
  if ((s.x[i.reg(0)] >> i.operand[1] & 1) == wanted)
    branchTo(s, i.operand[2]);
}
void address(State &s, const Instruction &i) {
  s.setX(i.reg(0), s.pc + static_cast<uint64_t>(i.operand[1]));
}
void pageAddress(State &s, const Instruction &i) {
  s.setX(i.reg(0),
         (s.pc & ~uint64_t{4095}) + static_cast<uint64_t>(i.operand[1]) * 4096);
}
void nothing(State &, const Instruction &) {}

template <typename T> void addOfWidth(SemanticsTable &t, llvm::StringRef w) {
  using S = Signed<T>;
  auto addition = [&](llvm::StringRef name, auto subtract, auto flags) {
    constexpr bool sub = decltype(subtract)::value,
                   set = decltype(flags)::value;
    t.add(name + w + "rs", addSubtract<T, Second::shifted, sub, set>);
    t.add(name + w + "rx", addSubtract<T, Second::extended, sub, set>);
    t.add(name + w + "ri", addSubtract<T, Second::immediate, sub, set>,
          prepareAddImmediate);
    if (w == "X")
      t.add(name + w + "rx64", addSubtract<T, Second::extended, sub, set>,
            [](Instruction &i) { i.operand[3] = 3 << 3 | (i.operand[3] & 7); });
  };
  addition("ADD", std::false_type(), std::false_type());
  addition("SUB", std::true_type(), std::false_type());
  addition("ADDS", std::false_type(), std::true_type());
  addition("SUBS", std::true_type(), std::true_type());
  t.add("ADC" + w + "r", addSubtractCarry<T, false, false>);
  t.add("SBC" + w + "r", addSubtractCarry<T, true, false>);
  t.add("ADCS" + w + "r", addSubtractCarry<T, false, true>);
  t.add("SBCS" + w + "r", addSubtractCarry<T, true, true>);

  t.add("AND" + w + "rs", logical<T, Second::shifted, And<T>, false, false>);
  t.add("ORR" + w + "rs", logical<T, Second::shifted, Or<T>, false, false>);
  t.add("EOR" + w + "rs",
        logical<T, Second::shifted, ExclusiveOr<T>, false, false>);
  t.add("ANDS" + w + "rs", logical<T, Second::shifted, And<T>, false, true>);
  t.add("BIC" + w + "rs", logical<T, Second::shifted, And<T>, true, false>);
  t.add("ORN" + w + "rs", logical<T, Second::shifted, Or<T>, true, false>);
  t.add("EON" + w + "rs",
        logical<T, Second::shifted, ExclusiveOr<T>, true, false>);
  t.add("BICS" + w + "rs", logical<T, Second::shifted, And<T>, true, true>);
  t.add("AND" + w + "ri", logical<T, Second::immediate, And<T>, false, false>,
        prepareLogical<T>);
  t.add("ORR" + w + "ri", logical<T, Second::immediate, Or<T>, false, false>,
        prepareLogical<T>);
  t.add("EOR" + w + "ri",
        logical<T, Second::immediate, ExclusiveOr<T>, false, false>,
        prepareLogical<T>);
  t.add("ANDS" + w + "ri", logical<T, Second::immediate, And<T>, false, true>,
        prepareLogical<T>);

  t.add("UDIV" + w + "r", binary<T, Divide<T>>);
  t.add("SDIV" + w + "r", binary<S, Divide<S>>);
  t.add("LSLV" + w + "r", binary<T, MaskedLeft<T>>);
  t.add("LSRV" + w + "r", binary<T, MaskedRight<T>>);
  t.add("ASRV" + w + "r", binary<S, MaskedRight<S>>);
  t.add("RORV" + w + "r", binary<T, Rotate<T>>);
  t.add("CLZ" + w + "r", unary<T, LeadingZeros<T>>);
  t.add("CLS" + w + "r", unary<S, LeadingSigns<S>>);
  t.add("RBIT" + w + "r", unary<T, ReverseBits<T>>);
  t.add("REV" + w + "r", unary<T, ReverseUnits<uint8_t>::Of<T>>);
  t.add("UBFM" + w + "ri", bitField<T, Field::unsignedMove>);
  t.add("SBFM" + w + "ri", bitField<T, Field::signedMove>);
  t.add("BFM" + w + "ri", bitField<T, Field::insert>);
  t.add("EXTR" + w + "rri", extract<T>);
  t.add("MOVZ" + w + "i", moveWide<T, false>);
  t.add("MOVN" + w + "i", moveWide<T, true>);
  t.add("MOVK" + w + "i", moveKeep<T>);
  t.add("CSEL" + w + "r", select<T, Otherwise::same>);
  t.add("CSINC" + w + "r", select<T, Otherwise::increment>);
  t.add("CSINV" + w + "r", select<T, Otherwise::invert>);
  t.add("CSNEG" + w + "r", select<T, Otherwise::negate>);
  t.add("CCMP" + w + "i", conditionalCompare<T, true, true>);
  t.add("CCMP" + w + "r", conditionalCompare<T, true, false>);
  t.add("CCMN" + w + "i", conditionalCompare<T, false, true>);
  t.add("CCMN" + w + "r", conditionalCompare<T, false, false>);
  t.add("MADD" + w + "rrr", multiplyAdd<T, false>);
  t.add("MSUB" + w + "rrr", multiplyAdd<T, true>);
  t.add("CBZ" + w, branchIfZero<T, true>);
  t.add("CBNZ" + w, branchIfZero<T, false>);
  t.add("TBZ" + w, branchIfBit<false>);
  t.add("TBNZ" + w, branchIfBit<true>);
}
} // namespace

void ember::sim::addScalarSemantics(SemanticsTable &t) {
  addOfWidth<uint32_t>(t, "W");
  addOfWidth<uint64_t>(t, "X");
  t.add("REV32Xr", [](State &s, const Instruction &i) {
    uint64_t value = __builtin_bswap64(s.x[i.reg(1)]);
    s.setX(i.reg(0), value >> 32 | value << 32);
  });
  t.add("REV16Wr", [](State &s, const Instruction &i) {
    uint32_t value = s.getX<uint32_t>(i.reg(1));
    s.setX(i.reg(0), (value & 0xff00ff) << 8 | (value >> 8 & 0xff00ff));
  });
  t.add("REV16Xr", [](State &s, const Instruction &i) {
    constexpr uint64_t mask = 0x00ff00ff00ff00ff;
    uint64_t value = s.x[i.reg(1)];
    s.setX(i.reg(0), (value & mask) << 8 | (value >> 8 & mask));
  });
  t.add("SMADDLrrr", multiplyAddLong<int32_t, false>);
  t.add("UMADDLrrr", multiplyAddLong<uint32_t, false>);
  t.add("SMSUBLrrr", multiplyAddLong<int32_t, true>);
  t.add("UMSUBLrrr", multiplyAddLong<uint32_t, true>);
  t.add("SMULHrr", binary<int64_t, MultiplyHigh<int64_t>>);
  t.add("UMULHrr", binary<uint64_t, MultiplyHigh<uint64_t>>);
  t.add("MRS", moveFromFlags);
  t.add("MSR", moveToFlags);
  t.add("ADR", address);
  t.add("ADRP", pageAddress);
  t.add("B", branch);
  t.add("Bcc", branchIf);
  t.add("BL", call);
  t.add("BLR", callRegister);
  t.add("BR", branchRegister);
  t.add("RET", branchRegister);
  t.add("SVC", [](State &s, const Instruction &i) {
    s.fault = s.calls = true;
    s.callNumber = static_cast<uint16_t>(i.operand[0]);
  });
  for (llvm::StringRef name : {"NOP", "HINT", "DMB", "DSB", "ISB"})
    t.add(name, nothing);
}
