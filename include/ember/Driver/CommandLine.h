//===- CommandLine.h - Command lines of Ember's tools -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's option tables rather than its cl library: the cl options of libLLVM
// (among them --stats) and those of a tool would share one name space.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_COMMANDLINE_H
#define EMBER_DRIVER_COMMANDLINE_H

#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace ember {

/// A parsed command line: `options` by their ids, and the rest in order.
struct CommandLine {
  llvm::opt::InputArgList options;
  std::vector<std::string> positionals;
};

/// Parses `argv`. An argument like -3 or -1.5 is a number, hence positional;
/// so is all that follows "--". An unknown option, or one without its value, is
/// an error.
llvm::Expected<CommandLine> parseCommandLine(const llvm::opt::OptTable &table,
                                             llvm::opt::OptSpecifier input,
                                             llvm::opt::OptSpecifier unknown,
                                             int argc, char **argv);

/// The last value of option `id` as an integer not less than `minimum`;
/// nothing when it is not given.
llvm::Expected<std::optional<int64_t>>
getInteger(const llvm::opt::InputArgList &options, llvm::opt::OptSpecifier id,
           int64_t minimum, int64_t maximum);

/// One "KEY:FILE" value of an option like --save.
struct SaveRequest {
  unsigned index;
  std::string path;
};

/// The values of option `id`, each "K:FILE" with K less than `count`, of what
/// messages call `what` ("parameters").
llvm::Expected<std::vector<SaveRequest>>
getSaveRequests(const llvm::opt::InputArgList &options,
                llvm::opt::OptSpecifier id, unsigned count,
                llvm::StringRef what);

/// Prints "error: ..." and returns the exit status of a failed tool.
int reportError(llvm::Error error);

} // namespace ember

#endif // EMBER_DRIVER_COMMANDLINE_H
