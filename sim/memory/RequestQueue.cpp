//===- RequestQueue.cpp - Requests by bank and by age ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Memory/RequestQueue.h"

using namespace ember::sim;

uint32_t RequestPool::take() {
  if (unused.empty()) {
    requests.emplace_back();
    return static_cast<uint32_t>(requests.size() - 1);
  }
  uint32_t index = unused.back();
  unused.pop_back();
  return index;
}

uint32_t RequestQueue::find(unsigned bank, const DRAMLocation &location) const {
  uint32_t index = banks[bank].first;
  while (index != RequestPool::none &&
         (pool[index].location.row != location.row ||
          pool[index].location.column != location.column))
    index = pool[index].nextInBank;
  return index;
}

uint32_t RequestQueue::searchRow(uint32_t index, uint64_t row) const {
  while (index != RequestPool::none && pool[index].location.row != row)
    index = pool[index].nextInBank;
  return index;
}

void RequestQueue::insert(uint32_t index, bool open) {
  QueuedRequest &request = pool[index];
  Bank &bank = banks[request.bank];
  request.order = inserted++;
  request.nextInBank = request.younger = RequestPool::none;
  request.previousInBank = bank.last;
  request.older = last;
  (bank.last == RequestPool::none ? bank.first : pool[bank.last].nextInBank) =
      index;
  (last == RequestPool::none ? first : pool[last].younger) = index;
  bank.last = last = index;
  if (open && bank.hit == RequestPool::none)
    bank.hit = index;
  occupied |= uint64_t{1} << request.bank;
  ++count;
}

void RequestQueue::remove(uint32_t index) {
  const QueuedRequest &request = pool[index];
  Bank &bank = banks[request.bank];
  if (bank.hit == index)
    bank.hit = searchRow(request.nextInBank, request.location.row);
  (request.previousInBank == RequestPool::none
       ? bank.first
       : pool[request.previousInBank].nextInBank) = request.nextInBank;
  (request.nextInBank == RequestPool::none
       ? bank.last
       : pool[request.nextInBank].previousInBank) = request.previousInBank;
  (request.older == RequestPool::none ? first : pool[request.older].younger) =
      request.younger;
  (request.younger == RequestPool::none ? last : pool[request.younger].older) =
      request.older;
  if (bank.first == RequestPool::none)
    occupied &= ~(uint64_t{1} << request.bank);
  --count;
}
