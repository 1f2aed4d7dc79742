//===- emberc.cpp - Ember's compiler --------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a program to a kernel library with its manifest, or shows any stage
// of the way there.
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/SpatialMachine.h"
#include "ember/Driver/Explanation.h"
#include "ember/Driver/Files.h"
#include "ember/Driver/Kernel.h"
#include "ember/Driver/NotationText.h"
#include "ember/Driver/OptionTable.h"
#include "ember/Driver/TableText.h"
#include "ember/Driver/TacoText.h"
#include "ember/Driver/Tool.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <functional>

using namespace llvm;
using namespace llvm::opt;
using namespace ember;

namespace {

/// What the command line asks for.
struct Request {
  std::string input;
  std::string output;
  const Stage *stage = nullptr;
  CompileOptions options;
  std::optional<std::string> cacheFolder;
  bool printCachePath = false;
  bool printRemarks = false;
  bool printLocations = false;
};

} // namespace

static Expected<loops::PrefetchSettings>
getPrefetchSettings(const InputArgList &args) {
  struct {
    OptSpecifier option;
    int64_t least, most;
    int64_t loops::PrefetchSettings::*value;
  } settable[] = {
      {OPT_prefetch_distance, 0, 1 << 20, &loops::PrefetchSettings::distance},
      {OPT_prefetch_lines, 1, 1024, &loops::PrefetchSettings::lines},
      {OPT_prefetch_level, 1, 3, &loops::PrefetchSettings::level},
      {OPT_prefetch_min_table, 0, int64_t(1) << 40,
       &loops::PrefetchSettings::minTableBytes}};
  loops::PrefetchSettings settings;
  for (auto [option, least, most, value] : settable) {
    auto number = getInteger(args, option, least, most);
    if (!number)
      return number.takeError();
    settings.*value = number->value_or(settings.*value);
  }
  return settings;
}

/// What tiles of a sweep take together; 0 without sweeps.
static Expected<int64_t> getTileBytes(const InputArgList &args) {
  // Half of the second-level cache of most processors, or less.
  constexpr int64_t cachedBytes = int64_t(1) << 19;
  StringRef dataflow = args.getLastArgValue(OPT_dataflow, "off");
  if (dataflow == "off")
    return 0;
  if (dataflow == "auto")
    return cachedBytes;
  auto text = readFile(dataflow);
  if (!text)
    return makeError("--dataflow takes auto, off or a file: " +
                     toString(text.takeError()));
  auto machine = einsum::parseMachine((*text)->getBuffer());
  if (!machine)
    return makeError(dataflow + ": " + toString(machine.takeError()));
  return std::max<int64_t>(machine->sram / machine->clusters, 1);
}

static Expected<CompileOptions> getCompileOptions(const InputArgList &args) {
  auto options = ember::getCompileOptions(args, {OPT_target, OPT_opt_level,
                                                 OPT_vector_length,
                                                 OPT_may_alias, OPT_profile});
  if (!options)
    return options.takeError();
  auto capacity = getInteger(args, OPT_queue_capacity, 1, 1 << 30);
  if (!capacity)
    return capacity.takeError();
  options->queueCapacity = *capacity;
  options->cpu = args.getLastArgValue(OPT_cpu);
  options->triple = args.getLastArgValue(OPT_triple);
  auto prefetch = getPrefetchSettings(args);
  if (!prefetch)
    return prefetch.takeError();
  options->prefetch = *prefetch;
  auto streamed = getInteger(args, OPT_stream_min_output, 0, int64_t(1) << 40);
  if (!streamed)
    return streamed.takeError();
  options->streamMinOutput = streamed->value_or(options->streamMinOutput);
  auto threads = getInteger(args, OPT_most_threads, 1, 256);
  if (!threads)
    return threads.takeError();
  options->mostThreads = threads->value_or(options->mostThreads);
  options->shareLoops = args.hasArg(OPT_share_loops);
  auto tileBytes = getTileBytes(args);
  if (!tileBytes)
    return tileBytes.takeError();
  options->tileBytes = *tileBytes;
  StringRef empty = args.getLastArgValue(OPT_empty, "keep");
  if (empty != "keep" && empty != "drop")
    return makeError("--empty=" + empty + ": expected keep or drop");
  options->dropEmpty = empty == "drop";
  options->transposeTensors = args.hasArg(OPT_transpose);
  for (auto [option, names] :
       {std::pair(OPT_order, &options->loopOrder),
        std::pair(OPT_gallop, &options->gallopVariables),
        std::pair(OPT_bitvector, &options->bitVariables)})
    for (StringRef name : split(args.getLastArgValue(option), ','))
      if (!name.trim().empty())
        names->push_back(name.trim().str());
  options->unroll = !args.hasArg(OPT_no_unroll);
  options->stripRows = !args.hasArg(OPT_no_strip_rows);
  return options;
}

