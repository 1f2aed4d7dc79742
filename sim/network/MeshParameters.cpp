//===- MeshParameters.cpp - What a mesh is like ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Network/MeshParameters.h"

#include "ember/Sim/Memory/Request.h"

#include <cmath>
#include <string>

using namespace ember::sim;

static llvm::Error impossible(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

void MeshParameters::visit(ParameterVisitor &visitor) {
  visitor.integer({"columns", "", "routers of a row", Origin::unknown,
                   "8 cores, as many slices and 8 channels on 16 routers"},
                  columns, {1, 64});
  visitor.integer({"rows", "", "routers of a column", Origin::unknown,
                   "8 cores, as many slices and 8 channels on 16 routers"},
                  rows, {1, 64});
  visitor.number({"clock", "GHz", "of routers and links", Origin::unknown,
                  "the paper counts in cycles of its cores"},
                 clock, {0.1, 12});
  visitor.integer({"routerCycles", "cycles", "through a router", Origin::stated,
                   "figure 5"},
                  routerCycles, {1, 64});
  visitor.integer({"linkCycles", "cycles", "from a router to the next one",
                   Origin::stated, "figure 5"},
                  linkCycles, {1, 64});
  visitor.integer({"linkBytes", "bytes", "that a link carries in a cycle",
                   Origin::unknown, "256 bits, as published for Arm's CMN-600"},
                  linkBytes, {1, 1024});
  visitor.integer({"headerBytes", "bytes", "that each message has besides",
                   Origin::unknown,
                   "addresses and commands have wires of their own"},
                  headerBytes, {0, 256});
  visitor.integer({"bufferFlits", "flits",
                   "of a buffer, of which each input has one for each virtual "
                   "network",
                   Origin::unknown,
                   "a link is never idle for want of room: two lines, and what "
                   "the round trip of a credit takes"},
                  bufferFlits, {1, 1024});
  visitor.flag({"separateLinks", "",
                "each virtual network has links of its own", Origin::published,
                "CHI's channels are wires of their own"},
               separateLinks);
}

Tick MeshParameters::period() const {
  return static_cast<Tick>(std::lround(ticksPerNanosecond / clock));
}

llvm::Error MeshParameters::validate() const {
  if (std::abs(ticksPerNanosecond / clock - static_cast<double>(period())) >
      1e-6)
    return impossible("clock: its period of " + std::to_string(1 / clock) +
                      " ns is no multiple of 1/12 ns");
  if (flitsOf(lineBytes) > bufferFlits)
    return impossible("bufferFlits, linkBytes and headerBytes: a line of " +
                      llvm::Twine(flitsOf(lineBytes)) +
                      " flits does not fit into a buffer of " +
                      llvm::Twine(bufferFlits));
  return llvm::Error::success();
}
