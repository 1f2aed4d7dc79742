//===- ember-run.cpp - Runs a function of a program -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a function of a program at any level on arrays from .npy files.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Files.h"
#include "ember/Driver/GraphRun.h"
#include "ember/Driver/OptionTable.h"
#include "ember/Driver/PrintValue.h"
#include "ember/Driver/Run.h"
#include "ember/Driver/TableText.h"
#include "ember/Driver/Tool.h"

using namespace llvm;
using namespace llvm::opt;
using namespace ember;

namespace {

/// What to write and print after the run.
struct Outputs {
  std::vector<SaveRequest> parameters;
  std::vector<SaveRequest> results;
  std::vector<unsigned> printed;
};

} // namespace

static Expected<CompileOptions> getCompileOptions(const InputArgList &args) {
  auto options = ember::getCompileOptions(args, {OPT_target, OPT_opt_level,
                                                 OPT_vector_length,
                                                 OPT_may_alias, OPT_profile});
  if (!options || args.hasArg(OPT_target))
    return options;
  if (args.hasArg(OPT_vector_length))
    return makeError("--vector-length needs --target: a program that runs at "
                     "its own level is not vectorised");
  options->target = nullptr;
  if (!args.hasArg(OPT_opt_level))
    options->optLevel = 1;
  return options;
}

static Expected<RunOptions> getRunOptions(const InputArgList &args) {
  RunOptions options;
  Expected<CompileOptions> compile = getCompileOptions(args);
  if (!compile)
    return compile.takeError();
  options.compile = *compile;
  auto capacity = getInteger(args, OPT_queue_capacity, 1, 1 << 30);
  if (!capacity)
    return capacity.takeError();
  if (*capacity)
    options.execution.queueCapacity = **capacity;
  StringRef schedule = args.getLastArgValue(OPT_schedule, "deterministic");
  if (schedule != "deterministic" && schedule != "threads")
    return makeError("unknown schedule '" + schedule +
                     "': expected deterministic or threads");
  options.execution.schedule =
      schedule == "threads" ? EMBER_SCHEDULE_THREADS : EMBER_SCHEDULE_FIBERS;
  auto threads = getInteger(args, OPT_threads, 1, EMBER_MAX_THREADS);
  if (!threads)
    return threads.takeError();
  if (*threads) {
    options.execution.threads = static_cast<int32_t>(**threads);
    options.execution.workOfThread = 1;
  }
  options.statistics = args.getLastArgValue(OPT_stats);
  options.trace = args.getLastArgValue(OPT_trace_queues);
  for (OptSpecifier id : {OPT_stats, OPT_trace_queues})
    if (const Arg *argument = args.getLastArg(id))
      if (Error error = checkWritable(argument->getValue()))
        return std::move(error);
  return options;
}

static Expected<Outputs> getOutputs(const InputArgList &args,
                                    const KernelArguments &arguments) {
  unsigned parameters = arguments.getParameters().size();
  Outputs outputs;
  auto saved = getSaveRequests(args, OPT_save, parameters, "parameters");
  if (!saved)
    return saved.takeError();
  outputs.parameters = std::move(*saved);
  saved = getSaveRequests(args, OPT_save_result, arguments.getResults().size(),
                          "results");
  if (!saved)
    return saved.takeError();
  outputs.results = std::move(*saved);
  for (const auto *requests : {&outputs.parameters, &outputs.results})
    for (const SaveRequest &request : *requests)
      if (Error error = checkWritable(request.path))
        return std::move(error);
  for (StringRef text : args.getAllArgValues(OPT_print)) {
    unsigned index;
    if (text.getAsInteger(10, index) || index >= parameters)
      return makeError("--print=" + text + ": there are " + Twine(parameters) +
                       " parameters, counted from 0");
    outputs.printed.push_back(index);
  }
  return outputs;
}

