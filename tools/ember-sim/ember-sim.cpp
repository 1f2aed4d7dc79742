//===- ember-sim.cpp - Runs a function on a simulated machine -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a function of a program at any level for a described machine, and
// runs it there on arrays from .npy files, cycle by cycle.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Files.h"
#include "ember/Driver/OptionTable.h"
#include "ember/Driver/PrintValue.h"
#include "ember/Driver/TableText.h"
#include "ember/Driver/Tool.h"
#include "ember/Simulation/Simulation.h"
#include "ember/Simulation/Summary.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace llvm::opt;
using namespace ember;

static Expected<SimulationOptions> getOptions(const InputArgList &args) {
  SimulationOptions options;
  auto compile =
      getCompileOptions(args, {OPT_target, OPT_opt_level, OPT_vector_length,
                               OPT_may_alias, OPT_profile});
  if (!compile)
    return compile.takeError();
  options.compile = *compile;
  StringRef unit = args.getLastArgValue(OPT_unit, "none");
  if (unit != "none" && unit != "tmu")
    return makeError("unknown unit '" + unit + "': expected none or tmu");
  options.hasUnit = unit == "tmu";
  auto distance = getInteger(args, OPT_prefetch_distance, 0, 1 << 20);
  if (!distance)
    return distance.takeError();
  if (*distance)
    options.compile.prefetch.distance = **distance;
  if (const Arg *file = args.getLastArg(OPT_machine)) {
    auto machine = sim::readMachine(file->getValue());
    if (!machine)
      return machine.takeError();
    options.machine = *machine;
  }
  auto cores =
      getInteger(args, OPT_cores, 1, sim::MachineParameters::mostCores);
  if (!cores)
    return cores.takeError();
  if (*cores)
    options.machine.cores = static_cast<uint64_t>(**cores);
  if (Error error = options.machine.validate())
    return std::move(error);
  if (const Arg *file = args.getLastArg(OPT_stats))
    if (Error error = checkWritable(file->getValue()))
      return std::move(error);
  return options;
}

static Error runProgram(const CommandLine &line) {
  if (line.positionals.empty())
    return makeError("no input file: give FILE.mlir, or - for standard input");
  Expected<SimulationOptions> options = getOptions(line.options);
  if (!options)
    return options.takeError();
  auto text = readFile(line.positionals.front());
  if (!text)
    return text.takeError();
  auto source =
      Source::parse(std::move(*text), line.options.hasArg(OPT_remarks));
  if (!source)
    return source.takeError();
  auto entry = findEntry(**source, line.options.getLastArgValue(OPT_entry),
                         options->compile);
  if (!entry)
    return entry.takeError();
  ArrayRef<std::string> texts = ArrayRef(line.positionals).drop_front();
  auto arguments = KernelArguments::create(entry->function, texts);
  if (!arguments)
    return arguments.takeError();
  std::optional<KernelArguments> reference;
  if (!line.options.hasArg(OPT_no_compare)) {
    auto again = KernelArguments::create(entry->function, texts);
    if (!again)
      return again.takeError();
    reference = std::move(*again);
  }
  auto saved = getSaveRequests(line.options, OPT_save,
                               arguments->getParameters().size(), "parameters");
  if (!saved)
    return saved.takeError();
  auto savedResults = getSaveRequests(
      line.options, OPT_save_result, arguments->getResults().size(), "results");
  if (!savedResults)
    return savedResults.takeError();
  auto result = simulate(**source, std::move(*entry), *arguments,
                         reference ? &*reference : nullptr, *options);
  if (!result)
    return result.takeError();
  for (const SaveRequest &request : *saved)
    if (Error error =
            saveValue(arguments->getParameters()[request.index], request.path))
      return error;
  for (const SaveRequest &request : *savedResults)
    if (Error error =
            saveValue(arguments->getResults()[request.index], request.path))
      return error;
  if (const Arg *file = line.options.getLastArg(OPT_stats))
    if (Error error = writeFile(file->getValue(), [&](raw_ostream &os) {
          os << formatv("{0:2}", json::Value(json::Object(result->statistics)))
             << "\n";
        }))
      return error;
  return writeFile("-", [&](raw_ostream &os) {
    for (const KernelValue &value : arguments->getResults())
      printValue(value, os);
    printSummary(*result, options->machine, os);
  });
}

int main(int argc, char **argv) {
  ToolOptions options;
  return runTool(
      {"ember-sim", "ember-sim FILE.mlir|- --entry=NAME ARG... [options]",
       "Runs a function on a simulated machine, cycle by cycle\n\n"
       "One ARG per parameter: @FILE.npy for a memref, a number, true or "
       "false for a scalar,\n[a, b, ...] for a structure of sizes",
       options, printTargets, OPT_INPUT, OPT_UNKNOWN, OPT_help, OPT_version,
       runProgram},
      argc, argv);
}
