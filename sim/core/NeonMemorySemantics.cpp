//===- NeonMemorySemantics.cpp - Structures in memory for NEON -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/VectorSemantics.h"

using namespace ember::sim;

namespace {
/// Moves the address register behind the access, by a register or, where that
/// is the zero register, by what was accessed.
void moveBase(State &s, const Instruction &i, unsigned base, unsigned bytes) {
  unsigned by = i.reg(base + 1);
  s.setX(i.reg(0), s.x[i.reg(base)] + (by == zeroRegister ? bytes : s.x[by]));
}

/// `registers` vectors; their elements take turns in memory if `interleaved`.
template <typename T, unsigned bytes, unsigned registers, bool interleaved,
          bool isStore, bool post>
void structure(State &s, const Instruction &i) {
  constexpr unsigned first = post ? 1 : 0;
  constexpr unsigned lanes = bytes / sizeof(T);
  uint64_t address = s.x[i.reg(first + 1)];
  uint8_t memory[bytes * registers];
  auto at = [&](unsigned r, unsigned lane) {
    return memory +
           (interleaved ? lane * registers + r : r * lanes + lane) * sizeof(T);
  };
  if constexpr (!isStore)
    s.load(address, memory, sizeof(memory));
  for (unsigned r = 0; r < registers; ++r) {
    VectorRegister &v = s.v[(i.reg(first) + r) % 32];
    for (unsigned lane = 0; lane < lanes; ++lane)
      if constexpr (isStore)
        std::memcpy(at(r, lane), v.bytes + lane * sizeof(T), sizeof(T));
      else
        std::memcpy(v.bytes + lane * sizeof(T), at(r, lane), sizeof(T));
    if constexpr (!isStore)
      v.clearFrom(bytes);
  }
  if constexpr (isStore)
    s.store(address, memory, sizeof(memory));
  if constexpr (post)
    moveBase(s, i, first + 1, sizeof(memory));
}

/// One element of each of `registers` vectors.
template <typename T, unsigned registers, bool isStore, bool post>
void element(State &s, const Instruction &i) {
  // A load has the registers twice: what it changes, and what it keeps.
  constexpr unsigned first = (post ? 1 : 0) + (isStore ? 0 : 1);
  unsigned lane = i.reg(first + 1);
  uint64_t address = s.x[i.reg(first + 2)];
  T memory[registers];
  if constexpr (!isStore)
    s.load(address, memory, sizeof(memory));
  for (unsigned r = 0; r < registers; ++r) {
    VectorRegister &v = s.v[(i.reg(first) + r) % 32];
    if constexpr (isStore) {
      memory[r] = v.get<T>(lane);
    } else {
      v.set<T>(lane, memory[r]);
      v.clearFrom(16);
    }
  }
  if constexpr (isStore)
    s.store(address, memory, sizeof(memory));
  if constexpr (post)
    moveBase(s, i, first + 2, sizeof(memory));
}

/// An element of each of `registers` vectors, in all lanes.
template <typename T, unsigned bytes, unsigned registers, bool post>
void replicate(State &s, const Instruction &i) {
  constexpr unsigned first = post ? 1 : 0;
  T memory[registers];
  s.load(s.x[i.reg(first + 1)], memory, sizeof(memory));
  for (unsigned r = 0; r < registers; ++r) {
    VectorRegister &v = s.v[(i.reg(first) + r) % 32];
    for (unsigned lane = 0; lane < bytes / sizeof(T); ++lane)
      v.set<T>(lane, memory[r]);
    v.clearFrom(bytes);
  }
  if constexpr (post)
    moveBase(s, i, first + 1, sizeof(memory));
}

template <typename T, unsigned bytes, unsigned registers, bool interleaved>
void addStructure(SemanticsTable &t, const llvm::Twine &name) {
  std::string suffix = name.str();
  t.add("LD" + suffix,
        structure<T, bytes, registers, interleaved, false, false>);
  t.add("LD" + suffix + "_POST",
        structure<T, bytes, registers, interleaved, false, true>);
  t.add("ST" + suffix,
        structure<T, bytes, registers, interleaved, true, false>);
  t.add("ST" + suffix + "_POST",
        structure<T, bytes, registers, interleaved, true, true>);
}
template <typename T, unsigned bytes>
void addOfType(SemanticsTable &t, llvm::StringRef type) {
  addStructure<T, bytes, 1, false>(t, "1One" + type);
  addStructure<T, bytes, 2, false>(t, "1Two" + type);
  addStructure<T, bytes, 3, false>(t, "1Three" + type);
  addStructure<T, bytes, 4, false>(t, "1Four" + type);
  addStructure<T, bytes, 2, true>(t, "2Two" + type);
  addStructure<T, bytes, 3, true>(t, "3Three" + type);
  addStructure<T, bytes, 4, true>(t, "4Four" + type);
  auto all = [&](llvm::StringRef name, auto registers) {
    constexpr unsigned count = decltype(registers)::value;
    t.add(name + type, replicate<T, bytes, count, false>);
    t.add(name + type + "_POST", replicate<T, bytes, count, true>);
  };
  all("LD1R", std::integral_constant<unsigned, 1>{});
  all("LD2R", std::integral_constant<unsigned, 2>{});
  all("LD3R", std::integral_constant<unsigned, 3>{});
  all("LD4R", std::integral_constant<unsigned, 4>{});
}
template <typename T, unsigned registers> void addElement(SemanticsTable &t) {
  std::string name =
      std::to_string(registers) + "i" + std::to_string(sizeof(T) * 8);
  t.add("LD" + name, element<T, registers, false, false>);
  t.add("LD" + name + "_POST", element<T, registers, false, true>);
  t.add("ST" + name, element<T, registers, true, false>);
  t.add("ST" + name + "_POST", element<T, registers, true, true>);
}
template <typename T> void addElements(SemanticsTable &t) {
  addElement<T, 1>(t);
  addElement<T, 2>(t);
  addElement<T, 3>(t);
  addElement<T, 4>(t);
}
} // namespace

void ember::sim::addNeonMemorySemantics(SemanticsTable &t) {
  addOfType<uint8_t, 8>(t, "v8b");
  addOfType<uint8_t, 16>(t, "v16b");
  addOfType<uint16_t, 8>(t, "v4h");
  addOfType<uint16_t, 16>(t, "v8h");
  addOfType<uint32_t, 8>(t, "v2s");
  addOfType<uint32_t, 16>(t, "v4s");
  addOfType<uint64_t, 8>(t, "v1d");
  addOfType<uint64_t, 16>(t, "v2d");
  addElements<uint8_t>(t);
  addElements<uint16_t>(t);
  addElements<uint32_t>(t);
  addElements<uint64_t>(t);
}
