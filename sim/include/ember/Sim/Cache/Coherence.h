//===- Coherence.h - What caches and the last level tell each other *- C++
//-*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The home slice of a line handles one transaction of it at a time; others wait
// there. A transaction ends when the requester has said `done` and all snoops
// are acknowledged, so an answer never crosses a snoop of the same line. What
// is left to meet, at a core:
//
//   on its way     | meets                      | then
//   put            | snoop                      | answered from the write-back
//                  |                            | buffer, as from the cache
//   put            | own request of the line    | waits for putDone
//   put            | line invalidated meanwhile | home no longer lists the
//                  |                            | sender and ignores the data
//   readOwn of a   | snoopInvalidate            | the copy is gone; home no
//   shared copy    |                            | longer lists the requester
//                  |                            | and answers with data
//   readOwn of a   | eviction of the copy       | it stays in the MSHR, no put
//   shared copy    |                            |
//   data, grant    | snoop                      | cannot be: before `done`
//
// Responses and snoops are always taken. Only requests wait in the network, and
// no transaction that has begun needs another request to end: no deadlock.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CACHE_COHERENCE_H
#define EMBER_SIM_CACHE_COHERENCE_H

#include "ember/Sim/Cache/Cache.h"
#include "ember/Sim/Network/Interconnect.h"

#include <array>

namespace ember::sim {

enum class CoherenceOp : uint8_t {
  // Requests to the home.
  readShared,
  readOwn,
  /// Ownership without data.
  makeOwn,
  /// Data, without becoming a sharer.
  readOnce,
  /// A whole line, which the requester does not keep.
  writeFull,
  /// A victim, clean or dirty.
  put,
  // Snoops from the home.
  snoopOnce,
  snoopShare,
  snoopInvalidate,
  // Responses.
  data,
  grant,
  putDone,
  snoopDone,
  done,
};

struct CoherencePacket {
  CoherenceOp op = CoherenceOp::readShared;
  uint64_t line = 0;
  /// The node that began the transaction, and its number for it.
  uint32_t requester = 0;
  uint32_t requesterId = 0;
  /// The home's number for the transaction.
  uint32_t homeId = 0;
  bool writable = false;
  bool dirty = false;
  /// Of a readOnce or writeFull: the last level keeps the line.
  bool keep = false;
  /// Of a snoop: the data goes to the requester; otherwise, to the home.
  bool forward = false;
  /// Of a snoop: the home wants the data.
  bool wantsData = false;
};

/// The contents of messages on their way; messages carry their numbers.
class CoherencePackets {
public:
  uint64_t add(const CoherencePacket &packet) {
    if (unused.empty()) {
      packets.push_back(packet);
      return packets.size() - 1;
    }
    uint64_t index = unused.back();
    unused.pop_back();
    packets[index] = packet;
    return index;
  }
  CoherencePacket take(uint64_t index) {
    unused.push_back(index);
    return packets[index];
  }

private:
  std::vector<CoherencePacket> packets;
  std::vector<uint64_t> unused;
};

/// Messages of a node that wait for room in the network.
class Outbox {
public:
  Outbox(Interconnect &network, CoherencePackets &packets)
      : network(network), packets(packets) {}

  void send(uint32_t from, uint32_t to, VirtualNetwork on, uint32_t bytes,
            const CoherencePacket &packet) {
    Message message{from, to, on, bytes, packets.add(packet)};
    Ring<Message> &queue = queues[static_cast<unsigned>(on)];
    if (!queue.empty() || !network.send(message))
      queue.push(message);
  }
  void retry(VirtualNetwork on) {
    Ring<Message> &queue = queues[static_cast<unsigned>(on)];
    while (!queue.empty() && network.send(queue.front()))
      queue.pop();
  }

  /// Messages that wait.
  size_t size() const {
    size_t count = 0;
    for (const Ring<Message> &queue : queues)
      count += queue.size();
    return count;
  }

private:
  Interconnect &network;
  CoherencePackets &packets;
  std::array<Ring<Message>, virtualNetworkCount> queues;
};

/// Which slice is the home of a line: its bits, folded onto each other so that
/// strides spread over all slices.
struct HomeMap {
  std::vector<uint32_t> nodes;

  size_t indexOf(uint64_t line) const {
    return (line ^ line >> 7 ^ line >> 15 ^ line >> 23) % nodes.size();
  }
  uint32_t operator()(uint64_t line) const { return nodes[indexOf(line)]; }
};

} // namespace ember::sim

#endif
