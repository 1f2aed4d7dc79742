//===- SpatialMachine.h - Clusters with a memory of their own ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_EINSUMGRAPH_SPATIALMACHINE_H
#define EMBER_ANALYSIS_EINSUMGRAPH_SPATIALMACHINE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace ember::einsum {

/// What the model of traffic knows of a machine; at first, that of GOGETA's
/// table 4 with the smallest of its memories.
struct SpatialMachine {
  int64_t clusters = 16;
  /// In each cluster.
  int64_t processingElements = 1024;
  /// Of each processing element, in bytes.
  int64_t registerFile = 512;
  /// Of all clusters together, in bytes.
  int64_t sram = int64_t(1) << 20;
  int64_t wordBytes = 4;
  /// Links between an operation and the next one of a pipeline, where each has
  /// clusters of its own.
  int64_t pipelineHops = 1;

  double sramWords() const { return double(sram) / double(wordBytes); }
  double registerWords() const {
    return double(registerFile) * double(processingElements) /
           double(wordBytes);
  }
};

/// A machine of JSON, an object with these fields by name; beside them there
/// may be `about` and `$schema`. Any other field, and any value that is no
/// positive number, is an error.
llvm::Expected<SpatialMachine> parseMachine(llvm::StringRef json);

} // namespace ember::einsum

#endif // EMBER_ANALYSIS_EINSUMGRAPH_SPATIALMACHINE_H
