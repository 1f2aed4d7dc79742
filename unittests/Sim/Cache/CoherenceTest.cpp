//===- CoherenceTest.cpp - Cores that share lines -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedMemory.h"

#include "ember/Sim/Cache/CoherentPort.h"
#include "ember/Sim/Cache/LastLevelSlice.h"

#include "gtest/gtest.h"

#include <deque>
#include <random>

using namespace ember::sim;

namespace {
constexpr Tick cycle = 5;
constexpr Tick memoryLatency = 600;
constexpr Tick networkLatency = 35;

/// Every message arrives `networkLatency` ticks later; each source has room for
/// so many on their way in a virtual network.
class FixedNetwork final : public Interconnect, public EventHandler {
public:
  FixedNetwork(Engine &engine, uint64_t room) : engine(engine), room(room) {}

  uint32_t attach(NetworkNode &node) {
    nodes.push_back({&node, {}, {}, {}});
    return nodes.size() - 1;
  }
  bool send(const Message &message) override {
    Node &source = nodes[message.source];
    auto on = static_cast<unsigned>(message.network);
    if (source.used[on] == room) {
      source.waits[on] = true;
      return false;
    }
    ++source.used[on];
    bytes += message.bytes;
    Ring<Message> &lane = nodes[message.destination].lanes[on];
    engine.schedule(engine.now() + networkLatency, *this,
                    message.destination * 8 + on);
    lane.push(message);
    return true;
  }
  void resume(uint32_t node, VirtualNetwork network) override {
    deliver(node, static_cast<unsigned>(network));
  }
  void handle(uint64_t argument) override {
    unsigned on = argument % 8;
    if (on >= 4) {
      nodes[argument / 8].node->retry(static_cast<VirtualNetwork>(on - 4));
      return;
    }
    ++nodes[argument / 8].arrived[on];
    if (!nodes[argument / 8].held[on])
      deliver(argument / 8, on);
  }
  uint64_t bytes = 0;

private:
  struct Node {
    NetworkNode *node;
    std::array<Ring<Message>, 3> lanes;
    std::array<uint64_t, 3> used = {}, arrived = {};
    std::array<bool, 3> waits = {}, held = {};
  };
  void deliver(uint32_t to, unsigned on) {
    Node &node = nodes[to];
    node.held[on] = false;
    while (node.arrived[on]) {
      Message message = node.lanes[on].front();
      if (!node.node->deliver(message)) {
        node.held[on] = true;
        return;
      }
      node.lanes[on].pop();
      --node.arrived[on];
      Node &source = nodes[message.source];
      --source.used[on];
      if (source.waits[on]) {
        source.waits[on] = false;
        engine.schedule(engine.now() + 1, *this, message.source * 8 + 4 + on);
      }
    }
  }
  Engine &engine;
  uint64_t room;
  std::deque<Node> nodes;
};

class Agent final : public Requester {
public:
  explicit Agent(MemoryPort &port) : port(port) {}
  void send(Request request) {
    request.requester = this;
    request.id = answers.size();
    answers.push_back(0);
    if (turnedAway || !port.accept(request)) {
      turnedAway = true;
      queue.push(request);
    }
  }
  void complete(const Request &request) override { ++answers[request.id]; }
  void retry() override {
    turnedAway = false;
    while (!queue.empty()) {
      if (!port.accept(queue.front())) {
        turnedAway = true;
        return;
      }
      queue.pop();
    }
  }
  std::vector<int> answers;

private:
  MemoryPort &port;
  bool turnedAway = false;
  Ring<Request> queue;
};

struct System {
  System(unsigned cores, unsigned sliceCount, const CacheParameters &first,
         const CacheParameters &second, const LastLevelParameters &last,
         uint64_t room)
      : network(engine, room) {
    for (unsigned i = 0; i < cores; ++i) {
      Cache &l2 = l2s.emplace_back(engine, second, "l2");
      Cache &l1 = l1s.emplace_back(engine, first, "l1");
      CoherentPort &port = ports.emplace_back(engine, network, packets, homes,
                                              &l2, second.mshrs);
      port.setNode(network.attach(port));
      l1.setBelow(l2);
      l2.setBelow(port);
      l2.addUpper(l1);
      agents.emplace_back(l1);
    }
    // An access unit that asks a last level, and one at the L2 of core 0.
    CoherentPort &direct =
        ports.emplace_back(engine, network, packets, homes, nullptr, 2);
    direct.setNode(network.attach(direct));
    agents.emplace_back(direct);
    agents.emplace_back(l2s[0]);
    for (unsigned i = 0; i < sliceCount; ++i) {
      FixedMemory &memory =
          memories.emplace_back(engine, memoryLatency, 5, last.mshrs);
      LastLevelSlice &slice =
          slices.emplace_back(engine, network, packets, last, memory);
      homes.nodes.push_back(network.attach(slice));
      slice.setNode(homes.nodes.back());
    }
  }

