//===- OutOfOrderCore.h - When instructions happen --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The timing of an out-of-order core. It is given the instructions that an
// emulator executes in the program's order, so that it knows each address and
// each branch's way beforehand, and uses that only as a core with its
// predictors could:
//  - Fetch stops at a branch that is predicted wrongly until that is resolved.
//    What a core would have done meanwhile is not simulated.
//  - Instructions are always there: kernels fit any instruction cache.
//  - A load waits for the older store whose bytes it needs, and takes them from
//    it, or, if that has not all of them, from the cache once they are there.
//  - Stores write in order after they retire. Their addresses are translated
//    as soon as they are known, and they retire when that is done: a fault
//    has to be found while the store can still be undone, and the write after
//    that needs the physical address only.
//  - A load of a device waits until it is the oldest instruction.
// The core handles a cycle at a time while anything moves, and nothing at all
// while all of it waits.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CORE_OUTOFORDERCORE_H
#define EMBER_SIM_CORE_OUTOFORDERCORE_H

#include "ember/Sim/Core/BranchPredictor.h"
#include "ember/Sim/Core/CoreParameters.h"
#include "ember/Sim/Core/Emulator.h"
#include "ember/Sim/Engine/Engine.h"
#include "ember/Sim/Engine/Statistics.h"
#include "ember/Sim/Memory/Request.h"

#include <array>
#include <deque>

namespace ember::sim {

/// When an instruction was where.
struct InstructionStages {
  uint64_t sequence;
  uint64_t pc;
  Tick fetch, rename, issue, complete, retire;
};
class StageObserver {
public:
  /// Called as an instruction retires.
  virtual void retired(const InstructionStages &stages) = 0;

protected:
  ~StageObserver() = default;
};

class TranslationRequester {
public:
  virtual void translated(uint64_t id) = 0;
  virtual void retryTranslation() = 0;

protected:
  ~TranslationRequester() = default;
};
/// Makes physical addresses of virtual ones. The addresses are the same; only
/// the time matters.
class Translator {
public:
  /// Whether the translation is there at once, which the request then is
  /// spared.
  virtual bool known(uint64_t address) = 0;

