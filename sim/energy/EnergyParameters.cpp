//===- EnergyParameters.cpp - What events cost ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Energy/EnergyParameters.h"

using namespace ember::sim;

void EnergyParameters::visit(ParameterVisitor &v) {
  constexpr llvm::StringRef tpu =
      "Jouppi et al., ISCA 2021 (TPUv4i), table of energies in 7 nm";
  v.number({"instruction", "pJ", "fetched, predicted, decoded and retired",
            Origin::derived,
            "70 of a simple core in 45 nm (Horowitz, ISSCC 2014), less by as "
            "much as additions are in 7 nm"},
           instruction);
  v.number(
      {"operation", "pJ", "of integers in one cycle: addition, address, branch",
       Origin::derived,
       "two additions of 32 bits, 0.03 pJ each, as arrayWord's source says"},
      operation);
  v.number({"product", "pJ", "of integers in the units for products",
            Origin::derived, "as one of floating point in 32 bits"},
           product);
  v.number({"vectorByte", "pJ", "of an operation, each byte of the vector",
            Origin::derived,
            "a product of 1.31 and a sum of 0.38 pJ for 4 bytes, as "
            "arrayWord's source says"},
           vectorByte);
  v.number({"arrayWord", "pJ",
            "for 8 bytes read from or written to an array of 8 KiB",
            Origin::published, tpu},
           arrayWord);
  v.number({"arrayExponent", "",
            "of an array's size in the energy of its accesses", Origin::derived,
            "7.5 pJ of 8 KiB, 14 pJ of 1 MiB in that table; structures of the "
            "core, too"},
           arrayExponent, {0, 1});
  v.number({"searchedEntry", "pJ",
            "for each entry of a queue, of MSHRs or of a set of translations "
            "that an address is compared with",
            Origin::unknown,
            "50 bits at 1 fJ, as content-addressable memories"},
           searchedEntry);
  v.integer({"reorderEntryBytes", "bytes", "of an entry of the reorder buffer",
             Origin::unknown, "registers, an address and its state"},
            reorderEntryBytes, {1, 1024});
  v.integer({"queueEntryBytes", "bytes",
             "of an entry of the load and the store queue", Origin::unknown,
             "an address and a word"},
            queueEntryBytes, {1, 1024});
  v.number({"hopByte", "pJ", "for a byte through a router and to the next one",
            Origin::unknown,
            "2 mm of wires at 80 fJ a bit and mm, and as much in the router"},
           hopByte);
  v.number({"unitStep", "pJ",
            "for a step of an access unit's layer or a line that it asks for, "
            "besides what is stored",
            Origin::unknown, "some additions and comparisons"},
           unitStep);
  v.number({"activate", "pJ", "to open a row of 1 KiB and close it",
            Origin::published,
            "HBM2 in O'Connor et al., MICRO 2017 (fine-grained DRAM), table 3"},
           activate);
  v.number({"readBit", "pJ", "from an open row to the controller",
            Origin::published,
            "as above: 1.51 and 1.17 in the die, 0.80 between dies"},
           readBit);
  v.number({"writeBit", "pJ", "the other way", Origin::derived, "as for reads"},
           writeBit);
  v.integer({"refreshedRows", "rows",
             "opened by a refresh of all banks of a rank", Origin::derived,
             "4 Gbit of a pseudo-channel in 8192 refreshes"},
            refreshedRows);
  v.number({"core", "mW", "of a core that does nothing", Origin::unknown,
            "a quarter of a watt, as cores like Neoverse N1 have about one: "
            "64 with caches and mesh are given 105 W (WikiChip)"},
           core);
  v.number({"entry", "mW",
            "of each entry of a reorder buffer, a queue, or of MSHRs",
            Origin::unknown, "200 bits of which clocks move a fifth"},
           entry);
  v.number({"arrayKibibyte", "mW", "of each KiB of an array", Origin::unknown,
            "a tenth of a watt for a slice of 1 MiB"},
           arrayKibibyte);
  v.number({"router", "mW", "of a router", Origin::unknown,
            "its buffers, as an array"},
           router);
  v.number({"unit", "mW", "of an access unit, without what it stores",
            Origin::unknown, "a small part of a core"},
           unit);
  v.number({"channel", "mW", "of a channel of memory and its controller",
            Origin::unknown, "about a watt for a stack of eight"},
           channel);
}
