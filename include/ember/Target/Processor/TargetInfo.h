//===- TargetInfo.h - What code is generated for ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The description of a processor: name, features, vector length, registers,
// caches. Tools and the pass set-target make it part of a module, where passes
// find it (`#ember.target`).
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TARGET_PROCESSOR_TARGETINFO_H
#define EMBER_TARGET_PROCESSOR_TARGETINFO_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>

namespace llvm {
class Function;
class TargetMachine;
} // namespace llvm

namespace ember {

/// How a processor is named on a command line.
struct TargetSpec {
  /// "native" is the host, with its features; another name gets the features
  /// that the name implies.
  std::string cpu = "native";
  /// Extra features, as in "+avx2,-fma".
  std::string features;
  /// Empty is the host's, or, for a processor of another architecture, that
  /// one's with Linux.
  std::string triple;
  /// Of registers whose width a processor chooses (AArch64's SVE), where it is
  /// known; 0 where it is not, and for others.
  int64_t scalableBits = 0;
};

/// A core of the machine simulator: AArch64, with SVE where its vectors have
/// more than 128 bits.
TargetSpec getSimulatedCore(int64_t vectorBits);

struct TargetInfo {
  std::string triple;
  std::string cpu;
  /// Beyond those that the name implies, and all that it has.
  std::string features, allFeatures;
  /// The width of the vector registers code should use, which can be less than
  /// the widest there are.
  int64_t vectorBits = 0;
  int64_t vectorRegisters = 0;
  /// Nothing where the processor is not known to say.
  std::optional<int64_t> cacheLineBytes;
  /// What the second cache of a core holds. Only of the host it is known.
  std::optional<int64_t> secondCacheBytes;
  /// How many lines it is worth to have on their way into the first cache.
  std::optional<int64_t> firstCacheLines;
  /// Whether non-temporal stores of whole lines bypass the caches.
  bool hasStreamingStores = false;
  /// The LLVM intrinsic that orders such stores with those behind it; empty
  /// where they are ordered as all others are.
  std::string storeFence;
  /// Whether vectors are gathered by more than a load for each lane.
  bool hasGathers = true;
};

/// Whether programs of `triple` run on this machine and its system.
bool isHostTriple(llvm::StringRef triple);

/// A target machine for `spec`; an error when the processor or architecture is
/// unknown. Initialises the backend it needs, and no other.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const TargetSpec &spec = {}, unsigned optLevel = 3);

/// Describes the target of `machine`, whose vector registers of no fixed width
/// have `scalableBits`, if that is not 0.
TargetInfo describeTarget(llvm::TargetMachine &machine,
                          int64_t scalableBits = 0);

/// Says in `function` how wide such registers are.
void setScalableBits(llvm::Function &function, int64_t scalableBits);

/// Describes the target of `spec`.
llvm::Expected<TargetInfo> describeTarget(const TargetSpec &spec);

} // namespace ember

#endif // EMBER_TARGET_PROCESSOR_TARGETINFO_H
