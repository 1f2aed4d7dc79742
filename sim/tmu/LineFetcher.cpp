//===- LineFetcher.cpp - Lines that a TMU asks for ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/TMU/LineFetcher.h"

#include "llvm/ADT/StringExtras.h"

using namespace ember::sim;

static constexpr const char *levelNames[] = {"lastLevel", "l1", "l2", "memory"};

LineFetcher::LineFetcher(const TMUParameters &parameters,
                         const AccessUnitPorts &ports, Listener &listener)
    : parameters(parameters), engine(ports.engine), tlb(ports.tlb),
      l1d(ports.l1d, *this), l2(ports.l2, *this),
      lastLevel(ports.lastLevel, *this), listener(listener),
      transactions(parameters.lines()) {
  for (auto i = static_cast<uint32_t>(transactions.size()); i--;)
    unused.push_back(i);
}

uint32_t LineFetcher::allocate(uint64_t line, const Stream *stream) {
  uint32_t index = unused.back();
  unused.pop_back();
  Transaction &transaction = transactions[index];
  transaction = {};
  transaction.line = line;
  transaction.used = true;
  transaction.since = engine.now();
  if (stream) {
    transaction.level = stream->level;
    transaction.nonTemporal =
        stream->nontemporal || stream->level == MemoryLevel::memory;
  }
  return index;
}

void LineFetcher::addWaiter(Transaction &transaction,
                            const ElementWaiter &waiter) {
  if (unusedNode == none) {
    unusedNode = static_cast<uint32_t>(nodes.size());
    nodes.emplace_back();
  }
  uint32_t index = unusedNode;
  unusedNode = nodes[index].next;
  nodes[index] = {waiter, transaction.firstWaiter};
  transaction.firstWaiter = index;
}

void LineFetcher::load(uint64_t line, const Stream *stream,
                       const ElementWaiter &waiter, uint32_t key) {
  uint32_t index = allocate(line, stream);
  addWaiter(transactions[index], waiter);
  if (parameters.coalescing == Coalescing::previous)
    key = 0;
  if (key >= last.size())
    last.resize(key + 1, none);
  last[key] = index;
  ++loads;
  ++count.lines;
  count.loadedBytes += lineBytes;
  ++count.byLevel[static_cast<unsigned>(transactions[index].level)];
  inFlight.set(engine.now(), loads);
  translate(index);
}

bool LineFetcher::join(uint64_t line, const ElementWaiter &waiter,
                       uint32_t key) {
  if (parameters.coalescing == Coalescing::none)
    return false;
  if (parameters.coalescing == Coalescing::previous)
    key = 0;
  if (key >= last.size() || last[key] == none)
    return false;
  Transaction &transaction = transactions[last[key]];
  if (!transaction.used || transaction.isStore || transaction.line != line)
    return false;
  addWaiter(transaction, waiter);
  ++count.coalesced;
  return true;
}

void LineFetcher::store(uint64_t line, const Stream &stream, bool whole,
                        uint32_t buffer) {
  uint32_t index = allocate(line, &stream);
  Transaction &transaction = transactions[index];
  transaction.isStore = true;
  transaction.whole = whole;
  transaction.buffer = buffer;
  ++stores;
  ++count.storedLines;
  count.partialLines += !whole;
  translate(index);
}

void LineFetcher::translate(uint32_t index) {
  uint64_t page = tlb.pageOf(transactions[index].line * lineBytes);
  tlb.translate({page, this, index});
}

QueuedPort &LineFetcher::portOf(const Transaction &transaction) {
  if (transaction.level == MemoryLevel::l1)
    return l1d;
  // A line that is written in part has to be owned, which caches do.
  bool inPart = transaction.isStore && !transaction.whole;
  return transaction.level == MemoryLevel::l2 || inPart ? l2 : lastLevel;
}

void LineFetcher::translated(const Translation &translation) {
  Transaction &transaction = transactions[translation.id];
  transaction.sent = true;
  Request request;
  request.line = transaction.line;
  request.access = !transaction.isStore ? Access::read
                   : transaction.whole  ? Access::fill
                                        : Access::own;
  request.nonTemporal =
      transaction.nonTemporal && request.access != Access::own;
  request.id = translation.id;
  portOf(transaction).send(request);
}

void LineFetcher::complete(const Request &request) {
  Transaction &transaction = transactions[request.id];
  auto index = static_cast<uint32_t>(request.id);
  if (observer)
    observer->request(index, transaction.line, transaction.since, engine.now());
  transaction.used = false;
  unused.push_back(index);
  if (transaction.isStore) {
    --stores;
    listener.stored(transaction.buffer);
    listener.lineDone();
    return;
  }
  --loads;
  inFlight.set(engine.now(), loads);
  latency.add(engine.now() - transaction.since);
  uint32_t node = transaction.firstWaiter;
  while (node != none) {
    uint32_t next = nodes[node].next;
    listener.arrived(nodes[node].waiter);
    nodes[node].next = unusedNode;
    unusedNode = node;
    node = next;
  }
  listener.lineDone();
}

std::string LineFetcher::waits() const {
  constexpr unsigned most = 4;
  std::string text;
  unsigned shown = 0;
  for (const Transaction &transaction : transactions) {
    if (!transaction.used || ++shown > most)
      continue;
    text += "line 0x" + llvm::utohexstr(transaction.line * lineBytes, true) +
            (transaction.sent
                 ? " from " +
                       std::string(
                           levelNames[static_cast<unsigned>(transaction.level)])
                 : " for its translation") +
            "\n";
  }
  if (shown > most)
    text += std::to_string(shown - most) + " more lines\n";
  return text;
}

void LineFetcher::addTo(Statistics &statistics, llvm::StringRef path) const {
  auto add = [&](llvm::StringRef name, const auto &value,
                 llvm::StringRef description) {
    statistics.add((path + "." + name).str(), value, description);
  };
  add("lines", count.lines, "lines asked for to be loaded");
  add("loadedBytes", count.loadedBytes, "of those lines");
  add("coalesced", count.coalesced, "requests that shared a line on its way");
  add("storedLines", count.storedLines, "lines written by store streams");
  add("partialStoredLines", count.partialLines, "of those, not as a whole");
  for (unsigned level = 0; level < count.byLevel.size(); ++level)
    add(std::string("linesFrom.") + levelNames[level], count.byLevel[level],
        "lines asked for there");
  add("outstanding", inFlight, "lines on their way");
  add("lineTicks", latency, "from a request to its line");
}
