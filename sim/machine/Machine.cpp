//===- Machine.cpp - A whole machine --------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Machine/Machine.h"

#include "ember/Sim/Energy/EnergyModel.h"

#include "llvm/ADT/STLExtras.h"

using namespace ember::sim;

/// Ticks with events, or turns of fast-forwarding, between two calls of the
/// listener: some milliseconds.
static constexpr uint64_t listenerSteps = 1 << 12;

static std::string numbered(const char *name, size_t number) {
  return name + std::to_string(number);
}

Machine::Tile::Tile(Engine &engine, Mesh &mesh, CoherencePackets &packets,
                    const HomeMap &homes, const MachineParameters &parameters,
                    const std::string &name)
    : l1d(engine, parameters.l1d, name + ".l1d"),
      l2(engine, parameters.l2, name + ".l2"),
      port(engine, mesh, packets, homes, &l2, parameters.l2.mshrs),
      // Walks go through the L2: lines of tables are of no use in the L1D, and
      // take none of its ports.
      l2Tlb(engine, parameters.l2Tlb, nullptr, &l2),
      l1Tlb(engine, parameters.l1Tlb, &l2Tlb, nullptr), translator(l1Tlb) {
  l1d.setBelow(l2);
  l1d.setValues(values);
  l2.setValues(values);
  l2.addUpper(l1d);
  l2.setBelow(port);
}

Machine::Slice::Slice(Engine &engine, Mesh &mesh, CoherencePackets &packets,
                      MemoryTransactions &transactions,
                      const MemorySystem &memory,
                      const std::vector<uint32_t> &channelNodes,
                      const MachineParameters &parameters,
                      const std::string &name)
    : port(mesh, transactions, memory, channelNodes, parameters.channelCredits,
           name),
      slice(engine, mesh, packets, parameters.lastLevel, port) {}

Machine::Machine(const MachineParameters &description)
    : parameters(description), mesh(engine, parameters.mesh),
      memory(engine, parameters.memory) {
  // Directories have a bit for each core, so their nodes come first.
  for (unsigned i = 0; i < parameters.cores; ++i) {
    std::string name = numbered("core", i);
    Tile &tile =
        tiles.emplace_back(engine, mesh, packets, homes, parameters, name);
    RouterPlace at =
        parameters.place(parameters.corePlacement, i, parameters.cores);
    tile.node = mesh.attach(tile.port, at.column, at.row, name);
    tile.port.setNode(tile.node);
    tile.port.setNearHomes(*this);
  }
  uint64_t channelCount = parameters.memory.geometry.channels;
  for (unsigned i = 0; i < channelCount; ++i) {
    std::string name = numbered("memory channel ", i);
    ChannelNode &channel = channels.emplace_back(
        mesh, transactions, memory,
        static_cast<unsigned>(parameters.memory.geometry.pseudoChannels), name);
    RouterPlace at =
        parameters.place(parameters.memoryPlacement, i, channelCount);
    channelNodes.push_back(mesh.attach(channel, at.column, at.row, name));
  }
  for (unsigned i = 0; i < parameters.slices; ++i) {
    std::string name = numbered("llc", i);
    Slice &slice = slices.emplace_back(engine, mesh, packets, transactions,
                                       memory, channelNodes, parameters, name);
    RouterPlace at =
        parameters.place(parameters.slicePlacement, i, parameters.slices);
    slice.node = mesh.attach(slice.slice, at.column, at.row, name);
    slice.slice.setNode(slice.node);
    homes.nodes.push_back(slice.node);
    slice.memoryNode =
        mesh.attach(slice.port, at.column, at.row, name + ".memory");
    slice.port.setNode(slice.memoryNode);
  }
  registerStatistics();
}

OutOfOrderCore &Machine::setProgram(unsigned index, Emulator &emulator,
                                    MemoryPort *device) {
  Tile &tile = tiles[index];
  std::string name = numbered("core", index);
  if (!device && tile.unit)
    device = &tile.unit->devicePort();
  tile.core =
      std::make_unique<OutOfOrderCore>(name, parameters.core, engine, emulator,
                                       tile.l1d, device, &tile.translator);
  tile.core->addTo(registry, name);
  tile.program = &emulator;
  tile.values.setMemory(*emulator.state().memory);
  return *tile.core;
}

CoherentPort &Machine::addUnit(unsigned core, uint64_t outstanding) {
  CoherentPort &unit = units.emplace_back(engine, mesh, packets, homes,
                                          /*cache=*/nullptr, outstanding);
  RouterPlace at =
      parameters.place(parameters.corePlacement, core, parameters.cores);
  unit.setNode(
      mesh.attach(unit, at.column, at.row, numbered("unit", units.size() - 1)));
  return unit;
}

AccessUnitPorts Machine::unitPorts(unsigned core, uint64_t outstanding) {
  Tile &tile = tiles[core];
  return {engine, tile.l1d, tile.l2, addUnit(core, outstanding), tile.l2Tlb};
}

void Machine::attach(unsigned core, AccessUnit &unit, llvm::StringRef kind) {
  tiles[core].unit = &unit;
  tiles[core].l1d.setObserver(unit.loadObserver());
  unit.addTo(registry, numbered("core", core) + "." + kind.str());
}

unsigned Machine::sliceOf(uint64_t line) const {
  uint32_t node = homes(line);
  auto found = llvm::find(homes.nodes, node);
  return static_cast<unsigned>(found - homes.nodes.begin());
}

