//===- EnergyModel.cpp - What a run cost ----------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Energy/EnergyModel.h"

#include "llvm/ADT/SmallVector.h"

#include <cmath>

using namespace ember::sim;
using llvm::StringRef;
namespace json = llvm::json;

/// The size of the array whose accesses a parameter gives.
static constexpr double arrayBytes = 8192;
static constexpr double wordBytes = 8;
/// The size of the row whose activation a parameter gives.
static constexpr double activatedBytes = 1024;
static constexpr double bytesPerKibibyte = 1024;

static constexpr const char *partNames[] = {"cores",       "l1d",       "l2",
                                            "translation", "lastLevel", "mesh",
                                            "memory",      "units"};

class EnergyAccount::Counts {
public:
  Counts(const json::Object *object, std::string path,
         std::vector<std::string> &absent)
      : object(object), path(std::move(path)), absent(absent) {}

  explicit operator bool() const { return object; }
  double operator[](StringRef name) const {
    std::optional<double> number =
        object ? object->getNumber(name) : std::nullopt;
    if (!number)
      absent.push_back(path + "." + name.str());
    return number.value_or(0);
  }
  Counts part(StringRef name) const {
    return Counts(object ? object->getObject(name) : nullptr,
                  path + "." + name.str(), absent);
  }
  /// A part that some machines have.

private:
  const json::Object *object;
  std::string path;
  std::vector<std::string> &absent;
};

double EnergyAccount::array(double bytes, uint64_t size) const {
  const EnergyParameters &energy = machine.energy;
  return energy.arrayWord * bytes / wordBytes *
         std::pow(static_cast<double>(size) / arrayBytes, energy.arrayExponent);
}

double EnergyAccount::search(uint64_t entries) const {
  return machine.energy.searchedEntry * static_cast<double>(entries);
}

EnergyAccount::EnergyAccount(const MachineParameters &parameters,
                             const json::Object &statistics)
    : machine(parameters) {
  Counts all(&statistics, "", absent);
  seconds = all.part("machine")["nanoseconds"] * 1e-9;
  for (uint64_t i = 0; i < machine.cores; ++i) {
    Counts tile = all.part("core" + std::to_string(i));
    addCore(tile);
    addCache(l1d, machine.l1d, tile.part("l1d"));
    addCache(l2, machine.l2, tile.part("l2"));
    addTranslation(machine.l1Tlb, tile.part("l1Tlb"));
    addTranslation(machine.l2Tlb, tile.part("l2Tlb"));
    if (Counts unit = tile.part("tmu"))
      addUnit(unit);
    if (Counts engine = tile.part("indirection"))
      addEngine(engine);
  }
  for (uint64_t i = 0; i < machine.slices; ++i)
    addSlice(all.part("llc" + std::to_string(i)));
  addMesh(all.part("mesh"));
  addMemory(all.part("memory"));
}

void EnergyAccount::addCore(const Counts &core) {
  const EnergyParameters &energy = machine.energy;
  const CoreParameters &sizes = machine.core;
  hold(cores,
       energy.core + energy.entry * static_cast<double>(
                                        sizes.reorderBuffer + sizes.issueQueue +
                                        sizes.loadQueue + sizes.storeQueue));
  Counts issued = core.part("issued");
  // Cores without a program count nothing.
  if (!issued)
    return;
  spend(cores, core["instructions"] * energy.instruction);
  double vectors = issued["vector"];
  double products = issued["complex"];
  double simple = issued["simple"] + issued["integer"] + issued["branch"] +
                  issued["memory"] + issued["storeData"];
  spend(cores, simple * energy.operation + products * energy.product +
                   vectors * static_cast<double>(machine.vectorBytes) *
                       energy.vectorByte);
  // Two registers are read and one is written.
  constexpr double registers = 3;
  uint64_t vectorFile = sizes.vectorRegisters * machine.vectorBytes;
  spend(cores, registers *
                   ((simple + products) *
                        array(wordBytes, sizes.generalRegisters *
                                             static_cast<uint64_t>(wordBytes)) +
                    vectors * array(static_cast<double>(machine.vectorBytes),
                                    vectorFile)));
  // An entry is written at rename and read at retirement, and all that wait
  // look at what is done.
  auto entry = static_cast<double>(energy.reorderEntryBytes);
  spend(cores,
        core["operations"] *
            (2 * array(entry, sizes.reorderBuffer * energy.reorderEntryBytes) +
             search(sizes.issueQueue)));
  auto queued = static_cast<double>(energy.queueEntryBytes);
  auto queue = [&](uint64_t own, uint64_t other) {
    return 2 * array(queued, own * energy.queueEntryBytes) + search(other);
  };
  spend(cores, core["loads"] * queue(sizes.loadQueue, sizes.storeQueue) +
                   core["stores"] * queue(sizes.storeQueue, sizes.loadQueue));
}

