//===- AccessUnitTest.cpp - Any unit beside a core ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a machine does for a unit, with the simplest one there is: its register
// holds the address of a line that it loads when the register is stored to, and
// the register's load waits for it.
//
//===----------------------------------------------------------------------===//

#include "MachineHarness.h"

using namespace ember::sim;

namespace {
class LineLoader final : public AccessUnit,
                         public DeviceHandler,
                         public MemoryPort,
                         public Requester,
                         public Translated {
public:
  explicit LineLoader(const AccessUnitPorts &ports)
      : tlb(ports.tlb), lastLevel(ports.lastLevel, *this) {}

  // What the program sees.
  void load(uint64_t, void *bytes, unsigned size) override {
    std::memset(bytes, 0, size);
    std::memcpy(bytes, &address, std::min<size_t>(size, 8));
  }
  void store(uint64_t, const void *bytes, unsigned) override {
    std::memcpy(&address, bytes, 8);
  }

  // When it sees it.
  MemoryPort &devicePort() override { return *this; }
  bool accept(const Request &request) override {
    if (request.access == Access::read) {
      reader = request;
      answer();
      return true;
    }
    isLoading = true;
    writer = request;
    tlb.translate({tlb.pageOf(address), this, 0});
    return true;
  }
  void translated(const Translation &) override {
    Request line;
    line.line = lineOf(address);
    lastLevel.send(line);
    writer.requester->complete(writer);
  }
  void complete(const Request &) override {
    if (drops)
      return;
    isLoading = false;
    ++loaded;
    answer();
  }
  void retry() override {}
  void answer() {
    if (!reader.requester || isLoading)
      return;
    Request request = reader;
    reader.requester = nullptr;
    request.requester->complete(request);
  }

  bool isIdle() const override { return !isLoading; }
  uint64_t progress() const override { return loaded; }
  llvm::Error takeError() override {
    return fails ? llvm::createStringError("the loader fails")
                 : llvm::Error::success();
  }
  void addTo(Statistics &statistics, llvm::StringRef path) const override {
    statistics.add((path + ".lines").str(), loaded, "lines loaded");
  }
  std::string waits() const override {
    return isLoading ? "loader: a line" : "";
  }

  bool drops = false, fails = false;

private:
  Tlb &tlb;
  QueuedPort lastLevel;
  uint64_t address = 0, loaded = 0;
  bool isLoading = false;
  Request reader, writer;
};

constexpr uint64_t registers = 0x700000000;

struct LoaderHarness {
  LoaderHarness() : harness(withoutPrefetchers(), 64) {
    Machine &machine = harness.machine;
    unit.emplace(machine.unitPorts(0, 4));
    llvm::cantFail(harness.guest.mapDevice("loader", registers, 4096, *unit));
    machine.attach(0, *unit, "loader");
    harness.call(0, "device", {3, registers, MachineHarness::address(0)});
  }
  std::string run() { return llvm::toString(harness.machine.run()); }

  MachineHarness harness;
  std::optional<LineLoader> unit;
};
} // namespace

TEST(AccessUnit, AnyUnitAnswersItsCore) {
  LoaderHarness loader;
  EXPECT_EQ(loader.run(), "");
  llvm::json::Object statistics = loader.harness.machine.statistics();
  const llvm::json::Object *core = statistics.getObject("core0");
  EXPECT_EQ(core->getObject("loader")->getInteger("lines"), 3);
  // The line of each turn is on its way while the core waits.
  EXPECT_GT(core->getObject("stack")->getInteger("queue"), 100);
}

TEST(AccessUnit, WaitsAndErrorsAreTheMachines) {
  LoaderHarness stuck;
  stuck.unit->drops = true;
  EXPECT_NE(stuck.run().find("loader: a line"), std::string::npos);
  LoaderHarness failing;
  failing.unit->fails = true;
  EXPECT_EQ(failing.run(), "the loader fails");
}
