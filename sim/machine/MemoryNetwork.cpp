//===- MemoryNetwork.cpp - How slices reach channels of memory ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Machine/MemoryNetwork.h"

using namespace ember::sim;

//===----------------------------------------------------------------------===//
// ChannelNode
//===----------------------------------------------------------------------===//

ChannelNode::ChannelNode(Interconnect &network,
                         MemoryTransactions &transactions, MemorySystem &memory,
                         unsigned pseudoChannels, llvm::StringRef name)
    : network(network), transactions(transactions), memory(memory),
      name(name.str()) {
  for (unsigned i = 0; i < 2 * pseudoChannels; ++i)
    queues.emplace_back(*this);
}

bool ChannelNode::deliver(const Message &message) {
  const Request &request = transactions[message.payload].request;
  unsigned pseudoChannel = memory.mapping().locate(request.line).pseudoChannel;
  Queue &queue = queues[2 * pseudoChannel + (request.access == Access::fill)];
  queue.waiting.push(static_cast<uint32_t>(message.payload));
  if (!queue.refused)
    queue.ask();
  waited += !queue.waiting.empty();
  return true;
}

void ChannelNode::Queue::ask() {
  while (!waiting.empty()) {
    Request request = node.transactions[waiting.front()].request;
    request.requester = this;
    request.id = waiting.front();
    if (!node.memory.accept(request)) {
      refused = true;
      return;
    }
    waiting.pop();
  }
}

void ChannelNode::Queue::retry() {
  refused = false;
  ask();
}

void ChannelNode::answer(uint64_t index) {
  const MemoryTransaction &transaction = transactions[index];
  bool write = transaction.request.access == Access::fill;
  (write ? bytesWritten : bytesRead) += lineBytes;
  Message message{transaction.channelNode, transaction.slice,
                  VirtualNetwork::response,
                  write ? 0 : static_cast<uint32_t>(lineBytes), index};
  if (!answers.empty() || !network.send(message))
    answers.push(message);
}

void ChannelNode::retry(VirtualNetwork) {
  while (!answers.empty() && network.send(answers.front()))
    answers.pop();
}

std::string ChannelNode::waits() const {
  std::string text;
  for (const Queue &queue : queues)
    if (!queue.waiting.empty())
      text += name + ": " + std::to_string(queue.waiting.size()) +
              " lines for room at a controller\n";
  if (!answers.empty())
    text += name + ": " + std::to_string(answers.size()) +
            " answers for room in the network\n";
  return text;
}

void ChannelNode::addTo(Statistics &statistics, llvm::StringRef path) const {
  statistics.add((path + ".bytesRead").str(), bytesRead, "answered");
  statistics.add((path + ".bytesWritten").str(), bytesWritten, "taken");
  statistics.add((path + ".waited").str(), waited,
                 "requests that found their controller full");
}

//===----------------------------------------------------------------------===//
// ChannelPort
//===----------------------------------------------------------------------===//

ChannelPort::ChannelPort(Interconnect &network,
                         MemoryTransactions &transactions,
                         const MemorySystem &memory,
                         const std::vector<uint32_t> &channels,
                         uint64_t credits, llvm::StringRef name)
    : network(network), transactions(transactions), memory(memory),
      nodes(channels), name(name.str()) {
  for (size_t i = 0; i < channels.size(); ++i)
    this->channels.push_back({credits, {}});
}

bool ChannelPort::accept(const Request &request) {
  unsigned channel = memory.channelOf(request.line);
  if (!channels[channel].credits) {
    ++waited;
    channels[channel].waiting.push(request);
    return true;
  }
  send(channel, request);
  return true;
}

void ChannelPort::send(unsigned channel, const Request &request) {
  --channels[channel].credits;
  uint32_t index = transactions.add({request, node, nodes[channel], channel});
  bool write = request.access == Access::fill;
  Message message{node, nodes[channel],
                  write ? VirtualNetwork::response : VirtualNetwork::snoop,
                  write ? static_cast<uint32_t>(lineBytes) : 0, index};
  Ring<Message> &queue = unsent[static_cast<unsigned>(message.network)];
  if (!queue.empty() || !network.send(message))
    queue.push(message);
}

bool ChannelPort::deliver(const Message &message) {
  MemoryTransaction transaction = transactions[message.payload];
  transactions.remove(static_cast<uint32_t>(message.payload));
  Channel &channel = channels[transaction.channel];
  ++channel.credits;
  if (!channel.waiting.empty()) {
    Request next = channel.waiting.front();
    channel.waiting.pop();
    send(transaction.channel, next);
  }
  if (transaction.request.requester)
    transaction.request.requester->complete(transaction.request);
  return true;
}

void ChannelPort::retry(VirtualNetwork on) {
  Ring<Message> &queue = unsent[static_cast<unsigned>(on)];
  while (!queue.empty() && network.send(queue.front()))
    queue.pop();
}

std::string ChannelPort::waits() const {
  std::string text;
  for (size_t i = 0; i < channels.size(); ++i)
    if (!channels[i].waiting.empty())
      text += name + ": " + std::to_string(channels[i].waiting.size()) +
              " lines for credits of memory channel " + std::to_string(i) +
              "\n";
  for (const Ring<Message> &queue : unsent)
    if (!queue.empty())
      text += name + ": " + std::to_string(queue.size()) +
              " lines for room in the network to memory\n";
  return text;
}

void ChannelPort::addTo(Statistics &statistics, llvm::StringRef path) const {
  statistics.add((path + ".waitedForCredits").str(), waited,
                 "requests that found a channel full");
}