static Error write(const Outputs &outputs, const KernelArguments &arguments) {
  for (const SaveRequest &request : outputs.parameters)
    if (Error error =
            saveValue(arguments.getParameters()[request.index], request.path))
      return error;
  for (const SaveRequest &request : outputs.results)
    if (Error error =
            saveValue(arguments.getResults()[request.index], request.path))
      return error;
  return writeFile("-", [&](raw_ostream &os) {
    for (const KernelValue &result : arguments.getResults())
      printValue(result, os);
    for (unsigned index : outputs.printed)
      printValue(arguments.getParameters()[index], os);
  });
}

/// Evaluates a function of graphs, which is no program of a processor.
static Error runGraphs(const CommandLine &line, mlir::func::FuncOp function) {
  for (auto [option, name] :
       {std::pair(OPT_save, "--save"), std::pair(OPT_print, "--print"),
        std::pair(OPT_stats, "--stats"), std::pair(OPT_target, "--target"),
        std::pair(OPT_trace_queues, "--trace-queues")})
    if (line.options.hasArg(option))
      return makeError(Twine(name) + " is for programs, and '" +
                       function.getSymName() + "' is a graph of blocks");
  auto saved = getSaveRequests(line.options, OPT_save_result,
                               function.getNumResults(), "results");
  if (!saved)
    return saved.takeError();
  std::string listing;
  raw_string_ostream streams(listing);
  const Arg *listed = line.options.getLastArg(OPT_streams);
  auto results =
      runGraphFunction(function, ArrayRef(line.positionals).drop_front(),
                       listed ? &streams : nullptr);
  if (!results)
    return results.takeError();
  for (const SaveRequest &request : *saved)
    if (Error error = saveGraphValue((*results)[request.index], request.path))
      return error;
  if (listed)
    if (Error error = writeFile(listed->getValue(),
                                [&](raw_ostream &os) { os << listing; }))
      return error;
  return writeFile("-", [&](raw_ostream &os) {
    for (auto [number, result] : enumerate(*results))
      printGraphValue(result, number, os);
  });
}

static Error runProgram(const CommandLine &line) {
  if (line.positionals.empty())
    return makeError("no input file: give FILE.mlir, or - for standard input");
  Expected<RunOptions> options = getRunOptions(line.options);
  if (!options)
    return options.takeError();
  auto text = readFile(line.positionals.front());
  if (!text)
    return text.takeError();
  auto source =
      Source::parse(std::move(*text), line.options.hasArg(OPT_remarks));
  if (!source)
    return source.takeError();
  auto graph = findGraphFunction((*source)->getModule(),
                                 line.options.getLastArgValue(OPT_entry));
  if (!graph)
    return graph.takeError();
  if (*graph)
    return runGraphs(line, *graph);
  if (line.options.hasArg(OPT_streams))
    return makeError("--streams is for graphs of blocks, and there is none");
  auto entry = findEntry(**source, line.options.getLastArgValue(OPT_entry),
                         options->compile);
  if (!entry)
    return entry.takeError();
  auto arguments = KernelArguments::create(
      entry->function, ArrayRef(line.positionals).drop_front());
  if (!arguments)
    return arguments.takeError();
  Expected<Outputs> outputs = getOutputs(line.options, *arguments);
  if (!outputs)
    return outputs.takeError();
  if (Error error = runEntry(**source, std::move(*entry), *arguments, *options))
    return error;
  return write(*outputs, *arguments);
}

int main(int argc, char **argv) {
  ToolOptions options;
  return runTool(
      {"ember-run", "ember-run FILE.mlir|- --entry=NAME ARG... [options]",
       "Runs a function at any level, or several in one\n\n"
       "One ARG per parameter: @FILE.npy for a memref, a number, true or "
       "false for a scalar,\n[a, b, ...] for a structure of sizes. Graphs of "
       "blocks are evaluated, without time: @FILE.npy for\na tensor in any "
       "format, of which all elements are in the file",
       options, printTargets, OPT_INPUT, OPT_UNKNOWN, OPT_help, OPT_version,
       runProgram},
      argc, argv);
}
