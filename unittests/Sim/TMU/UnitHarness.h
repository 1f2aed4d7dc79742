//===- UnitHarness.h - Machines with TMUs -----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_UNITTESTS_SIM_TMU_UNITHARNESS_H
#define EMBER_UNITTESTS_SIM_TMU_UNITHARNESS_H

#include "GuestHarness.h"
#include "TMUPrograms.h"

#include "ember/Sim/Machine/Machine.h"
#include "ember/Sim/TMU/TensorMarshalingUnit.h"

namespace ember::sim {

/// The paper's machine without guesses, with pages that are known soon.
inline MachineParameters quietMachine() {
  MachineParameters parameters;
  parameters.l1d.prefetcher.kind = PrefetcherKind::none;
  parameters.l2.prefetcher.kind = PrefetcherKind::none;
  parameters.memory.controller.refresh = Refresh::none;
  parameters.l1Tlb.pageSize = parameters.l2Tlb.pageSize = 1 << 30;
  return parameters;
}

/// A machine whose cores have units beside them. Memory is mapped and filled
/// before it is made.
class UnitHarness {
public:
  UnitHarness(GuestHarness &guest, const MachineParameters &parameters,
              Configuration programs)
      : guest(guest), configuration(std::move(programs)),
        machine(checked(parameters)) {
    for (const TMUProgram &program : configuration.programs)
      EXPECT_EQ(llvm::toString(parameters.tmu.fits(program)), "");
    for (unsigned core = 0; core < parameters.cores; ++core) {
      TensorMarshalingUnit &unit =
          units.emplace_back("tmu" + std::to_string(core), parameters.tmu,
                             machine.unitPorts(core, parameters.tmu.lines()),
                             configuration, guest.memory);
      EXPECT_EQ(llvm::toString(unit.map(GuestHarness::device(core),
                                        GuestHarness::queue(core))),
                "");
      machine.attach(core, unit, "tmu");
    }
  }

  static const MachineParameters &checked(const MachineParameters &given) {
    EXPECT_EQ(llvm::toString(given.validate()), "");
    return given;
  }

  /// Calls a function with the unit's registers and what else it takes.
  Emulator &call(unsigned core, const char *function,
                 llvm::ArrayRef<uint64_t> arguments) {
    std::vector<uint64_t> all{GuestHarness::device(core)};
    llvm::append_range(all, arguments);
    Emulator &emulator = guest.call(core, function, all);
    machine.setProgram(core, emulator);
    return emulator;
  }
  std::string run() { return llvm::toString(machine.run()); }
  double nanoseconds() { return nanosecondsOf(machine.clockwork().now()); }
  /// A count, "core0.tmu.cycles".
  double count(llvm::StringRef path) {
    llvm::json::Value value(machine.statistics());
    for (llvm::StringRef left = path; !left.empty();) {
      auto [name, rest] = left.split('.');
      const llvm::json::Object *object = value.getAsObject();
      const llvm::json::Value *found = object ? object->get(name) : nullptr;
      if (!found) {
        ADD_FAILURE() << path.str();
        return 0;
      }
      llvm::json::Value inner = *found;
      value = std::move(inner);
      left = rest;
    }
    return value.getAsNumber().value_or(0);
  }

  GuestHarness &guest;
  Configuration configuration;
  Machine machine;
  std::deque<TensorMarshalingUnit> units;
};

} // namespace ember::sim

#endif
