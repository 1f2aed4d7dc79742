//===- Program.h - Code from an object file ---------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code and constants from an ELF file for AArch64: an object, whose sections
// are placed one after the other and relocated among themselves, or a program
// that was linked statically, whose segments have their addresses already.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CORE_PROGRAM_H
#define EMBER_SIM_CORE_PROGRAM_H

#include "ember/Sim/Core/GuestMemory.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <memory>

namespace ember::sim {

class Program {
public:
  /// `base`, a multiple of 4096, is where the sections of an object are placed.
  /// What it uses of others is in `library`.
  static llvm::Expected<std::unique_ptr<Program>>
  load(llvm::MemoryBufferRef file, uint64_t base, GuestMemory &memory,
       const Program *library = nullptr);

  /// The address of a function or of data.
  llvm::Expected<uint64_t> find(llvm::StringRef symbol) const;

  /// Behind its last byte.
  uint64_t end() const;

private:
  /// Bytes at an address of the program's.
  struct Part {
    uint64_t address;
    uint64_t size;
    std::unique_ptr<uint8_t[]> bytes;
  };

  friend class ProgramLoader;
  std::vector<Part> parts;
  llvm::StringMap<uint64_t> symbols;
};

} // namespace ember::sim

#endif
