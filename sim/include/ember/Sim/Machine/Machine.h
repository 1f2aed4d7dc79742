//===- Machine.h - A whole machine ------------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembles the parts that a description names, runs programs on its cores,
// and says what each part counted. Whoever wants to ask memory beside the
// cores, an access unit or a generator of requests, finds ports at the L2 of a
// core and at the last level.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_MACHINE_MACHINE_H
#define EMBER_SIM_MACHINE_MACHINE_H

#include "ember/Sim/Cache/CoherentPort.h"
#include "ember/Sim/Core/OutOfOrderCore.h"
#include "ember/Sim/Machine/AccessUnit.h"
#include "ember/Sim/Machine/CoreTranslator.h"
#include "ember/Sim/Machine/GuestValues.h"
#include "ember/Sim/Machine/MachineParameters.h"
#include "ember/Sim/Machine/MemoryNetwork.h"
#include "ember/Sim/Trace/DRAMTrace.h"
#include "ember/Sim/Trace/OccupancyTrace.h"
#include "ember/Sim/Trace/PipelineTrace.h"

#include <deque>
#include <functional>
#include <memory>

namespace ember::sim {

class Machine : private NearHomes {
public:
  /// `parameters` are valid.
  explicit Machine(const MachineParameters &parameters);
  Machine(const Machine &) = delete;

  /// Lets a core do what an emulator was told to, at the next `run`. Once for
  /// each core. A device answers for addresses of devices; without one, the
  /// unit beside the core does.
  OutOfOrderCore &setProgram(unsigned core, Emulator &emulator,
                             MemoryPort *device = nullptr);

  /// Where an access unit beside a core meets the machine; so many lines at a
  /// time can be asked of the last level.
  AccessUnitPorts unitPorts(unsigned core, uint64_t outstanding);
  /// A unit beside a core, before the core gets a program. It outlives the
  /// machine's runs and is counted under a name, "core0.tmu".
  void attach(unsigned core, AccessUnit &unit, llvm::StringRef kind);

  /// Where an access unit beside a core asks the last level for whole lines,
  /// so many at a time.
  CoherentPort &addUnit(unsigned core, uint64_t outstanding);
  /// What translates for it.
  Tlb &l2Tlb(unsigned core) { return tiles[core].l2Tlb; }

  /// Runs until all programs have ended. The error says which did wrong, or,
  /// if nothing moves any more, what waits for what.
  llvm::Error run();
  /// Runs until nothing is on its way any more.
  void drain();

  // The parts of `run`.
  /// Cores begin with what their emulators were told to do.
  void start();
  /// Runs until each core with a program is finished, or as is asked for, which
  /// it stays.
  llvm::Error runUntil(llvm::function_ref<bool(const OutOfOrderCore &)> isDone);
  /// What went wrong in programs and units.
  llvm::Error takeErrors();

  /// Lets cores, which hold, execute so many instructions each, by turns and
  /// without time: caches, translation buffers and predictors learn of them,
  /// and nothing is counted. Nothing is on its way.
  llvm::Error fastForward(llvm::ArrayRef<uint64_t> instructions);

  /// Calls `listener` now and then while programs run, with the instructions
  /// that all cores have executed.
  void listen(std::function<void(uint64_t instructions)> listener) {
    progressListener = std::move(listener);
  }
  uint64_t executed() const;

  /// Shows banks, units, and what is in use. Cores have their programs and
  /// units before that; the trace outlives the machine.
  void trace(PerfettoTrace &to);
  /// Shows the instructions of all cores, which have their programs.
  void trace(KonataTrace &to);
  /// Nothing more is to be shown.
  void endTrace();

  Engine &clockwork() { return engine; }
  const MachineParameters &description() const { return parameters; }
  const Mesh &network() const { return mesh; }
  MemorySystem &dram() { return memory; }
  Cache &l1d(unsigned core) { return tiles[core].l1d; }
  Cache &l2(unsigned core) { return tiles[core].l2; }
  bool hasCore(unsigned core) const { return tiles[core].core != nullptr; }
  OutOfOrderCore &core(unsigned core) { return *tiles[core].core; }
  LastLevelSlice &slice(unsigned index) { return slices[index].slice; }
  /// The slice that is the home of a line.
  unsigned sliceOf(uint64_t line) const;
  /// Nodes of the mesh, for distances.
  uint32_t coreNode(unsigned core) const { return tiles[core].node; }
  uint32_t sliceNode(unsigned slice) const { return slices[slice].node; }
  uint32_t sliceMemoryNode(unsigned slice) const {
    return slices[slice].memoryNode;
  }
  uint32_t channelNode(unsigned channel) const { return channelNodes[channel]; }

  /// What waits for what, a line each.
  std::string waits() const;
  /// All counts, for example core0.l1d.hits.
  llvm::json::Object statistics();
  /// What each count means.
  llvm::json::Object describeStatistics() const;

private:
  /// A core and what is its own.
  struct Tile {
    Tile(Engine &engine, Mesh &mesh, CoherencePackets &packets,
         const HomeMap &homes, const MachineParameters &parameters,
         const std::string &name);

    Cache l1d;
    Cache l2;
    CoherentPort port;
    Tlb l2Tlb;
    Tlb l1Tlb;
    CoreTranslator translator;
    GuestValues values;
    std::unique_ptr<OutOfOrderCore> core;
    AccessUnit *unit = nullptr;
    Emulator *program = nullptr;
    uint32_t node = 0;
    /// Of what was fast-forwarded last.
    uint64_t warmedPage = ~uint64_t{0};
  };
  struct Slice {
    Slice(Engine &engine, Mesh &mesh, CoherencePackets &packets,
          MemoryTransactions &transactions, const MemorySystem &memory,
          const std::vector<uint32_t> &channelNodes,
          const MachineParameters &parameters, const std::string &name);

    ChannelPort port;
    LastLevelSlice slice;
    uint32_t node = 0;
    uint32_t memoryNode = 0;
  };

  // Of fast-forwarding.
  Request warm(const Request &request, uint32_t from) override;
  void warmVictim(uint64_t line, LineState state, uint32_t from) override;
  void warm(Tile &tile, const DynamicInstruction &executed);
  llvm::Error fastForward(Tile &tile, uint64_t instructions);

  void registerStatistics();
  /// Handles the next tick that has events; false if there is none.
  bool step();
  /// Tells the listener, every now and then.
  void tell();
  /// Changes whenever an instruction retires or something arrives.
  uint64_t progress() const;

  const MachineParameters parameters;
  Engine engine;
  Mesh mesh;
  MemorySystem memory;
  CoherencePackets packets;
  MemoryTransactions transactions;
  HomeMap homes;
  std::vector<uint32_t> channelNodes;
  std::deque<Tile> tiles;
  std::deque<Slice> slices;
  std::deque<ChannelNode> channels;
  std::deque<CoherentPort> units;
  Statistics registry;
  std::unique_ptr<DRAMTrace> bankTrace;
  std::unique_ptr<OccupancyTrace> occupancyTrace;
  std::deque<PipelineTrace> pipelineTraces;
  std::function<void(uint64_t)> progressListener;
  uint64_t untold = 0;
};

} // namespace ember::sim

#endif
