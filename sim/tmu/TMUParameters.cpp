//===- TMUParameters.cpp - What a Tensor Marshaling Unit is like ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/TMU/TMUParameters.h"

#include "ember/Sim/Memory/Request.h"
#include "ember/Sim/TMU/Configuration.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace ember::sim;

static llvm::Error impossible(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

Tick TMUParameters::period() const {
  return static_cast<Tick>(std::lround(ticksPerNanosecond / clock));
}

void TMUParameters::visit(ParameterVisitor &v) {
  v.number({"clock", "GHz", "a divisor of 12 GHz", Origin::stated, "figure 5"},
           clock, {0.1, 12});
  v.integer({"lanes", "", "traversal units of a layer", Origin::published,
             "the unit of MICRO 2023; the paper does not say"},
            lanes, {1, 256});
  v.integer({"layers", "", "one inside of the other", Origin::unknown,
             "block-sparse kernels nest five loops; MICRO 2023's unit has 4"},
            layers, {1, 64});
  v.integer({"laneStorage", "bytes", "for the queues of a lane's units",
             Origin::derived, "figure 5: 8 KB in all, over the lanes"},
            laneStorage, {64, 1 << 24});
  v.flag({"computedQueues", "",
          "what units compute waits in queues as what they load does",
          Origin::unknown,
          "positions and arithmetic can be computed again at either end of a "
          "queue"},
         computedQueues);
  v.integer({"outstanding", "lines", "asked for to be loaded, at a time",
             Origin::stated,
             "figure 5: 256 MSHRs; the unit of MICRO 2023 has 128"},
            outstanding, {1, 65536});
  v.integer({"requestsPerCycle", "lines", "that the arbiter asks for",
             Origin::unknown,
             "figures 3d and 6c give at most 0.76 lines in a nanosecond"},
            requestsPerCycle, {1, 64});
  v.choice(
      {"coalescing", "",
       "requests that share a line on its way: none; with the unit's "
       "previous one; or with the previous one of the stream, in any lane",
       Origin::unknown,
       "lanes of a row need the same line, and the arbiter works on lines"},
      coalescing, {"none", "previous", "stream"});
  v.integer({"stepsPerCycle", "steps", "of each layer", Origin::unknown,
             "a state of the unit takes a cycle"},
            stepsPerCycle, {1, 64});
  v.integer({"fiberCycles", "cycles",
             "for the begin of a fiber, and as many "
             "for its end",
             Origin::unknown, "a state of the unit takes a cycle"},
            fiberCycles, {1, 64});
  v.integer({"switchCycles", "cycles",
             "in which nothing is pushed, where a fiber of an inner layer "
             "begins, and as many where it ends",
             Origin::unknown,
             "the unit of MICRO 2023 serialises its layers' callbacks, and "
             "does not say in which time"},
            switchCycles, {0, 64});
  v.integer({"pushesPerCycle", "", "tokens and operands into the output queue",
             Origin::unknown, "the unit of MICRO 2023 pushes one by one"},
            pushesPerCycle, {1, 64});
  v.integer({"marshalBytes", "bytes", "pushed in a cycle", Origin::unknown,
             "a line, as is loaded"},
            marshalBytes, {8, 4096});
  v.integer({"chunks", "", "of the output queue, used in turn",
             Origin::published, "the unit of MICRO 2023: double-buffered"},
            chunks, {1, 64});
  v.integer({"chunkBytes", "bytes", "of a chunk, at most", Origin::unknown,
             "some rows; two of them take little of the L2"},
            chunkBytes, {2 * lineBytes, 1 << 24});
  v.integer({"tokenBytes", "bytes",
             "of a chunk for tokens, where a program "
             "has no better share",
             Origin::unknown, "a token for three operands of 8 bytes"},
            tokenBytes, {lineBytes, 1 << 24});
  v.integer({"outputLines", "lines", "written to the queue at a time",
             Origin::unknown, "enough for the latency of the L2"},
            outputLines, {1, 4096});
  v.integer({"storeLines", "lines",
             "of store streams that are gathered or "
             "written at a time",
             Origin::unknown, "enough for the latency of the last level"},
            storeLines, {2, 4096});
  v.integer({"deviceCycles", "cycles",
             "from the core to the registers, and as many back",
             Origin::unknown, "beside the core: about the latency of the L2"},
            deviceCycles, {0, 10000});
  v.integer({"launchCycles", "cycles", "from a launch to the first step",
             Origin::unknown, "some lines of a configuration"},
            launchCycles, {0, 1000000});
}

llvm::Error TMUParameters::validate() const {
  double ticks = ticksPerNanosecond / clock;
  if (std::abs(ticks - std::round(ticks)) > 1e-6)
    return impossible("clock is no divisor of 12 GHz");
  if (chunkBytes % lineBytes || tokenBytes % lineBytes)
    return impossible("chunkBytes and tokenBytes are whole lines of 64 bytes");
  if (tokenBytes >= chunkBytes)
    return impossible("tokenBytes leaves no room for operands in chunkBytes");
  return llvm::Error::success();
}

llvm::Error TMUParameters::fits(const TMUProgram &program) const {
  auto tooMuch = [&](const llvm::Twine &what) {
    return impossible("program " + program.name +
                      " does not fit the unit: " + what);
  };
  if (program.layers.size() > layers)
    return tooMuch(llvm::Twine(program.layers.size()) + " layers of " +
                   llvm::Twine(layers));
  if (program.chunkBytes > chunkBytes)
    return tooMuch("chunks of " + llvm::Twine(program.chunkBytes) +
                   " bytes of " + llvm::Twine(chunkBytes));
  std::vector<uint64_t> bytes(lanes);
  for (const Layer &layer : program.layers) {
    if (layer.units.size() > lanes)
      return tooMuch(llvm::Twine(layer.units.size()) + " lanes of " +
                     llvm::Twine(lanes));
    for (auto [lane, unit] : llvm::enumerate(layer.units)) {
      for (const Stream &stream : unit.streams)
        if (computedQueues ? stream.kind != StreamKind::store
                           : stream.kind == StreamKind::memory ||
                                 unit.kind == UnitKind::segment)
          bytes[lane] += unit.queue * stream.entryBytes();
    }
  }
  for (auto [lane, needed] : llvm::enumerate(bytes))
    if (needed > laneStorage)
      return tooMuch("queues of " + llvm::Twine(needed) + " bytes in lane " +
                     llvm::Twine(lane) + ", which has " +
                     llvm::Twine(laneStorage));
  return llvm::Error::success();
}
