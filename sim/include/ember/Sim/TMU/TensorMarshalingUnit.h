//===- TensorMarshalingUnit.h - A TMU beside a core -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Tensor Marshaling Unit of the Ember paper (section 3.1, figure 5) and of
// MICRO 2023: layers of traversal units load streams by the lines that the
// arbiter asks for, and push tokens and operands, one after the other, into an
// output queue in the core's L2.
//
//   layers -> arbiter -> TLB -> last level, L2, L1D     (LayerPipeline,
//     |                                                   LineFetcher)
//     +-> marshaling -> chunks -> L2 -> core            (ChunkLayout,
//     +-> store streams -> last level, L2                 OutputQueue,
//                                                         StoreBuffer)
//
// What the registers answer is known beforehand (TMUDevice.h); here is when.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TMU_TENSORMARSHALINGUNIT_H
#define EMBER_SIM_TMU_TENSORMARSHALINGUNIT_H

#include "ember/Sim/TMU/LayerPipeline.h"
#include "ember/Sim/TMU/OutputQueue.h"
#include "ember/Sim/TMU/StoreBuffer.h"
#include "ember/Sim/TMU/TMUDevice.h"

namespace ember::sim {

class TensorMarshalingUnit final : public AccessUnit,
                                   public MemoryPort,
                                   public EventHandler,
                                   public LineFetcher::Listener,
                                   public OutputQueue::Listener {
public:
  /// `configuration` and `memory` have to outlive it; `parameters` are valid,
  /// and its programs fit them.
  TensorMarshalingUnit(llvm::StringRef name, const TMUParameters &parameters,
                       const AccessUnitPorts &ports,
                       const Configuration &configuration, GuestMemory &memory);

  /// Gives the registers and the chunks of the queue their addresses.
  llvm::Error map(uint64_t registers, uint64_t queue) {
    return device.map(registers, queue);
  }

  MemoryPort &devicePort() override { return *this; }
  bool isIdle() const override {
    return state == State::idle && operations.empty();
  }
  uint64_t progress() const override { return activeCycles; }
  llvm::Error takeError() override { return device.takeError(); }
  void addTo(Statistics &statistics, llvm::StringRef path) const override;
  std::string waits() const override;

  void trace(PerfettoTrace &to) override;

  bool accept(const Request &request) override;
  void handle(uint64_t argument) override;
  void arrived(const ElementWaiter &waiter) override;
  void stored(uint32_t buffer) override;
  void lineDone() override { wake(); }
  void lineWritten() override { wake(); }

  const LineFetcher::Counters &lines() const { return fetcher.counters(); }
  const OutputQueue::Counters &pushes() const { return output.counters(); }

  /// What the marshaling does in a cycle.
  enum class Marshaling : uint8_t {
    /// It goes on.
    busy,
    /// No program runs, or one begins or ends.
    idle,
    /// Elements are on their way.
    memory,
    /// The layers have no step.
    layers,
    /// The core holds all chunks, or they are full.
    chunks,
    /// Lines of chunks, or of store streams, are being written.
    writes,
  };
  static constexpr unsigned marshalings = 6;

private:
  enum class State : uint8_t { idle, launching, running, finishing };
  enum Event : uint64_t { cycleEvent, arrivalEvent, answerEvent };
  /// In an event's argument, below the tick of a cycle.
  static constexpr unsigned eventBits = 2;

  struct Operation {
    Request request;
    TMUDevice::Operation what;
    Tick since = 0;
  };
  /// A program that runs.
  struct Run {
    Run(std::unique_ptr<Traversal> replay, const TMUParameters &parameters,
        Engine &engine, LineFetcher &fetcher,
        std::vector<LayerCounters> &counters, TMUTrace *trace)
        : traversal(std::move(replay)),
          order(static_cast<unsigned>(traversal->program().layers.size())),
          layout(traversal->program()),
          layers(parameters, engine, *traversal, fetcher, counters, trace) {}

    std::unique_ptr<Traversal> traversal;
    TraversalOrder order;
    ChunkLayout layout;
    LayerPipeline layers;
    llvm::SmallVector<ChunkWrite, 16> writes;
    size_t written = 0;
    /// Of the step that is visited, stores that are not taken.
    unsigned storeLayer = 0;
    uint64_t storeStep = 0;
    size_t nextStore = 0;
    bool hasStores = false;
    bool over = false;
    /// Cycles until the next visit.
    uint64_t pauseLeft = 0;
  };

  void wake();
  void wakeAt(Tick at);
  void cycle();
  void account();
  /// Serves what the core asked, in order. True if something was.
  bool serve();
  bool serveFront();
  void answer(const Operation &operation);
  void launch();
  bool marshal();
  /// Handles the next visit; false if that has to wait.
  bool visit(llvm::MutableArrayRef<uint64_t> stepsLeft);
  bool write();
  bool store(bool &moved);
  bool finish();

  const std::string name;
  const TMUParameters parameters;
  Engine &engine;
  const Clock clock;
  TMUDevice device;
  LineFetcher fetcher;
  StoreBuffer storeBuffer;
  OutputQueue output;
  std::unique_ptr<TMUTrace> observer;

  State state = State::idle;
  Tick ready = 0;
  std::unique_ptr<Run> run;
  Ring<Operation> arriving, operations;
  Ring<Request> answers;
  /// A wait is answered once the program is done; so many launches are.
  uint64_t pushesLeft = 0, linesLeft = 0;
  /// Bytes that may still be pushed; operands gather them over cycles.
  uint64_t bytesLeft = 0;

  bool isAwake = false;
  bool started = false;
  uint64_t now = 0;
  Marshaling marshaling = Marshaling::idle;
  uint64_t activeCycles = 0, cycles = 0, launches = 0, limitedCycles = 0;
  uint64_t coreWaits = 0, coreWaitTicks = 0;
  bool limited = false;
  std::array<uint64_t, marshalings> marshalCycles = {};
  std::vector<LayerCounters> layerCounters;
};

} // namespace ember::sim

#endif
