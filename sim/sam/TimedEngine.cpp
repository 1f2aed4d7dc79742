//===- TimedEngine.cpp - Runs a graph by the times of its tokens ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimedMachine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace ember::sim::sam {

void TimedStream::makeRoom() {
  uint64_t oldest = tail;
  for (const TimedInput *input : consumers)
    oldest = std::min(oldest, input->passed);
  if (tail - oldest > mask / 2) {
    std::vector<PackedToken> larger(ring.size() * 2);
    uint64_t largerMask = larger.size() - 1;
    for (uint64_t i = oldest; i < tail; ++i)
      larger[i & largerMask] = ring[i & mask];
    outgrown.push_back(std::exchange(ring, std::move(larger)));
    mask = largerMask;
  }
  limit = oldest + ring.size();
}

uint64_t TimedStream::backlog() const {
  uint64_t longest = 0;
  for (const TimedInput *input : consumers)
    longest = std::max(longest, tail - input->head);
  return longest;
}

TimedMachine::TimedMachine(const Graph &graph, const Parameters &parameters,
                           const RunOptions &options)
    : graph(graph), parameters(parameters), options(options),
      isReference(parameters.quirks == Quirks::reference),
      blocks(graph.getBlocks().size()) {
  connect();
}

void TimedMachine::connect() {
  result.shown.resize(options.keepsStreams ? blocks.size() : 0);
  for (auto [number, block] : enumerate(blocks)) {
    block.describe(graph, number);
    if (isWriter(block.kind))
      block.written = &result.written[number];
    if (WideBits::areMadeBy(*block.description))
      block.wide = std::make_shared<WideBits>();
    for (unsigned port = 0; port < block.numOutputs; ++port) {
      block.out[port] = &streams.emplace_back();
      if (options.keepsStreams)
        block.out[port]->shown = &result.shown[number][port];
    }
  }
  for (unsigned number : graph.getOrder()) {
    TimedBlock &block = blocks[number];
    for (unsigned port = 0; port < block.numInputs; ++port) {
      if (!graph.isConnected(block.number, port))
        continue;
      PortRef source = graph.sourceOf(block.number, port);
      TimedStream *stream = nullptr;
      if (source.block == noIndex) {
        stream = &streams.emplace_back();
      } else {
        stream = blocks[source.block].out[source.port];
        if (blocks[source.block].wide)
          block.wide = blocks[source.block].wide;
      }
      block.in[port].stream = stream;
      stream->consumers.push_back(&block.in[port]);
      // What is fed may be used in the cycle that it says.
      for (const TimedToken &fed : graph.fedTo(block.number, port))
        stream->push(fed.token, fed.cycle - 1);
    }
    if (block.kind == BlockKind::coordinateHold) {
      // Its signals come from itself, at a port that nothing else has.
      block.in[2].stream = &block.signals;
      block.signals.consumers.push_back(&block.in[2]);
    }
  }
}

void TimedMachine::fail(TimedBlock &block, uint64_t cycle,
                        const std::string &what) {
  if (block.failure.empty())
    block.failure = formatv("block '{0}', cycle {1}: {2}",
                            block.description->name, cycle, what);
}

bool TimedMachine::isFarAhead(const TimedBlock &block,
                              uint64_t mostBacklog) const {
  return any_of(ArrayRef(block.out, block.numOutputs),
                [&](const TimedStream *stream) {
                  return stream->backlog() > mostBacklog;
                });
}

/// Maps what is there, producers first, which are seen at once; whether
/// anything was.
bool TimedMachine::sweep(uint64_t mostBacklog, bool &isHeldBack) {
  bool moved = false;
  for (unsigned number : graph.getOrder()) {
    TimedBlock &block = blocks[number];
    if (block.isDone)
      continue;
    if (isFarAhead(block, mostBacklog)) {
      isHeldBack = true;
      continue;
    }
    block.refresh();
    moved |= map(block);
    block.refresh();
    for (TimedStream *stream : ArrayRef(block.out, block.numOutputs))
      stream->outgrown.clear();
  }
  return moved;
}

Error TimedMachine::describeFailure() const {
  for (unsigned number : graph.getOrder())
    if (!blocks[number].failure.empty())
      return createStringError(blocks[number].failure);
  return Error::success();
}

Error TimedMachine::describeStarvation() const {
  std::string text;
  for (unsigned number : graph.getOrder()) {
    const TimedBlock &block = blocks[number];
    if (block.isDone)
      continue;
    std::string ports;
    for (unsigned port = 0; port < block.numInputs; ++port) {
      if (!block.in[port].stream || !block.in[port].isEmpty())
        continue;
      PortRef source = graph.sourceOf(number, port);
      ports += formatv(
          "{0}for a token on {1} from {2}", ports.empty() ? "" : ", and ",
          infoOf(block.kind).inputs[port].name,
          source.block == noIndex ? "outside" : graph.nameOfOutput(source));
    }
    text += formatv("\n  {0} waits {1}", block.description->name,
                    ports.empty() ? "for its streams to go on" : ports);
  }
  return createStringError("nothing moves any more, but not all has ended:" +
                           text);
}

Expected<Run> TimedMachine::run() {
  if (graph.hasGallopEdges())
    return createStringError(
        "a graph with gallop edges leads back; run it by cycles");
  if (parameters.queueDepth)
    return createStringError(
        "with queues of finite depth, tokens wait for room; run it by cycles");
  if (parameters.arrayPorts || !parameters.blockCounts.empty())
    return createStringError(
        "with blocks that share units or ports, these wait "
        "for each other; run it by cycles");
  if (options.findsCriticalChain)
    return createStringError("the critical chain is found by cycles");
  std::unique_ptr<Team, EndTeam> team = makeTeam();
  for (uint64_t mostBacklog = 4 * tokensAtOnce;;) {
    bool isHeldBack = false;
    bool moved = team ? sweepTogether(*team, mostBacklog, isHeldBack)
                      : sweep(mostBacklog, isHeldBack);
    if (Error error = describeFailure())
      return std::move(error);
    if (moved)
      continue;
    if (!isHeldBack)
      break;
    mostBacklog *= 2;
  }
  if (any_of(blocks, [](const TimedBlock &block) { return !block.isDone; }))
    return describeStarvation();
  return collect();
}

Run TimedMachine::collect() {
  bool hasWriters = any_of(
      blocks, [](const TimedBlock &block) { return isWriter(block.kind); });
  result.blocks.resize(blocks.size());
  result.streams.resize(blocks.size());
  for (const TimedBlock &block : blocks) {
    // What has two sides is as busy as the busier one.
    result.blocks[block.number].busy =
        std::max(block.busy - block.innerBusy, block.innerBusy);
    result.blocks[block.number].mostHeld = block.getMostHeld();
    result.blocks[block.number].doneCycle = block.doneCycle;
    if (!hasWriters || isWriter(block.kind))
      result.cycles = std::max(result.cycles, block.doneCycle + 1);
    for (unsigned port = 0; port < block.numOutputs; ++port) {
      const TimedStream &stream = *block.out[port];
      auto &tokens = result.streams[block.number][port].tokens;
      tokens = stream.controls;
      tokens[0] = stream.tail - tokens[1] - tokens[2] - tokens[3];
    }
  }
  return std::move(result);
}

Expected<Run> runByTimes(const Graph &graph, const Parameters &parameters,
                         const RunOptions &options) {
  return TimedMachine(graph, parameters, options).run();
}

} // namespace ember::sim::sam
