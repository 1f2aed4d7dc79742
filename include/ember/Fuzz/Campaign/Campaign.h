//===- Campaign.h - Many programs in many processes -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_CAMPAIGN_CAMPAIGN_H
#define EMBER_FUZZ_CAMPAIGN_CAMPAIGN_H

#include "ember/Fuzz/Generator.h"
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace ember::fuzz {

struct CampaignOptions {
  uint64_t count = 2000;
  uint64_t seed = 0;
  ProgramKind kind = ProgramKind::Any;
  unsigned jobs = 1;
  /// No program starts after so many seconds; 0 is no limit.
  double timeLimit = 0;
  /// Levels that programs are taken to: "scf", "slc", "dlc".
  std::set<std::string> levels;
  /// How many of a program's variants run, drawn by its seed; 0 is all.
  size_t variants = 0;
  /// Where failures are kept.
  std::string keep;
  bool isVerbose = false;
  /// Seconds of the processor until a program counts as hung, which a busy
  /// machine does not shorten; one that waits for ever takes ten times as long.
  double programLimit = 30;
  /// Seconds for making one failing program smaller; 0 does not.
  double reduceLimit = 60;
};

struct CampaignResult {
  uint64_t passed = 0;
  uint64_t failed = 0;
  /// Programs that showed a feature.
  std::map<std::string, uint64_t> features;
};

CampaignResult runCampaign(const CampaignOptions &options);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_CAMPAIGN_CAMPAIGN_H
