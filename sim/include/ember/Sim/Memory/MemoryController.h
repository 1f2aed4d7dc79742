//===- MemoryController.h - Who orders the requests of DRAM -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The controller of a pseudo-channel. It holds so many reads and so many
// writes. Of the commands that are legal it issues those that go to open rows
// first, then the oldest (FR-FCFS); once the oldest request has waited for
// longer than a cap, that one goes first. Writes are acknowledged when they are
// in their queue, from where reads of their lines are answered, and go to the
// DRAM when there are many, or nothing is to be read.
//
// The controller plans: it computes the first tick at which a command that it
// wants becomes legal, and sleeps until then, or until a request arrives that
// changes what it wants. While it has no requests there are no events. The
// refreshes of that time are made up for when the next request arrives.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_MEMORY_MEMORYCONTROLLER_H
#define EMBER_SIM_MEMORY_MEMORYCONTROLLER_H

#include "ember/Sim/Engine/Engine.h"
#include "ember/Sim/Engine/Statistics.h"
#include "ember/Sim/Memory/DRAMTiming.h"
#include "ember/Sim/Memory/RequestQueue.h"

#include <array>
#include <string>
#include <vector>

namespace ember::sim {

/// The wires of commands, which the pseudo-channels of a channel share.
struct CommandBuses {
  Tick rowFree = 0;
  Tick columnFree = 0;
};

struct MemoryCounters {
  uint64_t reads = 0;
  uint64_t writes = 0;
  uint64_t forwardedReads = 0;
  uint64_t mergedWrites = 0;
  uint64_t refused = 0;
  uint64_t rowHits = 0;
  uint64_t rowMisses = 0;
  uint64_t rowConflicts = 0;
  uint64_t activates = 0;
  uint64_t windowLimitedActivates = 0;
  uint64_t precharges = 0;
  uint64_t refreshes = 0;
  uint64_t turns = 0;
  uint64_t bytesRead = 0;
  uint64_t bytesWritten = 0;
  uint64_t dataTicks = 0;
};

class MemoryController final : public EventHandler {
public:
  /// `number` is the controller's place in the order of all, which spreads
  /// their refreshes over time.
  MemoryController(Engine &engine, const MemoryParameters &parameters,
                   CommandBuses &buses, unsigned number);

  /// Takes the request of a line that is at `location`, or turns it away.
  bool accept(const Request &request, const DRAMLocation &location);

  void handle(uint64_t argument) override;

  /// Makes up for refreshes of the time without requests, up to now.
  void settle();

  void observe(DRAMObserver &observer) { observers.push_back(&observer); }

  const MemoryCounters &counters() const { return counts; }
  const Histogram &readLatency() const { return latency; }
  void addTo(Statistics &statistics, llvm::StringRef path) const;
  std::string waits(llvm::StringRef name) const;

private:
  enum Mode { reading, writing };
  enum EventKind { wakeUp, arrival, completion, room };
  static constexpr unsigned kindBits = 2;
  static constexpr Tick never = ~Tick{0};

  struct Bank {
    bool open = false;
    bool closedByTimeout = false;
    uint64_t row = 0;
    Tick lastUse = 0;
    Tick timeout = 0;
  };

  /// A command that is wanted. The least urgency goes first.
  struct Candidate {
    Tick at = never;
    uint64_t urgency = ~uint64_t{0};
    uint32_t request = RequestPool::none;
    uint32_t bank = 0;
    DRAMCommand command = DRAMCommand::activate;
    bool wanted() const { return at != never; }
    bool isColumn() const {
      return command == DRAMCommand::read || command == DRAMCommand::write;
    }
  };
  /// What is issued at a tick on either bus.
  struct Plan {
    Tick at = never;
    Candidate column;
    Candidate row;
  };
  struct RankRefresh {
    Tick due = never;
    /// The bank whose turn it is, where banks are refreshed one by one.
    unsigned bank = 0;
  };

  // Requests.
  void arrive(uint32_t index);
  void complete(uint32_t index);
  void giveRoom(Mode kind);
  void retry();
  /// The controller has nothing to read or to write.
  bool idle() const {
    return !queues[reading].size() && !queues[writing].size();
  }
  Mode wantedMode() const;

  // Planning.
  void wake(Tick at);
  void run();
  Plan plan(Tick from);
  void updateMode();
  void updateWanted();
  Candidate wantedOf(unsigned bank, uint32_t hit, uint32_t oldest) const;
  Candidate agedOf(uint32_t request) const;
  Candidate timeoutOf(unsigned bank) const;
  Candidate refreshOf(unsigned rank) const;
  bool blockedByRefresh(unsigned bank, Tick at) const;
  void chooseWanted(Plan &plan, Tick from) const;
  void choose(Plan &plan, const Candidate &candidate) const;

  // Issuing.
  void issue(const Plan &plan);
  void issueColumn(const Candidate &candidate);
  void issueRow(const Candidate &candidate);
  void activate(const Candidate &candidate);
  void precharge(const Candidate &candidate);
  void refresh(unsigned rank, unsigned bank, Tick at, bool whileIdle);
  void prechargeAll(unsigned rank, Tick at, bool whileIdle);
  void close(unsigned bank);
  void catchUp(unsigned rank);
  uint64_t banksOf(unsigned rank) const;
  void notify(DRAMCommand command, unsigned bank, Tick at, uint64_t row,
              uint32_t column, bool whileIdle = false);

  Engine &engine;
  const DRAMGeometry geometry;
  const MemoryControllerParameters parameters;
  CommandBuses &buses;
  const bool sharedBus;
  DRAMTiming timing;
  const Clock clock;
  const Tick frontLatency;
  const Tick backLatency;
  const Tick ageCap;
  const Tick leastTimeout;
  const Tick mostTimeout;
  Tick refreshInterval = 0;
  uint32_t channel;
  uint32_t pseudoChannel;

  RequestPool pool;
  std::array<RequestQueue, 2> queues;
  /// Requests taken, those on their way to the queue included.
  std::array<uint64_t, 2> held = {};
  std::vector<Bank> banks;
  uint64_t openBanks = 0;
  std::vector<RankRefresh> refreshes;
  Mode mode = reading;
  /// The writes were so many that reads have to wait.
  bool draining = false;
  /// What each bank has to do next for the requests that are served now, at the
  /// time at which the bank itself allows it; and a bit for each bank of which
  /// that has changed.
  std::vector<Candidate> wanted;
  uint64_t changedBanks = ~uint64_t{0};
  Plan next;
  bool planIsOld = true;
  Tick wakeAt = never;
  std::array<std::vector<Requester *>, 2> waiting;
  std::vector<Requester *> called;
  bool retryIsDue = false;

  MemoryCounters counts;
  Histogram latency;
  std::array<Occupancy, 2> occupancy;
  std::vector<DRAMObserver *> observers;
};

} // namespace ember::sim

#endif
