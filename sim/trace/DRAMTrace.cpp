//===- DRAMTrace.cpp - Banks on a Perfetto trace --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Trace/DRAMTrace.h"

#include "llvm/ADT/Twine.h"

using namespace ember::sim;

DRAMTrace::DRAMTrace(PerfettoTrace &trace, const DRAMGeometry &geometry)
    : trace(trace), geometry(geometry) {
  for (unsigned controller = 0; controller < geometry.controllers();
       ++controller)
    for (unsigned bank = 0; bank < geometry.banksOfController(); ++bank) {
      Bank added;
      added.track = trace.addTrack(
          ("memory channel " +
           llvm::Twine(controller / geometry.pseudoChannels) + "." +
           llvm::Twine(controller % geometry.pseudoChannels))
              .str(),
          ("rank " + llvm::Twine(bank / geometry.banksOfRank()) + " group " +
           llvm::Twine(bank / geometry.banks % geometry.bankGroups) + " bank " +
           llvm::Twine(bank % geometry.banks))
              .str());
      banks.push_back(added);
    }
}

void DRAMTrace::close(Bank &bank, Tick at) {
  if (bank.open)
    trace.slice(bank.track, "row", bank.since, at, {{"row", bank.row}});
  bank.open = false;
}

void DRAMTrace::command(const DRAMEvent &event) {
  const DRAMLocation &place = event.location;
  uint64_t first =
      (place.channel * geometry.pseudoChannels + place.pseudoChannel) *
          geometry.banksOfController() +
      place.rank * geometry.banksOfRank();
  uint64_t count = geometry.banksOfRank();
  bool ofRank = event.command == DRAMCommand::prechargeAll ||
                event.command == DRAMCommand::refreshAll;
  if (!ofRank) {
    first += place.bankGroup * geometry.banks + place.bank;
    count = 1;
  }
  for (Bank &bank : llvm::MutableArrayRef<Bank>(banks).slice(first, count)) {
    switch (event.command) {
    case DRAMCommand::activate:
      bank.open = true;
      bank.row = place.row;
      bank.since = event.at;
      break;
    case DRAMCommand::precharge:
    case DRAMCommand::prechargeAll:
      close(bank, event.at);
      break;
    case DRAMCommand::read:
    case DRAMCommand::write:
      trace.instant(bank.track, nameOf(event.command), event.at,
                    {{"column", place.column}});
      break;
    case DRAMCommand::refreshBank:
    case DRAMCommand::refreshAll:
      trace.instant(bank.track, "refresh", event.at);
      break;
    }
  }
}

void DRAMTrace::finish(Tick end) {
  for (Bank &bank : banks)
    close(bank, end);
}
