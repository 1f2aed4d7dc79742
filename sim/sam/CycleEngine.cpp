//===- CycleEngine.cpp - Runs a graph cycle by cycle ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CycleMachine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace ember::sim::sam {

uint64_t Run::tokens() const {
  uint64_t sum = 0;
  for (const auto &outputs : streams)
    for (const StreamStatistics &stream : outputs)
      sum += stream.total();
  return sum;
}

void CycleStream::makeRoom() {
  uint64_t oldest = tail;
  for (const CycleInput *input : consumers)
    oldest = std::min(oldest, input->head);
  if (tail - oldest > mask / 2) {
    std::vector<Token> larger(ring.size() * 2);
    uint64_t largerMask = larger.size() - 1;
    for (uint64_t i = oldest; i < tail; ++i)
      larger[i & largerMask] = ring[i & mask];
    ring = std::move(larger);
    mask = largerMask;
  }
  limit = oldest + ring.size();
}

CycleMachine::CycleMachine(const Graph &graph, const Parameters &parameters,
                           const RunOptions &options)
    : graph(graph), parameters(parameters), options(options),
      isReference(parameters.quirks == Quirks::reference),
      blocks(graph.getBlocks().size()), places(blocks.size()),
      active((blocks.size() + 63) / 64), next(active.size()) {
  connect();
}

/// Whether a full queue of an input holds up who fills it. Writers take a token
/// a cycle; reducers of points and what holds coordinates have storage of their
/// own, to which tokens move at once; skips are few.
static bool exertsPressure(BlockKind kind, unsigned port) {
  bool hasStorage = kind == BlockKind::accumulate1 ||
                    kind == BlockKind::accumulate2 ||
                    (kind == BlockKind::coordinateHold && port == 0);
  return !hasStorage && !isWriter(kind) &&
         infoOf(kind).inputs[port].type != StreamType::skip;
}

void CycleMachine::connectInput(CycleBlock &block, unsigned port) {
  PortRef source = graph.sourceOf(block.number, port);
  CycleStream *stream = nullptr;
  if (source.block == noIndex) {
    stream = &streams.emplace_back();
    feeds.push_back({stream, graph.fedTo(block.number, port)});
  } else {
    CycleBlock &producer = blocks[places[source.block]];
    stream = producer.out[source.port];
    if (producer.wide)
      block.wide = producer.wide;
  }
  block.in[port].stream = stream;
  if (parameters.queueDepth && exertsPressure(block.kind, port))
    block.capacity[port] = block.kind == BlockKind::buffer
                               ? block.description->capacity
                               : *parameters.queueDepth;
  stream->consumers.push_back(&block.in[port]);
  unsigned place = &block - blocks.data();
  stream->wakes.push_back({place / 64, uint64_t(1) << place % 64});
}

void CycleMachine::connect() {
  ArrayRef<unsigned> order = graph.getOrder();
  result.shown.resize(options.keepsStreams ? blocks.size() : 0);
  for (auto [rank, number] : enumerate(order))
    places[number] = blocks.size() - 1 - rank;
  for (unsigned number : order) {
    CycleBlock &block = blocks[places[number]];
    block.describe(graph, number);
    block.obeysPressure =
        parameters.queueDepth &&
        !(isReference && (block.kind == BlockKind::add ||
                          block.kind == BlockKind::coordinateDrop));
    if (isWriter(block.kind)) {
      ++runningWriters;
      block.written = &result.written[number];
    }
    if (WideBits::areMadeBy(*block.description))
      block.wide = std::make_shared<WideBits>();
    for (unsigned port = 0; port < block.numOutputs; ++port) {
      block.out[port] = &streams.emplace_back();
      if (options.keepsStreams)
        block.out[port]->shown = &result.shown[number][port];
    }
  }
  // Producers come last.
  for (CycleBlock &block : reverse(blocks))
    for (unsigned port = 0; port < block.numInputs; ++port)
      if (graph.isConnected(block.number, port))
        connectInput(block, port);
  shareUnits();
}

