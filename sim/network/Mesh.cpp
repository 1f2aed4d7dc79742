//===- Mesh.cpp - A two-dimensional mesh of routers -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Network/Mesh.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <bit>
#include <cassert>
#include <cstdlib>

using namespace ember::sim;

llvm::StringRef ember::sim::nameOf(VirtualNetwork network) {
  switch (network) {
  case VirtualNetwork::request:
    return "request";
  case VirtualNetwork::response:
    return "response";
  case VirtualNetwork::snoop:
    return "snoop";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Mesh::Mesh(Engine &engine, const MeshParameters &parameters)
    : engine(engine), parameters(parameters), clock(parameters.period()) {
  auto columns = static_cast<unsigned>(parameters.columns);
  auto rows = static_cast<unsigned>(parameters.rows);
  for (unsigned i = 0; i < columns * rows; ++i) {
    routers.push_back({i % columns, i / columns, {}, {}});
    for (unsigned port = 0; port < directionCount; ++port)
      routers[i].buffers.push_back(addBuffers(i, /*toNode=*/false));
  }
  for (unsigned i = 0; i < routers.size(); ++i) {
    Router &router = routers[i];
    // A link to the east ends at the input from the west of the next router.
    auto connect = [&](bool exists, unsigned neighbour, Direction input) {
      router.links.push_back(
          exists ? addLinks(i, routers[neighbour].buffers[input]) : none);
    };
    connect(router.column + 1 < columns, i + 1, west);
    connect(router.column > 0, i - 1, east);
    connect(router.row + 1 < rows, i + columns, north);
    connect(router.row > 0, i - columns, south);
  }
}

uint32_t Mesh::addBuffers(uint32_t router, bool toNode) {
  auto first = static_cast<uint32_t>(buffers.size());
  auto port = static_cast<uint32_t>(routers[router].buffers.size());
  for (unsigned network = 0; network < virtualNetworkCount; ++network) {
    Buffer buffer;
    buffer.ring.resize(parameters.bufferFlits);
    buffer.router = router;
    buffer.slot = port * virtualNetworkCount + network;
    buffer.toNode = toNode;
    assert((toNode || buffer.slot < 64) && "too many nodes at a router");
    buffers.push_back(std::move(buffer));
  }
  return first;
}

uint32_t Mesh::addLinks(uint32_t router, uint32_t target) {
  auto first = static_cast<uint32_t>(links.size());
  for (unsigned network = 0; network < virtualNetworkCount; ++network) {
    Link link;
    link.router = router;
    link.target = target;
    links.push_back(link);
    buffers[target + network].link =
        first + (parameters.separateLinks ? network : 0);
  }
  return first;
}

uint32_t Mesh::attach(NetworkNode &node, unsigned column, unsigned row,
                      llvm::StringRef name) {
  assert(column < parameters.columns && row < parameters.rows &&
         "no such router");
  auto index = static_cast<uint32_t>(nodes.size());
  auto router = static_cast<uint32_t>(row * parameters.columns + column);
  Node attached;
  attached.node = &node;
  attached.name = name.str();
  attached.router = router;
  attached.port = static_cast<uint32_t>(routers[router].buffers.size());
  attached.buffers = addBuffers(router, /*toNode=*/false);
  routers[router].buffers.push_back(attached.buffers);
  attached.sink = addBuffers(router, /*toNode=*/true);
  routers[router].links.push_back(addLinks(router, attached.sink));
  for (unsigned network = 0; network < virtualNetworkCount; ++network) {
    buffers[attached.buffers + network].node = index;
    buffers[attached.sink + network].node = index;
  }
  nodes.push_back(std::move(attached));
  return index;
}

//===----------------------------------------------------------------------===//
// Ways
//===----------------------------------------------------------------------===//

unsigned Mesh::hops(uint32_t source, uint32_t destination) const {
  const Router &from = routers[nodes[source].router];
  const Router &to = routers[nodes[destination].router];
  auto distance = [](unsigned a, unsigned b) { return a < b ? b - a : a - b; };
  return distance(from.column, to.column) + distance(from.row, to.row);
}

Tick Mesh::unloadedLatency(uint32_t source, uint32_t destination,
                           uint64_t bytes) const {
  uint64_t passed = hops(source, destination);
  return clock.ticks((passed + 1) * parameters.routerCycles +
                     passed * parameters.linkCycles +
                     parameters.flitsOf(bytes) - 1);
}

/// The link that a message takes out of a router.
uint32_t Mesh::linkFor(const Packet &packet, uint32_t index) const {
  const Node &destination = nodes[packet.message.destination];
  const Router &router = routers[index];
  const Router &end = routers[destination.router];
  unsigned port = destination.port;
  if (router.column != end.column)
    port = router.column < end.column ? east : west;
  else if (router.row != end.row)
    port = router.row < end.row ? south : north;
  auto network = static_cast<unsigned>(packet.message.network);
  return router.links[port] + (parameters.separateLinks ? network : 0);
}

uint32_t Mesh::targetOf(uint32_t link, const Packet &packet) const {
  return links[link].target + static_cast<unsigned>(packet.message.network);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

uint32_t Mesh::takePacket() {
  if (unused.empty()) {
    packets.emplace_back();
    return static_cast<uint32_t>(packets.size() - 1);
  }
  uint32_t packet = unused.back();
  unused.pop_back();
  return packet;
}

void Mesh::push(Buffer &buffer, uint32_t packet) {
  uint32_t place = buffer.head + buffer.count++;
  auto size = static_cast<uint32_t>(buffer.ring.size());
  buffer.ring[place < size ? place : place - size] = packet;
}

uint32_t Mesh::pop(Buffer &buffer) {
  uint32_t packet = buffer.ring[buffer.head];
  --buffer.count;
  if (++buffer.head == buffer.ring.size())
    buffer.head = 0;
  return packet;
}

/// Gives back the room of a message whose last flit has left.
void Mesh::settle(Buffer &buffer) const {
  if (buffer.leaving && buffer.readAt <= engine.now()) {
    buffer.used -= buffer.leaving;
    buffer.leaving = 0;
  }
}

void Mesh::scheduleRead(uint32_t index) {
  Buffer &buffer = buffers[index];
  if (buffer.eventIsDue)
    return;
  buffer.eventIsDue = true;
  engine.schedule(buffer.readAt, *this,
                  uint64_t{index} << kindBits | bufferRead);
}

/// Remembers that the sender into a buffer has to be told of room.
void Mesh::waitForRoom(uint32_t index) {
  Buffer &buffer = buffers[index];
  buffer.senderWaits = true;
  if (buffer.leaving)
    scheduleRead(index);
}

/// The last flit of a message has left a buffer.
void Mesh::read(uint32_t index) {
  buffers[index].eventIsDue = false;
  settle(buffers[index]);
  if (buffers[index].count)
    offer(index);
  Buffer &buffer = buffers[index];
  if (!buffer.senderWaits)
    return;
  buffer.senderWaits = false;
  if (buffer.link != none)
    return tryLink(buffer.link);
  nodes[buffer.node].node->retry(
      static_cast<VirtualNetwork>(buffer.slot % virtualNetworkCount));
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

bool Mesh::send(const Message &message) {
  const Node &source = nodes[message.source];
  uint32_t index = source.buffers + static_cast<unsigned>(message.network);
  Buffer &buffer = buffers[index];
  auto flits = static_cast<uint32_t>(parameters.flitsOf(message.bytes));
  assert(flits <= parameters.bufferFlits && "a message longer than a buffer");
  settle(buffer);
  if (buffer.used + flits > parameters.bufferFlits) {
    ++refused;
    waitForRoom(index);
    return false;
  }
  buffer.used += flits;
  ++sentMessages;
  inFlight.add(engine.now(), 1);
  uint32_t packet = takePacket();
  packets[packet] = {message, engine.now(), flits, index};
  engine.schedule(clock.after(engine.now(), parameters.routerCycles), *this,
                  uint64_t{packet} << kindBits | arrival);
  return true;
}

void Mesh::handle(uint64_t argument) {
  auto index = static_cast<uint32_t>(argument >> kindBits);
  switch (static_cast<EventKind>(argument & ((1 << kindBits) - 1))) {
  case arrival:
    return arrive(index);
  case linkFree:
    links[index].eventIsDue = false;
    return tryLink(index);
  case bufferRead:
    return read(index);
  }
}

void Mesh::arrive(uint32_t packet) {
  uint32_t index = packets[packet].buffer;
  Buffer &buffer = buffers[index];
  push(buffer, packet);
  if (buffer.toNode) {
    if (!buffer.stalled)
      deliver(index);
  } else if (buffer.count == 1) {
    offer(index);
  }
}

/// Asks for the link that the first message of a buffer takes.
void Mesh::offer(uint32_t index) {
  Buffer &buffer = buffers[index];
  if (buffer.readAt > engine.now())
    return scheduleRead(index);
  uint32_t link = linkFor(packets[buffer.ring[buffer.head]], buffer.router);
  links[link].wanted |= uint64_t{1} << buffer.slot;
  tryLink(link);
}

void Mesh::scheduleLink(uint32_t index) {
  Link &link = links[index];
  if (link.eventIsDue || !link.wanted)
    return;
  link.eventIsDue = true;
  engine.schedule(link.freeAt, *this, uint64_t{index} << kindBits | linkFree);
}

/// Gives a free link to the next buffer in turn whose message has room at its
/// end.
void Mesh::tryLink(uint32_t index) {
  Link &link = links[index];
  if (link.freeAt > engine.now())
    return scheduleLink(index);
  const Router &router = routers[link.router];
  uint64_t before = (uint64_t{1} << link.nextSlot) - 1;
  for (uint64_t turn : {link.wanted & ~before, link.wanted & before})
    for (; turn; turn &= turn - 1) {
      unsigned slot = std::countr_zero(turn);
      uint32_t buffer = router.buffers[slot / virtualNetworkCount] +
                        slot % virtualNetworkCount;
      if (!tryForward(index, buffer))
        continue;
      link.nextSlot = (slot + 1) % 64;
      return scheduleLink(index);
    }
}

bool Mesh::tryForward(uint32_t link, uint32_t from) {
  const Buffer &buffer = buffers[from];
  const Packet &packet = packets[buffer.ring[buffer.head]];
  uint32_t to = targetOf(link, packet);
  settle(buffers[to]);
  if (buffers[to].used + packet.flits > parameters.bufferFlits) {
    waitForRoom(to);
    return false;
  }
  forward(link, from, to);
  return true;
}

void Mesh::forward(uint32_t index, uint32_t from, uint32_t to) {
  Tick now = engine.now();
  Link &link = links[index];
  Buffer &source = buffers[from];
  settle(source);
  uint32_t number = pop(source);
  Packet &packet = packets[number];
  link.wanted &= ~(uint64_t{1} << source.slot);
  link.freeAt = now + clock.ticks(packet.flits);
  link.flits += packet.flits;
  source.leaving = packet.flits;
  source.readAt = link.freeAt;
  if (source.count || source.senderWaits)
    scheduleRead(from);
  Buffer &target = buffers[to];
  target.used += packet.flits;
  packet.buffer = to;
  uint64_t cycles = packet.flits - 1;
  if (!target.toNode) {
    cycles = parameters.linkCycles + parameters.routerCycles;
    hopsOfFlits += packet.flits;
  }
  engine.schedule(now + clock.ticks(cycles), *this,
                  uint64_t{number} << kindBits | arrival);
}

/// Gives a node what it takes of the messages that arrived.
void Mesh::deliver(uint32_t index) {
  Tick now = engine.now();
  bool taken = false;
  while (buffers[index].count) {
    Buffer &buffer = buffers[index];
    uint32_t number = buffer.ring[buffer.head];
    // Copied: the node may send messages meanwhile.
    Packet packet = packets[number];
    if (!nodes[buffer.node].node->deliver(packet.message)) {
      ++refusedByNodes;
      buffers[index].stalled = true;
      break;
    }
    taken = true;
    pop(buffers[index]);
    buffers[index].used -= packet.flits;
    unused.push_back(number);
    ++deliveredMessages;
    deliveredBytes += packet.message.bytes;
    inFlight.add(now, -1);
    latencies[static_cast<unsigned>(packet.message.network)].add(now -
                                                                 packet.sent);
  }
  Buffer &buffer = buffers[index];
  if (!taken || !buffer.senderWaits)
    return;
  buffer.senderWaits = false;
  // At the next edge, for which the link waits as for its end.
  Link &link = links[buffer.link];
  link.freeAt = std::max(link.freeAt, clock.edge(now));
  if (link.freeAt > now)
    return scheduleLink(buffer.link);
  tryLink(buffer.link);
}

void Mesh::resume(uint32_t node, VirtualNetwork network) {
  uint32_t index = nodes[node].sink + static_cast<unsigned>(network);
  if (!buffers[index].stalled)
    return;
  buffers[index].stalled = false;
  deliver(index);
}

//===----------------------------------------------------------------------===//
// What it counted
//===----------------------------------------------------------------------===//

void Mesh::addTo(Statistics &statistics, llvm::StringRef path) const {
  auto add = [&](const llvm::Twine &name, const auto &value,
                 llvm::StringRef description) {
    statistics.add((path + "." + name).str(), value, description);
  };
  add("sent", sentMessages, "messages sent");
  add("delivered", deliveredMessages, "messages delivered");
  add("deliveredBytes", deliveredBytes, "their bytes, without headers");
  add("flitHops", hopsOfFlits, "flits that a link between routers carried");
  add("refused", refused, "messages turned away at their source");
  add("refusedByNodes", refusedByNodes,
      "messages that their destination did not take at once");
  add("inFlight", inFlight, "messages on their way");
  for (auto [index, latency] : llvm::enumerate(latencies))
    add("latency." + nameOf(static_cast<VirtualNetwork>(index)), latency,
        "ticks from sending to delivery");
  constexpr llvm::StringLiteral directions[] = {"east", "west", "south",
                                                "north"};
  for (const Router &router : routers)
    for (unsigned port = 0; port < directionCount; ++port) {
      if (router.links[port] == none)
        continue;
      for (unsigned network = 0;
           network < (parameters.separateLinks ? virtualNetworkCount : 1);
           ++network) {
        std::string name =
            (path + ".router" + llvm::Twine(router.column) + "_" +
             llvm::Twine(router.row) + "." + directions[port])
                .str();
        if (parameters.separateLinks)
          name += "." + nameOf(static_cast<VirtualNetwork>(network)).str();
        // Nodes that come later may move the links.
        uint32_t link = router.links[port] + network;
        statistics.add(
            name,
            [this, link] {
              auto now = static_cast<double>(engine.now());
              return now > 0
                         ? static_cast<double>(clock.ticks(links[link].flits)) /
                               now
                         : 0;
            },
            "part of the time for which the link was in use");
      }
    }
}

std::string Mesh::waits() const {
  std::string text;
  for (const Buffer &buffer : buffers) {
    if (!buffer.count)
      continue;
    const Packet &packet = packets[buffer.ring[buffer.head]];
    const Router &router = routers[buffer.router];
    text +=
        llvm::formatv(
            "mesh: {0} from {1} to {2} at router ({3}, {4}){5}, since {6} "
            "ns\n",
            nameOf(packet.message.network), nodes[packet.message.source].name,
            nodes[packet.message.destination].name, router.column, router.row,
            buffer.toNode ? ", not taken" : "",
            static_cast<uint64_t>(nanosecondsOf(packet.sent)))
            .str();
  }
  return text;
}
