//===- TMUTrace.cpp - A TMU on a Perfetto trace ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/TMU/TMUTrace.h"

using namespace ember::sim;

PerfettoTrace::Track TMUTrace::track(std::vector<PerfettoTrace::Track> &tracks,
                                     llvm::StringRef kind, size_t number) {
  while (tracks.size() <= number)
    tracks.push_back(trace.addTrack(
        name, (kind + llvm::Twine(" ") + llvm::Twine(tracks.size())).str()));
  return tracks[number];
}

void TMUTrace::fiber(unsigned layer, Tick from, Tick to, uint64_t steps) {
  trace.slice(track(layers, "layer", layer), "fiber", from, to,
              {{"steps", steps}});
}

void TMUTrace::request(uint32_t number, uint64_t line, Tick from, Tick to) {
  trace.slice(track(requests, "request", number), "line", from, to,
              {{"line", line}});
}

void TMUTrace::chunk(uint64_t buffer, llvm::StringRef state, uint64_t number,
                     Tick from, Tick to) {
  trace.slice(track(chunks, "chunk", buffer), state, from, to,
              {{"number", number}});
}
