//===- Progress.cpp - How far a simulation is -----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Simulation/Progress.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace llvm;
using namespace ember;

/// Between two texts on a terminal.
static constexpr std::chrono::milliseconds interval(500);
static constexpr StringRef clearLine = "\r\x1b[K";

/// Minutes and seconds, or hours before them.
static std::string inMinutes(double seconds) {
  auto whole = static_cast<uint64_t>(seconds + 0.5);
  if (whole < 3600)
    return formatv("{0}:{1,0+2}", whole / 60, whole % 60).str();
  return formatv("{0}:{1,0+2}:{2,0+2}", whole / 3600, whole / 60 % 60,
                 whole % 60)
      .str();
}

Progress::~Progress() { end(); }

void Progress::begin(uint64_t instructions, Clock::time_point now) {
  total = instructions;
  since = said = now;
  tenths = 0;
}

void Progress::update(uint64_t instructions, Clock::time_point now) {
  if (!total || !instructions)
    return;
  double part = std::min(1.0, static_cast<double>(instructions) /
                                  static_cast<double>(total));
  auto done = static_cast<uint64_t>(part * 10);
  if (isTerminal ? now - said < interval : done == tenths)
    return;
  said = now;
  tenths = done;
  std::chrono::duration<double> seconds = now - since;
  std::string text =
      formatv("{0:F0} % of {1:F1} million instructions, {2} left", 100 * part,
              static_cast<double>(total) / 1e6,
              inMinutes(seconds.count() / part * (1 - part)))
          .str();
  if (isTerminal)
    os << clearLine << text;
  else
    os << text << "\n";
  os.flush();
  hasLine = isTerminal;
}

void Progress::end() {
  if (hasLine)
    os << clearLine;
  os.flush();
  hasLine = false;
}
