//===- GuestMemory.cpp - What addresses a program may use -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/GuestMemory.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cstring>

using namespace ember::sim;

llvm::Error GuestMemory::insert(Region region) {
  if (region.end < region.begin)
    return llvm::createStringError(
        llvm::formatv("{0} does not fit into the address space at {1:x}",
                      region.name, region.begin));
  auto next = std::upper_bound(
      regions.begin(), regions.end(), region.begin,
      [](uint64_t address, const Region &r) { return address < r.begin; });
  for (auto other : {next, next == regions.begin() ? regions.end() : next - 1})
    if (other != regions.end() && other->begin < region.end &&
        region.begin < other->end)
      return llvm::createStringError(
          llvm::formatv("{0} at {1:x} overlaps {2} at {3:x}", region.name,
                        region.begin, other->name, other->begin));
  regions.insert(next, std::move(region));
  std::fill(std::begin(recent), std::end(recent), 0);
  return llvm::Error::success();
}

llvm::Error GuestMemory::map(llvm::StringRef name, uint64_t address, void *host,
                             uint64_t size, bool writable) {
  return insert({address, address + size, static_cast<uint8_t *>(host), nullptr,
                 writable, name.str()});
}

llvm::Error GuestMemory::mapDevice(llvm::StringRef name, uint64_t address,
                                   uint64_t size, DeviceHandler &handler) {
  return insert({address, address + size, nullptr, &handler, true, name.str()});
}

const GuestMemory::Region *GuestMemory::regionOf(uint64_t address) const {
  auto next = std::upper_bound(
      regions.begin(), regions.end(), address,
      [](uint64_t value, const Region &r) { return value < r.begin; });
  if (next == regions.begin() || std::prev(next)->end <= address)
    return nullptr;
  return &*std::prev(next);
}

GuestMemory::Region *GuestMemory::regionOf(uint64_t address, unsigned size) {
  auto holds = [&](const Region &region) {
    return address >= region.begin && address < region.end &&
           size <= region.end - address;
  };
  if (regions.empty())
    return nullptr;
  for (size_t index : recent)
    if (holds(regions[index]))
      return &regions[index];
  const Region *region = regionOf(address);
  if (!region || !holds(*region))
    return nullptr;
  recent[oldest] = region - regions.data();
  oldest = (oldest + 1) % recentCount;
  return &regions[region - regions.data()];
}

bool GuestMemory::load(uint64_t address, void *bytes, unsigned size) {
  Region *region = regionOf(address, size);
  if (!region) {
    // It may begin in one part and end in the next.
    if (size < 2)
      return false;
    unsigned first = size / 2;
    return load(address, bytes, first) &&
           load(address + first, static_cast<uint8_t *>(bytes) + first,
                size - first);
  }
  if (region->device)
    region->device->load(address, bytes, size);
  else
    std::memcpy(bytes, region->host + (address - region->begin), size);
  return true;
}

bool GuestMemory::store(uint64_t address, const void *bytes, unsigned size) {
  Region *region = regionOf(address, size);
  if (!region) {
    for (unsigned i = 0; i < size; ++i)
      if (const Region *part = regionOf(address + i); !part || !part->writable)
        return false;
    for (unsigned i = 0; i < size; ++i)
      if (!store(address + i, static_cast<const uint8_t *>(bytes) + i, 1))
        return false;
    return true;
  }
  if (!region->writable)
    return false;
  if (region->device)
    region->device->store(address, bytes, size);
  else
    std::memcpy(region->host + (address - region->begin), bytes, size);
  return true;
}

const void *GuestMemory::find(uint64_t address, uint64_t size) const {
  const Region *region = regionOf(address);
  if (!region || !region->host || size > region->end - address)
    return nullptr;
  return region->host + (address - region->begin);
}

bool GuestMemory::isDevice(uint64_t address) const {
  const Region *region = regionOf(address);
  return region && region->device;
}

std::string GuestMemory::describe(uint64_t address) const {
  const Region *nearest = nullptr;
  uint64_t least = ~uint64_t{0};
  for (const Region &region : regions) {
    uint64_t distance = address < region.begin ? region.begin - address
                        : address < region.end ? 0
                                               : address - region.end + 1;
    if (distance < least) {
      least = distance;
      nearest = &region;
    }
  }
  if (!nearest)
    return "nothing is mapped";
  if (!least)
    return nearest->writable
               ? llvm::formatv("{0} ends within it", nearest->name).str()
               : llvm::formatv("{0} is read-only", nearest->name).str();
  return llvm::formatv("the nearest is {0}, {1} bytes {2}", nearest->name,
                       least,
                       address < nearest->begin ? "further up" : "before it")
      .str();
}
