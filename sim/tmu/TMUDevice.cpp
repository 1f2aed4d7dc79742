//===- TMUDevice.cpp - A TMU as a program sees it -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/TMU/TMUDevice.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace ember::sim;

static constexpr unsigned registerBytes = 8;

TMUDevice::TMUDevice(llvm::StringRef name, const Configuration &configuration,
                     GuestMemory &memory, uint64_t chunks)
    : name(name), configuration(configuration), memory(memory), chunks(chunks) {
  // Room for the word that ends a program that cannot be run.
  stride = 64;
  for (const TMUProgram &program : configuration.programs)
    stride = std::max<uint64_t>(stride, program.chunkBytes);
  storage.resize(llvm::alignTo(stride * chunks, pageBytes));
}

llvm::Error TMUDevice::map(uint64_t registers, uint64_t queue) {
  registerAddress = registers;
  queueAddress = queue;
  if (llvm::Error error =
          memory.mapDevice(name + " registers", registers, pageBytes, *this))
    return error;
  return memory.map(name + " queue", queue, storage.data(), storage.size());
}

void TMUDevice::complain(const llvm::Twine &what) {
  if (message.empty())
    message = (name + ": " + what).str();
}

llvm::Error TMUDevice::takeError() {
  if (message.empty())
    return llvm::Error::success();
  std::string text;
  text.swap(message);
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

void TMUDevice::load(uint64_t address, void *bytes, unsigned size) {
  uint64_t offset = address - registerAddress;
  uint64_t result = 0;
  if (size == registerBytes && offset == takeRegister)
    result = take();
  else if (size == registerBytes && offset == waitRegister)
    result = wait();
  else {
    complain("a core loads " + llvm::Twine(size) + " bytes at 0x" +
             llvm::utohexstr(offset, true) +
             " of the registers, where there is nothing to be loaded");
    keep(waitRegister, /*valid=*/false);
  }
  std::memset(bytes, 0, size);
  std::memcpy(bytes, &result, std::min<size_t>(size, sizeof(result)));
}

void TMUDevice::store(uint64_t address, const void *bytes, unsigned size) {
  uint64_t offset = address - registerAddress;
  uint64_t value = 0;
  std::memcpy(&value, bytes, std::min<size_t>(size, sizeof(value)));
  if (size == registerBytes && offset == launchRegister)
    launch(value);
  else if (size == registerBytes && offset == handBackRegister)
    handBack();
  else {
    complain("a core stores " + llvm::Twine(size) + " bytes at 0x" +
             llvm::utohexstr(offset, true) +
             " of the registers, where there is nothing to be stored");
    keep(handBackRegister, /*valid=*/false);
  }
}

void TMUDevice::launch(uint64_t block) {
  auto refuse = [&](const llvm::Twine &what) {
    complain(what);
    keep(launchRegister, /*valid=*/false);
  };
  if (run && !run->over)
    return refuse("a program is launched before the one before is over");
  auto word = [&](uint64_t index, uint64_t &value) {
    uint64_t address = block + index * registerBytes;
    const void *host = memory.find(address, registerBytes);
    if (!host) {
      refuse("a program is launched by a block that cannot be read: 8 bytes "
             "at 0x" +
             llvm::utohexstr(address, true) + ", " + memory.describe(address));
      return false;
    }
    std::memcpy(&value, host, registerBytes);
    return true;
  };
  uint64_t number = 0;
  if (!word(0, number))
    return;
  if (number >= configuration.programs.size())
    return refuse("program " + llvm::Twine(number) +
                  " is launched, and there are " +
                  llvm::Twine(configuration.programs.size()));
  const TMUProgram &program = configuration.programs[number];
  std::vector<uint64_t> captures(program.captures.size());
  for (size_t i = 0; i < captures.size(); ++i) {
    if (!word(i + 1, captures[i]))
      return;
    // Integers come with their sign.
    if (!program.captures[i].isMemory)
      captures[i] = program.captures[i].type.truncate(captures[i]);
  }
  keep(launchRegister);
  if (records)
    replays.push_back(std::make_unique<Traversal>(program, captures, memory,
                                                  /*stores=*/false));
  lastReplay = nullptr;
  run = std::make_unique<Run>(program, std::move(captures), memory);
  taken = handedBack = 0;
}

void TMUDevice::advance() {
  Run &r = *run;
  r.writes.clear();
  r.written = 0;
  r.visit = r.order.next(
      [&](unsigned layer, uint64_t step, uint64_t parent) {
        switch (r.traversal.find(layer, step, parent)) {
        case Traversal::Found::step:
          return TraversalOrder::Kind::step;
        case Traversal::Found::over:
          return TraversalOrder::Kind::end;
        case Traversal::Found::failed:
          break;
        }
        return TraversalOrder::Kind::failed;
      },
      [&](unsigned layer) { r.traversal.release(layer); });
  switch (r.visit.kind) {
  case TraversalOrder::Kind::failed:
    complain(r.traversal.error());
    r.failed = true;
    break;
  case TraversalOrder::Kind::over:
    break;
  default:
    if (r.layout.push(r.traversal, r.order, r.visit, r.writes))
      return;
    complain(r.layout.error());
    r.failed = true;
  }
  r.layout.end(r.writes);
  r.over = true;
}

bool TMUDevice::makeChunk() {
  Run &r = *run;
  while (true) {
    if (r.written == r.writes.size()) {
      if (r.over)
        return false;
      advance();
      continue;
    }
    const ChunkWrite &write = r.writes[r.written++];
    uint8_t *at = r.chunk.data() + write.offset;
    switch (write.kind) {
    case ChunkWrite::Kind::turn:
      return true;
    case ChunkWrite::Kind::token:
    case ChunkWrite::Kind::last:
      std::memcpy(at, &write.word, write.bytes);
      if (write.kind == ChunkWrite::Kind::last)
        return true;
      break;
    case ChunkWrite::Kind::operand: {
      bool steps = r.visit.kind == TraversalOrder::Kind::step;
      ChunkLayout::write(
          write, r.traversal,
          r.order.elements(r.traversal, r.visit.layer + (steps ? 1 : 0)), at);
      break;
    }
    }
  }
}

uint64_t TMUDevice::take() {
  keep(takeRegister);
  uint64_t number = taken++;
  if (!run)
    complain("a chunk is taken, and no program was launched");
  else if (number - handedBack >= chunks)
    complain("a chunk is taken while the core holds all " +
             llvm::Twine(chunks) + " of them");
  uint8_t *to = storage.data() + number % chunks * stride;
  if (run && makeChunk()) {
    std::memcpy(to, run->chunk.data(), run->chunk.size());
  } else {
    if (run)
      complain("a chunk is taken behind the last one of the program");
    uint64_t end = ~uint64_t{0};
    std::memcpy(to, &end, sizeof(end));
  }
  // The core may write to what the program read, once it knows that it is over.
  if (run && run->over && records) {
    Traversal *replay = replays.empty() ? lastReplay : replays.back().get();
    if (replay)
      replay->finish(mostKept);
  }
  return chunkAddress(number);
}

void TMUDevice::handBack() {
  keep(handBackRegister);
  if (handedBack == taken)
    complain("a chunk is handed back, and the core holds none");
  else
    ++handedBack;
}

uint64_t TMUDevice::wait() {
  keep(waitRegister);
  while (run && makeChunk()) {
  }
  return run && run->failed;
}
