//===- CoherentPort.cpp - Where a core meets the network ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Cache/CoherentPort.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cassert>

using namespace ember::sim;

static constexpr uint64_t wakeArgument = ~uint64_t{0};

CoherentPort::CoherentPort(Engine &engine, Interconnect &network,
                           CoherencePackets &packets, const HomeMap &homes,
                           Cache *cache, uint64_t outstanding)
    : engine(engine), outbox(network, packets), packets(packets), homes(homes),
      cache(cache), transactions(outstanding) {
  for (uint32_t i = outstanding; i--;)
    unused.push_back(i);
}

LineState CoherentPort::victim(uint64_t line) const {
  for (const Victim &victim : victims)
    if (victim.line == line)
      return victim.state;
  return LineState::invalid;
}

bool CoherentPort::accept(const Request &request) {
  if (unused.empty()) {
    if (request.requester && !llvm::is_contained(waiting, request.requester))
      waiting.push_back(request.requester);
    return false;
  }
  uint32_t index = unused.back();
  unused.pop_back();
  bool putIsDue = llvm::any_of(victims, [&](const Victim &victim) {
    return victim.line == request.line;
  });
  transactions[index] = {request, true, putIsDue, {}, 0};
  if (putIsDue)
    ++behindVictims;
  else
    begin(index);
  return true;
}

void CoherentPort::begin(uint32_t index) {
  Transaction &transaction = transactions[index];
  transaction.waitsForPut = false;
  const Request &request = transaction.request;
  bool once = !cache || request.nonTemporal;
  CoherencePacket packet;
  packet.line = request.line;
  packet.requester = node;
  packet.requesterId = index;
  packet.keep = !cache && !request.nonTemporal;
  uint32_t bytes = 0;
  switch (request.access) {
  case Access::read:
    packet.op = once ? CoherenceOp::readOnce : CoherenceOp::readShared;
    break;
  case Access::own:
    assert(cache && "agents at the last level write whole lines");
    packet.op = CoherenceOp::readOwn;
    break;
  case Access::fill:
    packet.op = once ? CoherenceOp::writeFull : CoherenceOp::makeOwn;
    bytes = once ? lineBytes : 0;
    break;
  }
  transaction.home = homes(request.line);
  outbox.send(node, transaction.home, VirtualNetwork::request, bytes, packet);
}

Tick CoherentPort::writeBack(uint64_t line, LineState state) {
  victims.push_back({line, state});
  CoherencePacket packet;
  packet.op = CoherenceOp::put;
  packet.line = line;
  packet.requester = node;
  packet.dirty = isDirty(state);
  outbox.send(node, homes(line), VirtualNetwork::request, lineBytes, packet);
  return later;
}

bool CoherentPort::deliver(const Message &message) {
  CoherencePacket packet = packets.take(message.payload);
  switch (packet.op) {
  case CoherenceOp::data:
  case CoherenceOp::grant:
    arrived(packet, packet.requesterId);
    break;
  case CoherenceOp::putDone:
    putDone(packet.line);
    break;
  default:
    answerSnoop(packet, message.source);
    break;
  }
  return true;
}

void CoherentPort::arrived(const CoherencePacket &packet, uint32_t index) {
  Transaction &transaction = transactions[index];
  transaction.answer = packet;
  bool kept = cache && !transaction.request.nonTemporal;
  Tick at = kept && packet.op == CoherenceOp::data ? cache->reserveFill()
                                                   : engine.now();
  engine.schedule(at, *this, index);
}

void CoherentPort::handle(uint64_t argument) {
  if (argument != wakeArgument) {
    end(argument);
    return;
  }
  waking.swap(waiting);
  for (Requester *requester : waking)
    requester->retry();
  waking.clear();
}

void CoherentPort::end(uint32_t index) {
  Transaction &transaction = transactions[index];
  Request answer = transaction.request;
  answer.writable = transaction.answer.writable;
  answer.dirty = transaction.answer.dirty;
  CoherencePacket packet = transaction.answer;
  packet.op = CoherenceOp::done;
  uint32_t home = transaction.home;
  transaction.used = false;
  unused.push_back(index);
  outbox.send(node, home, VirtualNetwork::response, 0, packet);
  if (!waiting.empty())
    engine.schedule(engine.now() + 1, *this, wakeArgument);
  if (answer.requester)
    answer.requester->complete(answer);
}

void CoherentPort::putDone(uint64_t line) {
  llvm::erase_if(victims,
                 [&](const Victim &victim) { return victim.line == line; });
  for (uint32_t i = 0; behindVictims && i < transactions.size(); ++i)
    if (transactions[i].used && transactions[i].waitsForPut &&
        transactions[i].request.line == line) {
      --behindVictims;
      begin(i);
    }
  cache->written();
}

void CoherentPort::answerSnoop(const CoherencePacket &packet, uint32_t home) {
  Snoop kind = packet.op == CoherenceOp::snoopOnce    ? Snoop::once
               : packet.op == CoherenceOp::snoopShare ? Snoop::share
                                                      : Snoop::invalidate;
  SnoopResult result = cache->snoop(packet.line, kind);
  for (Victim &victim : victims) {
    if (victim.line != packet.line || victim.state == LineState::invalid)
      continue;
    result.had = true;
    result.dirty |= isDirty(victim.state);
    if (kind == Snoop::share)
      victim.state =
          isDirty(victim.state) ? LineState::owned : LineState::shared;
    if (kind == Snoop::invalidate)
      victim.state = LineState::invalid;
  }
  assert(result.had && "the directory lists who has a line");
  if (packet.forward) {
    CoherencePacket data = packet;
    data.op = CoherenceOp::data;
    forwarded += lineBytes;
    data.writable = kind == Snoop::invalidate;
    data.dirty = kind == Snoop::invalidate && result.dirty;
    outbox.send(node, packet.requester, VirtualNetwork::response, lineBytes,
                data);
  }
  CoherencePacket reply = packet;
  reply.op = CoherenceOp::snoopDone;
  reply.dirty = result.dirty;
  bool carries = packet.wantsData || (!packet.forward && result.dirty);
  outbox.send(node, home, VirtualNetwork::response, carries ? lineBytes : 0,
              reply);
}

void CoherentPort::addTo(Statistics &statistics, llvm::StringRef path) const {
  statistics.add((path + ".forwardedBytes").str(), forwarded,
                 "sent to other cores");
}

std::string CoherentPort::waits() const {
  std::string text;
  for (const Transaction &transaction : transactions)
    if (transaction.used)
      text += "node " + std::to_string(node) + ": line 0x" +
              llvm::utohexstr(transaction.request.line * lineBytes, true) +
              (transaction.waitsForPut ? " behind its write-back"
                                       : " from its home") +
              "\n";
  for (const Victim &victim : victims)
    text += "node " + std::to_string(node) + ": write-back of line 0x" +
            llvm::utohexstr(victim.line * lineBytes, true) + "\n";
  if (outbox.size())
    text += "node " + std::to_string(node) + ": " +
            std::to_string(outbox.size()) +
            " messages for room in the network\n";
  return text;
}
