//===- GuestProcess.h - A program on simulated cores ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel for AArch64 on simulated cores: its memory, its arguments, and the
// runtime that it calls. Who runs the cores, and whether that takes time, is
// the caller's matter.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATION_GUESTPROCESS_H
#define EMBER_SIMULATION_GUESTPROCESS_H

#include "ember/Runtime/Runtime.h"
#include "ember/Sim/Core/Emulator.h"
#include "ember/Sim/Core/Program.h"
#include "ember/Simulation/GuestHeap.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace ember {

/// A parameter or a result of a kernel entry.
struct GuestValue {
  std::string name;
  /// A descriptor, whose addresses are the host's, or the words of a scalar or
  /// a structure.
  llvm::MutableArrayRef<int64_t> words;
  bool isMemRef = false;
  bool isResult = false;
  /// Of a parameter that is a memref.
  uint64_t bytes = 0;
};

/// The kernel found that its arguments are wrong, or an assertion of its own.
class GuestFailure : public llvm::ErrorInfo<GuestFailure> {
public:
  static char ID;
  explicit GuestFailure(const ember_error &error) : error(error) {}

  /// EMBER_INDEX, for example.
  int32_t code() const { return error.code; }
  void log(llvm::raw_ostream &os) const override { os << error.message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  ember_error error;
};

class GuestProcess final : public sim::Supervisor {
public:
  /// `object` is the kernel's code, for as many cores as there are, whose
  /// vectors have `vectorBytes`.
  static llvm::Expected<std::unique_ptr<GuestProcess>>
  create(llvm::StringRef object, unsigned cores, unsigned vectorBytes);

  /// Runs the kernel entry `symbol`. Elements of the values change in place,
  /// and words of results are set; addresses in these are valid as long as the
  /// process. `runCores` runs all cores until each has returned.
  llvm::Error run(llvm::StringRef symbol,
                  llvm::MutableArrayRef<GuestValue> values,
                  llvm::function_ref<llvm::Error()> runCores);

  sim::GuestMemory &getMemory() { return memory; }
  /// Puts `unit` beside a core: its registers and its chunks, behind all code.
  template <typename Unit> llvm::Error attach(unsigned core, Unit &unit) {
    units[core] = unitAddress + core * unitBytes;
    return unit.map(units[core], units[core] + unitBytes / 2);
  }

  /// Runs all cores one after the other, without timing: a `runCores`.
  llvm::Error execute();

  unsigned coreCount() const { return emulators.size(); }
  sim::Emulator &getCore(unsigned core) { return *emulators[core]; }

  llvm::Error call(sim::Emulator &emulator, unsigned number) override;

private:
  static constexpr uint64_t unitAddress = 0x40000000, unitBytes = 0x2000000;

  explicit GuestProcess(unsigned cores);

  llvm::Error load(llvm::StringRef object, unsigned vectorBytes);
  llvm::Error pass(llvm::ArrayRef<GuestValue> values);
  llvm::Error takeBack(llvm::MutableArrayRef<GuestValue> values);
  llvm::Error runAllParts(llvm::function_ref<llvm::Error()> runCores);
  /// Of each loop, the equal share of each core.
  std::vector<ember_range> divide(uint64_t cores) const;

  // Of the runtime.
  llvm::Error fail(const sim::State &state, unsigned number);
  llvm::Error checkDisjoint(const sim::State &state);
  llvm::Error checkLayouts(const sim::State &state);
  llvm::Error beginParallel(sim::Emulator &emulator);
  llvm::Error orderSegments(const sim::State &state);

  /// What is at an address of the program's, which need not exist.
  llvm::Expected<const void *> find(uint64_t address, uint64_t bytes) const;
  llvm::Expected<std::string> readText(uint64_t address) const;
  /// What messages call things by.
  llvm::Expected<std::string> readNames() const;
  llvm::Expected<llvm::SmallVector<int64_t, 16>>
  readDescriptor(uint64_t address, uint64_t rank) const;

  sim::GuestMemory memory;
  GuestHeap heap;
  std::unique_ptr<sim::Decoder> decoder;
  std::unique_ptr<sim::Program> runtime, kernel;
  std::vector<std::unique_ptr<sim::Emulator>> emulators;
  /// The registers of units; 0 for cores without one.
  std::vector<uint64_t> units;
  std::vector<uint8_t> stacks;
  uint64_t stackAddress = 0;

  /// The words of each value as the program sees them, and where they are.
  std::vector<llvm::SmallVector<int64_t, 8>> passed;
  std::vector<uint64_t> pointers;
  /// What ember_rename was given.
  uint64_t names = 0;

  // Of the parallel loops that run.
  bool inParts = false;
  uint64_t body = 0, environment = 0;
  std::vector<ember_loop> loops;
};

} // namespace ember

#endif // EMBER_SIMULATION_GUESTPROCESS_H
