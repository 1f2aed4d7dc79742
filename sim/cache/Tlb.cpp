//===- Tlb.cpp - Translation of addresses ---------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Cache/Tlb.h"

#include "ember/Sim/Cache/Cache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace ember::sim;

/// Bits of an address that are translated, and those that each level of the
/// table resolves: eight-byte entries in a page of 4 KiB (Arm ARM, D8.2).
static constexpr unsigned addressBits = 48;
static constexpr unsigned levelBits = 9;
static constexpr uint64_t entryBytes = 8;
/// Tables lie above all data, a region for each level.
static constexpr unsigned tableBit = 56;
static constexpr unsigned regionBits = 48;

void TlbParameters::visit(ParameterVisitor &visitor) {
  visitor.integer(
      {"entries", "", "pages known", Origin::published,
       "Neoverse N1's technical reference manual, 6.1: 48 in the L1 "
       "data TLB, 1280 in the L2"},
      entries, {1, 1 << 16});
  visitor.integer({"ways", "", "entries of a set", Origin::published,
                   "as above: the L1 is fully associative, the L2 has 5 ways"},
                  ways, {1, 1 << 16});
  visitor.number(
      {"clock", "GHz", "a divisor of 12 GHz", Origin::derived, "the core's"},
      clock, {0.1, 12});
  visitor.integer({"latency", "cycles",
                   "of a hit; 0: looked up beside the cache", Origin::unknown,
                   "usual"},
                  latency, {0, 100});
  visitor.integer(
      {"misses", "", "asked for at a time", Origin::unknown, "a few walks"},
      misses, {1, 256});
  visitor.integer({"pageSize", "bytes", "4 KiB, 64 KiB or 2 MiB",
                   Origin::unknown, "Linux's default"},
                  pageSize, {4096, 1 << 30, true});
  visitor.integer({"walkCacheEntries", "", "upper entries of the table known",
                   Origin::unknown, "covers a gibibyte"},
                  walkCacheEntries, {1, 4096});
}

llvm::Error TlbParameters::validate() const {
  if (entries % ways || !llvm::isPowerOf2_64(entries / ways))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "entries over ways is no power of two");
  double ticks = ticksPerNanosecond / clock;
  if (std::abs(ticks - std::round(ticks)) > 1e-6)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "clock is no divisor of 12 GHz");
  return llvm::Error::success();
}

Tlb::Tlb(Engine &engine, const TlbParameters &parameters, Tlb *next,
         MemoryPort *port)
    : engine(engine), parameters(parameters),
      clock(static_cast<Tick>(
          std::lround(ticksPerNanosecond / parameters.clock))),
      pageBits(llvm::Log2_64(parameters.pageSize)), next(next), port(port),
      tags(parameters.entries / parameters.ways, parameters.ways,
           Replacement::lru, 0, 1),
      walkCache(1, parameters.walkCacheEntries, Replacement::lru, 0, 1),
      misses(parameters.misses) {}

unsigned Tlb::depth() const {
  return (addressBits - pageBits + levelBits - 1) / levelBits;
}

bool Tlb::known(uint64_t page) {
  if (parameters.latency || !stalled.empty())
    return false;
  uint32_t entry = tags.find(page);
  if (entry == TagArray::none)
    return false;
  ++hits;
  tags.touch(entry);
  return true;
}

void Tlb::translate(const Translation &translation) {
  lookups.push(translation);
  engine.schedule(clock.after(engine.now(), parameters.latency), *this);
}

void Tlb::handle(uint64_t) {
  Translation translation = lookups.front();
  lookups.pop();
  if (!stalled.empty() || !process(translation)) {
    ++stalls;
    stalled.push(translation);
  }
}

