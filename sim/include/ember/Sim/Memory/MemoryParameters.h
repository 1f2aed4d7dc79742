//===- MemoryParameters.h - What a DRAM system is like ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A DRAM system is channels of pseudo-channels of ranks of bank groups of banks
// of rows. A channel has the wires of commands, a pseudo-channel the wires of
// data and a controller. Memories without pseudo-channels have one a channel.
//
// The defaults are HBM2 at 2400 Mbit/s and pin, as in the paper's machine.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_MEMORY_MEMORYPARAMETERS_H
#define EMBER_SIM_MEMORY_MEMORYPARAMETERS_H

#include "ember/Sim/Engine/Time.h"
#include "ember/Sim/Machine/Parameters.h"

#include <cstdint>

namespace ember::sim {

struct DRAMGeometry {
  uint64_t channels = 8;
  uint64_t pseudoChannels = 2;
  uint64_t ranks = 1;
  uint64_t bankGroups = 4;
  /// Of a bank group.
  uint64_t banks = 4;
  uint64_t rowBytes = 1024;
  /// Of a pseudo-channel.
  uint64_t dataBits = 64;
  uint64_t burstLength = 4;

  uint64_t controllers() const { return channels * pseudoChannels; }
  uint64_t banksOfRank() const { return bankGroups * banks; }
  uint64_t banksOfController() const { return ranks * banksOfRank(); }
  uint64_t burstBytes() const { return dataBits / 8 * burstLength; }
  uint64_t burstsOfLine() const;
  uint64_t linesOfRow() const;

  void visit(ParameterVisitor &visitor);
  llvm::Error validate() const;
};

/// The least times between commands, under the names that JEDEC's standards
/// give them.
struct DRAMTimingParameters {
  double clock = 1.2;
  uint64_t cl = 17;
  uint64_t cwl = 6;
  uint64_t rcdRead = 17;
  uint64_t rcdWrite = 14;
  uint64_t rp = 17;
  uint64_t ras = 40;
  uint64_t rc = 57;
  uint64_t wr = 19;
  uint64_t rtp = 6;
  uint64_t ccdShort = 2;
  uint64_t ccdLong = 4;
  uint64_t wtrShort = 8;
  uint64_t wtrLong = 10;
  uint64_t readToWriteGap = 2;
  uint64_t rankSwitch = 2;
  double rrdShort = 4;
  double rrdLong = 4;
  double faw = 15;
  double rfc = 350;
  double rfcBank = 160;
  double rrefd = 8;
  double refi = 3900;
  bool separateCommandBuses = true;

  /// Of the clock, in ticks.
  Tick period() const;
  void visit(ParameterVisitor &visitor);
  llvm::Error validate(const DRAMGeometry &geometry) const;
};

enum class FieldOrder {
  bankGroupsFirst,
  columnsFirst,
  banksFirst,
  channelsLast,
};

enum class AddressHash { none, banks, banksAndChannels };

struct AddressMappingParameters {
  FieldOrder order = FieldOrder::bankGroupsFirst;
  /// Neighbours that stay in a row before the order of the fields applies.
  uint64_t interleave = 1;
  AddressHash hash = AddressHash::banks;

  void visit(ParameterVisitor &visitor);
  llvm::Error validate(const DRAMGeometry &geometry) const;
};

enum class PagePolicy { open, closed, adaptive };

enum class Refresh { none, allBanks, perBank };

struct MemoryControllerParameters {
  uint64_t readQueue = 64;
  uint64_t writeQueue = 64;
  uint64_t writeHigh = 48;
  uint64_t writeLow = 16;
  double ageCap = 1000;
  double frontLatency = 10;
  double backLatency = 10;
  PagePolicy page = PagePolicy::open;
  double leastTimeout = 25;
  double mostTimeout = 1600;
  Refresh refresh = Refresh::allBanks;
  bool staggerRefresh = false;

  void visit(ParameterVisitor &visitor);
  llvm::Error validate() const;
};

struct MemoryParameters {
  DRAMGeometry geometry;
  DRAMTimingParameters timing;
  AddressMappingParameters mapping;
  MemoryControllerParameters controller;

  /// GB/s of all data wires together.
  double peakBandwidth() const;

  void visit(ParameterVisitor &visitor);
  /// What is impossible about the parameters together.
  llvm::Error validate() const;
};

/// 8 channels of HBM2 in pseudo-channel mode, 307.2 GB/s.
MemoryParameters hbm2();

/// Two channels of DDR4-2400 with two ranks each, 38.4 GB/s.
MemoryParameters ddr4Desktop();

} // namespace ember::sim

#endif
