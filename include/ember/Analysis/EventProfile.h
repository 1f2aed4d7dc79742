//===- EventProfile.h - How often tokens were pushed ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_EVENTPROFILE_H
#define EMBER_ANALYSIS_EVENTPROFILE_H

#include "ember/Dialect/DLC/IR/DLC.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace ember {

/// What profiles call the callbacks of `access`, by token: "tu1.ite" for the
/// iterations of the unit at depth 1, "tu1.ite.2" for the second callback
/// there.
llvm::DenseMap<int64_t, std::string> getProfileNames(dlc::ProgramOp program);

/// How often traversal events happened in a run that `ember-run --stats`
/// counted.
class EventProfile {
public:
  /// Reads a statistics file; fails with one message that names it.
  static llvm::Expected<EventProfile> read(llvm::StringRef path);

  /// Callbacks by getProfileNames(), with how often they pushed a token. Null
  /// if the run did not get to `program`
  /// ("FUNCTION.N" for the N-th program of a function).
  const llvm::StringMap<int64_t> *lookup(llvm::StringRef program) const;

private:
  llvm::StringMap<llvm::StringMap<int64_t>> programs;
};

} // namespace ember

#endif // EMBER_ANALYSIS_EVENTPROFILE_H