bool Tlb::process(const Translation &translation) {
  uint32_t entry = tags.find(translation.page);
  if (entry != TagArray::none) {
    ++hits;
    tags.touch(entry);
    translation.requester->translated(translation);
    return true;
  }
  Miss *unused = nullptr;
  for (Miss &miss : misses) {
    if (miss.used && miss.page == translation.page) {
      ++merged;
      miss.targets.push_back(translation);
      return true;
    }
    if (!miss.used)
      unused = &miss;
  }
  if (!unused)
    return false;
  ++missed;
  unused->page = translation.page;
  unused->used = true;
  unused->targets.push_back(translation);
  auto index = static_cast<uint32_t>(unused - misses.data());
  if (next) {
    next->translate({translation.page, this, index});
    return true;
  }
  unused->level = firstLevel(translation.page);
  read(index);
  return true;
}

uint64_t Tlb::walkKey(uint64_t page, unsigned level) const {
  return (page >> (levelBits * level)) | uint64_t{level} << regionBits;
}

unsigned Tlb::firstLevel(uint64_t page) {
  for (unsigned level = 1; level < depth(); ++level) {
    uint32_t known = walkCache.find(walkKey(page, level));
    if (known == TagArray::none)
      continue;
    walkCache.touch(known);
    return level - 1;
  }
  return depth() - 1;
}

void Tlb::learn(uint64_t page, unsigned level) {
  uint64_t key = walkKey(page, level);
  if (walkCache.find(key) == TagArray::none)
    walkCache.insert(walkCache.victim(key), key, LineState::shared);
}

uint64_t Tlb::entryLine(uint64_t page, unsigned level) const {
  uint64_t table = (uint64_t{1} << tableBit) | uint64_t{level} << regionBits;
  return lineOf(table + (page >> (levelBits * level)) * entryBytes);
}

void Tlb::warm(uint64_t page, LowerLevel &walked) {
  uint32_t entry = tags.find(page);
  if (entry != TagArray::none) {
    tags.touch(entry);
    return;
  }
  if (next) {
    next->warm(page, walked);
  } else {
    for (unsigned level = firstLevel(page) + 1; level--;) {
      Request request;
      request.line = entryLine(page, level);
      walked.warm(request);
      if (level)
        learn(page, level);
    }
  }
  tags.insert(tags.victim(page), page, LineState::shared);
}

void Tlb::read(uint32_t index) {
  const Miss &miss = misses[index];
  ++reads;
  Request request;
  request.line = entryLine(miss.page, miss.level);
  request.requester = this;
  request.id = index;
  if (!unsent.empty() || !port->accept(request))
    unsent.push(request);
}

void Tlb::retry() {
  while (!unsent.empty() && port->accept(unsent.front()))
    unsent.pop();
}

void Tlb::complete(const Request &answer) {
  Miss &miss = misses[answer.id];
  if (!miss.level) {
    filled(answer.id);
    return;
  }
  learn(miss.page, miss.level);
  --miss.level;
  read(answer.id);
}

void Tlb::translated(const Translation &translation) { filled(translation.id); }

void Tlb::filled(uint32_t index) {
  Miss &miss = misses[index];
  tags.insert(tags.victim(miss.page), miss.page, LineState::shared);
  answers.swap(miss.targets);
  miss.used = false;
  for (const Translation &target : answers)
    target.requester->translated(target);
  answers.clear();
  for (size_t left = stalled.size(); left; --left) {
    Translation translation = stalled.front();
    if (!process(translation))
      return;
    stalled.pop();
  }
}

void Tlb::addTo(Statistics &statistics, llvm::StringRef path) const {
  statistics.add((path + ".hits").str(), hits, "pages found");
  statistics.add((path + ".misses").str(), missed, "pages asked for");
  statistics.add((path + ".merges").str(), merged,
                 "of pages asked for already");
  statistics.add((path + ".stalls").str(), stalls, "that waited for a miss");
  statistics.add((path + ".walkReads").str(), reads, "entries of tables read");
}

std::string Tlb::waits() const {
  std::string text;
  for (const Miss &miss : misses)
    if (miss.used)
      text += "translation of page 0x" +
              llvm::utohexstr(miss.page, /*LowerCase=*/true) +
              (next ? " from the next level" : " from its table") + "\n";
  return text;
}
