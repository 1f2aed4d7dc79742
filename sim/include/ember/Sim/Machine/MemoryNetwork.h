//===- MemoryNetwork.h - How slices reach channels of memory ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each channel of memory is a node of the network; each slice of the last level
// has a second node that asks them. A slice has so many credits at each
// channel, so a channel has always room for what is sent to it: requests to
// one that is full wait at their slices, where those to others pass them, and
// none waits in the network. A credit comes back with the answer.
//
// Requests of cores do wait in the network, for slices that wait for memory.
// So what slices ask must not stand behind them: reads go where snoops do, and
// written lines where responses do. All that goes there is always taken.
//
// At a channel, reads and writes of each pseudo-channel wait in queues of their
// own until its controller takes them.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_MACHINE_MEMORYNETWORK_H
#define EMBER_SIM_MACHINE_MEMORYNETWORK_H

#include "ember/Sim/Cache/Ring.h"
#include "ember/Sim/Memory/MemorySystem.h"
#include "ember/Sim/Network/Mesh.h"

#include <deque>

namespace ember::sim {

/// A request on its way, whose number messages carry.
struct MemoryTransaction {
  Request request;
  /// Nodes of the network.
  uint32_t slice = 0;
  uint32_t channelNode = 0;
  uint32_t channel = 0;
};

class MemoryTransactions {
public:
  uint32_t add(const MemoryTransaction &transaction) {
    if (unused.empty()) {
      transactions.push_back(transaction);
      return static_cast<uint32_t>(transactions.size() - 1);
    }
    uint32_t index = unused.back();
    unused.pop_back();
    transactions[index] = transaction;
    return index;
  }
  MemoryTransaction &operator[](uint64_t index) { return transactions[index]; }
  void remove(uint32_t index) { unused.push_back(index); }

private:
  std::vector<MemoryTransaction> transactions;
  std::vector<uint32_t> unused;
};

/// Where a channel meets the network.
class ChannelNode final : public NetworkNode, public Waiter {
public:
  ChannelNode(Interconnect &network, MemoryTransactions &transactions,
              MemorySystem &memory, unsigned pseudoChannels,
              llvm::StringRef name);

  bool deliver(const Message &message) override;
  void retry(VirtualNetwork network) override;
  std::string waits() const override;
  void addTo(Statistics &statistics, llvm::StringRef path) const;

private:
  /// Reads or writes of a pseudo-channel.
  struct Queue final : Requester {
    explicit Queue(ChannelNode &node) : node(node) {}
    void complete(const Request &answer) override { node.answer(answer.id); }
    void retry() override;
    void ask();

    ChannelNode &node;
    Ring<uint32_t> waiting;
    bool refused = false;
  };

  void answer(uint64_t index);

  Interconnect &network;
  MemoryTransactions &transactions;
  MemorySystem &memory;
  std::string name;
  std::deque<Queue> queues;
  Ring<Message> answers;
  uint64_t bytesRead = 0;
  uint64_t bytesWritten = 0;
  uint64_t waited = 0;
};

/// What a slice asks for lines of memory.
class ChannelPort final : public MemoryPort, public NetworkNode, public Waiter {
public:
  /// `channels` are the nodes of the channels.
  ChannelPort(Interconnect &network, MemoryTransactions &transactions,
              const MemorySystem &memory, const std::vector<uint32_t> &channels,
              uint64_t credits, llvm::StringRef name);

  void setNode(uint32_t number) { node = number; }

  /// Takes all: who asks has so many MSHRs and write buffers.
  bool accept(const Request &request) override;
  bool deliver(const Message &message) override;
  void retry(VirtualNetwork network) override;
  std::string waits() const override;
  void addTo(Statistics &statistics, llvm::StringRef path) const;

private:
  struct Channel {
    uint64_t credits;
    Ring<Request> waiting;
  };

  void send(unsigned channel, const Request &request);

  Interconnect &network;
  MemoryTransactions &transactions;
  const MemorySystem &memory;
  const std::vector<uint32_t> &nodes;
  std::string name;
  uint32_t node = 0;
  std::vector<Channel> channels;
  std::array<Ring<Message>, virtualNetworkCount> unsent;
  uint64_t waited = 0;
};

} // namespace ember::sim

#endif