void EnergyAccount::addCache(Part part, const CacheParameters &cache,
                             const Counts &counts) {
  double missed = counts["misses"] + counts["merges"];
  double bytes = (counts["hits"] + missed) * lineBytes + counts["filledBytes"] +
                 counts["writtenBackBytes"];
  spend(part, array(bytes, cache.size) +
                  array(counts["snoops"] * wordBytes, cache.size) +
                  missed * search(cache.mshrs));
  hold(part, static_cast<double>(cache.size) / bytesPerKibibyte *
                     machine.energy.arrayKibibyte +
                 static_cast<double>(cache.mshrs) * machine.energy.entry);
}

void EnergyAccount::addTranslation(const TlbParameters &tlb,
                                   const Counts &counts) {
  double asked = counts["hits"] + counts["misses"] + counts["merges"];
  auto bytes = static_cast<uint64_t>(wordBytes) * tlb.entries;
  spend(translation, asked * (search(tlb.ways) + array(wordBytes, bytes)));
  hold(translation, static_cast<double>(bytes) / bytesPerKibibyte *
                        machine.energy.arrayKibibyte);
}

void EnergyAccount::addSlice(const Counts &slice) {
  const LastLevelParameters &sizes = machine.lastLevel;
  double requests = slice["requests"];
  double lines = slice["hits"] + slice["installs"] + slice["memoryWrites"];
  spend(lastLevel, array(requests * wordBytes + lines * lineBytes, sizes.size) +
                       requests * search(sizes.mshrs));
  hold(lastLevel, static_cast<double>(sizes.size) / bytesPerKibibyte *
                          machine.energy.arrayKibibyte +
                      static_cast<double>(sizes.mshrs) * machine.energy.entry);
}

void EnergyAccount::addMesh(const Counts &counts) {
  const MeshParameters &sizes = machine.mesh;
  spend(mesh, counts["flitHops"] * static_cast<double>(sizes.linkBytes) *
                  machine.energy.hopByte);
  hold(mesh,
       static_cast<double>(sizes.columns * sizes.rows) * machine.energy.router);
}

void EnergyAccount::addMemory(const Counts &counts) {
  const EnergyParameters &energy = machine.energy;
  const DRAMGeometry &geometry = machine.memory.geometry;
  constexpr double bits = 8;
  double row =
      energy.activate * static_cast<double>(geometry.rowBytes) / activatedBytes;
  auto refreshed = static_cast<double>(energy.refreshedRows);
  if (machine.memory.controller.refresh == Refresh::perBank)
    refreshed /= static_cast<double>(geometry.banksOfRank());
  spend(memory, (counts["activates"] + counts["refreshes"] * refreshed) * row +
                    counts["bytesRead"] * bits * energy.readBit +
                    counts["bytesWritten"] * bits * energy.writeBit);
  hold(memory, static_cast<double>(geometry.channels) * energy.channel);
}

void EnergyAccount::addUnit(const Counts &unit) {
  const EnergyParameters &energy = machine.energy;
  const TMUParameters &sizes = machine.tmu;
  uint64_t storage = sizes.laneStorage * sizes.lanes;
  double steps = 0;
  for (uint64_t layer = 0; layer < sizes.layers; ++layer)
    steps += unit.part("layer" + std::to_string(layer))["steps"];
  Counts requests = unit.part("requests");
  Counts output = unit.part("output");
  double lines = requests["lines"] + requests["storedLines"];
  // An element is written to its queue and read from it.
  spend(units,
        steps * (energy.unitStep + 2 * array(wordBytes, sizes.laneStorage)) +
            lines * (energy.unitStep + search(sizes.outstanding)));
  spend(units, array(requests["loadedBytes"] + output["pushedBytes"], storage));
  hold(units, energy.unit +
                  static_cast<double>(storage) / bytesPerKibibyte *
                      energy.arrayKibibyte +
                  static_cast<double>(sizes.outstanding) * energy.entry);
}

void EnergyAccount::addEngine(const Counts &engine) {
  const EnergyParameters &energy = machine.energy;
  const IndirectionParameters &sizes = machine.indirection;
  uint64_t queue = sizes.queue * wordBytes;
  double lines = engine["indexLines"] + engine["rowLines"];
  // A line waits in the queue; a line of indices is read.
  spend(units, lines * (energy.unitStep + search(sizes.outstanding) +
                        2 * array(wordBytes, queue)));
  spend(units, array(engine["indexLines"] * lineBytes, queue));
  hold(units, energy.unit +
                  static_cast<double>(queue) / bytesPerKibibyte *
                      energy.arrayKibibyte +
                  static_cast<double>(sizes.outstanding) * energy.entry);
}

double EnergyAccount::total() const {
  double sum = 0;
  for (const Joules &part : joules)
    sum += part.dynamic + part.idle;
  return sum;
}

json::Object EnergyAccount::toJSON() const {
  json::Object parts;
  for (unsigned part = 0; part < partCount; ++part)
    parts[partNames[part]] = json::Object{{"dynamic", joules[part].dynamic},
                                          {"static", joules[part].idle}};
  return json::Object{{"joules", std::move(parts)},
                      {"totalJoules", total()},
                      {"watts", watts()},
                      {"isRelative", true}};
}
