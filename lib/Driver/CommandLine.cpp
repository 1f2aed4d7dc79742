//===- CommandLine.cpp - Command lines of Ember's tools -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every way to get a command line wrong is one error that names the argument.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/CommandLine.h"
#include "ember/Driver/Files.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Option/Arg.h"

using namespace llvm;
using namespace llvm::opt;
using namespace ember;

/// Whether an argument with a dash in front is a negative number.
static bool isNumber(StringRef text) {
  APFloat number(APFloat::IEEEdouble());
  auto status = number.convertFromString(text, APFloat::rmNearestTiesToEven);
  if (status)
    return true;
  consumeError(status.takeError());
  int64_t integer;
  return !text.getAsInteger(0, integer);
}

static Error makeUnknownOptionError(const OptTable &table, StringRef text) {
  std::string nearest;
  std::string message = "unknown option '" + text.str() + "'";
  if (table.findNearest(text, nearest) <= 2)
    message += "; did you mean '" + nearest + "'?";
  return makeError(message);
}

Expected<CommandLine> ember::parseCommandLine(const OptTable &table,
                                              OptSpecifier input,
                                              OptSpecifier unknown, int argc,
                                              char **argv) {
  unsigned missingIndex = 0;
  unsigned missingCount = 0;
  CommandLine line{table.ParseArgs(ArrayRef(argv + 1, argv + argc),
                                   missingIndex, missingCount),
                   {}};
  if (missingCount != 0)
    return makeError("option '" +
                     Twine(line.options.getArgString(missingIndex)) +
                     "' needs a value");
  for (const Arg *argument : line.options) {
    std::string text = argument->getAsString(line.options);
    if (argument->getOption().matches(input))
      line.positionals.push_back(argument->getValue());
    else if (!argument->getOption().matches(unknown))
      continue;
    else if (isNumber(text))
      line.positionals.push_back(text);
    else
      return makeUnknownOptionError(table, text);
  }
  return line;
}

Expected<std::optional<int64_t>> ember::getInteger(const InputArgList &options,
                                                   OptSpecifier id,
                                                   int64_t minimum,
                                                   int64_t maximum) {
  const Arg *argument = options.getLastArg(id);
  if (!argument)
    return std::nullopt;
  StringRef text = argument->getValue();
  int64_t value;
  if (text.getAsInteger(10, value) || value < minimum || value > maximum)
    return makeError(argument->getSpelling() + Twine(text) +
                     ": expected an integer from " + Twine(minimum) + " to " +
                     Twine(maximum));
  return value;
}

Expected<std::vector<SaveRequest>>
ember::getSaveRequests(const InputArgList &options, OptSpecifier id,
                       unsigned count, StringRef what) {
  std::vector<SaveRequest> requests;
  for (const Arg *argument : options.filtered(id)) {
    StringRef text = argument->getValue();
    auto [key, path] = text.split(':');
    SaveRequest request{0, path.str()};
    if (key.getAsInteger(10, request.index) || path.empty())
      return makeError(argument->getSpelling() + Twine(text) +
                       ": expected NUMBER:FILE");
    if (request.index >= count)
      return makeError(argument->getSpelling() + Twine(text) + ": there are " +
                       Twine(count) + " " + what + ", counted from 0");
    requests.push_back(std::move(request));
  }
  return requests;
}

int ember::reportError(Error error) {
  handleAllErrors(std::move(error), [](const ErrorInfoBase &info) {
    std::string message = info.message();
    if (!message.empty())
      errs() << "error: " << message << "\n";
  });
  return 1;
}
