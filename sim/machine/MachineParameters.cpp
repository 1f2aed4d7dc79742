//===- MachineParameters.cpp - What a whole machine is like ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Machine/MachineParameters.h"

#include <vector>

using namespace ember::sim;
using llvm::StringRef;

static llvm::Error impossible(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

MachineParameters::MachineParameters() {
  // With the stride prefetcher that finds its indices.
  l1d.prefetcher.kind = PrefetcherKind::indirect;
  l2.size = 512 * 1024;
  l2.ways = 8;
  l2.hitCycles = 8;
  l2.ports = 1;
  l2.queue = 32;
  l2.mshrs = 64;
  l2.writeBackBuffers = 16;
  l2.prefetchReserve = 16;
  l2.prefetcher.kind = PrefetcherKind::bestOffset;
  l1Tlb.latency = 0;
  l2Tlb.entries = 1280;
  l2Tlb.ways = 5;
  l2Tlb.latency = 5;
}

void MachineParameters::visit(ParameterVisitor &visitor) {
  visitor.integer(
      {"cores", "", "cores, each with its caches", Origin::stated, "figure 5"},
      cores, {1, mostCores});
  visitor.integer(
      {"slices", "", "slices of the last level", Origin::stated, "figure 5"},
      slices, {1, 64});
  visitor.integer({"vectorBytes", "bytes", "of a vector register",
                   Origin::stated, "figure 5: 64 B vector units"},
                  vectorBytes, {16, 256, true});
  auto choosePlace = [&](StringRef name, Placement &placement,
                         StringRef description, StringRef reason) {
    visitor.choice({name, "", description, Origin::unknown, reason}, placement,
                   {"spread", "rowMajor", "sides"});
  };
  choosePlace("corePlacement", corePlacement,
              "cores at equal distances over all routers; at the first ones, "
              "row by row; or along the first and the last column",
              "as even as can be");
  choosePlace("slicePlacement", slicePlacement, "the same for slices",
              "a slice beside each core, as in tiled machines");
  choosePlace("memoryPlacement", memoryPlacement, "the same for channels",
              "memory's wires leave a die at its sides");
  visitor.integer({"channelCredits", "lines",
                   "that a slice may have at a channel or on the way there",
                   Origin::unknown,
                   "a slice's MSHRs over some channels; its channels do not "
                   "wait for each other"},
                  channelCredits, {1, 4096});
  visitor.number({"watchdog", "ns",
                  "without any progress until a run is given up",
                  Origin::derived, "longer than any wait for memory"},
                 watchdog, {1, 1e12});
  visitor.part("core", "each core", core);
  visitor.part("l1d", "the first level of caches", l1d);
  visitor.part("l2", "the second level of caches", l2);
  visitor.part("l1Tlb", "the first level of translation buffers", l1Tlb);
  visitor.part("l2Tlb", "the second level, whose walks go through the L2",
               l2Tlb);
  visitor.part("lastLevel", "a slice of the last level, with its directory",
               lastLevel);
  visitor.part("mesh", "the network", mesh);
  visitor.part("memory", "DRAM and its controllers", memory);
  visitor.part("tmu", "the Tensor Marshaling Unit beside each core", tmu);
  visitor.part("indirection",
               "the engine that prefetches rows beside each core", indirection);
  visitor.part("energy", "what events cost, to compare machines", energy);
}

RouterPlace MachineParameters::place(Placement placement, uint64_t index,
                                     uint64_t count) const {
  uint64_t columns = mesh.columns;
  uint64_t routers = columns * mesh.rows;
  if (placement == Placement::sides && columns > 1) {
    uint64_t side = index * 2 * mesh.rows / count % (2 * mesh.rows);
    return {static_cast<unsigned>(side < mesh.rows ? 0 : columns - 1),
            static_cast<unsigned>(side % mesh.rows)};
  }
  uint64_t router =
      placement == Placement::rowMajor ? index : index * routers / count;
  router %= routers;
  uint64_t row = router / columns;
  // A column further in each row, as nodes at one column would share its links.
  uint64_t shift = placement == Placement::spread ? row : 0;
  return {static_cast<unsigned>((router + shift) % columns),
          static_cast<unsigned>(row)};
}

/// An error of a part, with the part's name.
static llvm::Error within(StringRef part, llvm::Error error) {
  if (!error)
    return error;
  return impossible(part + ": " + llvm::toString(std::move(error)));
}

llvm::Error MachineParameters::validate() const {
  llvm::Error parts[] = {within("core", core.validate()),
                         within("l1d", l1d.validate()),
                         within("l2", l2.validate()),
                         within("l1Tlb", l1Tlb.validate()),
                         within("l2Tlb", l2Tlb.validate()),
                         within("lastLevel", lastLevel.validate()),
                         within("mesh", mesh.validate()),
                         within("memory", memory.validate()),
                         within("tmu", tmu.validate()),
                         within("indirection", indirection.validate())};
  llvm::Error all = llvm::Error::success();
  for (llvm::Error &part : parts)
    all = llvm::joinErrors(std::move(all), std::move(part));
  if (all)
    return all;
  if (l1Tlb.pageSize != l2Tlb.pageSize)
    return impossible("l1Tlb.pageSize and l2Tlb.pageSize differ");
  if (l2.inclusive && l2.size < l1d.size)
    return impossible("l2.inclusive: an l2.size of " + llvm::Twine(l2.size) +
                      " cannot hold an l1d.size of " + llvm::Twine(l1d.size));
  if (mesh.longestMessage() < lineBytes)
    return impossible("mesh.bufferFlits, mesh.linkBytes and mesh.headerBytes: "
                      "messages of a line do not fit");
  std::vector<uint64_t> nodes(mesh.columns * mesh.rows);
  auto count = [&](Placement placement, uint64_t number, uint64_t each) {
    for (uint64_t i = 0; i < number; ++i) {
      RouterPlace at = place(placement, i, number);
      nodes[at.row * mesh.columns + at.column] += each;
    }
  };
  // An access unit may stand beside each core; slices ask memory through a
  // node of their own.
  count(corePlacement, cores, 2);
  count(slicePlacement, slices, 2);
  count(memoryPlacement, memory.geometry.channels, 1);
  for (uint64_t number : nodes)
    if (number > mostAtRouter)
      return impossible("mesh.columns and mesh.rows: " + llvm::Twine(number) +
                        " nodes would share a router, which has room for " +
                        llvm::Twine(mostAtRouter) +
                        "; use a larger mesh, or corePlacement, "
                        "slicePlacement and memoryPlacement spread");
  return llvm::Error::success();
}
