//===- TMUDevice.h - A TMU as a program sees it -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functional half of the unit: a page of registers and, elsewhere, the
// chunks of its output queue. It answers at once, and makes a chunk when the
// program asks for it.
//
//   0x00  store  launch: the address of a block of a program's number and its
//                captures, 8 bytes each
//   0x08  load   the address of the next chunk
//   0x10  store  hands the oldest chunk back
//   0x18  load   0 once all is done, or 1 if the program did wrong
//
// For the timing it keeps what was asked, in order, and a traversal for each
// launch that runs in the timing's order. Where a core takes the last chunk,
// that one keeps what is left of its steps, as the core may then write to what
// they read. Where it only waits, it does not: a core is some instructions
// ahead of its time, and what it writes in them to inputs of the program that
// it waits for may change the time of that program, though never a value.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TMU_TMUDEVICE_H
#define EMBER_SIM_TMU_TMUDEVICE_H

#include "ember/Sim/Cache/Ring.h"
#include "ember/Sim/TMU/Marshaling.h"

#include <deque>
#include <memory>

namespace ember::sim {

class TMUDevice final : public DeviceHandler {
public:
  static constexpr uint64_t pageBytes = 4096;
  enum Register : uint64_t {
    launchRegister = 0x00,
    takeRegister = 0x08,
    handBackRegister = 0x10,
    waitRegister = 0x18,
  };

  /// `configuration` and `memory` have to outlive it; `chunks` of the output
  /// queue are used in turn.
  TMUDevice(llvm::StringRef name, const Configuration &configuration,
            GuestMemory &memory, uint64_t chunks);

  /// Gives the registers and the chunks their addresses, multiples of a page.
  llvm::Error map(uint64_t registers, uint64_t queue);
  /// Bytes of all chunks.
  uint64_t queueBytes() const { return storage.size(); }
  uint64_t chunkAddress(uint64_t number) const {
    return queueAddress + number % chunks * stride;
  }

  void load(uint64_t address, void *bytes, unsigned size) override;
  void store(uint64_t address, const void *bytes, unsigned size) override;

  /// What went wrong first, in the unit's program or in the core's use of it.
  llvm::Error takeError();

  /// What the core did, in its order, for the timing.
  struct Operation {
    Register kind = launchRegister;
    /// Of a launch that began nothing, false.
    bool valid = true;
  };
  /// Keeps operations, and traversals for the timing.
  void record() { records = true; }
  bool hasOperation() const { return !operations.empty(); }
  Operation takeOperation() {
    Operation operation = operations.front();
    operations.pop();
    return operation;
  }
  /// The traversal of the next valid launch that is timed.
  std::unique_ptr<Traversal> takeReplay() {
    std::unique_ptr<Traversal> replay = std::move(replays.front());
    replays.pop_front();
    // The newest one is still told when its program is over.
    lastReplay = replays.empty() ? replay.get() : nullptr;
    return replay;
  }
  /// The traversal that `takeReplay` gave is not used any more.
  void dropReplay(const Traversal *replay) {
    if (lastReplay == replay)
      lastReplay = nullptr;
  }

private:
  /// Steps that a traversal for the timing may keep when its program is over.
  static constexpr uint64_t mostKept = 1 << 16;

  /// A launched program.
  struct Run {
    Run(const TMUProgram &program, std::vector<uint64_t> captures,
        GuestMemory &memory)
        : traversal(program, std::move(captures), memory, /*stores=*/true),
          order(static_cast<unsigned>(program.layers.size())), layout(program),
          chunk(program.chunkBytes) {}

    Traversal traversal;
    TraversalOrder order;
    ChunkLayout layout;
    /// The chunk that is filled.
    std::vector<uint8_t> chunk;
    /// What the last event wrote, as far as it is not in the chunk.
    llvm::SmallVector<ChunkWrite, 16> writes;
    size_t written = 0;
    TraversalOrder::Visit visit{TraversalOrder::Kind::begin, 0};
    uint64_t made = 0;
    bool over = false;
    bool failed = false;
  };

  void launch(uint64_t block);
  uint64_t take();
  void handBack();
  uint64_t wait();
  /// Fills a chunk. False if there is none any more.
  bool makeChunk();
  void advance();
  void complain(const llvm::Twine &what);
  void keep(Register kind, bool valid = true) {
    if (records)
      operations.push({kind, valid});
  }

  const std::string name;
  const Configuration &configuration;
  GuestMemory &memory;
  const uint64_t chunks;
  uint64_t stride = 0;
  std::vector<uint8_t> storage;
  uint64_t registerAddress = 0;
  uint64_t queueAddress = 0;
  std::unique_ptr<Run> run;
  uint64_t taken = 0;
  uint64_t handedBack = 0;
  std::string message;
  bool records = false;
  Ring<Operation> operations;
  std::deque<std::unique_ptr<Traversal>> replays;
  Traversal *lastReplay = nullptr;
};

} // namespace ember::sim

#endif
