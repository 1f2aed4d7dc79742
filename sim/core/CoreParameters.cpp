//===- CoreParameters.cpp - What a core is like ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/CoreParameters.h"

using namespace ember::sim;

void CoreParameters::visit(ParameterVisitor &v) {
  constexpr llvm::StringRef units = "LLVM's scheduling model of Neoverse N1";
  constexpr llvm::StringRef widths =
      "Neoverse N1 decodes 4 and issues 8 in a cycle (WikiChip); LLVM's "
      "scheduling model of it has 3";
  v.integer({"clockTicks", "ticks", "a cycle, in 1/12 ns", Origin::stated,
             "2.4 GHz, figure 5"},
            clockTicks, {1, 1200});
  v.integer({"fetchWidth", "instructions",
             "fetched in a cycle, up to a branch "
             "that is taken",
             Origin::published, widths},
            fetchWidth, {1, 64});
  v.integer({"renameWidth", "instructions", "renamed in a cycle",
             Origin::published, widths},
            renameWidth, {1, 64});
  v.integer({"issueWidth", "operations", "issued in a cycle to all ports",
             Origin::published, "Neoverse N1 issues 8 in a cycle (WikiChip)"},
            issueWidth, {1, 64});
  v.integer({"retireWidth", "instructions", "retired in a cycle",
             Origin::unknown, "as many as are issued"},
            retireWidth, {1, 64});
  v.integer({"frontEndCycles", "cycles", "from fetch to rename",
             Origin::derived, "N1's pipeline has 11 stages (WikiChip)"},
            frontEndCycles, {1, 64});
  v.integer({"mispredictionCycles", "cycles",
             "from a wrong branch's resolution "
             "to the next fetch",
             Origin::unknown,
             "11 cycles in all, with frontEndCycles: N1's stages"},
            mispredictionCycles, {0, 64});
  v.integer(
      {"reorderBuffer", "operations", "entries", Origin::stated, "figure 5"},
      reorderBuffer, {8, 65536});
  v.integer({"issueQueue", "instructions", "renamed and not issued",
             Origin::unknown, "half of the reorder buffer"},
            issueQueue, {1, 65536});
  v.integer({"loadQueue", "loads", "renamed and not retired", Origin::stated,
             "figure 5"},
            loadQueue, {1, 65536});
  v.integer({"storeQueue", "stores", "renamed and not written", Origin::stated,
             "figure 5"},
            storeQueue, {1, 65536});
  v.integer({"generalRegisters", "registers", "physical, flags included",
             Origin::unknown, "as many as the reorder buffer needs"},
            generalRegisters, {64, 65536});
  v.integer({"vectorRegisters", "registers", "physical, predicates included",
             Origin::unknown, "as many as the reorder buffer needs"},
            vectorRegisters, {64, 65536});
  v.integer({"branchPorts", "", "units for branches", Origin::published, units},
            branchPorts, {1, 16});
  v.integer({"simplePorts", "", "units for integers in one cycle",
             Origin::published, units},
            simplePorts, {1, 16});
  v.integer({"complexPorts", "", "units for products and quotients too",
             Origin::published, units},
            complexPorts, {1, 16});
  v.integer({"memoryPorts", "",
             "units for addresses; as many lines are asked "
             "of the cache in a cycle",
             Origin::published, units},
            memoryPorts, {1, 16});
  v.integer({"storeDataPorts", "", "units for stores' data", Origin::published,
             units},
            storeDataPorts, {1, 16});
  v.integer({"vectorPorts", "", "vector units", Origin::stated, "figure 5"},
            vectorPorts, {1, 16});
  v.integer({"addressCycles", "cycles", "from issue to the cache",
             Origin::derived, "4 to use in all, of which 2 in the cache"},
            addressCycles, {1, 64});
  v.integer({"forwardCycles", "cycles",
             "to take data of an older store, after "
             "the address",
             Origin::unknown, "as from the cache"},
            forwardCycles, {1, 64});
  v.integer({"storesInFlight", "lines", "asked for to be written, in order",
             Origin::unknown, "enough for consecutive misses"},
            storesInFlight, {1, 1024});
  v.integer({"historyBits", "bits",
             "of branches' outcomes; the predictor has "
             "as many counters as these make",
             Origin::unknown, "kernels have few branches"},
            historyBits, {1, 24});
  v.integer({"targetEntries", "", "of branches whose target is kept",
             Origin::unknown, "more than kernels have"},
            targetEntries, {1, 1 << 20, true});
  v.choice({"disambiguation", "",
            "loads pass older stores of other addresses, "
            "or none whose address is not known",
            Origin::unknown, "predictors are right nearly always"},
           disambiguation, {"perfect", "waitForStores"});
}

llvm::Error CoreParameters::validate() const {
  if (issueQueue > reorderBuffer)
    return llvm::createStringError(
        "issueQueue is greater than reorderBuffer: it could not be filled");
  return llvm::Error::success();
}
