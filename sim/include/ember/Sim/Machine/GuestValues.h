//===- GuestValues.h - What a core's memory holds ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prefetchers that look at values see those of the program that runs on the
// core beside them.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_MACHINE_GUESTVALUES_H
#define EMBER_SIM_MACHINE_GUESTVALUES_H

#include "ember/Sim/Cache/Prefetcher.h"
#include "ember/Sim/Core/GuestMemory.h"

#include <cstring>

namespace ember::sim {

class GuestValues final : public MemoryValues {
public:
  void setMemory(const GuestMemory &guest) { memory = &guest; }

  bool read(uint64_t address, unsigned bytes, uint64_t &value) const override {
    const void *found = memory ? memory->find(address, bytes) : nullptr;
    if (!found)
      return false;
    value = 0;
    memcpy(&value, found, bytes);
    return true;
  }

private:
  const GuestMemory *memory = nullptr;
};

} // namespace ember::sim

#endif
