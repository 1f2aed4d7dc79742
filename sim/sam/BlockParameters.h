//===- BlockParameters.h - Members of nodes and machines --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIM_SAM_BLOCKPARAMETERS_H
#define EMBER_LIB_SIM_SAM_BLOCKPARAMETERS_H

#include "ember/Sim/SAM/Graph.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace ember::sim::sam {

template <typename... Arguments>
llvm::Error fileError(const char *format, Arguments &&...arguments) {
  return llvm::createStringError(
      llvm::formatv(format, std::forward<Arguments>(arguments)...).str());
}

/// The integer of a member, in a range.
llvm::Expected<int64_t> integerOf(const llvm::json::Object &object,
                                  llvm::StringRef member, int64_t byDefault,
                                  int64_t least, int64_t most);

/// What a node says of its block, but for tensors and levels.
llvm::Error readBlockParameters(Block &block, const llvm::json::Object &object);

} // namespace ember::sim::sam

#endif
