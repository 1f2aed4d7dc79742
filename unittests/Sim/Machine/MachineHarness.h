//===- MachineHarness.h - Programs and generators for tests -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_UNITTESTS_SIM_MACHINE_MACHINEHARNESS_H
#define EMBER_UNITTESTS_SIM_MACHINE_MACHINEHARNESS_H

#include "ember/Sim/Core/Program.h"
#include "ember/Sim/Machine/Machine.h"

#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <functional>
#include <memory>

namespace ember::sim {

/// Asks a port for lines, so many at a time, as fast as it is allowed to.
class Generator final : public Requester {
public:
  /// `next` makes the line and the access of a request from its number.
  using Next = std::function<std::pair<uint64_t, Access>(uint64_t)>;

  Generator(Engine &engine, MemoryPort &port, uint64_t count, uint64_t limit,
            Next next)
      : engine(engine), port(port), left(count), limit(limit),
        next(std::move(next)) {}

  void pump() {
    while (left && inFlight < limit && !refused) {
      Request request;
      std::tie(request.line, request.access) = next(number);
      request.requester = this;
      request.nonTemporal = nonTemporal;
      request.id = number;
      began.resize(std::max<size_t>(began.size(), number + 1));
      began[number] = engine.now();
      if (!port.accept(request)) {
        refused = true;
        return;
      }
      ++number;
      --left;
      ++inFlight;
    }
  }
  void complete(const Request &request) override {
    --inFlight;
    ++completed;
    ticks += engine.now() - began[request.id];
    last = engine.now();
    pump();
  }
  void retry() override {
    refused = false;
    pump();
  }
  double meanTicks() const {
    return static_cast<double>(ticks) / static_cast<double>(completed);
  }

  uint64_t completed = 0;
  Tick last = 0;
  bool nonTemporal = false;

private:
  Engine &engine;
  MemoryPort &port;
  uint64_t left;
  uint64_t limit;
  Next next;
  uint64_t number = 0, inFlight = 0;
  Tick ticks = 0;
  bool refused = false;
  std::vector<Tick> began;
};

/// A machine with memory and programs on its cores.
class MachineHarness {
public:
  static constexpr uint64_t dataAddress = 0x10000000;
  static constexpr uint64_t stackBytes = 4096;

  explicit MachineHarness(const MachineParameters &parameters, size_t words = 0)
      : data(words), machine(checked(parameters)) {
    if (!words)
      return;
    stacks.resize(stackBytes * parameters.cores);
    llvm::cantFail(guest.map("data", dataAddress, data.data(), words * 8));
    llvm::cantFail(guest.map("stack", 0x1000000, stacks.data(), stacks.size()));
    file = llvm::cantFail(
        llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(EMBER_PROGRAMS)));
    program =
        llvm::cantFail(Program::load(file->getMemBufferRef(), 0x10000, guest));
  }

  static const MachineParameters &checked(const MachineParameters &given) {
    EXPECT_EQ(llvm::toString(given.validate()), "");
    return given;
  }

  static uint64_t address(uint64_t word) { return dataAddress + word * 8; }

  Emulator &call(unsigned core, const char *function,
                 llvm::ArrayRef<uint64_t> arguments) {
    static std::unique_ptr<Decoder> decoder = llvm::cantFail(Decoder::create());
    Emulator &emulator = *emulators.emplace_back(std::make_unique<Emulator>(
        guest, *decoder,
        static_cast<unsigned>(machine.description().vectorBytes)));
    emulator.call(llvm::cantFail(program->find(function)), arguments,
                  0x1000000 + stackBytes * (core + 1));
    machine.setProgram(core, emulator);
    return emulator;
  }

  /// Runs the programs; returns the cycles of core 0.
  uint64_t run() {
    EXPECT_EQ(llvm::toString(machine.run()), "");
    return machine.core(0).counters().cycles;
  }

  /// Ticks from a request to its answer where nothing else is on its way.
  Tick time(MemoryPort &port, uint64_t line, Access access = Access::read) {
    machine.drain();
    Engine &engine = machine.clockwork();
    // At an edge of all clocks.
    engine.runUntil(engine.now());
    Tick begin = (engine.now() / 60 + 1000) * 60;
    struct Starter final : EventHandler {
      void handle(uint64_t) override { generator->pump(); }
      Generator *generator = nullptr;
    } starter;
    Generator generator(engine, port, 1, 1,
                        [&](uint64_t) { return std::pair(line, access); });
    starter.generator = &generator;
    engine.schedule(begin, starter);
    machine.drain();
    EXPECT_EQ(generator.completed, 1u);
    return generator.last - begin;
  }

  std::vector<uint64_t> data;
  std::vector<uint8_t> stacks;
  GuestMemory guest;
  std::unique_ptr<llvm::MemoryBuffer> file;
  std::unique_ptr<Program> program;
  std::vector<std::unique_ptr<Emulator>> emulators;
  Machine machine;
};

/// The paper's machine without guesses, for closed forms.
inline MachineParameters withoutPrefetchers() {
  MachineParameters parameters;
  parameters.l1d.prefetcher.kind = PrefetcherKind::none;
  parameters.l2.prefetcher.kind = PrefetcherKind::none;
  parameters.memory.controller.refresh = Refresh::none;
  return parameters;
}

} // namespace ember::sim

#endif
