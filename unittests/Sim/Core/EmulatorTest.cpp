//===- EmulatorTest.cpp - Programs compute what they compute on the host --===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/Emulator.h"
#include "ember/Sim/Core/Program.h"

#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <bit>
#include <chrono>
#include <limits>
#include <random>

using namespace ember::sim;

#define EMBER_KERNEL(name)                                                     \
  extern "C" void name(void *, const void *, const void *, const int *, long);
#include "KernelNames.inc"
#undef EMBER_KERNEL

namespace {
using HostKernel = void (*)(void *, const void *, const void *, const int *,
                            long);
struct Kernel {
  const char *name;
  HostKernel host;
};
const Kernel kernels[] = {
#define EMBER_KERNEL(name) {#name, name},
#include "KernelNames.inc"
#undef EMBER_KERNEL
};

constexpr uint64_t codeBase = 0x10000;
constexpr uint64_t stackBytes = 1 << 16;

/// A program with memory of its own for arguments and a stack.
struct Machine {
  Machine(llvm::StringRef object, unsigned vectorBytes)
      : decoder(llvm::cantFail(Decoder::create())),
        file(llvm::cantFail(
            llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(object)))),
        program(llvm::cantFail(
            Program::load(file->getMemBufferRef(), codeBase, memory))),
        stack(stackBytes), emulator(memory, *decoder, vectorBytes) {
    llvm::cantFail(memory.map("the stack", address(stack.data()), stack.data(),
                              stackBytes));
  }
  static uint64_t address(const void *p) {
    return reinterpret_cast<uint64_t>(p);
  }
  void map(llvm::StringRef name, const void *p, uint64_t size,
           bool writable = false) {
    llvm::cantFail(
        memory.map(name, address(p), const_cast<void *>(p), size, writable));
  }
  llvm::Error call(llvm::StringRef name, llvm::ArrayRef<uint64_t> arguments) {
    emulator.call(llvm::cantFail(program->find(name)), arguments,
                  (address(stack.data()) + stackBytes) & ~uint64_t{15});
    return emulator.run();
  }

  std::unique_ptr<Decoder> decoder;
  GuestMemory memory;
  std::unique_ptr<llvm::MemoryBuffer> file;
  std::unique_ptr<Program> program;
  std::vector<uint8_t> stack;
  Emulator emulator;
};

template <typename T> void fill(std::vector<uint8_t> &bytes, unsigned seed) {
  std::mt19937_64 random(seed);
  for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    T value;
    if constexpr (std::is_integral_v<T>)
      value = static_cast<T>(random() >> random() % 8);
    else
      value = static_cast<T>(static_cast<int>(random() % 20001) - 10000) /
              static_cast<T>(128);
    std::memcpy(bytes.data() + i, &value, sizeof(T));
  }
}
void fillFor(llvm::StringRef name, std::vector<uint8_t> &bytes, unsigned seed) {
  if (name.ends_with("f32"))
    fill<float>(bytes, seed);
  else if (name.ends_with("f64"))
    fill<double>(bytes, seed);
  else if (name.ends_with("f16"))
    fill<_Float16>(bytes, seed);
  else
    fill<uint64_t>(bytes, seed);
}

void compareWithHost(const char *object, unsigned vectorBytes) {
  SCOPED_TRACE(std::string(object) + ", " + std::to_string(vectorBytes));
  constexpr long n = 203;
  constexpr size_t bytes = n * 8;
  Machine machine(object, vectorBytes);
  std::vector<uint8_t> a(bytes), b(bytes), start(bytes), guest(bytes),
      host(bytes);
  std::vector<int> indices(n);
  machine.map("out", guest.data(), bytes, true);
  machine.map("a", a.data(), bytes);
  machine.map("b", b.data(), bytes);
  machine.map("indices", indices.data(), n * sizeof(int));
  std::mt19937 random(7);
  for (int &index : indices)
    index = random() % n;
  for (const Kernel &kernel : kernels) {
    llvm::StringRef name = kernel.name;
    fillFor(name, a, 1);
    fillFor(name, b, 2);
    fillFor(name, start, 3);
    for (long length : {1L, 17L, n}) {
      guest = start;
      host = start;
      kernel.host(host.data(), a.data(), b.data(), indices.data(), length);
      // What is gathered is within all n; the indices are not cut.
      llvm::Error error = machine.call(
          name, {Machine::address(guest.data()), Machine::address(a.data()),
                 Machine::address(b.data()), Machine::address(indices.data()),
                 static_cast<uint64_t>(length)});
      ASSERT_FALSE(static_cast<bool>(error))
          << kernel.name << ": " << llvm::toString(std::move(error));
      auto different = std::mismatch(host.begin(), host.end(), guest.begin());
      EXPECT_TRUE(different.first == host.end())
          << kernel.name << " of " << length << ", byte "
          << different.first - host.begin() << ": "
          << unsigned(*different.second) << " instead of "
          << unsigned(*different.first);
    }
  }
}

