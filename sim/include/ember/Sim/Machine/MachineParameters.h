//===- MachineParameters.h - What a whole machine is like -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine is cores with their private caches and translation buffers, slices
// of a last level of caches, and channels of memory, at the routers of a mesh.
//
// A file describes one as JSON. It may name another file that it extends, and
// then says only what is different:
//
//   {"extends": "paper.json", "core": {"reorderBuffer": 448}}
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_MACHINE_MACHINEPARAMETERS_H
#define EMBER_SIM_MACHINE_MACHINEPARAMETERS_H

#include "ember/Sim/Cache/LastLevelSlice.h"
#include "ember/Sim/Cache/Tlb.h"
#include "ember/Sim/Core/CoreParameters.h"
#include "ember/Sim/Energy/EnergyParameters.h"
#include "ember/Sim/Indirection/IndirectionParameters.h"
#include "ember/Sim/Memory/MemoryParameters.h"
#include "ember/Sim/Network/MeshParameters.h"
#include "ember/Sim/TMU/TMUParameters.h"

namespace ember::sim {

/// At which routers nodes of a kind are.
enum class Placement : uint8_t {
  /// In order, with equal distances, over all routers; in each row, a column
  /// further than in the row before.
  spread,
  /// At the first routers, row by row.
  rowMajor,
  /// With equal distances along the first and the last column.
  sides,
};

struct RouterPlace {
  unsigned column;
  unsigned row;
};

struct MachineParameters {
  /// What each node that asks slices can say of itself in a directory.
  static constexpr uint64_t mostCores = 64;
  /// Nodes at a router, which the mesh has room for.
  static constexpr uint64_t mostAtRouter = 17;

  MachineParameters();

  uint64_t cores = 8;
  uint64_t slices = 8;
  uint64_t vectorBytes = 64;
  Placement corePlacement = Placement::spread;
  Placement slicePlacement = Placement::spread;
  Placement memoryPlacement = Placement::sides;
  uint64_t channelCredits = 32;
  double watchdog = 100000;
  CoreParameters core;
  CacheParameters l1d;
  CacheParameters l2;
  TlbParameters l1Tlb;
  TlbParameters l2Tlb;
  LastLevelParameters lastLevel;
  MeshParameters mesh;
  MemoryParameters memory;
  TMUParameters tmu;
  IndirectionParameters indirection;
  EnergyParameters energy;

  /// The router of number `index` of `count` nodes of a kind.
  RouterPlace place(Placement placement, uint64_t index, uint64_t count) const;

  void visit(ParameterVisitor &visitor);
  /// What is impossible about the parameters together.
  llvm::Error validate() const;
};

/// Reads a file and those that it extends. The error names the file, the
/// parameter, and what it may be.
llvm::Expected<MachineParameters> readMachine(llvm::StringRef file);

/// All parameters as JSON that can be read back.
llvm::json::Object describeMachine(MachineParameters parameters);

/// What files may say, as JSON schema.
llvm::json::Object machineSchema();

} // namespace ember::sim

#endif