/// Blocks of one kind share the units that the machine has, and arrays the
/// ports of the memory that they read.
void CycleMachine::shareUnits() {
  std::map<BlockKind, std::vector<CycleBlock *>> kinds;
  std::map<unsigned, std::vector<CycleBlock *>> readers;
  for (CycleBlock &block : blocks) {
    kinds[block.kind].push_back(&block);
    if (block.kind == BlockKind::array)
      readers[block.description->tensor].push_back(&block);
  }
  auto share = [&](ArrayRef<CycleBlock *> sharing, unsigned count,
                   unsigned which) {
    if (sharing.size() <= count)
      return;
    SharedUnits &shared = units.emplace_back();
    shared.count = count;
    for (CycleBlock *block : sharing)
      block->units[which] = &shared;
  };
  for (const auto &[kind, sharing] : kinds)
    if (auto count = parameters.blockCounts.find(kind);
        count != parameters.blockCounts.end())
      share(sharing, count->second, 0);
  if (parameters.arrayPorts)
    for (const auto &[tensor, sharing] : readers)
      share(sharing, *parameters.arrayPorts, 1);
}

/// Whether the units that a block shares are free in this cycle.
bool CycleMachine::mayUseUnits(CycleBlock &block, uint64_t cycle) {
  return none_of(block.units, [&](SharedUnits *shared) {
    return shared && shared->cycle == cycle && shared->used == shared->count;
  });
}

static void useUnits(CycleBlock &block, uint64_t cycle) {
  for (SharedUnits *shared : block.units) {
    if (!shared)
      continue;
    if (shared->cycle != cycle)
      shared->used = 0;
    shared->cycle = cycle;
    ++shared->used;
  }
}

void CycleMachine::deliverFeeds() {
  for (Feed &feed : feeds) {
    if (feed.position == feed.tokens.size() ||
        feed.tokens[feed.position].cycle != cycle)
      continue;
    CycleStream &stream = *feed.stream;
    if (stream.tail == stream.limit)
      stream.makeRoom();
    stream.ring[stream.tail++ & stream.mask] =
        feed.tokens[feed.position++].token;
    stream.lastPush = cycle;
    for (auto [word, bits] : stream.wakes)
      active[word] |= bits;
  }
  erase_if(feeds, [](const Feed &feed) {
    return feed.position == feed.tokens.size();
  });
}

bool CycleMachine::isHeld(const CycleBlock &block) const {
  // What was full in the cycle before, which is `cycle - 1`.
  for (unsigned port = 0; port < block.numOutputs; ++port)
    if (cycle && block.out[port]->fullCycle[(cycle - 1) & 1] == cycle)
      return true;
  return false;
}

/// Notes which queues are full; with one that is, the block stays awake.
void CycleMachine::markFullQueues(CycleBlock &block) {
  for (unsigned port = 0; port < block.numInputs; ++port) {
    CycleInput &input = block.in[port];
    if (!block.capacity[port] || input.size() <= block.capacity[port])
      continue;
    input.stream->fullCycle[cycle & 1] = cycle + 1;
    unsigned place = &block - blocks.data();
    next[place / 64] |= uint64_t(1) << place % 64;
  }
}

/// A block that did something in a cycle could do so because its input had just
/// come, because it was no longer held up, or because it had finished what it
/// did before.
void CycleMachine::noteCause(CycleBlock &block) {
  uint8_t cause = ownPace;
  if (cycle && block.lastHeld == cycle) {
    for (unsigned port = 0; port < block.numOutputs; ++port)
      if (block.out[port]->fullCycle[cycle & 1] == cycle - 1)
        cause = heldUp + port;
  } else {
    for (unsigned port = 0; port < block.numInputs; ++port)
      if (CycleInput &input = block.in[port];
          input.stream && input.stream->lastPush == cycle && input.size() <= 1)
        cause = port;
  }
  if (block.causes.empty() || block.causes.back().second != cause)
    block.causes.push_back({cycle, cause});
}

