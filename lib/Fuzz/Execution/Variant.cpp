//===- Variant.cpp - Ways to compile and run one program ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Execution/Variant.h"

#include <map>

namespace ember::fuzz {

std::string Schedule::name() const {
  return std::string(hasThreads ? "threads" : "fibers") +
         " capacity=" + std::to_string(capacity) +
         " loop-threads=" + std::to_string(loopThreads);
}

std::string SimulatedUnit::options() const {
  std::string text = "lanes=" + std::to_string(lanes) +
                     " storage=" + std::to_string(storage) +
                     " chunk=" + std::to_string(chunkBytes) +
                     " tokens=" + std::to_string(tokenBytes);
  return hasComputedQueues ? text + " computed-queues=true" : text;
}

std::string Variant::levelName() const {
  static const char *const names[] = {"scf", "slc", "dlc"};
  return names[level];
}

std::string Variant::name() const {
  std::string text = levelName();
  if (optLevel >= 0)
    text += " " + optimization();
  if (level == DLC && optLevel == 4)
    text += " token-values=" + tokenValues + (keepsRows ? " keep-rows" : "");
  if (sharesLoops)
    text += " share-loops";
  if (mayAlias)
    text += " may-alias";
  if (hasTextBetween)
    text += " text";
  if (vectorRegisters != 0)
    text += " registers=" + std::to_string(vectorRegisters);
  if (simulatedBits != 0)
    text += " simulated=" + std::to_string(simulatedBits);
  if (unit)
    text += " unit " + unit->options();
  return text + " native-level=" + std::to_string(nativeLevel) + " O" +
         std::to_string(codeLevel);
}

/// The options of --optimize.
std::string Variant::optimization() const {
  return "opt-level=" + std::to_string(optLevel) +
         " vector-length=" + std::to_string(vectorLength) +
         " alignment=" + alignment + " store-streams=" + storeStreams;
}

/// The options of --slc-to-dlc.
std::string Variant::separation() const {
  return "opt-level=" + std::to_string(optLevel) +
         " token-values=" + tokenValues + " toggles=" + toggles +
         (keepsRows ? " keep-rows=true" : "");
}

std::vector<std::string> Variant::pipelines() const {
  if (level == SCF)
    return {};
  std::string aliases = mayAlias ? " may-alias=true" : "";
  std::string parts = unit ? " parallel=true" : "";
  std::vector<std::string> names = {"scf-to-slc{" + aliases + parts + "}"};
  if (optLevel >= 0)
    names.push_back("optimize{" + optimization() + aliases + "}");
  if (level == SLC) {
    names.push_back("convert-slc-to-scf");
    return names;
  }
  names.push_back("slc-to-dlc");
  if (optLevel >= 0)
    names.back() += "{" + separation() + "}";
  // As the driver does: the conversion hides stores behind descriptors.
  names.push_back("annotate-written-arguments");
  if (unit) {
    names.push_back("convert-dlc-to-tmu{" + unit->options() + "}");
    names.push_back("ring-to-tmu");
  } else {
    names.push_back("convert-dlc-to-llvm");
  }
  return names;
}

static void drawOptions(Random &random, Variant &variant) {
  variant.optLevel = static_cast<int>(random.weighted({1, 3, 2, 5, 5}));
  variant.vectorLength = random.pick<int64_t>({0, 1, 2, 4, 4, 8, 8, 16});
  if (variant.optLevel >= 3 && random.chance(0.6))
    variant.alignment = random.pick({"counters", "pad", "addresses"});
  if (variant.optLevel == 4) {
    variant.tokenValues = random.pick({"auto", "any", "any", "none"});
    variant.toggles = random.pick({"auto", "all", "all", "none"});
    variant.keepsRows = random.chance(0.7);
    variant.storeStreams = random.pick({"auto", "always", "always", "never"});
  }
}

static SimulatedUnit drawUnit(Random &random) {
  SimulatedUnit unit;
  unit.lanes = random.pick<int64_t>({1, 2, 4, 8, 8});
  unit.storage = random.pick<int64_t>({128, 1024, 1024, 4096});
  unit.tokenBytes = random.pick<int64_t>({64, 128, 512});
  unit.chunkBytes =
      unit.tokenBytes + random.pick<int64_t>({256, 512, 1536, 4096});
  unit.chunks = static_cast<uint64_t>(random.between(2, 4));
  unit.hasComputedQueues = random.chance(0.2);
  return unit;
}

std::vector<Variant> drawVariants(uint64_t seed, const Program &program) {
  Random random(seed ^ 0x5eed0fa11fab1e5ull);
  std::vector<Variant> variants;
  double aliasing = hasWrittenSharing(program) ? 0.9 : 0.07;
  auto add = [&](Variant::Level level, bool isOptimized) {
    Variant variant;
    variant.level = level;
    if (isOptimized)
      drawOptions(random, variant);
    variant.mayAlias = random.chance(aliasing);
    variant.hasTextBetween = random.chance(0.1);
    // Errors of loops that are shared do not say which array is meant.
    variant.sharesLoops =
        program.notation && !program.isFaulty && random.chance(0.3);
    variant.nativeLevel = static_cast<unsigned>(random.weighted({5, 1, 1, 2}));
    if (variant.nativeLevel > 0)
      variant.vectorRegisters = random.pick<int64_t>({0, 0, 4, 8, 24, 64});
    variant.isRepeated = random.chance(0.05);
    // LLVM's own optimiser is not what is tested, and slow.
    variant.codeLevel = static_cast<unsigned>(random.weighted({20, 1, 1, 1}));
    // Programs with queues call a runtime that simulated cores do not have, but
    // not those whose access half is a unit's.
    if (random.chance(level == Variant::DLC ? 0.25 : 0.15)) {
      variant.simulatedBits = random.pick<int64_t>({128, 256, 512, 512, 2048});
      variant.schedules.front().loopThreads =
          static_cast<int32_t>(random.between(1, 3));
      variant.vectorRegisters = 0;
      if (level == Variant::DLC)
        variant.unit = drawUnit(random);
    } else if (level == Variant::DLC) {
      variant.schedules = {{false, 1},
                           {false, random.between(2, 9)},
                           {false, random.pick<int64_t>({16, 64, 512})}};
      if (random.chance(0.2))
        variant.schedules.push_back({true, random.between(1, 9)});
      if (random.chance(0.2))
        variant.schedules.push_back({true, 512});
    } else if (variant.nativeLevel > 0) {
      variant.schedules.push_back(
          {false, 1, static_cast<int32_t>(random.between(2, 5))});
    }
    variants.push_back(std::move(variant));
  };
  // Without optimisation there is little to choose: not for every program.
  add(Variant::SCF, false);
  if (random.chance(0.5))
    add(Variant::SLC, false);
  add(Variant::SLC, true);
  if (random.chance(0.5))
    add(Variant::SLC, true);
  if (random.chance(0.5))
    add(Variant::DLC, false);
  add(Variant::DLC, true);
  if (random.chance(0.5))
    add(Variant::DLC, true);
  return variants;
}

void keepSomeVariants(std::vector<Variant> &variants, uint64_t seed,
                      size_t count) {
  // Not what the variants were drawn by: which are kept would go with what
  // they are.
  Random random(seed ^ 0x7a81a4750ff5e1ull);
  while (variants.size() > count) {
    std::map<Variant::Level, size_t> ofLevel;
    for (const Variant &variant : variants)
      ++ofLevel[variant.level];
    // Those that are not the only ones of their level go first.
    std::vector<size_t> choices;
    for (size_t i = 0; i < variants.size(); ++i)
      if (ofLevel[variants[i].level] > 1 || count < ofLevel.size())
        choices.push_back(i);
    auto last = static_cast<int64_t>(choices.size()) - 1;
    variants.erase(variants.begin() +
                   static_cast<int64_t>(choices[random.between(0, last)]));
  }
}

} // namespace ember::fuzz
