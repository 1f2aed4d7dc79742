//===- SimulatedRun.h - Runs programs on simulated cores --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without their timing: what cores, and access units beside them, compute.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_FUZZ_EXECUTION_SIMULATEDRUN_H
#define EMBER_LIB_FUZZ_EXECUTION_SIMULATEDRUN_H

#include "Arguments.h"
#include "ember/Fuzz/Execution/Variant.h"

namespace ember::fuzz {

/// How a call ended.
struct Ending {
  int32_t code = EMBER_OK;
  std::string message;
  /// Whose memory results are in.
  std::unique_ptr<GuestProcess> process;
};

/// Calls the entry of `program`, whose code is `object`, on as many cores as
/// `variant` has threads. `configuration` is what their units load, if they
/// have some. Errors are those that no program should meet.
llvm::Expected<Ending> runSimulated(llvm::StringRef object,
                                    llvm::StringRef configuration,
                                    const Program &program,
                                    const Variant &variant,
                                    Arguments &arguments);

} // namespace ember::fuzz

#endif // EMBER_LIB_FUZZ_EXECUTION_SIMULATEDRUN_H