bool CycleMachine::stepAll() {
  bool moved = false;
  for (size_t word = 0; word < active.size(); ++word) {
    for (uint64_t bits = active[word]; bits; bits &= bits - 1) {
      unsigned place = word * 64 + std::countr_zero(bits);
      CycleBlock &block = blocks[place];
      for (unsigned port = 0; port < block.numInputs; ++port)
        if (CycleInput &input = block.in[port]; input.stream)
          input.peak = std::max(input.peak, input.size());
      if (parameters.queueDepth)
        markFullQueues(block);
      if (block.isDone)
        continue;
      uint64_t bit = uint64_t(1) << place % 64;
      if (block.obeysPressure && isHeld(block)) {
        ++block.held;
        block.lastHeld = cycle + 1;
        next[word] |= bit;
        continue;
      }
      if (!units.empty() && !mayUseUnits(block, cycle)) {
        // It tries again; whether it could act at all is not known.
        bool hasToken = any_of(block.in, [](const CycleInput &input) {
          return input.stream && !input.isEmpty();
        });
        block.waiting += hasToken || block.phase != Phase::due;
        next[word] |= bit;
        continue;
      }
      if (options.findsCriticalChain)
        noteCause(block);
      if (!step(block))
        continue;
      if (!units.empty())
        useUnits(block, cycle);
      ++block.busy;
      next[word] |= bit;
      moved = true;
    }
    active[word] = 0;
  }
  return moved;
}

bool CycleMachine::fail(const CycleBlock &block, const std::string &what) {
  if (failure.empty())
    failure = formatv("block '{0}', cycle {1}: {2}", block.description->name,
                      cycle, what);
  return true;
}

Expected<Run> CycleMachine::run() {
  bool hasWriters = runningWriters != 0;
  // A queue that was full holds its producer for one cycle more.
  unsigned idleCycles = 0;
  constexpr unsigned mostIdleCycles = 3;
  for (;; ++cycle) {
    if (!feeds.empty())
      deliverFeeds();
    bool moved = stepAll();
    if (!failure.empty())
      return createStringError(failure);
    std::swap(active, next);
    idleCycles = moved ? 0 : idleCycles + 1;
    if (hasWriters && !runningWriters)
      break;
    if (idleCycles >= mostIdleCycles && feeds.empty()) {
      cycle -= mostIdleCycles;
      if (hasWriters ||
          any_of(blocks, [](const CycleBlock &block) { return !block.isDone; }))
        return describeDeadlock();
      break;
    }
    if (cycle >= options.mostCycles)
      return createStringError(
          formatv("the run was given up after {0} cycles", cycle));
  }
  return collect();
}

/// Why a block that has not ended does nothing.
std::string CycleMachine::describeWait(const CycleBlock &block) const {
  std::string text;
  auto say = [&](const std::string &reason) {
    text += (text.empty() ? "" : ", and ") + reason;
  };
  for (unsigned port = 0; port < block.numOutputs; ++port)
    for (const CycleInput *input : block.out[port]->consumers)
      if (block.obeysPressure)
        for (PortRef consumer : graph.consumersOf(block.number, port)) {
          const CycleBlock &other = blocks[places[consumer.block]];
          uint64_t capacity = other.capacity[consumer.port];
          if (&other.in[consumer.port] == input && capacity &&
              input->size() > capacity)
            say(formatv("for room in the queue of {0}, which has {1}",
                        graph.nameOfInput(consumer), input->size()));
        }
  if (!text.empty())
    return text;
  for (unsigned port = 0; port < block.numInputs; ++port) {
    if (!block.in[port].stream || !block.in[port].isEmpty() ||
        infoOf(block.kind).inputs[port].isOptional)
      continue;
    PortRef source = graph.sourceOf(block.number, port);
    say(formatv(
        "for a token on {0} from {1}", infoOf(block.kind).inputs[port].name,
        source.block == noIndex ? "outside" : graph.nameOfOutput(source)));
  }
  return text.empty() ? "for its streams to go on" : text;
}

