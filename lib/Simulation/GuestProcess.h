//===- GuestProcess.h - A program on a simulated machine --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel on the cores of a simulated machine: its memory, its arguments, and
// the runtime that it calls.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATION_GUESTPROCESS_H
#define EMBER_LIB_SIMULATION_GUESTPROCESS_H

#include "GuestHeap.h"

#include "ember/Driver/Arguments.h"
#include "ember/Runtime/Runtime.h"
#include "ember/Sim/Core/Program.h"
#include "ember/Sim/Machine/Machine.h"

namespace ember {

class GuestProcess final : public sim::Supervisor {
public:
  static llvm::Expected<std::unique_ptr<GuestProcess>>
  create(const sim::MachineParameters &parameters, llvm::StringRef object);

  /// Runs the kernel entry `symbol`. Values of the arguments change, and those
  /// of the results are set.
  llvm::Error run(llvm::StringRef symbol, KernelArguments &arguments);

  sim::Machine &getMachine() { return machine; }

  llvm::Error call(sim::Emulator &emulator, unsigned number) override;

private:
  /// A value of the call: where its words are, and where its elements.
  struct Passed {
    llvm::SmallVector<int64_t, 8> words;
    uint64_t address = 0;
  };

  explicit GuestProcess(const sim::MachineParameters &parameters);

  llvm::Error load(llvm::StringRef object);
  llvm::Error pass(KernelArguments &arguments);
  llvm::Error takeBack(KernelArguments &arguments);
  llvm::Error runAllParts();
  /// Of each loop, the equal share of each core.
  std::vector<ember_range> divide(uint64_t cores) const;

  // Of the runtime.
  llvm::Error fail(const sim::State &state, unsigned number);
  llvm::Error checkArguments(const sim::State &state, unsigned number);
  llvm::Error beginParallel(sim::Emulator &emulator);
  llvm::Error orderSegments(const sim::State &state);

  /// What is at an address of the program's, which need not exist.
  llvm::Expected<const void *> find(uint64_t address, uint64_t bytes) const;
  llvm::Expected<std::string> readText(uint64_t address) const;
  llvm::Expected<llvm::SmallVector<int64_t, 16>>
  readDescriptor(uint64_t address, uint64_t rank) const;

  sim::GuestMemory memory;
  GuestHeap heap;
  sim::Machine machine;
  std::unique_ptr<sim::Decoder> decoder;
  std::unique_ptr<sim::Program> runtime, kernel;
  std::vector<std::unique_ptr<sim::Emulator>> emulators;
  std::vector<uint8_t> stacks;
  uint64_t stackAddress = 0;

  llvm::SmallVector<Passed> passed;
  std::vector<uint64_t> pointers;

  // Of the parallel loops that run.
  bool inParts = false;
  uint64_t body = 0, environment = 0;
  std::vector<ember_loop> loops;
};

} // namespace ember

#endif // EMBER_LIB_SIMULATION_GUESTPROCESS_H
