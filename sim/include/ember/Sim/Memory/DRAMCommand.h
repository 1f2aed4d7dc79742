//===- DRAMCommand.h - What controllers tell DRAM to do ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The commands, and who may watch them: traces, energy, tests of legality.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_MEMORY_DRAMCOMMAND_H
#define EMBER_SIM_MEMORY_DRAMCOMMAND_H

#include "ember/Sim/Memory/AddressMapping.h"

#include "llvm/ADT/StringRef.h"

namespace ember::sim {

enum class DRAMCommand : uint8_t {
  activate,
  precharge,
  read,
  write,
  refreshBank,
  /// Of all banks of a rank, as is the last one.
  prechargeAll,
  refreshAll,
};
inline constexpr unsigned commandCount = 7;

llvm::StringRef nameOf(DRAMCommand command);

struct DRAMEvent {
  Tick at = 0;
  DRAMCommand command = DRAMCommand::activate;
  /// What the command is for; its bank group, bank, row and column as far as
  /// the command has them.
  DRAMLocation location;
  /// It took place while nobody asked the controller for anything, and is only
  /// now known. It takes no turn on the wires of commands.
  bool whileIdle = false;
};

class DRAMObserver {
public:
  /// Called with the commands of a controller in their order.
  virtual void command(const DRAMEvent &event) = 0;

protected:
  ~DRAMObserver() = default;
};

} // namespace ember::sim

#endif
