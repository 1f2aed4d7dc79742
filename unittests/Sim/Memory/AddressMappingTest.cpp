//===- AddressMappingTest.cpp - Lines and their places --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Memory/AddressMapping.h"

#include "gtest/gtest.h"

#include <random>
#include <set>
#include <tuple>

using namespace ember::sim;

static auto fields(const DRAMLocation &at) {
  return std::tuple(at.channel, at.pseudoChannel, at.rank, at.bankGroup,
                    at.bank, at.row, at.column);
}

TEST(AddressMapping, GivesEachLineAPlaceOfItsOwn) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    MemoryParameters parameters;
    DRAMGeometry &geometry = parameters.geometry;
    geometry.channels = 1 << random() % 4;
    geometry.pseudoChannels = 1 << random() % 2;
    geometry.ranks = 1 << random() % 2;
    geometry.bankGroups = 1 << random() % 3;
    geometry.banks = 1 << random() % 3;
    geometry.rowBytes = 256 << random() % 3;
    parameters.mapping.order = static_cast<FieldOrder>(random() % 4);
    parameters.mapping.hash = static_cast<AddressHash>(random() % 3);
    parameters.mapping.interleave = 1 << random() % 3;
    ASSERT_EQ(llvm::toString(parameters.validate()), "");
    AddressMapping mapping(geometry, parameters.mapping);
    std::set<decltype(fields(DRAMLocation()))> places;
    uint64_t lines = geometry.controllers() * geometry.banksOfController() *
                     geometry.linesOfRow();
    // Two rows of each bank.
    for (uint64_t line = 0; line < 2 * lines; ++line) {
      DRAMLocation at = mapping.locate(line);
      EXPECT_LT(at.channel, geometry.channels);
      EXPECT_LT(at.pseudoChannel, geometry.pseudoChannels);
      EXPECT_LT(at.rank, geometry.ranks);
      EXPECT_LT(at.bankGroup, geometry.bankGroups);
      EXPECT_LT(at.bank, geometry.banks);
      EXPECT_LT(at.column, geometry.linesOfRow());
      EXPECT_LT(at.row, 2u);
      EXPECT_EQ(mapping.lineAt(at), line);
      places.insert(fields(at));
    }
    EXPECT_EQ(places.size(), 2 * lines);
    uint64_t far = random() >> 6;
    EXPECT_EQ(mapping.lineAt(mapping.locate(far)), far);
  }
}

TEST(AddressMapping, SpreadsNeighboursOverChannelsThenBankGroups) {
  MemoryParameters parameters = hbm2();
  AddressMapping mapping(parameters.geometry, parameters.mapping);
  std::set<std::pair<unsigned, unsigned>> controllers;
  for (uint64_t line = 0; line < 16; ++line) {
    DRAMLocation at = mapping.locate(line);
    controllers.insert({at.channel, at.pseudoChannel});
  }
  EXPECT_EQ(controllers.size(), 16u);
  std::set<unsigned> groups;
  for (uint64_t line = 0; line < 64; line += 16)
    groups.insert(mapping.locate(line).bankGroup);
  EXPECT_EQ(groups.size(), 4u);
}

TEST(AddressMapping, KeepsNeighboursInARowWhereAsked) {
  MemoryParameters parameters = hbm2();
  parameters.mapping.interleave = 4;
  AddressMapping mapping(parameters.geometry, parameters.mapping);
  for (uint64_t line = 0; line < 4; ++line) {
    EXPECT_EQ(mapping.locate(line).channel, 0u);
    EXPECT_EQ(mapping.locate(line).column, line);
  }
  EXPECT_EQ(mapping.locate(4).channel, 1u);
}

TEST(AddressMapping, HashesRowsThatMeetInABank) {
  MemoryParameters parameters = hbm2();
  for (AddressHash hash :
       {AddressHash::none, AddressHash::banks, AddressHash::banksAndChannels}) {
    parameters.mapping.hash = hash;
    AddressMapping mapping(parameters.geometry, parameters.mapping);
    std::set<std::tuple<unsigned, unsigned, unsigned, unsigned>> banks;
    uint64_t distance = 8 * 2 * 4 * 4 * 16;
    for (uint64_t row = 0; row < 256; ++row) {
      DRAMLocation at = mapping.locate(row * distance);
      banks.insert({at.channel, at.pseudoChannel, at.bankGroup, at.bank});
    }
    EXPECT_EQ(banks.size(), hash == AddressHash::none    ? 1u
                            : hash == AddressHash::banks ? 16u
                                                         : 256u);
  }
}

TEST(MemoryParameters, AreRefusedWhereTheyContradictEachOther) {
  auto refusal = [](auto change) {
    MemoryParameters parameters = hbm2();
    change(parameters);
    return llvm::toString(parameters.validate());
  };
  EXPECT_EQ(refusal([](MemoryParameters &) {}), "");
  EXPECT_EQ(llvm::toString(ddr4Desktop().validate()), "");
  EXPECT_NEAR(hbm2().peakBandwidth(), 307.2, 1e-9);
  EXPECT_NEAR(ddr4Desktop().peakBandwidth(), 38.4, 1e-9);
  EXPECT_EQ(refusal([](auto &p) { p.geometry.burstLength = 16; }),
            "dataBits and burstLength: a burst of 128 bytes is longer than a "
            "line of 64");
  EXPECT_EQ(refusal([](auto &p) { p.geometry.ranks = 8; }),
            "ranks, bankGroups and banks: a controller has 128 banks, which is "
            "more than 64");
  EXPECT_EQ(refusal([](auto &p) { p.timing.clock = 1.3; }),
            "clock: its period of 0.769231 ns is no multiple of 1/12 ns");
  EXPECT_EQ(refusal([](auto &p) { p.timing.ccdShort = 1; }),
            "CCD_S and burstLength: bursts of 2 cycles overlap when they start "
            "1 cycles apart");
  EXPECT_EQ(refusal([](auto &p) { p.timing.rfc = 4000; }),
            "RFC and REFI: a refresh takes longer than from one to the next");
  EXPECT_EQ(refusal([](auto &p) { p.mapping.interleave = 32; }),
            "interleave and rowBytes: a row has only 16 lines");
  EXPECT_EQ(refusal([](auto &p) { p.controller.writeHigh = 65; }),
            "writeHigh and writeQueue: 65 writes do not fit into the queue of "
            "64");
  EXPECT_EQ(refusal([](auto &p) { p.controller.writeLow = 48; }),
            "writeLow is not below writeHigh");
}

TEST(MemoryParameters, AreReadAsTheyAreWritten) {
  MemoryParameters written = ddr4Desktop();
  ParameterWriter writer;
  written.visit(writer);
  llvm::json::Value value(writer.take());
  MemoryParameters parameters;
  ParameterReader reader(*value.getAsObject());
  parameters.visit(reader);
  EXPECT_EQ(llvm::toString(reader.takeError()), "");
  EXPECT_EQ(parameters.timing.ccdLong, 6u);
  EXPECT_EQ(parameters.geometry.rowBytes, 8192u);
  EXPECT_FALSE(parameters.timing.separateCommandBuses);
}
