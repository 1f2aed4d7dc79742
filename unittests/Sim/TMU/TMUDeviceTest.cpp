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
