//===- Interconnect.h - What joins caches and memory ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes send each other messages. Those of one virtual network never wait for
// the buffers of another one; between two nodes they arrive in order within
// a virtual network.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_NETWORK_INTERCONNECT_H
#define EMBER_SIM_NETWORK_INTERCONNECT_H

#include <cstdint>

namespace ember::sim {

enum class VirtualNetwork : uint8_t { request, response, snoop };
inline constexpr unsigned virtualNetworkCount = 3;

struct Message {
  /// Nodes, by the numbers that they got when they were attached.
  uint32_t source = 0;
  uint32_t destination = 0;
  VirtualNetwork network = VirtualNetwork::request;
  /// Without header.
  uint32_t bytes = 0;
  /// The sender's own: what the message is about.
  uint64_t payload = 0;
};

/// What messages go to and come from.
class NetworkNode {
public:
  /// Takes a message, or leaves it in the network until the node calls
  /// `Interconnect::resume`.
  virtual bool deliver(const Message &message) = 0;

  /// There is room again to send on a network on which a message was turned
  /// away. Called once, at a later tick.
  virtual void retry(VirtualNetwork network) = 0;

protected:
  ~NetworkNode() = default;
};

class Interconnect {
public:
  /// Takes a message, or turns it away; then the node's `retry` is called.
  virtual bool send(const Message &message) = 0;

  /// The node takes messages of a network again.
  virtual void resume(uint32_t node, VirtualNetwork network) = 0;

protected:
  ~Interconnect() = default;
};

} // namespace ember::sim

#endif