Error CycleMachine::describeDeadlock() const {
  std::string text;
  for (unsigned number : graph.getOrder()) {
    const CycleBlock &block = blocks[places[number]];
    if (!block.isDone)
      text += formatv("\n  {0} waits {1}", block.description->name,
                      describeWait(block));
  }
  bool hasFull = StringRef(text).contains("for room");
  return createStringError(formatv(
      "nothing moves any more after cycle {0}{1}:{2}", cycle,
      hasFull
          ? formatv(", with queues of depth {0}", *parameters.queueDepth).str()
          : "",
      text));
}

Run CycleMachine::collect() {
  result.cycles = cycle + 1;
  result.blocks.resize(blocks.size());
  result.streams.resize(blocks.size());
  result.peakQueues.resize(blocks.size());
  for (const CycleBlock &block : blocks) {
    BlockStatistics &statistics = result.blocks[block.number];
    statistics.busy = block.busy;
    statistics.mostHeld = block.getMostHeld();
    statistics.held = block.held;
    statistics.waiting = block.waiting;
    if (block.isDone)
      statistics.doneCycle = block.doneCycle;
    // Skips that nobody takes are made only for whoever keeps streams.
    for (unsigned port = 0; port < block.numOutputs; ++port)
      if (infoOf(block.kind).outputs[port].type != StreamType::skip ||
          !block.out[port]->consumers.empty())
        result.streams[block.number][port].tokens = block.out[port]->counts;
    for (unsigned port = 0; port < block.numInputs; ++port)
      result.peakQueues[block.number][port] = block.in[port].peak;
  }
  if (options.findsCriticalChain)
    result.chain = walkCriticalChain();
  return std::move(result);
}

/// From the last token of the writer that ended last, back through what each
/// block waited for.
std::vector<ChainLink> CycleMachine::walkCriticalChain() const {
  std::vector<ChainLink> chain;
  const CycleBlock *block = nullptr;
  for (const CycleBlock &candidate : blocks)
    if (candidate.isDone && (!block || candidate.doneCycle > block->doneCycle))
      block = &candidate;
  if (!block)
    return chain;
  for (uint64_t at = block->doneCycle;; --at) {
    if (chain.empty() || chain.back().block != block->number)
      chain.push_back({block->number, at, 0});
    chain.back().firstCycle = at;
    ++chain.back().cycles;
    if (!at)
      break;
    auto after = partition_point(
        block->causes, [&](auto &entry) { return entry.first <= at; });
    if (after == block->causes.begin())
      break;
    uint8_t cause = std::prev(after)->second;
    if (cause < ownPace) {
      PortRef source = graph.sourceOf(block->number, cause);
      if (source.block == noIndex)
        break;
      block = &blocks[places[source.block]];
    } else if (cause >= heldUp) {
      // Whoever reads slowest made the room.
      const CycleStream &stream = *block->out[cause - heldUp];
      for (PortRef consumer :
           graph.consumersOf(block->number, cause - heldUp)) {
        const CycleBlock &reader = blocks[places[consumer.block]];
        uint64_t capacity = reader.capacity[consumer.port];
        if (capacity && reader.in[consumer.port].peak > capacity &&
            reader.in[consumer.port].stream == &stream) {
          block = &reader;
          break;
        }
      }
    }
  }
  return chain;
}

Expected<Run> runByCycles(const Graph &graph, const Parameters &parameters,
                          const RunOptions &options) {
  return CycleMachine(graph, parameters, options).run();
}

} // namespace ember::sim::sam
