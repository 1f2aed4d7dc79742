//===- ScalarMemorySemantics.cpp - Loads and stores of registers ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/Semantics.h"

using namespace ember::sim;

namespace {
/// A general register: `Memory` in memory, extended to `Register`.
template <typename Memory, typename Register> struct General {
  static constexpr unsigned size = sizeof(Memory);
  static void load(State &s, unsigned reg, uint64_t address) {
    s.setX(reg, static_cast<std::make_unsigned_t<Register>>(
                    static_cast<Register>(s.load<Memory>(address))));
  }
  static void store(State &s, unsigned reg, uint64_t address) {
    s.store<Memory>(address, s.getX<Memory>(reg));
  }
};
/// The first bytes of a vector.
template <unsigned bytes> struct Vector {
  static constexpr unsigned size = bytes;
  static void load(State &s, unsigned reg, uint64_t address) {
    s.load(address, s.v[reg].bytes, bytes);
    s.v[reg].clearFrom(bytes);
  }
  static void store(State &s, unsigned reg, uint64_t address) {
    s.store(address, s.v[reg].bytes, bytes);
  }
};

enum class Form { scaled, unscaled, before, after, extendX, extendW };

template <typename Kind, bool isStore>
void access(State &s, unsigned reg, uint64_t address) {
  if constexpr (isStore)
    Kind::store(s, reg, address);
  else
    Kind::load(s, reg, address);
}

template <typename Kind, bool isStore, Form form>
void single(State &s, const Instruction &i) {
  if constexpr (form == Form::before || form == Form::after) {
    uint64_t base = s.x[i.reg(2)];
    uint64_t moved = base + static_cast<uint64_t>(i.operand[3]);
    access<Kind, isStore>(s, i.reg(1), form == Form::before ? moved : base);
    s.setX(i.reg(0), moved);
  } else if constexpr (form == Form::extendX || form == Form::extendW) {
    uint64_t index = s.x[i.reg(2)];
    if (form == Form::extendW)
      index = i.operand[3] ? static_cast<uint64_t>(static_cast<int32_t>(index))
                           : static_cast<uint32_t>(index);
    access<Kind, isStore>(s, i.reg(0),
                          s.x[i.reg(1)] +
                              (i.operand[4] ? index * Kind::size : index));
  } else {
    access<Kind, isStore>(s, i.reg(0),
                          s.x[i.reg(1)] +
                              static_cast<uint64_t>(i.operand[2]) *
                                  (form == Form::scaled ? Kind::size : 1));
  }
}

template <typename Kind, bool isStore, Form form>
void pair(State &s, const Instruction &i) {
  constexpr unsigned first = form == Form::scaled ? 0 : 1;
  uint64_t base = s.x[i.reg(first + 2)];
  uint64_t moved =
      base + static_cast<uint64_t>(i.operand[first + 3]) * Kind::size;
  uint64_t address = form == Form::after ? base : moved;
  access<Kind, isStore>(s, i.reg(first), address);
  access<Kind, isStore>(s, i.reg(first + 1), address + Kind::size);
  // To memory it is one access.
  MemoryAccess &whole = s.accesses[s.accesses.size() - 2];
  whole.size += Kind::size;
  s.accesses.pop_back();
  if constexpr (form != Form::scaled)
    s.setX(i.reg(0), moved);
}

template <typename Kind, bool isStore>
void addSingle(SemanticsTable &t, llvm::StringRef name) {
  llvm::StringRef verb = isStore ? "ST" : "LD";
  t.add(verb + "R" + name + "ui", single<Kind, isStore, Form::scaled>);
  t.add(verb + "UR" + name + "i", single<Kind, isStore, Form::unscaled>);
  t.add(verb + "R" + name + "pre", single<Kind, isStore, Form::before>);
  t.add(verb + "R" + name + "post", single<Kind, isStore, Form::after>);
  t.add(verb + "R" + name + "roX", single<Kind, isStore, Form::extendX>);
  t.add(verb + "R" + name + "roW", single<Kind, isStore, Form::extendW>);
}
template <typename Kind> void addBoth(SemanticsTable &t, llvm::StringRef name) {
  addSingle<Kind, false>(t, name);
  addSingle<Kind, true>(t, name);
}
template <typename Kind, bool isStore>
void addPair(SemanticsTable &t, llvm::StringRef name) {
  llvm::StringRef verb = isStore ? "ST" : "LD";
  t.add(verb + "P" + name + "i", pair<Kind, isStore, Form::scaled>);
  t.add(verb + "NP" + name + "i", pair<Kind, isStore, Form::scaled>);
  t.add(verb + "P" + name + "pre", pair<Kind, isStore, Form::before>);
  t.add(verb + "P" + name + "post", pair<Kind, isStore, Form::after>);
}

/// A load relative to the program counter, in words.
template <typename Kind> void literal(State &s, const Instruction &i) {
  Kind::load(s, i.reg(0), s.pc + static_cast<uint64_t>(i.operand[1]) * 4);
}

template <typename Kind, bool isStore>
void plain(State &s, const Instruction &i) {
  access<Kind, isStore>(s, i.reg(0), s.x[i.reg(1)]);
}

enum class Atomic {
  add,
  clear,
  exclusiveOr,
  set,
  signedMax,
  signedMin,
  unsignedMax,
  unsignedMin,
  swap
};

template <typename T, Atomic operation>
void atomic(State &s, const Instruction &i) {
  using S = std::make_signed_t<T>;
  uint64_t address = s.x[i.reg(2)];
  T operand = s.getX<T>(i.reg(0)), old = s.load<T>(address), value = operand;
  switch (operation) {
  case Atomic::add:
    value = static_cast<T>(old + operand);
    break;
  case Atomic::clear:
    value = static_cast<T>(old & ~operand);
    break;
  case Atomic::exclusiveOr:
    value = old ^ operand;
    break;
  case Atomic::set:
    value = old | operand;
    break;
  case Atomic::signedMax:
    value = static_cast<S>(old) > static_cast<S>(operand) ? old : operand;
    break;
  case Atomic::signedMin:
    value = static_cast<S>(old) < static_cast<S>(operand) ? old : operand;
    break;
  case Atomic::unsignedMax:
    value = old > operand ? old : operand;
    break;
  case Atomic::unsignedMin:
    value = old < operand ? old : operand;
    break;
  case Atomic::swap:
    break;
  }
  s.store<T>(address, value);
  s.setX(i.reg(1), old);
}
template <typename T> void compareAndSwap(State &s, const Instruction &i) {
  uint64_t address = s.x[i.reg(3)];
  T old = s.load<T>(address);
  if (old == s.getX<T>(i.reg(1)))
    s.store<T>(address, s.getX<T>(i.reg(2)));
  s.setX(i.reg(0), old);
}
template <typename T> void loadExclusive(State &s, const Instruction &i) {
  s.exclusive = s.x[i.reg(1)];
  s.setX(i.reg(0), s.load<T>(s.exclusive));
}
template <typename T> void storeExclusive(State &s, const Instruction &i) {
  bool watched = s.exclusive == s.x[i.reg(2)];
  if (watched)
    s.store<T>(s.exclusive, s.getX<T>(i.reg(1)));
  s.exclusive = ~uint64_t{0};
  s.setX(i.reg(0), !watched);
}

template <typename T>
void addAtomics(SemanticsTable &t, llvm::StringRef width) {
  for (llvm::StringRef order : {"", "A", "L", "AL"}) {
    t.add("LDADD" + order + width, atomic<T, Atomic::add>);
    t.add("LDCLR" + order + width, atomic<T, Atomic::clear>);
    t.add("LDEOR" + order + width, atomic<T, Atomic::exclusiveOr>);
    t.add("LDSET" + order + width, atomic<T, Atomic::set>);
    t.add("LDSMAX" + order + width, atomic<T, Atomic::signedMax>);
    t.add("LDSMIN" + order + width, atomic<T, Atomic::signedMin>);
    t.add("LDUMAX" + order + width, atomic<T, Atomic::unsignedMax>);
    t.add("LDUMIN" + order + width, atomic<T, Atomic::unsignedMin>);
    t.add("SWP" + order + width, atomic<T, Atomic::swap>);
    t.add("CAS" + order + width, compareAndSwap<T>);
  }
  using G = General<T, T>;
  t.add("LDAR" + width, plain<G, false>);
  t.add("LDAPR" + width, plain<G, false>);
  t.add("STLR" + width, plain<G, true>);
  t.add("LDXR" + width, loadExclusive<T>);
  t.add("LDAXR" + width, loadExclusive<T>);
  t.add("STXR" + width, storeExclusive<T>);
  t.add("STLXR" + width, storeExclusive<T>);
}
template <Form form> void prefetch(State &s, const Instruction &i) {
  uint64_t address = s.x[i.reg(1)];
  if constexpr (form == Form::extendX || form == Form::extendW) {
    uint64_t index = s.x[i.reg(2)];
    if (form == Form::extendW)
      index = i.operand[3] ? static_cast<uint64_t>(static_cast<int32_t>(index))
                           : static_cast<uint32_t>(index);
    address += i.operand[4] ? index * 8 : index;
  } else {
    address +=
        static_cast<uint64_t>(i.operand[2]) * (form == Form::scaled ? 8 : 1);
  }
  s.accesses.push_back({address, 1, false, true});
}
} // namespace

