//===- RequestQueue.h - Requests by bank and by age -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a controller has still to read, or to write. The scheduler asks for the
// oldest request of a bank, for the oldest one to a bank's open row, and for
// the oldest of all; none of these takes a search.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_MEMORY_REQUESTQUEUE_H
#define EMBER_SIM_MEMORY_REQUESTQUEUE_H

#include "ember/Sim/Memory/AddressMapping.h"
#include "ember/Sim/Memory/Request.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace ember::sim {

/// What a request found in its bank, the worst last.
enum class RowOutcome : uint8_t { hit, miss, conflict };

struct QueuedRequest {
  Request request;
  DRAMLocation location;
  Tick accepted = 0;
  /// Counts requests in the order in which they came to their queue.
  uint64_t order = 0;
  uint32_t bank = 0;
  uint32_t burstsLeft = 0;
  RowOutcome outcome = RowOutcome::hit;
  uint32_t previousInBank = 0;
  uint32_t nextInBank = 0;
  uint32_t older = 0;
  uint32_t younger = 0;
};

/// The requests of a controller, under numbers that are used again.
class RequestPool {
public:
  static constexpr uint32_t none = std::numeric_limits<uint32_t>::max();

  uint32_t take();
  void giveBack(uint32_t index) { unused.push_back(index); }

  QueuedRequest &operator[](uint32_t index) { return requests[index]; }
  const QueuedRequest &operator[](uint32_t index) const {
    return requests[index];
  }

private:
  std::vector<QueuedRequest> requests;
  std::vector<uint32_t> unused;
};

class RequestQueue {
public:
  RequestQueue(RequestPool &pool, unsigned banks) : pool(pool), banks(banks) {}

  uint64_t size() const { return count; }
  /// A bit for each bank that has requests.
  uint64_t occupiedBanks() const { return occupied; }
  bool has(unsigned bank) const { return occupied >> bank & 1; }
  uint32_t oldest() const { return first; }
  uint32_t oldestOf(unsigned bank) const { return banks[bank].first; }
  /// The oldest request to the open row of a bank.
  uint32_t hitOf(unsigned bank) const { return banks[bank].hit; }
  /// The request of a line, or none.
  uint32_t find(unsigned bank, const DRAMLocation &location) const;

  /// Puts a request behind the others; `open` says that its row is.
  void insert(uint32_t index, bool open);
  void remove(uint32_t index);
  void rowOpened(unsigned bank, uint64_t row) {
    banks[bank].hit = searchRow(banks[bank].first, row);
  }
  void rowClosed(unsigned bank) { banks[bank].hit = RequestPool::none; }

private:
  struct Bank {
    uint32_t first = RequestPool::none;
    uint32_t last = RequestPool::none;
    uint32_t hit = RequestPool::none;
  };

  /// The first request to a row, from `index` on.
  uint32_t searchRow(uint32_t index, uint64_t row) const;

  RequestPool &pool;
  std::vector<Bank> banks;
  uint32_t first = RequestPool::none;
  uint32_t last = RequestPool::none;
  uint64_t occupied = 0;
  uint64_t count = 0;
  uint64_t inserted = 0;
};

} // namespace ember::sim

#endif
