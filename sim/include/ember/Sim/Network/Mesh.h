//===- Mesh.h - A two-dimensional mesh of routers ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages go along their row, then along their column (XY routing). A message
// is as many flits as the width of a link needs, and takes each link for as
// many cycles. It is forwarded as soon as its first flit is there (virtual
// cut-through), when the next buffer has room for all of it.
//
// Each input of a router has a buffer for each virtual network, so that
// messages of one never wait for those of another one's buffers. Messages
// between two nodes arrive in order within a virtual network.
//
// A message costs one event a router that it passes; further events come only
// where messages wait.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_NETWORK_MESH_H
#define EMBER_SIM_NETWORK_MESH_H

#include "ember/Sim/Engine/Engine.h"
#include "ember/Sim/Engine/Statistics.h"
#include "ember/Sim/Memory/Request.h"
#include "ember/Sim/Network/Interconnect.h"
#include "ember/Sim/Network/MeshParameters.h"

#include <array>
#include <string>
#include <vector>

namespace ember::sim {

llvm::StringRef nameOf(VirtualNetwork network);

class Mesh final : public EventHandler, public Interconnect, public Waiter {
public:
  /// `parameters` are valid.
  Mesh(Engine &engine, const MeshParameters &parameters);

  /// Puts a node at a router; returns its number. At most 17 nodes share one.
  uint32_t attach(NetworkNode &node, unsigned column, unsigned row,
                  llvm::StringRef name);

  /// Takes a message, or turns it away where the node's buffer is full.
  bool send(const Message &message) override;

  /// The node takes messages of a network again.
  void resume(uint32_t node, VirtualNetwork network) override;

  /// Links from the router of a node to the one of another.
  unsigned hops(uint32_t source, uint32_t destination) const;

  /// From sending to delivery where no other message is.
  Tick unloadedLatency(uint32_t source, uint32_t destination,
                       uint64_t bytes) const;

  void handle(uint64_t argument) override;
  void addTo(Statistics &statistics, llvm::StringRef path) const;
  std::string waits() const override;

  uint64_t sent() const { return sentMessages; }
  uint64_t delivered() const { return deliveredMessages; }
  /// A link for each flit that took it, those to nodes left out.
  uint64_t flitHops() const { return hopsOfFlits; }
  const Histogram &latency(VirtualNetwork network) const {
    return latencies[static_cast<unsigned>(network)];
  }

private:
  static constexpr uint32_t none = ~uint32_t{0};
  enum EventKind { arrival, linkFree, bufferRead };
  static constexpr unsigned kindBits = 2;
  enum Direction { east, west, south, north, directionCount };

  struct Packet {
    Message message;
    Tick sent = 0;
    uint32_t flits = 0;
    /// Where it is, or will arrive next.
    uint32_t buffer = 0;
  };

  /// Messages of a virtual network that an input or a node has got.
  struct Buffer {
    std::vector<uint32_t> ring;
    uint32_t head = 0;
    uint32_t count = 0;
    /// Flits for which room is taken, or will be.
    uint32_t used = 0;
    /// Those of the message that is on its way out, until `readAt`.
    uint32_t leaving = 0;
    Tick readAt = 0;
    /// Who fills it: a link, or a node where there is none.
    uint32_t link = none;
    uint32_t node = none;
    uint32_t router = 0;
    /// Its number among the buffers of the router.
    uint32_t slot = 0;
    bool toNode = false;
    bool senderWaits = false;
    bool eventIsDue = false;
    bool stalled = false;
  };

  struct Link {
    Tick freeAt = 0;
    /// A bit for each buffer of the router whose first message wants it.
    uint64_t wanted = 0;
    uint32_t nextSlot = 0;
    uint32_t router = 0;
    /// The buffer at its end of the first virtual network.
    uint32_t target = none;
    bool eventIsDue = false;
    uint64_t flits = 0;
  };

  struct Router {
    unsigned column = 0;
    unsigned row = 0;
    /// Numbers of the links out of it and of its buffers, by port.
    std::vector<uint32_t> links;
    std::vector<uint32_t> buffers;
  };

  struct Node {
    NetworkNode *node = nullptr;
    std::string name;
    uint32_t router = 0;
    uint32_t port = 0;
    uint32_t buffers = 0;
    uint32_t sink = 0;
  };

  uint32_t addBuffers(uint32_t router, bool toNode);
  uint32_t addLinks(uint32_t router, uint32_t target);
  uint32_t linkFor(const Packet &packet, uint32_t router) const;
  uint32_t targetOf(uint32_t link, const Packet &packet) const;
  uint32_t takePacket();
  void push(Buffer &buffer, uint32_t packet);
  uint32_t pop(Buffer &buffer);
  void settle(Buffer &buffer) const;
  void arrive(uint32_t packet);
  void offer(uint32_t buffer);
  void tryLink(uint32_t link);
  bool tryForward(uint32_t link, uint32_t buffer);
  void forward(uint32_t link, uint32_t from, uint32_t to);
  void waitForRoom(uint32_t buffer);
  void scheduleRead(uint32_t buffer);
  void scheduleLink(uint32_t link);
  void read(uint32_t buffer);
  void deliver(uint32_t buffer);

  Engine &engine;
  const MeshParameters parameters;
  const Clock clock;
  std::vector<Router> routers;
  std::vector<Node> nodes;
  std::vector<Buffer> buffers;
  std::vector<Link> links;
  std::vector<Packet> packets;
  std::vector<uint32_t> unused;

  uint64_t sentMessages = 0;
  uint64_t deliveredMessages = 0;
  uint64_t deliveredBytes = 0;
  uint64_t hopsOfFlits = 0;
  uint64_t refused = 0;
  uint64_t refusedByNodes = 0;
  Occupancy inFlight;
  std::array<Histogram, virtualNetworkCount> latencies;
};

} // namespace ember::sim

#endif
