//===- OutputQueue.h - When chunks are full ---------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The timing of the output queue. Pushes gather in lines, which are written to
// the L2 of the core as a whole, without being read first; a chunk is full when
// it has ended and all of its lines are written. Chunks are used in turn, and
// one is filled again when the core has handed it back.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TMU_OUTPUTQUEUE_H
#define EMBER_SIM_TMU_OUTPUTQUEUE_H

#include "ember/Sim/Machine/AccessUnit.h"
#include "ember/Sim/TMU/Marshaling.h"
#include "ember/Sim/TMU/TMUParameters.h"
#include "ember/Sim/TMU/TMUTrace.h"

namespace ember::sim {

class OutputQueue final : public Requester {
public:
  class Listener {
  public:
    /// A line is written.
    virtual void lineWritten() = 0;

  protected:
    ~Listener() = default;
  };

  OutputQueue(const TMUParameters &parameters, Engine &engine, MemoryPort &l2,
              Listener &listener);

  /// A program begins: no chunk is held any more.
  void restart(const TMUProgram &program, std::vector<uint64_t> chunkAddresses);

  /// Whether a chunk may be filled and a line be written.
  bool hasChunk() const { return filling - handedBack < parameters.chunks; }
  bool hasRoom() const { return inFlight < parameters.outputLines; }
  void write(const ChunkWrite &write);

  /// Whether the next chunk that is taken is full.
  bool canTake() const { return taken < written; }
  void take();
  void handBack();
  bool isIdle() const { return !inFlight; }
  uint64_t chunksMade() const { return filling; }

  void complete(const Request &request) override;
  void retry() override {}
  std::string waits() const;
  void addTo(Statistics &statistics, llvm::StringRef path) const;
  void trace(TMUTrace &to) { observer = &to; }

  struct Counters {
    uint64_t tokens = 0, operands = 0, pushedBytes = 0, chunks = 0, lines = 0;
  };
  const Counters &counters() const { return count; }

private:
  static constexpr uint64_t noLine = ~uint64_t{0};

  struct Chunk {
    uint64_t linesLeft = 0;
    bool closed = false;
    Tick since = 0;
  };

  Chunk &chunk(uint64_t number) { return chunks[number % chunks.size()]; }
  /// The line of a part of the chunk moves on; what is left is written.
  void move(uint64_t &current, uint64_t first, uint64_t last);
  void flush(uint64_t &current);
  void close();
  void note(uint64_t number, llvm::StringRef state);

  const TMUParameters parameters;
  Engine &engine;
  QueuedPort port;
  Listener &listener;
  TMUTrace *observer = nullptr;
  const TMUProgram *program = nullptr;
  std::vector<uint64_t> addresses;
  std::vector<Chunk> chunks;
  /// Numbers: of the chunk that is filled, and of the first ones that are not
  /// written, not taken, and not handed back.
  uint64_t filling = 0, written = 0, taken = 0, handedBack = 0;
  uint64_t tokenLine = noLine, operandLine = noLine;
  uint64_t inFlight = 0;
  Counters count;
  Occupancy full;
};

} // namespace ember::sim

#endif
