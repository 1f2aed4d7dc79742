//===- Emulator.h - Executing a program in its order ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes instructions one after the other and says of each what the timing
// of it depends on. Code is decoded once.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CORE_EMULATOR_H
#define EMBER_SIM_CORE_EMULATOR_H

#include "ember/Sim/Core/Decoder.h"
#include "ember/Sim/Core/State.h"

#include <memory>
#include <utility>
#include <vector>

namespace ember::sim {

class Emulator;

/// An instruction that was executed. What it points to is good until the next
/// one is.
struct DynamicInstruction {
  uint64_t pc = 0;
  const StaticInstruction *instruction = nullptr;
  llvm::ArrayRef<MemoryAccess> accesses;
  /// The address of the instruction that follows.
  uint64_t next = 0;
};

/// What a program asks for by `svc`: an operating system, or a runtime library.
class Supervisor {
public:
  /// Does call `number`, whose arguments are in x0 and on, as those of a
  /// function are. The instruction costs what any other does, whatever is done
  /// here. The error ends the program.
  virtual llvm::Error call(Emulator &emulator, unsigned number) = 0;

protected:
  ~Supervisor() = default;
};

class Emulator {
public:
  /// `vectorBytes` is a power of two from 16 to 256.
  Emulator(GuestMemory &memory, Decoder &decoder, unsigned vectorBytes);

  static llvm::Error validateVectorBytes(uint64_t vectorBytes);

  State &state() { return registers; }

  void setSupervisor(Supervisor &answers) { supervisor = &answers; }

  /// Begins a call of a function of integer and pointer arguments. The stack
  /// grows down from `stack`, a multiple of 16.
  void call(uint64_t entry, llvm::ArrayRef<uint64_t> arguments, uint64_t stack);
  /// Whether the function that was called has returned, or is interrupted.
  bool returned() const { return registers.pc == returnAddress; }

  /// A program between two of its instructions.
  struct Suspended {
    State registers;
    uint64_t resumeAt;
  };

  /// In a supervisor call: nothing is executed behind it until `resume`. The
  /// function counts as returned meanwhile.
  void interrupt() {
    resumeAt = registers.next;
    registers.next = returnAddress;
  }
  bool interrupted() const { return resumeAt != 0; }
  /// Takes an interrupted program away, so that another one can be called.
  Suspended suspend() { return {registers, std::exchange(resumeAt, 0)}; }
  void resume(const Suspended &suspended) {
    registers = suspended.registers;
    registers.pc = suspended.resumeAt;
  }

  /// Executes one instruction; only before the function has returned.
  llvm::Error step(DynamicInstruction &executed);
  /// Executes up to `most` instructions or until the function returns.
  llvm::Error run(uint64_t most = ~uint64_t{0});

  uint64_t executed() const { return count; }

  /// The instruction at an address, as an assembler writes it.
  std::string print(uint64_t pc) const;

private:
  static constexpr uint64_t returnAddress = ~uint64_t{3};
  static constexpr unsigned pageBytes = 4096;
  static constexpr unsigned pageInstructions = pageBytes / 4;

  /// The decoded instructions of 4096 bytes of code; those without a function
  /// were not met yet.
  struct Page {
    uint64_t number = ~uint64_t{0};
    std::unique_ptr<StaticInstruction[]> instructions;
  };

  llvm::Expected<const StaticInstruction *> decodeAt(uint64_t pc);
  const StaticInstruction *find(uint64_t pc) const {
    if (current && pc / pageBytes == currentNumber && !(pc & 3)) {
      const StaticInstruction &found = current[pc % pageBytes / 4];
      if (found.functional.execute)
        return &found;
    }
    return nullptr;
  }
  llvm::Error fault() const;
  /// The call that an instruction made, or an error.
  llvm::Error trap();

  State registers;
  Decoder &decoder;
  Supervisor *supervisor = nullptr;
  uint64_t resumeAt = 0;
  std::vector<Page> pages;
  StaticInstruction *current = nullptr;
  uint64_t currentNumber = 0;
  uint64_t count = 0;
};

} // namespace ember::sim

#endif
