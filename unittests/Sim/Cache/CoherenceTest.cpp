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
         uint64_t room, size_t memoryRoom = 1000)
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
          memories.emplace_back(engine, memoryLatency, 5, memoryRoom);
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

  /// What the caches hold, against each other and the directory. When all is
  /// `quiet`, nobody gives a line up any more.
  void check(uint64_t lines, bool quiet = false) {
    stale.resize(lines);
    for (uint64_t line = 0; line < lines; ++line) {
      unsigned writers = 0, owners = 0;
      uint32_t owner = Holders::nobody;
      uint64_t holders = 0, givingUp = 0;
      bool dirty = false;
      for (unsigned i = 0; i < l1s.size(); ++i) {
        LineState states[] = {l1s[i].state(line), l2s[i].state(line)};
        bool holds = false, writes = false, owns = false;
        for (LineState state : states) {
          holds |= state != LineState::invalid;
          writes |= isWritable(state);
          owns |= state != LineState::invalid && state != LineState::shared;
          dirty |= isDirty(state);
        }
        writers += writes;
        owners += owns;
        owner = owns ? i : owner;
        holders |= uint64_t{holds} << i;
        LineState victim = ports[i].victim(line);
        givingUp |= uint64_t{victim != LineState::invalid} << i;
        dirty |= isDirty(victim);
      }
      ASSERT_LE(owners, 1u) << "line " << line;
      ASSERT_TRUE(!writers || !(holders & (holders - 1))) << "line " << line;
      // A core asks for a line again when it knows that the home took it.
      ASSERT_EQ(holders & givingUp, 0u) << "line " << line;
      ASSERT_TRUE(!quiet || !givingUp) << "line " << line;
      unsigned home = homes(line) - homes.nodes.front();
      const LastLevelSlice &slice = slices[home];
      ASSERT_TRUE(!quiet || !slice.isBusy(line)) << "line " << line;
      uint32_t entry = slice.array().find(line);
      bool kept = entry != TagArray::none;
      dirty |= kept && isDirty(slice.array()[entry].state);
      // New data is somewhere until memory has it.
      uint64_t written = memories[home].writes[line];
      if (dirty)
        stale[line] = {true, written};
      ASSERT_TRUE(!quiet || dirty || !stale[line].first ||
                  written > stale[line].second)
          << "lost line " << line;
      if (quiet && !dirty)
        stale[line].first = false;
      if (slice.isBusy(line))
        continue;
      Holders known = slice.holders(line);
      // A core whose victim is on its way to the home is still listed, one that
      // waits to hear that it arrived no longer.
      ASSERT_EQ(holders & ~known.sharers, 0u) << "line " << line;
      ASSERT_EQ(known.sharers & ~givingUp & ~holders, 0u) << "line " << line;
      ASSERT_TRUE(!owners || known.owner == owner) << "line " << line;
      ASSERT_TRUE(known.owner == Holders::nobody || owners ||
                  givingUp >> known.owner & 1)
          << "line " << line;
      // What one core may write has left the last level.
      ASSERT_TRUE(!writers || !kept) << "line " << line;
    }
  }

  /// What went over each border, against what is where.
  void checkBytes() {
    uint64_t sent = 0;
    for (const CoherentPort &port : ports)
      sent += port.forwardedBytes();
    for (unsigned i = 0; i < slices.size(); ++i) {
      const LastLevelCounters &counts = slices[i].counts();
      sent += counts.bytesFromCores + counts.bytesToCores;
      EXPECT_EQ(counts.bytesFromMemory, counts.memoryReads * lineBytes);
      EXPECT_EQ(counts.bytesFromMemory + counts.bytesToMemory,
                memories[i].reads * lineBytes);
      EXPECT_EQ(counts.installs, counts.removals + counts.evictions +
                                     slices[i].array().resident());
    }
    EXPECT_EQ(sent, network.bytes);
    for (const std::deque<Cache> *level : {&l1s, &l2s})
      for (const Cache &cache : *level) {
        const CacheCounters &counts = cache.counts();
        EXPECT_EQ(counts.installs, counts.evictions + counts.lostLines +
                                       cache.array().resident());
      }
    for (unsigned i = 1; i < l1s.size(); ++i)
      EXPECT_EQ(l2s[i].counts().answers,
                l1s[i].counts().fills + l1s[i].counts().passed);
  }

  /// Of each line, whether new data was seen, and what memory had been written
  /// by then.
  std::vector<std::pair<bool, uint64_t>> stale;
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
                                            uint64_t directory, uint64_t seed) {
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
  last.writeBuffers = 2 * few;
  last.directoryEntries = directory;
  last.directoryWays = 2;
  System system(8, 2, first, second, last, few, few);
  constexpr uint64_t lines = 24;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 900; ++i) {
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
    if (i % 100 == 99) {
      uint64_t steps = 0;
      while (system.engine.step() && ++steps < 100000)
        ;
      system.check(lines, /*quiet=*/true);
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
  system.check(lines, /*quiet=*/true);
  system.checkBytes();
  for (unsigned i = 0; i < 2; ++i) {
    EXPECT_TRUE(few > 1 || system.memories[i].refused);
    EXPECT_EQ(!directory, !system.slices[i].counts().directoryEvictions);
    EXPECT_LE(system.slices[i].known().size(), directory ? directory : lines);
  }
  return {system.engine.now(), system.network.bytes};
}

TEST(Coherence, HoldsUnderRandomTraffic) {
  for (uint64_t few : {1, 2, 6})
    for (uint64_t variant = 0; variant < 6; ++variant)
      for (uint64_t seed = 0; seed < 2; ++seed) {
        bool inclusive = variant % 2;
        uint64_t directory = variant / 2 * 2;
        SCOPED_TRACE(::testing::Message()
                     << few << " of each, inclusive " << inclusive
                     << ", directory " << directory << ", seed " << seed);
        auto first = stress(few, inclusive, directory, seed);
        if (HasFatalFailure() || HasNonfatalFailure())
          return;
        if (!seed) {
          EXPECT_EQ(first, stress(few, inclusive, directory, seed));
        }
      }
}

TEST(Coherence, APointerChaseShowsTheLevels) {
  // 2 KiB, 8 KiB and 16 KiB: random cycles of lines that fit each level.
  auto chase = [](uint64_t lines) {
    CacheParameters first = tiny(2048, 2), second = tiny(8192, 8);
    first.ways = second.ways = 4;
    LastLevelParameters last;
    last.size = 16384;
    System system(1, 1, first, second, last, 100);
    std::vector<uint64_t> order(lines);
    for (uint64_t i = 0; i < lines; ++i)
      order[i] = i;
    Tick sum = 0;
    for (int round = 0; round < 4; ++round)
      for (uint64_t line : order) {
        Tick time = system.time(0, line);
        sum += round == 3 ? time : 0;
      }
    return sum / lines;
  };
  Tick l2 = 10 * cycle + cycle;
  Tick llc = 10 * cycle + 2 * networkLatency + 12 * cycle + 2 * cycle;
  EXPECT_EQ(chase(32), 2 * cycle);
  EXPECT_EQ(chase(128), l2);
  // The last level keeps what the L2 gives up: together they are larger.
  EXPECT_EQ(chase(384), llc);
  EXPECT_EQ(chase(1024), llc + memoryLatency);
}

TEST(Coherence, LinesAreTakenBackForRoomInTheDirectory) {
  LastLevelParameters last;
  last.directoryEntries = last.directoryWays = 4;
  System system(2, 1, tiny(1024, 2), tiny(2048, 8), last, 100);
  Tick hit = 2 * cycle;
  for (uint64_t line = 0; line < 4; ++line)
    system.time(0, line);
  EXPECT_EQ(system.time(0, 0, Access::own), hit);
  Tick before = system.time(1, 3);
  EXPECT_EQ(system.slices[0].counts().directoryEvictions, 0u);
  // Line 0 was used longest ago at the home; its data goes to the last level.
  Tick with = system.time(0, 4);
  EXPECT_EQ(system.slices[0].counts().directoryEvictions, 1u);
  EXPECT_EQ(system.l1s[0].state(0), LineState::invalid);
  EXPECT_NE(system.slices[0].array().find(0), TagArray::none);
  // A snoop and its answer go before memory is asked.
  EXPECT_EQ(with, before - networkLatency + memoryLatency + 2 * networkLatency);
  EXPECT_EQ(system.time(0, 1), hit);
  system.check(8, /*quiet=*/true);
}

TEST(Coherence, TakingBackMeetsAVictim) {
  // A dirty line leaves a core while the home takes it back for the line of
  // another one, at all distances in time.
  uint64_t stale = 0;
  for (Tick distance = 0; distance < 1200; distance += 3) {
    CacheParameters one = tiny(64, 2);
    one.ways = 1;
    LastLevelParameters last;
    last.size = 1024;
    last.ways = 4;
    last.directoryEntries = last.directoryWays = 2;
    System system(2, 1, one, one, last, 100);
    system.time(0, 0, Access::own);
    system.check(8, /*quiet=*/true);
    Request request;
    request.line = 1;
    system.agents[0].send(request);
    system.engine.runUntil(system.engine.now() + distance);
    request.line = 2;
    system.agents[1].send(request);
    while (system.engine.step())
      ;
    system.check(8, /*quiet=*/true);
    ASSERT_FALSE(HasFatalFailure()) << distance;
    stale += system.slices[0].counts().putsStale;
  }
  EXPECT_GT(stale, 0u);
}
