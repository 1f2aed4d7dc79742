//===- Residency.cpp - Which words an SRAM holds --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Residency.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <map>

using namespace llvm;
using namespace ember::einsum;

Residency::Residency(std::vector<Item> items, double capacity,
                     Replacement replacement, bool keepsReads)
    : words(items.size()), items(std::move(items)), capacity(capacity),
      replacement(replacement), keepsReads(keepsReads),
      resident(words.size(), 0), dirty(words.size(), 0) {}

std::optional<unsigned> Residency::nextUse(unsigned item, unsigned step) const {
  const std::vector<unsigned> &uses = items[item].uses;
  auto next = std::upper_bound(uses.begin(), uses.end(), step);
  if (next == uses.end())
    return std::nullopt;
  return *next;
}

void Residency::read(const Use &use) {
  if (use.reads == 0)
    return;
  const Item &item = items[use.item];
  // What the SRAM holds of it is kept for the next time, within a step.
  double kept = item.isKept ? std::min(item.words, capacity) : 0;
  double again = item.words - std::max(resident[use.item], kept);
  double count = item.words - resident[use.item] + (use.reads - 1) * again;
  words[use.item].reads += count;
  total.reads += count;
}

void Residency::write(unsigned item, double count) {
  words[item].writes += count;
  total.writes += count;
}

bool Residency::isNeededBehind(unsigned step, unsigned item) const {
  return items[item].isOutput || nextUse(item, step);
}

void Residency::grant(unsigned step, std::vector<Claim> &claims) const {
  // What nobody but the end needs comes last.
  constexpr unsigned never = ~0U;
  std::map<unsigned, SmallVector<Claim *>> byTime;
  for (Claim &claim : claims) {
    // Without replacement, what is there is served before what comes.
    bool isOld = resident[claim.item] > 0;
    unsigned time = replacement == Replacement::none
                        ? !isOld
                        : nextUse(claim.item, step).value_or(never);
    byTime[time].push_back(&claim);
  }
  double room = capacity;
  for (auto &[time, group] : byTime) {
    double wanted = 0;
    for (const Claim *claim : group)
      wanted += claim->words;
    // Those of one time share what is left in proportion.
    double share = wanted <= room ? 1 : room / wanted;
    for (Claim *claim : group)
      claim->granted = claim->words * share;
    room = std::max(0.0, room - wanted);
  }
}

void Residency::writeForCopy(unsigned step, unsigned copy) {
  std::optional<unsigned> original = items[copy].original;
  if (!original || !nextUse(copy, step))
    return;
  double missing = dirty[*original] - resident[copy];
  if (missing <= 0)
    return;
  write(*original, missing);
  dirty[*original] -= missing;
}

void Residency::doStep(unsigned step, ArrayRef<Use> uses) {
  for_each(uses, [&](const Use &use) { read(use); });
  std::vector<Claim> claims;
  DenseSet<unsigned> used;
  for (const Use &use : uses) {
    used.insert(use.item);
    double old = resident[use.item];
    bool mayGrow =
        use.isWritten ||
        (keepsReads && (replacement == Replacement::farthest || old == 0));
    claims.push_back(
        {use.item, mayGrow ? items[use.item].words : old, use.isWritten});
  }
  for (unsigned item : held)
    if (!used.contains(item))
      claims.push_back({item, resident[item], false});
  // What nobody needs any more is gone, without being written.
  erase_if(claims, [&](const Claim &claim) {
    bool stays = isNeededBehind(step, claim.item);
    if (!stays)
      resident[claim.item] = dirty[claim.item] = 0;
    return !stays;
  });
  for (Claim &claim : claims)
    if (!items[claim.item].isKept)
      claim.words = 0;
  grant(step, claims);
  held.clear();
  for (const Claim &claim : claims) {
    unsigned item = claim.item;
    bool isCopy = items[item].original.has_value();
    double before = claim.isWritten ? items[item].words : dirty[item];
    // Last words leave first, and only what is nowhere else is written. A
    // transposed copy is in DRAM where the tensor itself is.
    dirty[item] = isCopy ? 0 : std::min(before, claim.granted);
    if (!isCopy)
      write(item, before - dirty[item]);
    resident[item] = claim.granted;
    if (claim.granted > 0)
      held.push_back(item);
  }
  for (const Claim &claim : claims)
    writeForCopy(step, claim.item);
}

void Residency::finish() {
  for (unsigned item = 0; item < items.size(); ++item)
    if (items[item].isOutput)
      write(item, dirty[item]);
}
