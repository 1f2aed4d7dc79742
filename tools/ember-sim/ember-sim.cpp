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

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"

using namespace llvm;
using namespace llvm::opt;
using namespace ember;

/// A time like 500, in ns, or 1200cycles.
static Expected<double> getNanoseconds(const InputArgList &args,
                                       OptSpecifier id, double byDefault,
                                       const sim::MachineParameters &machine) {
  const Arg *arg = args.getLastArg(id);
  if (!arg)
    return byDefault;
  StringRef text = arg->getValue();
  bool inCycles = text.consume_back("cycles");
  double value = 0;
  if (text.getAsDouble(value) || !(value >= 0 && value <= 1e12))
    return makeError("'" + arg->getAsString(args) +
                     "': expected a time in ns, such as 500, or in cycles, "
                     "such as 1200cycles");
  return inCycles ? sim::nanosecondsOf(machine.core.clockTicks) * value : value;
}

static Expected<TraceOptions>
getTraceOptions(const InputArgList &args,
                const sim::MachineParameters &machine) {
  constexpr double usualLength = 10000;
  TraceOptions trace;
  trace.events = args.getLastArgValue(OPT_trace).str();
  trace.pipeline = args.getLastArgValue(OPT_pipeline_trace).str();
  auto from = getNanoseconds(args, OPT_trace_from, 0, machine);
  if (!from)
    return from.takeError();
  auto length = getNanoseconds(args, OPT_trace_for, usualLength, machine);
  if (!length)
    return length.takeError();
  bool hasWindow = args.hasArg(OPT_trace_from, OPT_trace_for);
  if (hasWindow && trace.events.empty() && trace.pipeline.empty())
    return makeError("--trace-from and --trace-for are for --trace and "
                     "--pipeline-trace, of which none is given");
  trace.window = sim::TraceWindow::ofNanoseconds(*from, *from + *length);
  return trace;
}

static Expected<std::optional<sim::SamplingParameters>>
getSampling(const InputArgList &args) {
  std::optional<sim::SamplingParameters> sampling;
  const Arg *arg = args.getLastArg(OPT_sample);
  if (!arg)
    return sampling;
  sampling.emplace();
  SmallVector<StringRef, 3> numbers;
  StringRef(arg->getValue()).split(numbers, ',');
  uint64_t *values[] = {&sampling->period, &sampling->window,
                        &sampling->warmUp};
  bool isWrong = numbers.size() > std::size(values);
  for (auto [text, value] : zip_first(numbers, values))
    isWrong = isWrong || text.getAsInteger(10, *value) || *value > 1ull << 40;
  if (isWrong)
    return makeError("'" + arg->getAsString(args) +
                     "': expected numbers of instructions, "
                     "PERIOD[,WINDOW[,WARMUP]]");
  if (Error error = sampling->validate())
    return std::move(error);
  return sampling;
}

