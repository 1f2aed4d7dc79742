//===- CoherentPort.h - Where a core meets the network ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Below a private cache: its requests and victims go to the homes of their
// lines, snoops come from there. Without a cache: where an agent reads and
// writes whole lines at the last level.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CACHE_COHERENTPORT_H
#define EMBER_SIM_CACHE_COHERENTPORT_H

#include "ember/Sim/Cache/Coherence.h"

namespace ember::sim {

/// Where ports find homes at once, without the network.
class NearHomes {
public:
  virtual Request warm(const Request &request, uint32_t from) = 0;
  virtual void warmVictim(uint64_t line, LineState state, uint32_t from) = 0;

protected:
  ~NearHomes() = default;
};

class CoherentPort final : public LowerLevel,
                           public NetworkNode,
                           public EventHandler,
                           public Waiter {
public:
  /// `cache` is null where agents use the port: they read or fill, and have
  /// `outstanding` requests at most.
  CoherentPort(Engine &engine, Interconnect &network, CoherencePackets &packets,
               const HomeMap &homes, Cache *cache, uint64_t outstanding);

  /// The number that the network gave it.
  void setNode(uint32_t number) { node = number; }
  /// For warming.
  void setNearHomes(NearHomes &nearHomes) { near = &nearHomes; }

  bool accept(const Request &request) override;
  Tick writeBack(uint64_t line, LineState state) override;
  Request warm(const Request &request) override {
    return near->warm(request, node);
  }
  void warmVictim(uint64_t line, LineState state) override {
    near->warmVictim(line, state, node);
  }
  bool deliver(const Message &message) override;
  void retry(VirtualNetwork network) override { outbox.retry(network); }
  void handle(uint64_t argument) override;
  std::string waits() const override;

  /// Sent to other cores on behalf of homes.
  uint64_t forwardedBytes() const { return forwarded; }
  void addTo(Statistics &statistics, llvm::StringRef path) const;

  /// Of a victim that the home has not taken yet.
  LineState victim(uint64_t line) const;

private:
  struct Transaction {
    Request request;
    bool used = false;
    bool waitsForPut = false;
    CoherencePacket answer;
    uint32_t home = 0;
  };
  struct Victim {
    uint64_t line;
    LineState state;
  };

  void begin(uint32_t index);
  void arrived(const CoherencePacket &packet, uint32_t index);
  void end(uint32_t index);
  void putDone(uint64_t line);
  void answerSnoop(const CoherencePacket &packet, uint32_t home);

  Engine &engine;
  Outbox outbox;
  CoherencePackets &packets;
  const HomeMap &homes;
  Cache *cache;
  uint32_t node = 0;
  NearHomes *near = nullptr;
  std::vector<Transaction> transactions;
  std::vector<uint32_t> unused;
  std::vector<Victim> victims;
  /// Transactions behind a victim of their line.
  uint64_t behindVictims = 0;
  std::vector<Requester *> waiting;
  std::vector<Requester *> waking;
  uint64_t forwarded = 0;
};

} // namespace ember::sim

#endif