static Error checkOutput(const Request &request) {
  bool isBinary = request.stage->isBinary;
  if (isBinary && request.output == "-")
    return makeError("a library or object needs a file: give -o FILE");
  bool isOptional = !isBinary || request.printCachePath;
  if (request.output.empty())
    return isOptional ? Error::success()
                      : makeError("no output file: give -o FILE");
  return checkWritable(request.output);
}

static Expected<Request> getRequest(const CommandLine &line) {
  Request request;
  bool isTaco = line.options.hasArg(OPT_taco);
  bool isNotation = line.options.hasArg(OPT_notation) || isTaco;
  if (isTaco && line.options.hasArg(OPT_notation))
    return makeError("--taco and --notation are each a program: give one");
  if (line.options.getAllArgValues(OPT_taco).size() > 1)
    return makeError("more than one --taco: compile each by itself");
  if (line.options.getAllArgValues(OPT_notation).size() > 1)
    return makeError("more than one --notation: separate statements by ';', "
                     "and compile those of another kernel by themselves");
  if (isNotation && !line.positionals.empty())
    return makeError(Twine(isTaco ? "--taco" : "--notation") +
                     " takes the place of the input file '" +
                     line.positionals.front() + "'");
  if (!isNotation)
    for (auto [option, name] :
         {std::pair(OPT_type, "--type"), std::pair(OPT_format, "--format"),
          std::pair(OPT_fill, "--fill"), std::pair(OPT_counts, "--counts"),
          std::pair(OPT_functions, "--functions"),
          std::pair(OPT_schedule, "--schedule"),
          std::pair(OPT_density, "--density"), std::pair(OPT_size, "--size"),
          std::pair(OPT_gradient, "--gradient"),
          std::pair(OPT_only_gradient, "--only-gradient"),
          std::pair(OPT_group, "--group"), std::pair(OPT_compact, "--compact"),
          std::pair(OPT_approximate, "--approximate")})
      if (line.options.hasArg(option))
        return makeError(Twine(name) +
                         " is for --notation, which is not given");
  if (line.positionals.size() != 1 && !isNotation)
    return makeError(line.positionals.empty()
                         ? Twine("no input file: give FILE.mlir, or - for "
                                 "standard input")
                         : "more than one input file: '" + line.positionals[0] +
                               "' and '" + line.positionals[1] + "'");
  if (!isNotation)
    request.input = line.positionals.front();
  request.output = line.options.getLastArgValue(OPT_output);
  request.printCachePath = line.options.hasArg(OPT_print_cache_path);
  request.printRemarks = line.options.hasArg(OPT_remarks);
  // What is explained is text, as programs are.
  StringRef stage = line.options.getLastArgValue(
      OPT_emit, line.options.hasArg(OPT_explain) ? "cin" : "lib");
  request.stage = findStage(stage);
  if (!request.stage)
    return makeError("unknown stage '" + stage + "': expected " +
                     joinNames(getStages()));
  for (auto [option, name] :
       {std::pair(OPT_order, "--order"), std::pair(OPT_empty, "--empty"),
        std::pair(OPT_transpose, "--transpose"),
        std::pair(OPT_gallop, "--gallop"),
        std::pair(OPT_bitvector, "--bitvector")})
    if (line.options.hasArg(option) && request.stage->level != "sam")
      return makeError(Twine(name) + " needs --emit=sam");
  request.printLocations = line.options.hasArg(OPT_locations);
  if (request.printLocations && !request.stage->isProgram())
    return makeError("--locations needs --emit=" +
                     joinNames(make_filter_range(
                         getStages(), std::mem_fn(&Stage::isProgram))));
  Expected<CompileOptions> options = getCompileOptions(line.options);
  if (!options)
    return options.takeError();
  request.options = *options;
  if (line.options.hasArg(OPT_no_cache))
    request.cacheFolder = std::nullopt;
  else if (const Arg *argument = line.options.getLastArg(OPT_cache_dir))
    request.cacheFolder = argument->getValue();
  else
    request.cacheFolder = KernelCache::getDefaultFolder();
  if (request.cacheFolder && request.cacheFolder->empty())
    return makeError("--cache-dir=: the name of the folder is empty");
  if (Error error = checkOutput(request))
    return std::move(error);
  return request;
}