  Tick time(unsigned agent, uint64_t line, Access access = Access::read) {
    engine.runUntil((engine.now() / cycle + 10000) * cycle);
    Tick begin = engine.now();
    Request request;
    request.line = line;
    request.access = access;
    agents[agent].send(request);
    while (!agents[agent].answers.back())
      engine.step();
    Tick end = engine.now();
    while (engine.step())
      ;
    return end - begin;
  }

  /// What the caches hold, against each other and the directory.
  void check(uint64_t lines) {
    for (uint64_t line = 0; line < lines; ++line) {
      unsigned writers = 0, owners = 0;
      uint64_t holders = 0, givingUp = 0;
      for (unsigned i = 0; i < l1s.size(); ++i) {
        LineState states[] = {l1s[i].state(line), l2s[i].state(line)};
        bool holds = false, writes = false, owns = false;
        for (LineState state : states) {
          holds |= state != LineState::invalid;
          writes |= isWritable(state);
          owns |= state != LineState::invalid && state != LineState::shared;
        }
        writers += writes;
        owners += owns;
        holders |= uint64_t{holds} << i;
        givingUp |= uint64_t{ports[i].victim(line) != LineState::invalid} << i;
      }
      ASSERT_LE(owners, 1u) << "line " << line;
      ASSERT_TRUE(!writers || !(holders & (holders - 1))) << "line " << line;
      const LastLevelSlice &slice = slices[homes(line) - homes.nodes.front()];
      if (slice.isBusy(line))
        continue;
      LastLevelSlice::Holders known = slice.holders(line);
      // A core whose victim is on its way to the home is still listed, one that
      // waits to hear that it arrived no longer.
      ASSERT_EQ(known.sharers & ~givingUp, holders) << "line " << line;
      ASSERT_TRUE(!owners || known.owner != LastLevelSlice::nobody);
      // What one core may write has left the last level.
      ASSERT_TRUE(!writers || slice.array().find(line) == TagArray::none);
    }
  }

  Engine engine;
  FixedNetwork network;
  CoherencePackets packets;
  HomeMap homes;
  std::deque<FixedMemory> memories;
  std::deque<LastLevelSlice> slices;
  std::deque<Cache> l1s, l2s;
  std::deque<CoherentPort> ports;
  std::deque<Agent> agents;
};

CacheParameters tiny(uint64_t size, uint64_t hitCycles) {
  CacheParameters parameters;
  parameters.size = size;
  parameters.ways = 2;
  parameters.hitCycles = hitCycles;
  return parameters;
}
} // namespace

