//===- Report.h - What is kept of a failure ---------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_FUZZ_CAMPAIGN_REPORT_H
#define EMBER_LIB_FUZZ_CAMPAIGN_REPORT_H

#include "ember/Fuzz/Execution/Execute.h"

namespace ember::fuzz {

/// Writes `program` as program.mlir, its memrefs as inputK.npy, what they must
/// hold afterwards as expectedK.npy, and a description with the command line
/// that runs it, into `folder`. Returns an error message or nothing.
std::string writeReport(const std::string &folder, const Program &program,
                        uint64_t seed, const Failure &failure);

} // namespace ember::fuzz

#endif // EMBER_LIB_FUZZ_CAMPAIGN_REPORT_H