TEST(Emulator, ScalarCode) { compareWithHost(EMBER_KERNELS_O1, 64); }
TEST(Emulator, NeonCode) { compareWithHost(EMBER_KERNELS_NEON, 64); }
TEST(Emulator, VectorsOf64Bytes) { compareWithHost(EMBER_KERNELS_SVE512, 64); }
TEST(Emulator, VectorsOfAnyLength) {
  for (unsigned bytes : {16, 32, 64, 128, 256})
    compareWithHost(EMBER_KERNELS_SVE, bytes);
}

TEST(Emulator, AccessOutsideIsAnError) {
  Machine machine(EMBER_KERNELS_O1, 64);
  std::vector<int> out(8);
  machine.map("out", out.data(), 32, true);
  llvm::Error error = machine.call(
      "axpy_i32", {Machine::address(out.data()), 0x10, 0x20, 0x30, 8});
  std::string message = llvm::toString(std::move(error));
  EXPECT_NE(message.find("loads 4 bytes at 0x14"), std::string::npos)
      << message;
  EXPECT_NE(message.find("ldr"), std::string::npos) << message;
}

TEST(Emulator, StoreToWhatIsReadOnlyIsAnError) {
  Machine machine(EMBER_KERNELS_O1, 64);
  std::vector<int> out(8);
  machine.map("constants", out.data(), 32);
  uint64_t at = Machine::address(out.data());
  llvm::Error error = machine.call("axpy_i32", {at, at, at, at, 8});
  std::string message = llvm::toString(std::move(error));
  EXPECT_NE(message.find("constants is read-only"), std::string::npos)
      << message;
}

/// Counts up: each load is one more than the last.
struct CountingDevice : DeviceHandler {
  void load(uint64_t, void *bytes, unsigned size) override {
    ++value;
    std::memcpy(bytes, &value, size);
  }
  void store(uint64_t, const void *bytes, unsigned size) override {
    std::memcpy(&stored, bytes, size);
  }
  uint64_t value = 0;
  uint64_t stored = 0;
};
TEST(Emulator, DevicesAnswer) {
  Machine machine(EMBER_KERNELS_O1, 64);
  CountingDevice device;
  llvm::cantFail(machine.memory.mapDevice("queue", 0x5000, 256, device));
  llvm::Error error =
      machine.call("gather_i32", {0x5000, 0x5000, 0x5000, 0x5000, 1});
  EXPECT_TRUE(!error) << llvm::toString(std::move(error));
  EXPECT_TRUE(machine.memory.isDevice(0x50ff));
  EXPECT_FALSE(machine.memory.isDevice(0x5100));
}

TEST(Emulator, FlagsAreKeptInRegisters) {
  Machine machine(EMBER_FLAGS, 64);
  constexpr auto least = std::numeric_limits<int64_t>::min();
  const int64_t values[] = {0, 1, -1, least, least + 1};
  for (int64_t a : values)
    for (int64_t b : values) {
      auto first = static_cast<uint64_t>(a), second = static_cast<uint64_t>(b);
      llvm::Error error = machine.call("keptFlags", {first, second});
      ASSERT_TRUE(!error) << llvm::toString(std::move(error));
      int64_t difference;
      const uint64_t expected[] = {first < second, a < b, a == b,
                                   __builtin_sub_overflow(a, b, &difference)};
      for (auto [place, value] : llvm::enumerate(expected))
        EXPECT_EQ(machine.emulator.state().x[3 + place], value)
            << a << " and " << b << ", x" << 3 + place;
    }
}

TEST(Emulator, OtherRegistersOfTheSystemAreErrors) {
  Machine machine(EMBER_FLAGS, 64);
  std::string message = llvm::toString(machine.call("threadPointer", {}));
  EXPECT_NE(message.find("does not know 'mrs x0, TPIDR_EL0'"),
            std::string::npos)
      << message;
}

TEST(Emulator, VectorsHaveCertainLengths) {
  for (unsigned bytes : {16, 32, 64, 128, 256})
    EXPECT_FALSE(static_cast<bool>(Emulator::validateVectorBytes(bytes)));
  for (unsigned bytes : {0, 8, 48, 512}) {
    llvm::Error error = Emulator::validateVectorBytes(bytes);
    EXPECT_TRUE(static_cast<bool>(error));
    llvm::consumeError(std::move(error));
  }
}
} // namespace