static Error copyFile(StringRef from, StringRef to) {
  auto content = readFile(from);
  if (!content)
    return content.takeError();
  return writeFile(to, [&](raw_ostream &os) { os << (*content)->getBuffer(); });
}

/// libk.so -> libk.json
static std::string getManifestPath(StringRef library) {
  library.consume_back(".so");
  return (library + ".json").str();
}

static Error emitLibrary(std::unique_ptr<MemoryBuffer> program,
                         const Request &request) {
  Expected<Kernel> kernel =
      getKernel(std::move(program), request.options, request.cacheFolder,
                request.printRemarks);
  if (!kernel)
    return kernel.takeError();
  if (request.printCachePath && kernel->isCached())
    return writeFile(
        "-", [&](raw_ostream &os) { os << kernel->getLibrary() << "\n"; });
  if (request.output.empty())
    return makeError("there is no usable cache to keep the library in: give "
                     "-o FILE");
  if (Error error = copyFile(kernel->getLibrary(), request.output))
    return error;
  if (Error error =
          copyFile(kernel->getManifest(), getManifestPath(request.output)))
    return error;
  if (!request.printCachePath)
    return Error::success();
  return writeFile("-", [&](raw_ostream &os) { os << request.output << "\n"; });
}

static Error explain(std::unique_ptr<MemoryBuffer> program,
                     const Request &request) {
  auto source = Source::parse(std::move(program), request.printRemarks);
  if (!source)
    return source.takeError();
  if (Error error = setTarget((*source)->getModule(), request.options))
    return error;
  Expected<json::Value> loops = explainIteration((*source)->getModule());
  if (!loops)
    return loops.takeError();
  return writeFile(
      request.output.empty() ? "-" : request.output,
      [&](raw_ostream &os) { os << formatv("{0:2}", *loops) << "\n"; });
}

static Error emitStage(std::unique_ptr<MemoryBuffer> program,
                       const Request &request) {
  auto source = Source::parse(std::move(program), request.printRemarks);
  if (!source)
    return source.takeError();
  if (Error error = setTarget((*source)->getModule(), request.options))
    return error;
  Expected<std::string> text = compileToStage(
      **source, *request.stage, request.options, request.printLocations);
  if (!text)
    return text.takeError();
  return writeFile(request.output.empty() ? "-" : request.output,
                   [&](raw_ostream &os) { os << *text; });
}

static Error compile(const CommandLine &line) {
  if (line.options.hasArg(OPT_print_tables))
    return writeFile("-", [](raw_ostream &os) {
      os << formatv("{0:2}", makeTables()) << "\n";
    });
  Expected<Request> request = getRequest(line);
  if (!request)
    return request.takeError();
  NotationArrays arrays{line.options.getAllArgValues(OPT_type),
                        line.options.getAllArgValues(OPT_format),
                        line.options.getAllArgValues(OPT_fill),
                        line.options.getAllArgValues(OPT_functions),
                        line.options.getLastArgValue(OPT_schedule).str(),
                        line.options.getAllArgValues(OPT_density),
                        line.options.getAllArgValues(OPT_size),
                        line.options.getAllArgValues(OPT_gradient),
                        line.options.hasArg(OPT_only_gradient),
                        line.options.getAllArgValues(OPT_group),
                        line.options.getAllArgValues(OPT_compact),
                        line.options.hasArg(OPT_counts),
                        line.options.hasArg(OPT_approximate)};
  std::string notation = line.options.getLastArgValue(OPT_notation).str();
  if (const Arg *taco = line.options.getLastArg(OPT_taco)) {
    Expected<std::string> statement = readTacoCommand(
        taco->getValue(), arrays, request->stage->level == "sam");
    if (!statement)
      return statement.takeError();
    notation = *statement;
  }
  auto program = request->input.empty() ? translateNotation(notation, arrays)
                                        : readFile(request->input);
  if (!program)
    return program.takeError();
  if (line.options.hasArg(OPT_explain))
    return explain(std::move(*program), *request);
  if (request->stage->isLibrary())
    return emitLibrary(std::move(*program), *request);
  return emitStage(std::move(*program), *request);
}

int main(int argc, char **argv) {
  ToolOptions options;
  return runTool({"emberc", "emberc FILE.mlir|- -o libNAME.so [options]",
                  "Ember's compiler for embedding operations", options,
                  [](raw_ostream &os) {
                    printStages(os);
                    printTargets(os);
                  },
                  OPT_INPUT, OPT_UNKNOWN, OPT_help, OPT_version, compile},
                 argc, argv);
}