TEST(Coherence, LatenciesAreTheirClosedForms) {
  LastLevelParameters last;
  System system(2, 1, tiny(256, 2), tiny(512, 8), last, 100);
  Tick fills = 2 * cycle;
  Tick toHome = 10 * cycle + networkLatency + 12 * cycle;
  Tick llc = toHome + networkLatency + fills;
  EXPECT_EQ(system.time(0, 0), llc + memoryLatency);
  EXPECT_EQ(system.time(0, 0), 2 * cycle);
  // From the other core, and then as a line that both have.
  EXPECT_EQ(system.time(1, 0), llc + networkLatency);
  EXPECT_EQ(system.time(1, 0, Access::own),
            toHome + 3 * networkLatency + cycle);
  // A dirty line of the other core, to be written.
  EXPECT_EQ(system.time(0, 0, Access::own), llc + networkLatency);
  EXPECT_EQ(system.l1s[1].state(0), LineState::invalid);
  // Evicted to the last level, and back as the only copy.
  system.time(0, 4);
  system.time(0, 8);
  EXPECT_EQ(system.slices[0].array().resident(), 1u);
  EXPECT_EQ(system.time(0, 0), llc);
  EXPECT_EQ(system.l2s[0].state(0), LineState::modified);
  EXPECT_EQ(system.slices[0].array().find(0), TagArray::none);
  // The access unit at the last level: a look at a dirty line.
  EXPECT_EQ(system.time(2, 0), 3 * networkLatency + 12 * cycle);
  EXPECT_EQ(system.l2s[0].state(0), LineState::modified);
  EXPECT_EQ(system.time(2, 0, Access::fill), 4 * networkLatency + 12 * cycle);
  EXPECT_EQ(system.time(2, 0), 2 * networkLatency + 12 * cycle);
}

static std::pair<uint64_t, uint64_t> stress(uint64_t few, bool inclusive,
                                            uint64_t seed) {
  CacheParameters first = tiny(256, 2), second = tiny(512, 3);
  for (CacheParameters *parameters : {&first, &second}) {
    parameters->mshrs = parameters->targets = parameters->queue = few;
    parameters->writeBackBuffers = 1;
    parameters->ports = 1;
    parameters->inclusive = inclusive;
  }
  LastLevelParameters last;
  last.size = 512;
  last.ways = 2;
  last.mshrs = few;
  last.writeBuffers = few;
  System system(8, 2, first, second, last, few);
  constexpr uint64_t lines = 24;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 1500; ++i) {
    unsigned agent = random() % system.agents.size();
    Request request;
    request.line = random() % lines;
    request.access = static_cast<Access>(random() % 3);
    request.nonTemporal = random() % 6 == 0;
    if (agent == 8 && request.access == Access::own)
      request.access = Access::fill;
    system.agents[agent].send(request);
    for (uint64_t steps = random() % 12; steps; --steps) {
      system.engine.step();
      system.check(lines);
      if (::testing::Test::HasFatalFailure())
        return {};
    }
  }
  uint64_t steps = 0;
  while (system.engine.step() && ++steps < 2000000)
    if (steps % 8 == 0)
      system.check(lines);
  std::string waits;
  for (const CoherentPort &port : system.ports)
    waits += port.waits();
  for (const LastLevelSlice &slice : system.slices)
    waits += slice.waits();
  EXPECT_EQ(waits, "");
  for (const Agent &agent : system.agents)
    for (int answers : agent.answers)
      EXPECT_EQ(answers, 1);
  uint64_t reads = 0;
  for (unsigned i = 0; i < 2; ++i)
    reads += system.slices[i].counts().memoryReads +
             system.slices[i].counts().memoryWrites - system.memories[i].reads;
  EXPECT_EQ(reads, 0u);
  return {system.engine.now(), system.network.bytes};
}

TEST(Coherence, HoldsUnderRandomTraffic) {
  for (uint64_t few : {1, 2, 6})
    for (bool inclusive : {true, false})
      for (uint64_t seed = 0; seed < 3; ++seed) {
        SCOPED_TRACE(::testing::Message() << few << " of each, inclusive "
                                          << inclusive << ", seed " << seed);
        auto first = stress(few, inclusive, seed);
        if (HasFatalFailure() || HasNonfatalFailure())
          return;
        if (!seed) {
          EXPECT_EQ(first, stress(few, inclusive, seed));
        }
      }
}
