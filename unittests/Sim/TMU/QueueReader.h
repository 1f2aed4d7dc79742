//===- QueueReader.h - A core that only takes chunks ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses the registers as a core would, with no work of its own: launches, takes
// so many chunks, hands each back after a time, and waits for the end.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_UNITTESTS_SIM_TMU_QUEUEREADER_H
#define EMBER_UNITTESTS_SIM_TMU_QUEUEREADER_H

#include "UnitHarness.h"

namespace ember::sim {

class QueueReader final : public Requester, public EventHandler {
public:
  QueueReader(UnitHarness &harness, unsigned core, uint64_t block,
              uint64_t count, uint64_t chunkBytes, Tick hold = 0)
      : harness(harness), memory(harness.guest.memory),
        device(GuestHarness::device(core)), port(harness.units[core]),
        left(count), bytes(chunkBytes), hold(hold) {
    memory.store(device, &block, 8);
    ask(launching, Access::own);
  }

  /// Runs until all is done, or nothing moves.
  void run() {
    while (state != done && harness.machine.clockwork().step()) {
    }
  }

  void handle(uint64_t) override {
    uint64_t zero = 0;
    memory.store(device + TMUDevice::handBackRegister, &zero, 8);
    ask(handingBack, Access::own);
  }
  void complete(const Request &) override {
    Tick now = harness.machine.clockwork().now();
    switch (state) {
    case taking: {
      times.push_back(now);
      harness.machine.clockwork().schedule(now + hold, *this);
      return;
    }
    case launching:
    case handingBack: {
      if (left) {
        --left;
        uint64_t address = 0;
        memory.load(device + TMUDevice::takeRegister, &address, 8);
        addresses.push_back(address);
        const auto *chunk =
            static_cast<const uint8_t *>(memory.find(address, bytes));
        chunks.emplace_back(chunk, chunk + bytes);
        ask(taking, Access::read);
        return;
      }
      memory.load(device + TMUDevice::waitRegister, &result, 8);
      ask(waiting, Access::read);
      return;
    }
    case waiting:
      end = now;
      state = done;
      break;
    case done:
      break;
    }
  }
  void retry() override {}

  bool isDone() const { return state == done; }

  std::vector<std::vector<uint8_t>> chunks;
  std::vector<uint64_t> addresses;
  std::vector<Tick> times;
  uint64_t result = 0;
  Tick end = 0;

private:
  enum State { launching, taking, handingBack, waiting, done };

  void ask(State next, Access access) {
    state = next;
    Request request;
    request.line = lineOf(device);
    request.access = access;
    request.requester = this;
    EXPECT_TRUE(port.devicePort().accept(request));
  }

  UnitHarness &harness;
  GuestMemory &memory;
  const uint64_t device;
  AccessUnit &port;
  uint64_t left;
  const uint64_t bytes;
  const Tick hold;
  State state = launching;
};

} // namespace ember::sim

#endif