void ember::sim::addScalarMemorySemantics(SemanticsTable &t) {
  addBoth<General<uint8_t, uint8_t>>(t, "BB");
  addBoth<General<uint16_t, uint16_t>>(t, "HH");
  addBoth<General<uint32_t, uint32_t>>(t, "W");
  addBoth<General<uint64_t, uint64_t>>(t, "X");
  addSingle<General<int8_t, int32_t>, false>(t, "SBW");
  addSingle<General<int8_t, int64_t>, false>(t, "SBX");
  addSingle<General<int16_t, int32_t>, false>(t, "SHW");
  addSingle<General<int16_t, int64_t>, false>(t, "SHX");
  addSingle<General<int32_t, int64_t>, false>(t, "SW");
  addBoth<Vector<1>>(t, "B");
  addBoth<Vector<2>>(t, "H");
  addBoth<Vector<4>>(t, "S");
  addBoth<Vector<8>>(t, "D");
  addBoth<Vector<16>>(t, "Q");

  addPair<General<uint32_t, uint32_t>, false>(t, "W");
  addPair<General<uint32_t, uint32_t>, true>(t, "W");
  addPair<General<uint64_t, uint64_t>, false>(t, "X");
  addPair<General<uint64_t, uint64_t>, true>(t, "X");
  addPair<General<int32_t, int64_t>, false>(t, "SW");
  addPair<Vector<4>, false>(t, "S");
  addPair<Vector<4>, true>(t, "S");
  addPair<Vector<8>, false>(t, "D");
  addPair<Vector<8>, true>(t, "D");
  addPair<Vector<16>, false>(t, "Q");
  addPair<Vector<16>, true>(t, "Q");

  t.add("LDRWl", literal<General<uint32_t, uint32_t>>);
  t.add("LDRXl", literal<General<uint64_t, uint64_t>>);
  t.add("LDRSWl", literal<General<int32_t, int64_t>>);
  t.add("LDRSl", literal<Vector<4>>);
  t.add("LDRDl", literal<Vector<8>>);
  t.add("LDRQl", literal<Vector<16>>);

  addAtomics<uint8_t>(t, "B");
  addAtomics<uint16_t>(t, "H");
  addAtomics<uint32_t>(t, "W");
  addAtomics<uint64_t>(t, "X");

  t.add("PRFMui", prefetch<Form::scaled>);
  t.add("PRFUMi", prefetch<Form::unscaled>);
  t.add("PRFMroX", prefetch<Form::extendX>);
  t.add("PRFMroW", prefetch<Form::extendW>);
}
