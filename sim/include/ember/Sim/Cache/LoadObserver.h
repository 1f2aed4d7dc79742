//===- LoadObserver.h - Sees what is loaded through a cache -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CACHE_LOADOBSERVER_H
#define EMBER_SIM_CACHE_LOADOBSERVER_H

#include <cstdint>

namespace ember::sim {

class LoadObserver {
public:
  /// A core's load of what begins at `address` looked into the cache.
  virtual void loaded(uint64_t address) = 0;

protected:
  ~LoadObserver() = default;
};

} // namespace ember::sim

#endif
