//===- GuestProcess.cpp - A program on a simulated machine ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Simulation/GuestProcess.h"

#include "ember/Target/Native/CodeGen.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace ember;
using sim::Emulator;

static constexpr uint64_t runtimeAddress = 0x10000;
static constexpr uint64_t stackBytes = uint64_t{1} << 20;

GuestProcess::GuestProcess(unsigned cores)
    : heap(memory), emulators(cores), units(cores), stacks(stackBytes * cores) {
}

Expected<std::unique_ptr<GuestProcess>>
GuestProcess::create(StringRef object, unsigned cores, unsigned vectorBytes) {
  std::unique_ptr<GuestProcess> process(new GuestProcess(cores));
  if (Error error = process->load(object, vectorBytes))
    return std::move(error);
  return process;
}

Error GuestProcess::load(StringRef object, unsigned vectorBytes) {
  auto created = sim::Decoder::create();
  if (!created)
    return created.takeError();
  decoder = std::move(*created);
  Expected<std::string> path =
      native::findInstalledFile("ember_guest_runtime.o");
  if (!path)
    return path.takeError();
  auto file = MemoryBuffer::getFile(*path);
  if (!file)
    return createStringError("cannot read '" + *path +
                             "': " + file.getError().message());
  auto loaded =
      sim::Program::load((*file)->getMemBufferRef(), runtimeAddress, memory);
  if (!loaded)
    return loaded.takeError();
  runtime = std::move(*loaded);
  uint64_t next =
      alignTo(runtime->end(), GuestHeap::pageBytes) + GuestHeap::pageBytes;
  loaded = sim::Program::load(MemoryBufferRef(object, "the kernel"), next,
                              memory, runtime.get());
  if (!loaded)
    return loaded.takeError();
  kernel = std::move(*loaded);
  Expected<uint64_t> stack =
      heap.map("the stacks", stacks.data(), stacks.size());
  if (!stack)
    return stack.takeError();
  stackAddress = *stack;
  for (std::unique_ptr<Emulator> &emulator : emulators) {
    emulator = std::make_unique<Emulator>(memory, *decoder, vectorBytes);
    emulator->setSupervisor(*this);
  }
  return Error::success();
}

Error GuestProcess::run(StringRef symbol, MutableArrayRef<GuestValue> values,
                        function_ref<Error()> runCores) {
  Expected<uint64_t> entry = kernel->find(symbol);
  if (!entry)
    return entry.takeError();
  if (Error error = pass(values))
    return error;
  Expected<uint64_t> array = heap.map("the arguments", pointers.data(),
                                      pointers.size() * sizeof(uint64_t));
  if (!array)
    return array.takeError();
  emulators[0]->call(*entry, {*array, 0}, stackAddress + stackBytes);
  while (true) {
    if (Error error = runCores())
      return error;
    if (!emulators[0]->interrupted())
      return takeBack(values);
    if (Error error = runAllParts(runCores))
      return error;
  }
}

Error GuestProcess::execute() {
  for (std::unique_ptr<Emulator> &emulator : emulators)
    if (Error error = emulator->run())
      return error;
  return Error::success();
}

Error GuestProcess::pass(ArrayRef<GuestValue> values) {
  // Arguments that share memory here share it there.
  DenseMap<int64_t, uint64_t> addresses;
  passed.resize(values.size());
  for (auto [value, words] : zip_equal(values, passed)) {
    words.assign(value.words.begin(), value.words.end());
    if (value.isMemRef && !value.isResult) {
      auto [place, isNew] = addresses.try_emplace(words[0], 0);
      if (isNew) {
        Expected<uint64_t> elements = heap.map(
            value.name, reinterpret_cast<void *>(words[0]), value.bytes);
        if (!elements)
          return elements.takeError();
        place->second = *elements;
      }
      words[1] += static_cast<int64_t>(place->second) - words[0];
      words[0] = static_cast<int64_t>(place->second);
    }
    Expected<uint64_t> address =
        heap.map(value.name, words.data(), words.size() * sizeof(int64_t));
    if (!address)
      return address.takeError();
    pointers.push_back(*address);
  }
  return Error::success();
}

Error GuestProcess::takeBack(MutableArrayRef<GuestValue> values) {
  for (auto [value, words] : zip_equal(values, passed)) {
    if (!value.isResult)
      continue;
    llvm::copy(words, value.words.begin());
    if (!value.isMemRef)
      continue;
    // Of elements that do not exist there is nothing to find.
    const void *host = memory.find(static_cast<uint64_t>(words[1]), 1);
    value.words[0] = value.words[1] =
        static_cast<int64_t>(reinterpret_cast<intptr_t>(host));
  }
  return Error::success();
}

Error GuestProcess::runAllParts(function_ref<Error()> runCores) {
  Emulator::Suspended caller = emulators[0]->suspend();
  uint64_t cores = emulators.size();
  std::vector<ember_range> ranges = divide(cores);
  uint64_t bytes = ranges.size() * sizeof(ember_range);
  Expected<uint64_t> address = heap.allocate(bytes, sizeof(ember_range));
  if (!address)
    return address.takeError();
  memory.store(*address, ranges.data(), static_cast<unsigned>(bytes));
  for (uint64_t core = 0; core < cores; ++core) {
    uint64_t stack = core ? stackAddress + (core + 1) * stackBytes
                          : caller.registers.x[sim::stackPointer];
    emulators[core]->call(body, {environment, *address + core * bytes / cores},
                          stack);
  }
  inParts = true;
  Error error = runCores();
  inParts = false;
  heap.release(*address);
  emulators[0]->resume(caller);
  return error;
}

Expected<const void *> GuestProcess::find(uint64_t address,
                                          uint64_t bytes) const {
  if (const void *host = memory.find(address, bytes))
    return host;
  return createStringError(
      "the simulated program hands " + Twine::utohexstr(address) +
      " to the runtime, which it may not: " + memory.describe(address));
}

Expected<std::string> GuestProcess::readText(uint64_t address) const {
  std::string text;
  while (true) {
    Expected<const void *> byte = find(address++, 1);
    if (!byte)
      return byte.takeError();
    char character = *static_cast<const char *>(*byte);
    if (!character)
      return text;
    text.push_back(character);
  }
}
