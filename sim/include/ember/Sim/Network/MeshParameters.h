//===- MeshParameters.h - What a mesh is like -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_NETWORK_MESHPARAMETERS_H
#define EMBER_SIM_NETWORK_MESHPARAMETERS_H

#include "ember/Sim/Engine/Time.h"
#include "ember/Sim/Machine/Parameters.h"

#include <algorithm>
#include <cstdint>

namespace ember::sim {

struct MeshParameters {
  uint64_t columns = 4;
  uint64_t rows = 4;
  double clock = 2.4;
  uint64_t routerCycles = 1;
  uint64_t linkCycles = 1;
  uint64_t linkBytes = 32;
  uint64_t headerBytes = 0;
  uint64_t bufferFlits = 8;
  bool separateLinks = true;

  /// Of the clock, in ticks.
  Tick period() const;
  /// What a message takes of a link.
  uint64_t flitsOf(uint64_t bytes) const {
    return std::max<uint64_t>(1, (bytes + headerBytes + linkBytes - 1) /
                                     linkBytes);
  }
  /// The bytes of the longest message that buffers hold.
  uint64_t longestMessage() const {
    return bufferFlits * linkBytes - headerBytes;
  }

  void visit(ParameterVisitor &visitor);
  llvm::Error validate() const;
};

} // namespace ember::sim

#endif
