//===- IndirectPrefetchEngine.cpp - Rows before they are asked for --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Indirection/IndirectPrefetchEngine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace ember::sim;

IndirectPrefetchEngine::IndirectPrefetchEngine(
    llvm::StringRef name, const IndirectionParameters &parameters,
    const AccessUnitPorts &ports, GuestMemory &memory)
    : name(name), parameters(parameters), engine(ports.engine),
      clock(parameters.period()), memory(memory), tlb(ports.tlb),
      port(parameters.target == PrefetchTarget::l1 ? ports.l1d : ports.l2,
           *this),
      sent(parameters.outstanding) {
  for (auto i = static_cast<uint32_t>(sent.size()); i--;)
    unused.push_back(i);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

void IndirectPrefetchEngine::load(uint64_t, void *bytes, unsigned size) {
  // Who loads from it waits for all stores before.
  std::memset(bytes, 0, size);
  stored.push(std::nullopt);
}

void IndirectPrefetchEngine::store(uint64_t address, const void *bytes,
                                   unsigned size) {
  uint64_t offset = address - registerAddress, value = 0;
  std::memcpy(&value, bytes, std::min<size_t>(size, sizeof(value)));
  std::optional<Lookup> what;
  auto complain = [&](const llvm::Twine &problem) {
    if (message.empty())
      message = (name + ": " + problem).str();
  };
  if (offset == describeRegister) {
    what.emplace();
    const void *found = memory.find(value, sizeof(Lookup));
    if (found)
      std::memcpy(&*what, found, sizeof(Lookup));
    else
      complain("a lookup is to be described at 0x" +
               llvm::utohexstr(value, true) + ": " + memory.describe(value));
    uint64_t width = what->indexBytes;
    if (found && (!llvm::isPowerOf2_64(width) || width > 8))
      complain("indices of " + llvm::Twine(width) + " bytes");
    if (!message.empty())
      what->count = 0;
  } else if (offset != forgetRegister) {
    complain("a core stores " + llvm::Twine(size) + " bytes at 0x" +
             llvm::utohexstr(offset, true) +
             " of the registers, where there is nothing to be stored");
  }
  stored.push(what);
}

llvm::Error IndirectPrefetchEngine::takeError() {
  if (message.empty())
    return llvm::Error::success();
  std::string text;
  text.swap(message);
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

bool IndirectPrefetchEngine::accept(const Request &request) {
  std::optional<Lookup> what = stored.front();
  stored.pop();
  if (request.access != Access::read && !what) {
    edges.clear();
    ++generation;
  } else if (what && edges.size() < parameters.lookups) {
    ++described;
    edges.push_back({*what});
  }
  answers.push(request);
  engine.schedule(clock.after(engine.now(), 2 * parameters.deviceCycles), *this,
                  answerEvent);
  return true;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

void IndirectPrefetchEngine::loaded(uint64_t address) {
  for (uint32_t i = 0; i < edges.size(); ++i) {
    const Lookup &lookup = edges[i].lookup;
    uint64_t offset = address - lookup.indices;
    if (address >= lookup.indices && offset / lookup.indexBytes < lookup.count)
      lookAhead(i, offset / lookup.indexBytes);
  }
}

void IndirectPrefetchEngine::lookAhead(uint32_t index, uint64_t position) {
  Edge &edge = edges[index];
  const Lookup &lookup = edge.lookup;
  uint64_t perLine = lineBytes / lookup.indexBytes;
  uint64_t wanted = std::min(lookup.count, position + 1 + parameters.distance);
  // The core began somewhere else.
  bool isElsewhere = position >= edge.next ||
                     edge.next > wanted + perLine + parameters.distance;
  if (!edge.started || isElsewhere)
    edge.next = position + 1;
  edge.started = true;
  while (edge.next < wanted) {
    uint64_t address = lookup.indices + edge.next * lookup.indexBytes;
    uint64_t end = (lineOf(address) + 1) * lineBytes;
    uint64_t to = std::min(lookup.count, llvm::divideCeil(end - lookup.indices,
                                                          lookup.indexBytes));
    enqueue({lineOf(address), true, index, edge.next, to, generation});
    edge.next = to;
  }
}

void IndirectPrefetchEngine::fetchRows(const Line &indices) {
  if (indices.generation != generation)
    return;
  const Lookup &lookup = edges[indices.edge].lookup;
  for (uint64_t position = indices.from; position < indices.to; ++position) {
    const void *found = memory.find(
        lookup.indices + position * lookup.indexBytes, lookup.indexBytes);
    uint64_t value = 0;
    if (found)
      std::memcpy(&value, found, lookup.indexBytes);
    int64_t row = llvm::SignExtend64(value, lookup.indexBytes * 8);
    uint64_t address =
        lookup.table + static_cast<uint64_t>(row) * lookup.rowStride;
    if (!found || !memory.find(address, lookup.rowBytes)) {
      ++outside;
      continue;
    }
    for (uint64_t line = lineOf(address);
         line <= lineOf(address + lookup.rowBytes - 1); ++line)
      enqueue({line, false, indices.edge, 0, 0, generation});
  }
}

void IndirectPrefetchEngine::enqueue(const Line &line) {
  if (waiting.size() == parameters.queue) {
    ++dropped;
    return;
  }
  waiting.push(line);
  wake();
}

void IndirectPrefetchEngine::wake() {
  if (isAwake || waiting.empty() || unused.empty())
    return;
  isAwake = true;
  engine.schedule(clock.after(engine.now(), 1), *this, cycleEvent);
}

void IndirectPrefetchEngine::handle(uint64_t event) {
  if (event == answerEvent) {
    Request request = answers.front();
    answers.pop();
    request.requester->complete(request);
    return;
  }
  isAwake = false;
  // A line a cycle.
  uint32_t index = unused.back();
  unused.pop_back();
  Line &line = sent[index];
  line = waiting.front();
  waiting.pop();
  ++(line.isIndices ? indexLines : rowLines);
  inFlight.add(engine.now(), 1);
  tlb.translate({tlb.pageOf(line.line * lineBytes), this, index});
  wake();
}

void IndirectPrefetchEngine::translated(const Translation &translation) {
  Request request;
  request.line = sent[translation.id].line;
  request.id = translation.id;
  port.send(request);
}

void IndirectPrefetchEngine::complete(const Request &request) {
  Line line = sent[request.id];
  unused.push_back(static_cast<uint32_t>(request.id));
  inFlight.add(engine.now(), -1);
  if (line.isIndices)
    fetchRows(line);
  wake();
}

//===----------------------------------------------------------------------===//
// What is said of it
//===----------------------------------------------------------------------===//

std::string IndirectPrefetchEngine::waits() const {
  uint64_t lines = inFlight.current();
  return lines ? name + ": " + std::to_string(lines) + " lines\n" : "";
}

void IndirectPrefetchEngine::addTo(Statistics &statistics,
                                   llvm::StringRef path) const {
  auto add = [&](llvm::StringRef name, const auto &value,
                 llvm::StringRef description) {
    statistics.add((path + "." + name).str(), value, description);
  };
  add("lookups", described, "lookups described");
  add("indexLines", indexLines, "lines of indices asked for");
  add("rowLines", rowLines, "lines of rows asked for");
  add("dropped", dropped, "lines for which the queue had no room");
  add("outside", outside, "rows that are not in memory");
  add("outstanding", inFlight, "lines on their way");
}