static Expected<SimulationOptions> getOptions(const InputArgList &args) {
  SimulationOptions options;
  auto compile =
      getCompileOptions(args, {OPT_target, OPT_opt_level, OPT_vector_length,
                               OPT_may_alias, OPT_profile});
  if (!compile)
    return compile.takeError();
  options.compile = *compile;
  StringRef unit = args.getLastArgValue(OPT_unit, "none");
  auto kind = StringSwitch<std::optional<SimulatedUnit>>(unit)
                  .Case("none", SimulatedUnit::none)
                  .Case("tmu", SimulatedUnit::tmu)
                  .Case("indirection", SimulatedUnit::indirection)
                  .Default(std::nullopt);
  if (!kind)
    return makeError("unknown unit '" + unit +
                     "': expected none, tmu or indirection");
  options.unit = *kind;
  // The engine prefetches, and not the program.
  if (options.unit == SimulatedUnit::indirection)
    options.compile.prefetch.distance = 0;
  auto level = getInteger(args, OPT_program_level, 0, 4);
  if (!level)
    return level.takeError();
  if (*level)
    options.compile.programLevel = static_cast<unsigned>(**level);
  StringRef cache = args.getLastArgValue(OPT_lookup_level, "auto");
  auto lookups = StringSwitch<std::optional<LookupLevel>>(cache)
                     .Case("auto", LookupLevel::automatic)
                     .Case("l1", LookupLevel::l1)
                     .Case("l2", LookupLevel::l2)
                     .Case("llc", LookupLevel::llc)
                     .Case("none", LookupLevel::none)
                     .Default(std::nullopt);
  if (!lookups)
    return makeError("unknown cache '" + cache +
                     "': expected auto, l1, l2, llc or none");
  if (args.hasArg(OPT_lookup_level))
    options.compile.lookupLevel = *lookups;
  options.compile.leavesLoops = args.hasArg(OPT_plain_loops);
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
  auto sampling = getSampling(args);
  if (!sampling)
    return sampling.takeError();
  options.sampling = *sampling;
  if (options.sampling && options.unit != SimulatedUnit::none)
    return makeError("--sample is for cores alone: runs with units are in "
                     "detail");
  auto trace = getTraceOptions(args, options.machine);
  if (!trace)
    return trace.takeError();
  options.trace = std::move(*trace);
  for (OptSpecifier id : {OPT_stats, OPT_trace, OPT_pipeline_trace})
    if (const Arg *file = args.getLastArg(id))
      if (Error error = checkWritable(file->getValue()))
        return std::move(error);
  return options;
}

/// Whether to say how far the program is, and how, on the standard error.
static Expected<bool> saysProgress(const InputArgList &args) {
  StringRef when = args.getLastArgValue(OPT_progress, "auto");
  auto says = StringSwitch<std::optional<bool>>(when)
                  .Case("auto", sys::Process::StandardErrIsDisplayed())
                  .Case("on", true)
                  .Case("off", false)
                  .Default(std::nullopt);
  if (!says)
    return makeError("unknown progress '" + when +
                     "': expected on, off or auto");
  return *says;
}

/// The arguments as often as a run needs them.
static Expected<SimulationArguments>
createArguments(mlir::func::FuncOp function, ArrayRef<std::string> texts,
                bool hasReference, bool isCounted) {
  auto run = KernelArguments::create(function, texts);
  if (!run)
    return run.takeError();
  SimulationArguments arguments{std::move(*run), {}, {}};
  auto again = [&](std::optional<KernelArguments> &same) -> Error {
    auto created = KernelArguments::create(function, texts);
    if (!created)
      return created.takeError();
    same = std::move(*created);
    return Error::success();
  };
  if (hasReference)
    if (Error error = again(arguments.reference))
      return std::move(error);
  if (isCounted)
    if (Error error = again(arguments.counted))
      return std::move(error);
  return std::move(arguments);
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
  auto isCounted = saysProgress(line.options);
  if (!isCounted)
    return isCounted.takeError();
  auto given = createArguments(
      entry->function, texts, !line.options.hasArg(OPT_no_compare), *isCounted);
  if (!given)
    return given.takeError();
  KernelArguments &arguments = given->run;
  auto saved = getSaveRequests(line.options, OPT_save,
                               arguments.getParameters().size(), "parameters");
  if (!saved)
    return saved.takeError();
  auto savedResults = getSaveRequests(line.options, OPT_save_result,
                                      arguments.getResults().size(), "results");
  if (!savedResults)
    return savedResults.takeError();
  Progress progress(errs(), sys::Process::StandardErrIsDisplayed());
  auto result =
      simulate(**source, std::move(*entry), *given, *options, progress);
  if (!result)
    return result.takeError();
  for (const SaveRequest &request : *saved)
    if (Error error =
            saveValue(arguments.getParameters()[request.index], request.path))
      return error;
  for (const SaveRequest &request : *savedResults)
    if (Error error =
            saveValue(arguments.getResults()[request.index], request.path))
      return error;
  if (const Arg *file = line.options.getLastArg(OPT_stats))
    if (Error error = writeFile(file->getValue(), [&](raw_ostream &os) {
          os << formatv("{0:2}", json::Value(json::Object(result->statistics)))
             << "\n";
        }))
      return error;
  return writeFile("-", [&](raw_ostream &os) {
    for (const KernelValue &value : arguments.getResults())
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
