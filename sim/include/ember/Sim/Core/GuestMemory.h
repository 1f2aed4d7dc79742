//===- GuestMemory.h - What addresses a program may use ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A simulated program uses memory of the process that simulates it. It sees
// those parts of it that were mapped, at addresses of the mapper's choice, and
// devices, whose loads and stores call a handler. Any other access is a fault,
// which is an error of the program and never one of the simulator.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CORE_GUESTMEMORY_H
#define EMBER_SIM_CORE_GUESTMEMORY_H

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ember::sim {

/// What answers loads and stores of a device's addresses. It answers at once:
/// how long a core waits for it is up to the timing model.
class DeviceHandler {
public:
  /// Fills `size` bytes with what is at `address`.
  virtual void load(uint64_t address, void *bytes, unsigned size) = 0;
  virtual void store(uint64_t address, const void *bytes, unsigned size) = 0;

protected:
  ~DeviceHandler() = default;
};

class GuestMemory {
public:
  /// Maps `size` bytes at `host` to `address`. Parts do not overlap.
  llvm::Error map(llvm::StringRef name, uint64_t address, void *host,
                  uint64_t size, bool writable = true);
  llvm::Error mapDevice(llvm::StringRef name, uint64_t address, uint64_t size,
                        DeviceHandler &handler);

  /// False if one of the bytes cannot be read.
  bool load(uint64_t address, void *bytes, unsigned size);
  /// False if one of the bytes cannot be written; then none is.
  bool store(uint64_t address, const void *bytes, unsigned size);

  /// Where `size` bytes at `address` are, or null.
  const void *find(uint64_t address, uint64_t size) const;
  bool isDevice(uint64_t address) const;

  /// What is near an address that cannot be used, for messages.
  std::string describe(uint64_t address) const;

private:
  struct Region {
    uint64_t begin;
    uint64_t end;
    uint8_t *host;
    DeviceHandler *device;
    bool writable;
    std::string name;
  };

  llvm::Error insert(Region region);
  const Region *regionOf(uint64_t address) const;
  Region *regionOf(uint64_t address, unsigned size);

  std::vector<Region> regions;
  /// The regions that were used last: loops read some arrays in turn.
  static constexpr unsigned recentCount = 4;
  size_t recent[recentCount] = {};
  unsigned oldest = 0;
};

} // namespace ember::sim

#endif
