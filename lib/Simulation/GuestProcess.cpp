//===- GuestProcess.cpp - A program on a simulated machine ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuestProcess.h"

#include "ember/Driver/Files.h"
#include "ember/Target/Native/CodeGen.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace ember;
using sim::Emulator;

static constexpr uint64_t runtimeAddress = 0x10000;
static constexpr uint64_t pageBytes = 4096;
static constexpr uint64_t stackBytes = uint64_t{1} << 20;

GuestProcess::GuestProcess(const sim::MachineParameters &parameters)
    : heap(memory), machine(parameters), stacks(stackBytes * parameters.cores) {
}

Expected<std::unique_ptr<GuestProcess>>
GuestProcess::create(const sim::MachineParameters &parameters,
                     StringRef object) {
  std::unique_ptr<GuestProcess> process(new GuestProcess(parameters));
  if (Error error = process->load(object))
    return std::move(error);
  return process;
}

Error GuestProcess::load(StringRef object) {
  auto created = sim::Decoder::create();
  if (!created)
    return created.takeError();
  decoder = std::move(*created);
  Expected<std::string> path =
      native::findInstalledFile("ember_guest_runtime.o");
  if (!path)
    return path.takeError();
  auto file = readFile(*path);
  if (!file)
    return file.takeError();
  auto loaded =
      sim::Program::load((*file)->getMemBufferRef(), runtimeAddress, memory);
  if (!loaded)
    return loaded.takeError();
  runtime = std::move(*loaded);
  loaded = sim::Program::load(MemoryBufferRef(object, "the kernel"),
                              alignTo(runtime->end(), pageBytes) + pageBytes,
                              memory, runtime.get());
  if (!loaded)
    return loaded.takeError();
  kernel = std::move(*loaded);

  const sim::MachineParameters &parameters = machine.description();
  Expected<uint64_t> stack =
      heap.map("the stacks", stacks.data(), stacks.size());
  if (!stack)
    return stack.takeError();
  stackAddress = *stack;
  for (unsigned core = 0; core < parameters.cores; ++core) {
    emulators.push_back(std::make_unique<Emulator>(
        memory, *decoder, static_cast<unsigned>(parameters.vectorBytes)));
    emulators.back()->setSupervisor(*this);
    machine.setProgram(core, *emulators.back());
  }
  return Error::success();
}

Error GuestProcess::run(StringRef symbol, KernelArguments &arguments) {
  Expected<uint64_t> entry = kernel->find(symbol);
  if (!entry)
    return entry.takeError();
  if (Error error = pass(arguments))
    return error;
  Expected<uint64_t> array =
      heap.map("the arguments", pointers.data(), pointers.size() * 8);
  if (!array)
    return array.takeError();
  emulators[0]->call(*entry, {*array, 0}, stackAddress + stackBytes);
  while (true) {
    if (Error error = machine.run())
      return error;
    if (!emulators[0]->interrupted())
      break;
    if (Error error = runAllParts())
      return error;
  }
  machine.drain();
  return takeBack(arguments);
}

Error GuestProcess::pass(KernelArguments &arguments) {
  unsigned parameters = arguments.getParameters().size();
  unsigned count = parameters + arguments.getResults().size();
  passed.resize(count);
  for (unsigned i = 0; i < count; ++i) {
    const KernelValue &value = i < parameters
                                   ? arguments.getParameters()[i]
                                   : arguments.getResults()[i - parameters];
    Passed &mine = passed[i];
    mine.words = value.words;
    if (value.isMemRef() && value.array) {
      Expected<uint64_t> elements = heap.map(
          value.label, value.array->getData(), value.array->getNumBytes());
      if (!elements)
        return elements.takeError();
      mine.address = *elements;
      mine.words[0] = mine.words[1] = static_cast<int64_t>(*elements);
    }
    Expected<uint64_t> words =
        heap.map(value.label, mine.words.data(), mine.words.size() * 8);
    if (!words)
      return words.takeError();
    pointers.push_back(*words);
  }
  return Error::success();
}

/// Scalars and descriptors of the results; those of parameters do not change.
Error GuestProcess::takeBack(KernelArguments &arguments) {
  unsigned first = arguments.getParameters().size();
  SmallVector<void *> places = arguments.getPointers();
  for (auto [i, value] : enumerate(arguments.getResults())) {
    ArrayRef<int64_t> words = passed[first + i].words;
    MutableArrayRef<int64_t> mine(static_cast<int64_t *>(places[first + i]),
                                  words.size());
    llvm::copy(words, mine.begin());
    if (!value.isMemRef())
      continue;
    // Of elements that do not exist there is nothing to find.
    const void *host = nullptr;
    if (!is_contained(value.getShape(), 0)) {
      Expected<const void *> found = find(static_cast<uint64_t>(words[1]), 1);
      if (!found)
        return found.takeError();
      host = *found;
    }
    mine[0] = mine[1] = static_cast<int64_t>(reinterpret_cast<intptr_t>(host));
  }
  return Error::success();
}

Error GuestProcess::runAllParts() {
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
  Error error = machine.run();
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
