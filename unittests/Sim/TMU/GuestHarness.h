//===- GuestHarness.h - Memory and code beside TMUs -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_UNITTESTS_SIM_TMU_GUESTHARNESS_H
#define EMBER_UNITTESTS_SIM_TMU_GUESTHARNESS_H

#include "ember/Sim/Core/Emulator.h"
#include "ember/Sim/Core/Program.h"
#include "ember/Sim/TMU/TMUDevice.h"

#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <deque>
#include <random>

namespace ember::sim {

class GuestHarness {
public:
  static constexpr uint64_t codeAddress = 0x10000;
  static constexpr uint64_t stackAddress = 0x1000000;
  static constexpr uint64_t stackBytes = 16384;
  static constexpr uint64_t firstArray = 0x10000000;
  static constexpr uint64_t deviceAddress = 0x800000000;
  static constexpr uint64_t queueAddress = 0x900000000;

  GuestHarness() {
    stacks.resize(stackBytes * 16);
    llvm::cantFail(
        memory.map("stack", stackAddress, stacks.data(), stacks.size()));
    file = llvm::cantFail(
        llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(EMBER_CALLBACKS)));
    code = llvm::cantFail(
        Program::load(file->getMemBufferRef(), codeAddress, memory));
  }

  /// Maps an array that lives as long as this; arrays are at lines.
  template <typename T>
  uint64_t map(std::vector<T> &array, bool writable = true) {
    uint64_t address = nextArray;
    llvm::cantFail(memory.map("array", address, array.data(),
                              array.size() * sizeof(T), writable));
    nextArray += (array.size() * sizeof(T) / 4096 + 2) * 4096;
    return address;
  }
  /// A block that launches program 0.
  uint64_t block(std::vector<uint64_t> captures) {
    captures.insert(captures.begin(), 0);
    return map(blocks.emplace_back(std::move(captures)));
  }
  static uint64_t device(unsigned core) {
    return deviceAddress + core * 0x100000;
  }
  static uint64_t queue(unsigned core) {
    return queueAddress + core * 0x10000000;
  }

  Emulator &call(unsigned core, const char *function,
                 llvm::ArrayRef<uint64_t> arguments) {
    static std::unique_ptr<Decoder> decoder = llvm::cantFail(Decoder::create());
    Emulator &emulator =
        emulators.emplace_back(memory, *decoder, /*vectorBytes=*/64);
    emulator.call(llvm::cantFail(code->find(function)), arguments,
                  stackAddress + stackBytes * (core + 1));
    return emulator;
  }

  GuestMemory memory;
  std::vector<uint8_t> stacks;
  std::unique_ptr<llvm::MemoryBuffer> file;
  std::unique_ptr<Program> code;
  std::deque<Emulator> emulators;
  std::deque<std::vector<uint64_t>> blocks;
  uint64_t nextArray = firstArray;
};

/// Bags of rows, with the sums that a plain loop makes.
struct Bags {
  Bags(GuestHarness &guest, uint64_t seed, size_t count, size_t rows,
       size_t width, size_t longest)
      : width(width), table(rows * width), out(count * width), expected(out) {
    std::mt19937_64 random(seed);
    for (float &value : table)
      value = static_cast<float>(random() % 1000) / 8;
    offsets.push_back(0);
    for (size_t bag = 0; bag < count; ++bag) {
      for (size_t left = random() % (longest + 1); left; --left) {
        auto row = static_cast<int32_t>(random() % rows);
        indices.push_back(row);
        for (size_t e = 0; e < width; ++e)
          expected[bag * width + e] += table[row * width + e];
      }
      offsets.push_back(static_cast<int64_t>(indices.size()));
    }
    indices.push_back(0);
    outAddress = guest.map(out);
    block = guest.block({count, guest.map(offsets), guest.map(indices),
                         guest.map(table), width});
  }

  size_t width;
  std::vector<int64_t> offsets;
  std::vector<int32_t> indices;
  std::vector<float> table, out, expected;
  uint64_t outAddress, block;
};

} // namespace ember::sim

#endif