  /// Takes a request, and calls `translated` once, at this or a later tick, or
  /// turns it away and calls `retryTranslation` when it may be asked again.
  virtual bool translate(uint64_t address, TranslationRequester &requester,
                         uint64_t id) = 0;

protected:
  ~Translator() = default;
};

class OutOfOrderCore final : public EventHandler,
                             public Requester,
                             public TranslationRequester,
                             public Waiter {
public:
  /// `device` answers for addresses of devices; without one, `memory` does.
  OutOfOrderCore(llvm::StringRef name, const CoreParameters &parameters,
                 Engine &engine, Emulator &emulator, MemoryPort &memory,
                 MemoryPort *device = nullptr,
                 Translator *translator = nullptr);

  /// Begins at the next cycle to do what the emulator was told to.
  void start();
  /// Everything has retired and is written.
  bool finished() const {
    return sourceEnded && head == fetched && storeHead == storeTail;
  }
  /// When it was.
  Tick finishedAt() const { return end; }

  /// Fetches nothing more until `release`; what was fetched ends.
  void hold() { held = true; }
  /// Nothing that was fetched is left.
  bool isEmpty() const { return head == fetched && storeHead == storeTail; }
  /// Goes on where the emulator is now, whoever brought it there.
  void release();
  /// Learns of a branch that was executed elsewhere.
  void learn(const DynamicInstruction &executed) {
    if (executed.instruction->branch != BranchKind::none)
      predictor.predict(executed);
  }
  /// The time that some instructions take, from when `after` more of them have
  /// retired.
  struct Window {
    uint64_t instructions = 0;
    Tick ticks = 0;
    bool done = false;
  };
  void measure(uint64_t after, uint64_t length);
  const Window &window() const { return measured; }

  /// What went wrong in the program, if anything did.
  llvm::Error takeError() { return std::move(error); }
  void observe(StageObserver &stages) { observer = &stages; }
  const Emulator &program() const { return emulator; }

  void handle(uint64_t argument) override;
  void complete(const Request &request) override;
  void retry() override;
  void translated(uint64_t id) override;
  void retryTranslation() override;
  std::string waits() const override;
  void addTo(Statistics &statistics, llvm::StringRef path) const;

  enum class Cause {
    base,
    branch,
    frontEnd,
    memory,
    queue,
    storeQueue,
    dependences,
    ports,
    execution,
  };
  static constexpr unsigned causes = 9;

  struct Counters {
    uint64_t cycles = 0, instructions = 0, operations = 0, loads = 0,
             stores = 0, branches = 0, mispredictions = 0, forwards = 0,
             loadLines = 0, storeLines = 0, robFull = 0, issueQueueFull = 0,
             loadQueueFull = 0, storeQueueFull = 0, registersFull = 0;
    /// Micro-operations by the kind of port that they need.
    std::array<uint64_t, portKinds> issued = {};
    std::array<uint64_t, causes> stack = {};
    Occupancy rob, issueQueue, loadQueue, storeQueue;
    Histogram loadTicks;
  };
  const Counters &counters() const { return count; }

private:
  static constexpr uint64_t none = ~uint64_t{0};
  /// Latencies are below this many cycles.
  static constexpr unsigned wheelCycles = 512;

  enum class Stage : uint8_t { waiting, ready, issued, done };

  struct Entry {
    uint64_t sequence = 0, pc = 0;
    const StaticInstruction *instruction = nullptr;
    Tick fetch = 0, rename = 0, issue = 0, complete = 0;
    Stage stage = Stage::waiting;
    bool mispredicted = false, device = false, forwarded = false;
    /// A device was asked.
    bool asked = false;
    uint64_t storeIndex = 0;
    uint32_t pending = 0;
    uint32_t operations = 1;
    /// Micro-operations that have a port already.
    uint32_t portsTaken = 0;
    uint32_t linesLeft = 0;
    /// Of a store, addresses that are not translated.
    uint32_t translationsLeft = 0;
    uint32_t general = 0, vectors = 0;
    llvm::SmallVector<MemoryAccess, 4> accesses;
    llvm::SmallVector<uint64_t, 4> dependents;
    /// Those that wait for its address register only.
    llvm::SmallVector<uint64_t, 4> addressDependents;
  };
  /// A store from rename until it is written.
  struct Store {
    uint64_t sequence = 0, pc = 0;
    bool executed = false, retired = false, device = false;
    uint32_t linesLeft = 0, linesAsked = 0;
    llvm::SmallVector<MemoryAccess, 4> accesses;
    llvm::SmallVector<uint64_t, 4> lines;
    /// Loads that need it written.
    llvm::SmallVector<uint64_t, 2> dependents;
  };
  struct LineRequest {
    uint64_t sequence, line, pc;
    bool prefetch;
    /// Only to be translated.
    bool store;
    bool translated;
    /// The cycle in which the address is known.
    uint64_t notBefore;
    /// What the translator knows it by.
    uint64_t translation;
    /// Within the line, and of a load of one value up to 8 bytes its size:
    /// what prefetchers see.
    uint8_t offset = 0, bytes = 0;
  };
  struct Port {
    PortKind kind;
    uint8_t unit;
    uint64_t freeAt = 0;
  };

  Entry &entry(uint64_t sequence) { return entries[sequence & entryMask]; }
  Store &storeAt(uint64_t index) { return storeRing[index & storeMask]; }
  void wake(Tick at);
  void cycle();
  bool retire();
  bool drainStores();
  bool issue();
  bool takePorts(Entry &e);
  bool rename();
  bool fetch();
  bool askForLines();
  void begin(Entry &e);
  /// Asks for the translations of what a store writes; false if there are none.
  bool translateStore(Entry &e);
  /// What was waited for is there at the next edge.
  void finishNow(uint64_t sequence);
  void becomeReady(uint64_t sequence);
  void finish(uint64_t sequence, uint64_t cycles);
  void done(Entry &e);
  void reachMark();
  void release(llvm::SmallVectorImpl<uint64_t> &dependents);
  /// The loads' share of rename: which stores it waits for.
  void findStores(Entry &e);
  bool roomFor(const Entry &e);
  Cause causeNow();
  void account(uint64_t cycles, Cause cause) {
    count.stack[static_cast<unsigned>(cause)] += cycles;
  }

  std::string name;
  CoreParameters parameters;
  Engine &engine;
  Clock clock;
  Emulator &emulator;
  MemoryPort &memory;
  MemoryPort *device;
  Translator *translator;
  StageObserver *observer = nullptr;
  BranchPredictor predictor;
  llvm::Error error = llvm::Error::success();

  std::vector<Entry> entries;
  uint64_t entryMask;
  /// Sequence numbers of the oldest instruction, of the first that is not
  /// renamed, and of the next to be fetched.
  uint64_t head = 0, tail = 0, fetched = 0;
  std::vector<Store> storeRing;
  uint64_t storeMask;
  uint64_t storeHead = 0, storeTail = 0, storeAsking = 0;
  uint64_t frontEndRoom;
  uint64_t storeLinesInFlight = 0;
  uint64_t robUsed = 0, queueUsed = 0, loadsUsed = 0, generalUsed = 0,
           vectorsUsed = 0;
  std::array<uint64_t, registerNames> writers;
  /// Ready to issue, oldest first.
  std::vector<uint64_t> ready;
  std::deque<LineRequest> lines;
  llvm::SmallVector<LineRequest, 8> translating;
  bool memoryRefused = false, deviceRefused = false, translationRefused = false;
  std::vector<Port> ports;
  std::array<std::vector<uint64_t>, wheelCycles> wheel;
  uint64_t wheelCount = 0;

  uint64_t now = 0;
  Tick wakeAt = none;
  bool sourceEnded = false;
  bool held = false;
  Tick end = 0;
  Window measured;
  /// Instructions that will have retired when it begins, or then ends; those
  /// that had when it began.
  uint64_t windowMark = none, windowLength = 0, windowFrom = 0;
  /// None before that.
  Tick windowBegan = none;
  /// The mispredicted branch that fetch waits for, or none.
  uint64_t fetchWaitsFor = none;
  uint64_t fetchFrom = 0;
  Cause lastCause = Cause::frontEnd;
  /// Counts the cycles in which rename waits for room, if it does.
  uint64_t *stalledBy = nullptr;
  bool started = false;
  /// Fetch goes on after a wrong branch, and nothing was renamed yet.
  bool refilling = false;
  uint64_t translations = 0;
  Counters count;
};

} // namespace ember::sim

#endif
