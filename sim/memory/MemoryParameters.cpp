//===- MemoryParameters.cpp - What a DRAM system is like ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Memory/MemoryParameters.h"

#include "ember/Sim/Memory/Request.h"

#include <cmath>
#include <string>

using namespace ember::sim;

static constexpr llvm::StringLiteral hbm2Preset =
    "Ramulator 2.1's preset of HBM2 with 2400 Mbit/s";
static constexpr llvm::StringLiteral hbm2Guess =
    "Ramulator 2.1's preset of HBM2 with 2400 Mbit/s, which calls it a guess";

static llvm::Error impossible(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

uint64_t DRAMGeometry::burstsOfLine() const { return lineBytes / burstBytes(); }

uint64_t DRAMGeometry::linesOfRow() const { return rowBytes / lineBytes; }

void DRAMGeometry::visit(ParameterVisitor &visitor) {
  visitor.integer({"channels", "", "channels, with wires for commands each",
                   Origin::published, hbm2Preset},
                  channels, {1, 64, true});
  visitor.integer({"pseudoChannels", "",
                   "parts of a channel with wires for data and a controller "
                   "of their own",
                   Origin::published, hbm2Preset},
                  pseudoChannels, {1, 4, true});
  visitor.integer({"ranks", "",
                   "ranks of a pseudo-channel, which share its "
                   "wires",
                   Origin::published, "HBM2 has no ranks in Ramulator"},
                  ranks, {1, 8, true});
  visitor.integer({"bankGroups", "", "bank groups of a rank", Origin::published,
                   hbm2Preset},
                  bankGroups, {1, 16, true});
  visitor.integer(
      {"banks", "", "banks of a bank group", Origin::published, hbm2Preset},
      banks, {1, 16, true});
  visitor.integer({"rowBytes", "bytes", "a row of a bank, over all devices",
                   Origin::published, hbm2Preset},
                  rowBytes, {64, 65536, true});
  visitor.integer({"dataBits", "bits", "data wires of a pseudo-channel",
                   Origin::published, hbm2Preset},
                  dataBits, {8, 512, true});
  visitor.integer({"burstLength", "", "transfers of a burst, two a cycle",
                   Origin::published, hbm2Preset},
                  burstLength, {2, 32, true});
}

llvm::Error DRAMGeometry::validate() const {
  if (burstBytes() > lineBytes)
    return impossible(
        "dataBits and burstLength: a burst of " + llvm::Twine(burstBytes()) +
        " bytes is longer than a line of " + llvm::Twine(lineBytes));
  if (banksOfController() > 64)
    return impossible("ranks, bankGroups and banks: a controller has " +
                      llvm::Twine(banksOfController()) +
                      " banks, which is more than 64");
  return llvm::Error::success();
}

void DRAMTimingParameters::visit(ParameterVisitor &visitor) {
  auto cycles = [&](llvm::StringRef name, uint64_t &value,
                    llvm::StringRef description,
                    Origin origin = Origin::published,
                    llvm::StringRef reason = hbm2Preset) {
    visitor.integer({name, "cycles", description, origin, reason}, value,
                    {1, 10000});
  };
  auto nanoseconds = [&](llvm::StringRef name, double &value,
                         llvm::StringRef description,
                         Origin origin = Origin::published,
                         llvm::StringRef reason = hbm2Preset) {
    visitor.number({name, "ns", description, origin, reason}, value,
                   {0.01, 1e6});
  };
  visitor.number({"clock", "GHz", "of commands; data goes on both edges",
                  Origin::published, hbm2Preset},
                 clock, {0.1, 12});
  cycles("CL", cl, "from a read to its data", Origin::published, hbm2Guess);
  cycles("CWL", cwl, "from a write to its data", Origin::published, hbm2Guess);
  cycles("RCDRD", rcdRead, "from an activate to a read", Origin::published,
         hbm2Guess);
  cycles("RCDWR", rcdWrite, "from an activate to a write", Origin::published,
         hbm2Guess);
  cycles("RP", rp, "from a precharge to an activate", Origin::published,
         hbm2Guess);
  cycles("RAS", ras, "from an activate to a precharge", Origin::published,
         hbm2Guess);
  cycles("RC", rc, "from an activate to the next of the bank", Origin::derived,
         "RAS + RP");
  cycles("WR", wr, "from the end of written data to a precharge",
         Origin::published, hbm2Guess);
  cycles("RTP", rtp, "from a read to a precharge", Origin::published,
         hbm2Guess);
  cycles("CCD_S", ccdShort, "between reads, or writes, of two bank groups");
  cycles("CCD_L", ccdLong, "between reads, or writes, of one bank group");
  cycles("WTR_S", wtrShort,
         "from the end of written data to a read of another bank group",
         Origin::published, hbm2Guess);
  cycles("WTR_L", wtrLong,
         "from the end of written data to a read of the same bank group",
         Origin::published, hbm2Guess);
  cycles("readToWriteGap", readToWriteGap,
         "for which the data wires are free between read and written data",
         Origin::published, "the 2 in DDR4's CL - CWL + BL / 2 + 2");
  cycles("rankSwitch", rankSwitch,
         "for which the data wires are free between the data of two ranks",
         Origin::unknown, "1 or 2 in published models; HBM2 has one rank");
  nanoseconds("RRD_S", rrdShort, "between activates of two bank groups");
  nanoseconds("RRD_L", rrdLong, "between activates of one bank group");
  nanoseconds("FAW", faw, "in which there are at most four activates");
  nanoseconds("RFC", rfc, "that a refresh of all banks takes");
  nanoseconds("RFC_bank", rfcBank, "that a refresh of one bank takes",
              Origin::unknown, "about half of RFC, as in published tables");
  nanoseconds("RREFD", rrefd,
              "from a refresh of one bank to an activate or refresh of "
              "another",
              Origin::unknown, "twice RRD");
  nanoseconds("REFI", refi, "between refreshes of all banks");
  visitor.flag({"separateCommandBuses", "",
                "commands for rows and for columns have wires of their own",
                Origin::published, "so HBM; DDR4 has wires for both"},
               separateCommandBuses);
}

Tick DRAMTimingParameters::period() const {
  return static_cast<Tick>(std::lround(ticksPerNanosecond / clock));
}

llvm::Error DRAMTimingParameters::validate(const DRAMGeometry &geometry) const {
  if (std::abs(ticksPerNanosecond / clock - static_cast<double>(period())) >
      1e-6)
    return impossible("clock: its period of " + std::to_string(1 / clock) +
                      " ns is no multiple of 1/12 ns");
  if (ccdShort < geometry.burstLength / 2)
    return impossible("CCD_S and burstLength: bursts of " +
                      llvm::Twine(geometry.burstLength / 2) +
                      " cycles overlap when they start " +
                      llvm::Twine(ccdShort) + " cycles apart");
  if (ccdLong < ccdShort)
    return impossible("CCD_L is below CCD_S");
  if (rrdLong < rrdShort)
    return impossible("RRD_L is below RRD_S");
  if (wtrLong < wtrShort)
    return impossible("WTR_L is below WTR_S");
  if (cwl > cl + geometry.burstLength / 2)
    return impossible("CWL and CL: written data comes later after its command "
                      "than all of the data of a read");
  if (rfc >= refi)
    return impossible("RFC and REFI: a refresh takes longer than from one to "
                      "the next");
  double banks = static_cast<double>(geometry.banksOfRank());
  if ((rfcBank + rrefd) >= refi || rrefd * banks >= refi)
    return impossible("RFC_bank, RREFD and REFI: refreshes of single banks "
                      "take longer than from one to the next");
  return llvm::Error::success();
}

void AddressMappingParameters::visit(ParameterVisitor &visitor) {
  visitor.choice(
      {"order", "", "the fields of an address, the highest bits first",
       Origin::unknown,
       "neighbouring lines go to all channels, then to all bank groups, which "
       "hides CCD_L"},
      order,
      {"row-rank-bank-column-bankGroup-pseudoChannel-channel",
       "row-rank-bank-bankGroup-column-pseudoChannel-channel",
       "row-column-rank-bank-bankGroup-pseudoChannel-channel",
       "row-channel-pseudoChannel-rank-bank-column-bankGroup"});
  visitor.integer({"interleave", "lines",
                   "neighbouring lines that stay in one row", Origin::unknown,
                   "rows of tables spread over channels"},
                  interleave, {1, 1024, true});
  visitor.choice({"hash", "",
                  "which fields are taken exclusive-or with bits of the row",
                  Origin::unknown,
                  "usual; rows at the distance of a power of two meet in one "
                  "bank without"},
                 hash, {"none", "banks", "banksAndChannels"});
}

llvm::Error
AddressMappingParameters::validate(const DRAMGeometry &geometry) const {
  if (interleave > geometry.linesOfRow())
    return impossible("interleave and rowBytes: a row has only " +
                      llvm::Twine(geometry.linesOfRow()) + " lines");
  return llvm::Error::success();
}

void MemoryControllerParameters::visit(ParameterVisitor &visitor) {
  visitor.integer({"readQueue", "lines", "reads that a controller holds",
                   Origin::unknown, "published controllers have 32 to 64"},
                  readQueue, {1, 4096});
  visitor.integer({"writeQueue", "lines", "writes that a controller holds",
                   Origin::unknown, "published controllers have 32 to 64"},
                  writeQueue, {1, 4096});
  visitor.integer({"writeHigh", "lines",
                   "writes that make the controller turn to them",
                   Origin::unknown, "three quarters of the queue"},
                  writeHigh, {1, 4096});
  visitor.integer({"writeLow", "lines",
                   "writes at which it turns back to reads", Origin::unknown,
                   "32 writes amortise two turns of the data wires"},
                  writeLow, {0, 4096});
  visitor.number({"ageCap", "ns",
                  "after which the oldest request goes before row hits",
                  Origin::unknown, "some 15 row cycles"},
                 ageCap, {0, 1e9});
  visitor.number({"frontLatency", "ns", "before a request is in its queue",
                  Origin::unknown, "the usual default of published models"},
                 frontLatency, {0, 1000});
  visitor.number({"backLatency", "ns", "from the last data to the requester",
                  Origin::unknown, "the usual default of published models"},
                 backLatency, {0, 1000});
  visitor.choice({"page", "",
                  "rows stay open; or close when no request wants them; or "
                  "after a time that a bank learns",
                  Origin::unknown, "FR-FCFS controllers keep rows open"},
                 page, {"open", "closed", "adaptive"});
  visitor.number({"leastTimeout", "ns",
                  "the shortest time for which an adaptive bank keeps a row "
                  "without requests",
                  Origin::unknown, "below RAS it changes nothing"},
                 leastTimeout, {1, 1e6});
  visitor.number({"mostTimeout", "ns", "the longest such time", Origin::unknown,
                  "less than half of REFI"},
                 mostTimeout, {1, 1e6});
  visitor.choice({"refresh", "", "whether and how rows are refreshed",
                  Origin::unknown, "the simplest that every memory has"},
                 refresh, {"none", "allBanks", "perBank"});
  visitor.flag({"staggerRefresh", "",
                "controllers refresh one after another, not at once",
                Origin::unknown,
                "published models refresh at once; in turns, somebody who asks "
                "all controllers in order waits for each of them"},
               staggerRefresh);
}

llvm::Error MemoryControllerParameters::validate() const {
  if (writeHigh > writeQueue)
    return impossible("writeHigh and writeQueue: " + llvm::Twine(writeHigh) +
                      " writes do not fit into the queue of " +
                      llvm::Twine(writeQueue));
  if (writeLow >= writeHigh)
    return impossible("writeLow is not below writeHigh");
  if (leastTimeout > mostTimeout)
    return impossible("leastTimeout is above mostTimeout");
  return llvm::Error::success();
}

double MemoryParameters::peakBandwidth() const {
  return static_cast<double>(geometry.controllers() * geometry.dataBits / 8) *
         2 * timing.clock;
}

void MemoryParameters::visit(ParameterVisitor &visitor) {
  visitor.part("geometry", "what there is how many times", geometry);
  visitor.part("timing", "least times between commands", timing);
  visitor.part("mapping", "where lines are", mapping);
  visitor.part("controller", "queues and policies of a pseudo-channel",
               controller);
}

llvm::Error MemoryParameters::validate() const {
  if (llvm::Error error = geometry.validate())
    return error;
  if (llvm::Error error = timing.validate(geometry))
    return error;
  if (llvm::Error error = mapping.validate(geometry))
    return error;
  return controller.validate();
}

MemoryParameters ember::sim::hbm2() { return MemoryParameters(); }

MemoryParameters ember::sim::ddr4Desktop() {
  // JESD79-4: DDR4-2400 with CL 17, devices of 8 Gbit, 8 bits wide.
  MemoryParameters parameters;
  DRAMGeometry &geometry = parameters.geometry;
  geometry.channels = 2;
  geometry.pseudoChannels = 1;
  geometry.ranks = 2;
  geometry.rowBytes = 8192;
  geometry.burstLength = 8;
  DRAMTimingParameters &timing = parameters.timing;
  timing.cwl = 12;
  timing.rcdWrite = 17;
  timing.ras = 39;
  timing.rc = 56;
  timing.wr = 18;
  timing.rtp = 9;
  timing.ccdShort = 4;
  timing.ccdLong = 6;
  timing.wtrShort = 3;
  timing.wtrLong = 9;
  timing.rrdShort = 3.3;
  timing.rrdLong = 4.9;
  timing.faw = 21;
  timing.refi = 7800;
  timing.separateCommandBuses = false;
  return parameters;
}
