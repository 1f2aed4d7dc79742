//===- State.h - What a program can see of a core ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers of AArch64 with SVE, and the functions that instructions are. An
// instruction has the operands that LLVM's description of it has, in their
// order; registers are numbers, 31 the stack pointer and 32 the zero register.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CORE_STATE_H
#define EMBER_SIM_CORE_STATE_H

#include "ember/Sim/Core/GuestMemory.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <cstring>

namespace ember::sim {

inline constexpr unsigned leastVectorBytes = 16;
inline constexpr unsigned mostVectorBytes = 256;
inline constexpr unsigned stackPointer = 31;
inline constexpr unsigned zeroRegister = 32;

/// A register of vectors; NEON's and those of scalar floats are its first
/// bytes.
struct alignas(64) VectorRegister {
  uint8_t bytes[mostVectorBytes];

  template <typename T> T get(unsigned lane) const {
    T value;
    std::memcpy(&value, bytes + lane * sizeof(T), sizeof(T));
    return value;
  }
  template <typename T> void set(unsigned lane, T value) {
    std::memcpy(bytes + lane * sizeof(T), &value, sizeof(T));
  }
  /// What is written in part is zero behind it.
  void clearFrom(unsigned byte) {
    std::memset(bytes + byte, 0, mostVectorBytes - byte);
  }
};

/// A bit for each byte of a vector.
struct PredicateRegister {
  static constexpr unsigned wordBits = 64;
  uint64_t words[mostVectorBytes / wordBits];

  bool get(unsigned byte) const {
    return words[byte / wordBits] >> byte % wordBits & 1;
  }
  void set(unsigned byte, bool value) {
    uint64_t bit = uint64_t{1} << byte % wordBits;
    words[byte / wordBits] =
        (words[byte / wordBits] & ~bit) | (value ? bit : 0);
  }
  void clear() { std::memset(words, 0, sizeof(words)); }
};

/// Bytes that an instruction loads or stores.
struct MemoryAccess {
  uint64_t address;
  uint32_t size;
  bool store;
  /// Asked for early: it never faults and has no value.
  bool prefetch = false;
};

struct State;
struct Instruction;
using ExecuteFunction = void (*)(State &, const Instruction &);

struct Instruction {
  static constexpr unsigned mostOperands = 8;

  ExecuteFunction execute = nullptr;
  int64_t operand[mostOperands] = {};

  unsigned reg(unsigned index) const {
    return static_cast<unsigned>(operand[index]);
  }
};

struct State {
  uint64_t x[33];
  VectorRegister v[32];
  PredicateRegister p[16];
  PredicateRegister firstFault;
  bool negative, zero, carry, overflow;
  uint64_t pc;
  /// The next instruction's address; a branch changes it.
  uint64_t next;
  /// The bytes of a vector.
  unsigned vectorBytes;
  GuestMemory *memory;
  /// What the instruction has loaded and stored so far.
  llvm::SmallVector<MemoryAccess, 64> accesses;
  bool fault;
  MemoryAccess faulted;
  /// A supervisor call was made, which is in `callNumber`. It looks like a
  /// fault first, so that nothing else has to be asked of each instruction.
  bool calls;
  uint16_t callNumber;
  /// The address that exclusive loads watch.
  uint64_t exclusive;

  template <typename T> T getX(unsigned index) const {
    return static_cast<T>(x[index]);
  }
  void setX(unsigned index, uint64_t value) {
    x[index] = value;
    x[zeroRegister] = 0;
  }

  void load(uint64_t address, void *bytes, unsigned size) {
    accesses.push_back({address, size, false, false});
    if (!memory->load(address, bytes, size)) [[unlikely]] {
      std::memset(bytes, 0, size);
      noteFault(accesses.back());
    }
  }
  void store(uint64_t address, const void *bytes, unsigned size) {
    accesses.push_back({address, size, true, false});
    if (!fault && !memory->store(address, bytes, size)) [[unlikely]]
      noteFault(accesses.back());
  }
  template <typename T> T load(uint64_t address) {
    T value;
    load(address, &value, sizeof(T));
    return value;
  }
  template <typename T> void store(uint64_t address, T value) {
    store(address, &value, sizeof(T));
  }
  void noteFault(MemoryAccess access) {
    if (fault)
      return;
    fault = true;
    faulted = access;
  }
};

} // namespace ember::sim

#endif