uint64_t Machine::progress() const {
  uint64_t done = mesh.delivered();
  for (const Tile &tile : tiles)
    done += (tile.core ? tile.core->counters().instructions : 0) +
            tile.l1d.counts().fills + (tile.unit ? tile.unit->progress() : 0);
  return done;
}

llvm::Error Machine::run() {
  start();
  if (llvm::Error error =
          runUntil([](const OutOfOrderCore &core) { return core.finished(); }))
    return error;
  return takeErrors();
}

void Machine::start() {
  for (Tile &tile : tiles)
    if (tile.core)
      tile.core->start();
}

llvm::Error
Machine::runUntil(llvm::function_ref<bool(const OutOfOrderCore &)> isDone) {
  Tick patience = ticksOf(parameters.watchdog);
  Tick since = engine.now();
  uint64_t before = progress();
  // All before this one are done.
  size_t first = 0;
  auto failed = [&](const char *what) {
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        llvm::Twine(what) + " at " +
            std::to_string(nanosecondsOf(engine.now())) +
            " ns; what waits for what:\n" + waits());
  };
  while (true) {
    while (first < tiles.size() &&
           (!tiles[first].core || tiles[first].core->finished() ||
            isDone(*tiles[first].core)))
      ++first;
    if (first == tiles.size())
      return llvm::Error::success();
    if (!step())
      return failed("nothing is on its way any more");
    tell();
    if (engine.now() - since < patience)
      continue;
    if (progress() == before)
      return failed("nothing has moved for the watchdog's time");
    before = progress();
    since = engine.now();
  }
}

llvm::Error Machine::takeErrors() {
  llvm::Error errors = llvm::Error::success();
  for (Tile &tile : tiles) {
    if (tile.core)
      errors = llvm::joinErrors(std::move(errors), tile.core->takeError());
    if (tile.unit)
      errors = llvm::joinErrors(std::move(errors), tile.unit->takeError());
  }
  return errors;
}

void Machine::drain() {
  while (step()) {
  }
}

bool Machine::step() {
  bool any = engine.step();
  if (occupancyTrace)
    occupancyTrace->advance(engine.now());
  return any;
}

uint64_t Machine::executed() const {
  uint64_t instructions = 0;
  for (const Tile &tile : tiles)
    instructions += tile.program ? tile.program->executed() : 0;
  return instructions;
}

void Machine::tell() {
  if (!progressListener || ++untold < listenerSteps)
    return;
  untold = 0;
  progressListener(executed());
}

void Machine::trace(PerfettoTrace &to) {
  bankTrace = std::make_unique<DRAMTrace>(to, parameters.memory.geometry);
  memory.observe(*bankTrace);
  occupancyTrace = std::make_unique<OccupancyTrace>(to, registry);
  for (Tile &tile : tiles)
    if (tile.unit)
      tile.unit->trace(to);
}

void Machine::trace(KonataTrace &to) {
  for (auto [index, tile] : llvm::enumerate(tiles)) {
    if (!tile.core)
      continue;
    PipelineTrace &shown = pipelineTraces.emplace_back(
        to, static_cast<uint32_t>(index), tile.core->program());
    tile.core->observe(shown);
  }
}

void Machine::endTrace() {
  memory.settle();
  if (bankTrace)
    bankTrace->finish(engine.now());
}

std::string Machine::waits() const {
  std::string text;
  auto add = [&](const Waiter &waiter) {
    std::string line = waiter.waits();
    if (!line.empty() && line.back() != '\n')
      line += '\n';
    text += line;
  };
  for (const Tile &tile : tiles) {
    if (tile.core)
      add(*tile.core);
    if (tile.unit)
      add(*tile.unit);
    for (const Waiter *waiter : {static_cast<const Waiter *>(&tile.l1Tlb),
                                 static_cast<const Waiter *>(&tile.l2Tlb),
                                 static_cast<const Waiter *>(&tile.l1d),
                                 static_cast<const Waiter *>(&tile.l2),
                                 static_cast<const Waiter *>(&tile.port)})
      add(*waiter);
  }
  for (const CoherentPort &unit : units)
    add(unit);
  for (const Slice &slice : slices) {
    add(slice.slice);
    add(slice.port);
  }
  for (const ChannelNode &channel : channels)
    add(channel);
  add(mesh);
  add(memory);
  return text;
}

void Machine::registerStatistics() {
  registry.add(
      "machine.nanoseconds", [this] { return nanosecondsOf(engine.now()); },
      "simulated time");
  for (auto [index, tile] : llvm::enumerate(tiles)) {
    std::string name = numbered("core", index);
    tile.l1d.addTo(registry, name + ".l1d");
    tile.l2.addTo(registry, name + ".l2");
    tile.port.addTo(registry, name + ".port");
    tile.l1Tlb.addTo(registry, name + ".l1Tlb");
    tile.l2Tlb.addTo(registry, name + ".l2Tlb");
  }
  for (auto [index, slice] : llvm::enumerate(slices)) {
    std::string name = numbered("llc", index);
    slice.slice.addTo(registry, name);
    slice.port.addTo(registry, name);
  }
  for (auto [index, channel] : llvm::enumerate(channels))
    channel.addTo(registry, numbered("channel", index));
  mesh.addTo(registry, "mesh");
  memory.addTo(registry, "memory");
}

llvm::json::Object Machine::statistics() {
  memory.settle();
  llvm::json::Object counts = registry.toJSON(engine.now());
  counts["energy"] = EnergyAccount(parameters, counts).toJSON();
  return counts;
}

llvm::json::Object Machine::describeStatistics() const {
  return registry.describe();
}
