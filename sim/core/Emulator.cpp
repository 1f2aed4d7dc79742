//===- Emulator.cpp - Executing a program in its order --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/Emulator.h"

#include "llvm/Support/FormatVariadic.h"

#include <bit>

using namespace ember::sim;

llvm::Error Emulator::validateVectorBytes(uint64_t vectorBytes) {
  if (std::has_single_bit(vectorBytes) && vectorBytes >= leastVectorBytes &&
      vectorBytes <= mostVectorBytes)
    return llvm::Error::success();
  return llvm::createStringError(llvm::formatv(
      "vectorBytes is {0}, but vectors have 16, 32, 64, 128 or 256 bytes",
      vectorBytes));
}

Emulator::Emulator(GuestMemory &memory, Decoder &decoder, unsigned vectorBytes)
    : registers(), decoder(decoder) {
  registers.vectorBytes = vectorBytes;
  registers.memory = &memory;
  registers.pc = returnAddress;
  registers.exclusive = ~uint64_t{0};
}

void Emulator::call(uint64_t entry, llvm::ArrayRef<uint64_t> arguments,
                    uint64_t stack) {
  for (size_t i = 0; i < arguments.size() && i < 8; ++i)
    registers.x[i] = arguments[i];
  registers.x[stackPointer] = stack;
  registers.x[30] = returnAddress;
  registers.pc = entry;
  registers.fault = registers.calls = false;
  resumeAt = 0;
}

llvm::Expected<const StaticInstruction *> Emulator::decodeAt(uint64_t pc) {
  if (!current || pc / pageBytes != currentNumber) {
    current = nullptr;
    currentNumber = pc / pageBytes;
    for (Page &page : pages)
      if (page.number == currentNumber)
        current = page.instructions.get();
    if (!current) {
      pages.push_back({currentNumber, std::make_unique<StaticInstruction[]>(
                                          pageInstructions)});
      current = pages.back().instructions.get();
    }
  }
  StaticInstruction &found = current[pc % pageBytes / 4];
  if (found.functional.execute && !(pc & 3))
    return &found;
  const void *bytes = pc & 3 ? nullptr : registers.memory->find(pc, 4);
  if (!bytes)
    return llvm::createStringError(
        llvm::formatv("{0:x}: no code is there to be executed", pc));
  uint32_t encoding;
  std::memcpy(&encoding, bytes, sizeof(encoding));
  llvm::Expected<StaticInstruction> decoded = decoder.decode(encoding, pc);
  if (!decoded)
    return decoded.takeError();
  found = std::move(*decoded);
  return &found;
}

std::string Emulator::print(uint64_t pc) const {
  uint32_t encoding = 0;
  if (const void *bytes = registers.memory->find(pc, 4))
    std::memcpy(&encoding, bytes, sizeof(encoding));
  return decoder.print(encoding, pc);
}

llvm::Error Emulator::fault() const {
  const MemoryAccess &access = registers.faulted;
  return llvm::createStringError(llvm::formatv(
      "{0:x}: '{1}' {2} {3} bytes at {4:x}, which it may not: {5}",
      registers.pc, print(registers.pc), access.store ? "stores" : "loads",
      access.size, access.address, registers.memory->describe(access.address)));
}

llvm::Error Emulator::trap() {
  if (!registers.calls)
    return fault();
  registers.fault = registers.calls = false;
  if (!supervisor)
    return llvm::createStringError(
        llvm::formatv("{0:x}: 'svc #{1}', but nothing answers the program",
                      registers.pc, registers.callNumber));
  return supervisor->call(*this, registers.callNumber);
}

llvm::Error Emulator::step(DynamicInstruction &executed) {
  uint64_t pc = registers.pc;
  const StaticInstruction *found = find(pc);
  if (!found) [[unlikely]] {
    llvm::Expected<const StaticInstruction *> decoded = decodeAt(pc);
    if (!decoded)
      return decoded.takeError();
    found = *decoded;
  }
  registers.accesses.clear();
  registers.next = pc + 4;
  found->functional.execute(registers, found->functional);
  if (registers.fault) [[unlikely]]
    if (llvm::Error error = trap())
      return error;
  registers.pc = registers.next;
  ++count;
  executed = {pc, found, registers.accesses, registers.next};
  return llvm::Error::success();
}

llvm::Error Emulator::run(uint64_t most) {
  DynamicInstruction executed;
  for (uint64_t left = most; left && !returned(); --left)
    if (llvm::Error error = step(executed)) [[unlikely]]
      return error;
  return llvm::Error::success();
}
