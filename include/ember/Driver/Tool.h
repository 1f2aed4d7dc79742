//===- Tool.h - What every tool of Ember does -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_TOOL_H
#define EMBER_DRIVER_TOOL_H

#include "ember/Driver/CommandLine.h"
#include "ember/Driver/Compile.h"

namespace ember {

/// A tool and the ids of the options that every tool has.
struct Tool {
  llvm::StringRef name;
  llvm::StringRef usage;
  llvm::StringRef overview;
  const llvm::opt::OptTable &options;
  /// Writes what stands behind the options in --help: the tables that their
  /// values are of.
  llvm::function_ref<void(llvm::raw_ostream &)> printValues;
  llvm::opt::OptSpecifier input, unknown, help, version;
  llvm::function_ref<llvm::Error(const CommandLine &)> run;
};

/// The main of `tool`: its exit status, after an error has been printed.
int runTool(const Tool &tool, int argc, char **argv);

/// The ids of the options that say how to compile.
struct CompileOptionIds {
  llvm::opt::OptSpecifier target, optLevel, vectorLength, mayAlias, profile;
};

/// The options a command line gives; the others have their defaults.
llvm::Expected<CompileOptions>
getCompileOptions(const llvm::opt::InputArgList &options,
                  const CompileOptionIds &ids);

} // namespace ember

#endif // EMBER_DRIVER_TOOL_H
