//===- TMUDeviceTest.cpp - What programs see of a TMU ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuestHarness.h"
#include "TMUPrograms.h"

using namespace ember::sim;

namespace {
using H = GuestHarness;

/// Runs a function on a core beside a functional unit; what went wrong.
std::string run(H &guest, const Configuration &configuration,
                const char *function, llvm::ArrayRef<uint64_t> arguments,
                uint64_t *result = nullptr) {
  TMUDevice device("tmu0", configuration, guest.memory, 2);
  std::vector<uint64_t> all{H::device(0)};
  llvm::append_range(all, arguments);
  EXPECT_EQ(llvm::toString(device.map(H::device(0), H::queue(0))), "");
  Emulator &core = guest.call(0, function, all);
  std::string errors = llvm::toString(core.run());
  if (result)
    *result = core.state().x[0];
  return errors + llvm::toString(device.takeError());
}
} // namespace

TEST(TMUDevice, SumsBags) {
  for (bool reserve : {true, false})
    for (size_t width : {64, 48, 37, 3}) {
      H guest;
      Bags bags(guest, width, 50, 100, width, 9);
      BagShape shape;
      shape.width = width;
      shape.reserve = reserve;
      shape.chunkBytes = 1024;
      Configuration configuration = configured(bagProgram(shape));
      EXPECT_EQ(run(guest, configuration, reserve ? "bags" : "longBags",
                    {bags.block, bags.outAddress, width, shape.tokenBytes,
                     shape.chunkBytes}),
                "");
      EXPECT_EQ(bags.out, bags.expected) << width << " " << reserve;
    }
}

TEST(TMUDevice, LoadsBehindTheEndAreAnErrorOfTheProgram) {
  H guest;
  Bags bags(guest, 1, 20, 100, 64, 9);
  bags.indices[7] = 100000;
  Configuration configuration = configured(bagProgram({}));
  std::string error =
      run(guest, configuration, "bags", {bags.block, bags.outAddress, 64, 512});
  std::string start = "tmu0: program test: layers[2].units[0].streams[3] loads "
                      "8 bytes at 0x";
  EXPECT_EQ(error.substr(0, start.size()), start);
  // It is one message, and the core has come to its end.
  EXPECT_EQ(error.find("tmu0", 1), std::string::npos);
}

TEST(TMUDevice, StoresToInputsThatAreReadOnlyAreAnError) {
  H guest;
  std::vector<uint64_t> data(8);
  uint64_t block = guest.block({guest.map(data, /*writable=*/false)});
  Configuration configuration = configured(program(
      {memoryCapture("data", "i64")},
      {layer("single",
             {unit("dense", constant(0), constant(4), constant(1), 2,
                   {"{\"kind\": \"position\"}",
                    filled("{\"kind\": \"store\", \"capture\": 0, \"type\": "
                           "\"i64\", \"position\": $0, \"value\": $0}",
                           element(0, 0, 0))})})}));
  uint64_t result = 0;
  std::string error =
      run(guest, configuration, "launchAndWait", {block}, &result);
  EXPECT_EQ(result, 1u);
  EXPECT_NE(error.find("streams[1] stores 8 bytes at 0x"), std::string::npos)
      << error;
  EXPECT_NE(error.find("read-only"), std::string::npos) << error;
}

TEST(TMUDevice, WhatACoreDoesWrongIsOneMessage) {
  std::vector<uint64_t> line(8);
  Configuration configuration = configured(bagProgram({}));
  auto errorOf = [&](auto use) {
    H guest;
    Bags bags(guest, 1, 50, 100, 64, 9);
    TMUDevice device("tmu0", configuration, guest.memory, 2);
    EXPECT_EQ(llvm::toString(device.map(H::device(0), H::queue(0))), "");
    use(guest.memory, bags);
    return llvm::toString(device.takeError());
  };
  auto store = [](GuestMemory &memory, uint64_t offset, uint64_t value) {
    EXPECT_TRUE(memory.store(H::device(0) + offset, &value, 8));
  };
  auto load = [](GuestMemory &memory, uint64_t offset, unsigned size = 8) {
    uint64_t value = 0;
    EXPECT_TRUE(memory.load(H::device(0) + offset, &value, size));
    return value;
  };
  EXPECT_EQ(errorOf([&](GuestMemory &memory, Bags &) { load(memory, 8); }),
            "tmu0: a chunk is taken, and no program was launched");
  EXPECT_EQ(errorOf([&](GuestMemory &memory, Bags &bags) {
              store(memory, 0, bags.block);
              for (int i = 0; i < 3; ++i)
                load(memory, 8);
            }),
            "tmu0: a chunk is taken while the core holds all 2 of them");
  EXPECT_EQ(errorOf([&](GuestMemory &memory, Bags &bags) {
              store(memory, 0, bags.block);
              store(memory, 16, 0);
            }),
            "tmu0: a chunk is handed back, and the core holds none");
  EXPECT_EQ(errorOf([&](GuestMemory &memory, Bags &bags) {
              store(memory, 0, bags.block);
              store(memory, 0, bags.block);
            }),
            "tmu0: a program is launched before the one before is over");
  EXPECT_EQ(errorOf([&](GuestMemory &memory, Bags &bags) {
              bags.offsets[0] = 0;
              uint64_t wrong = 7;
              memory.store(bags.block, &wrong, 8);
              store(memory, 0, bags.block);
            }),
            "tmu0: program 7 is launched, and there are 1");
  EXPECT_EQ(
      errorOf([&](GuestMemory &memory, Bags &) {
        store(memory, 0, 8);
      }).substr(0, 67),
      "tmu0: a program is launched by a block that cannot be read: 8 bytes");
  EXPECT_EQ(
      errorOf([&](GuestMemory &memory, Bags &) { load(memory, 4, 4); }),
      "tmu0: a core loads 4 bytes at 0x4 of the registers, where there is "
      "nothing to be loaded");
  EXPECT_EQ(
      errorOf([&](GuestMemory &memory, Bags &) { store(memory, 8, 0); }),
      "tmu0: a core stores 8 bytes at 0x8 of the registers, where there is "
      "nothing to be stored");
}
