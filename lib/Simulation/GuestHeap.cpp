//===- GuestHeap.cpp - Memory of a simulated program ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Simulation/GuestHeap.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <new>

using namespace llvm;
using namespace ember;

Expected<uint64_t> GuestHeap::map(StringRef name, void *host, uint64_t bytes) {
  uint64_t address = alignTo(next, pageBytes);
  // A page in between, where accesses out of range are faults.
  next = alignTo(address + bytes, pageBytes) + pageBytes;
  if (next > lastAddress)
    return createStringError("the simulated program has no addresses left for "
                             "" +
                             name);
  if (bytes)
    if (Error error = memory.map(name, address, host, bytes))
      return std::move(error);
  return address;
}

Expected<uint64_t> GuestHeap::allocate(uint64_t bytes, uint64_t alignment) {
  uint64_t size = PowerOf2Ceil(std::max<uint64_t>(bytes, 64));
  alignment = std::max<uint64_t>(alignment, 64);
  auto [first, last] = unused.equal_range(size);
  for (auto place = first; place != last; ++place) {
    if (place->second.first % alignment)
      continue;
    auto [address, block] = std::move(place->second);
    unused.erase(place);
    used[address] = std::move(block);
    return address;
  }
  uint64_t address = alignTo(next, std::max(alignment, pageBytes));
  next = address;
  std::unique_ptr<uint8_t[]> host(new (std::nothrow) uint8_t[size]());
  if (!host || size > lastAddress)
    return createStringError("the simulated program asks for " + Twine(bytes) +
                             " bytes, which this machine does not have");
  Expected<uint64_t> mapped = map("allocated memory", host.get(), size);
  if (!mapped)
    return mapped;
  used[*mapped] = {size, std::move(host)};
  return mapped;
}

bool GuestHeap::release(uint64_t address) {
  if (!address)
    return true;
  auto found = used.find(address);
  if (found == used.end())
    return false;
  uint64_t bytes = found->second.bytes;
  unused.emplace(bytes, std::pair(address, std::move(found->second)));
  used.erase(found);
  return true;
}
