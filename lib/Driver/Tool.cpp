//===- Tool.cpp - What every tool of Ember does ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Tool.h"
#include "ember/Analysis/EventProfile.h"
#include "ember/Dialect/SLCV/IR/SLCV.h"
#include "ember/Driver/Cache.h"
#include "ember/Driver/Files.h"
#include "ember/Driver/LargeStack.h"
#include "ember/Driver/Manifest.h"
#include "ember/Driver/Source.h"
#include "ember/Driver/TableText.h"
#include "llvm/Config/llvm-config.h"
#include <functional>

using namespace llvm;
using namespace llvm::opt;
using namespace ember;

static Error runParsed(const Tool &tool, int argc, char **argv) {
  Expected<CommandLine> line =
      parseCommandLine(tool.options, tool.input, tool.unknown, argc, argv);
  if (!line)
    return line.takeError();
  if (line->options.hasArg(tool.help))
    return writeFile("-", [&](raw_ostream &os) {
      tool.options.printHelp(os, tool.usage.str().c_str(),
                             tool.overview.str().c_str());
      tool.printValues(os);
    });
  if (line->options.hasArg(tool.version))
    return writeFile("-", [&](raw_ostream &os) {
      os << tool.name << " " << getEmberVersion()
         << " (LLVM " LLVM_VERSION_STRING << ")\n";
    });
  return tool.run(*line);
}

int ember::runTool(const Tool &tool, int argc, char **argv) {
  return runOnLargeStack([&] {
    Error error = runParsed(tool, argc, argv);
    return error ? reportError(std::move(error)) : 0;
  });
}

/// Only level 4 has cases to order.
static Error readProfile(StringRef path, CompileOptions &compile) {
  if (!compile.target->ordersCases || compile.optLevel < 4)
    return makeError(
        "--profile orders the cases of compute programs: it needs "
        "--target=" +
        joinNames(make_filter_range(getTargets(),
                                    std::mem_fn(&KernelTarget::ordersCases))) +
        " and -O4");
  auto content = readFile(path);
  if (!content)
    return content.takeError();
  auto parsed = EventProfile::read(path);
  if (!parsed)
    return parsed.takeError();
  compile.profile = path;
  compile.profileHash = KernelCache::computeKey((*content)->getBuffer());
  return Error::success();
}

Expected<CompileOptions> ember::getCompileOptions(const InputArgList &options,
                                                  const CompileOptionIds &ids) {
  CompileOptions compile;
  if (const Arg *argument = options.getLastArg(ids.target)) {
    compile.target = findTarget(argument->getValue());
    if (!compile.target)
      return makeError("unknown target '" + Twine(argument->getValue()) +
                       "': expected " + joinNames(getTargets()));
  }
  auto optLevel = getInteger(options, ids.optLevel, 0, 4);
  if (!optLevel)
    return optLevel.takeError();
  compile.optLevel = optLevel->value_or(compile.optLevel);
  auto vectorLength =
      getInteger(options, ids.vectorLength, 1, slcv::maxVectorLength);
  if (!vectorLength)
    return vectorLength.takeError();
  compile.vectorLength = vectorLength->value_or(0);
  compile.mayAlias = options.hasArg(ids.mayAlias);
  if (const Arg *argument = options.getLastArg(ids.profile))
    if (Error error = readProfile(argument->getValue(), compile))
      return std::move(error);
  return compile;
}
