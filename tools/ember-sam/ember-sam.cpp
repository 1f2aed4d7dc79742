//===- ember-sam.cpp - Runs a graph of streams, cycle by cycle ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a graph of a Sparse Abstract Machine, runs it on a described machine,
// and prints what its blocks did. A file in JSON has its tensors beside it; a
// function of the sam dialect takes arrays, as with ember-run.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Files.h"
#include "ember/Driver/GraphRun.h"
#include "ember/Driver/OptionTable.h"
#include "ember/Driver/Source.h"
#include "ember/Driver/Tool.h"
#include "ember/Sim/SAM/GraphFile.h"
#include "ember/Sim/SAM/RunReport.h"
#include "ember/Sim/SAM/TiledRun.h"
#include "ember/Sim/Trace/PerfettoTrace.h"
#include "ember/Simulation/SAM/GraphSimulation.h"

#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <ctime>

using namespace llvm;
using namespace llvm::opt;
using namespace ember::sim;
using namespace ember::sim::sam;
using ember::CommandLine;
using ember::makeError;
using ember::writeFile;

/// `what` the file at `path` is.
static Expected<json::Object> readJSONFile(StringRef what, StringRef path) {
  auto wrong = [&](Error error) {
    return makeError(what + " '" + path + "': " + toString(std::move(error)));
  };
  auto buffer = ember::readFile(path);
  if (!buffer)
    return buffer.takeError();
  Expected<json::Value> value = json::parse((*buffer)->getBuffer());
  if (!value)
    return wrong(value.takeError());
  json::Object *object = value->getAsObject();
  if (!object)
    return wrong(makeError("expected an object"));
  return std::move(*object);
}

static Expected<Parameters> readMachineFile(StringRef path) {
  Expected<json::Object> object = readJSONFile("machine file", path);
  if (!object)
    return object.takeError();
  Expected<Parameters> parameters = readParameters(*object);
  if (!parameters)
    return makeError("machine file '" + path +
                     "': " + toString(parameters.takeError()));
  return parameters;
}

static Expected<Parameters> readMachine(const InputArgList &args) {
  Parameters parameters;
  if (const Arg *file = args.getLastArg(OPT_machine)) {
    Expected<Parameters> read = readMachineFile(file->getValue());
    if (!read)
      return read.takeError();
    parameters = *read;
  }
  auto depth = ember::getInteger(args, OPT_depth, 1, int64_t(1) << 40);
  if (!depth)
    return depth.takeError();
  if (*depth)
    parameters.queueDepth = **depth;
  return parameters;
}

static json::Value toJSON(const std::map<std::string, Elements> &results) {
  json::Object object;
  for (const auto &[name, elements] : results) {
    json::Array array;
    for (const auto &[coordinates, value] : elements)
      array.push_back(json::Array{json::Array(coordinates), value});
    object[name] = std::move(array);
  }
  return object;
}

namespace {
/// A run, and what it took.
struct Measured {
  Run run;
  double seconds;
};

/// Runs graphs as a command line says, and writes what it asks for.
class GraphRunner {
public:
  static Expected<GraphRunner> create(const CommandLine &line) {
    GraphRunner runner(line);
    const InputArgList &args = line.options;
    StringRef engine = args.getLastArgValue(OPT_engine, "cycles");
    if (engine != "cycles" && engine != "times")
      return makeError("unknown engine '" + engine +
                       "': expected cycles or times");
    runner.runsByTimes = engine == "times";
    Expected<Parameters> machine = readMachine(args);
    if (!machine)
      return machine.takeError();
    runner.machine = *machine;
    auto threads = ember::getInteger(args, OPT_threads, 1, mostThreads);
    if (!threads)
      return threads.takeError();
    runner.threads = static_cast<unsigned>(threads->value_or(1));
    for (OptSpecifier id : {OPT_statistics, OPT_results, OPT_trace, OPT_gantt})
      if (const Arg *file = args.getLastArg(id))
        if (Error error = ember::checkWritable(file->getValue()))
          return std::move(error);
    return std::move(runner);
  }

  Error runFile();
  Error runFunction();

  static constexpr int64_t mostThreads = 256;

private:
  explicit GraphRunner(const CommandLine &line)
      : line(line), args(line.options) {}

  StringRef getFile() const { return line.positionals.front(); }
  ArrayRef<std::string> getArguments() const {
    return ArrayRef(line.positionals).drop_front();
  }
  Error runFileOfTiles();
  Expected<Measured> measure(const Graph &graph) const;
  Error writeJSON(OptSpecifier option, json::Value value) const;
  Error writeStatistics(const Graph &graph, const Measured &measured) const;
  FailureOr<std::vector<ember::sam::StoredTensor>>
  simulate(ember::sam::GraphOp op, ArrayRef<ember::sam::StoredTensor> inputs,
           ArrayRef<SmallVector<int64_t>> shapes, raw_ostream &os) const;
  void printSpeed(const Measured &measured, raw_ostream &os) const;

  const CommandLine &line;
  const InputArgList &args;
  Parameters machine;
  bool runsByTimes = false;
  unsigned threads = 1;
};
} // namespace

Expected<Measured> GraphRunner::measure(const Graph &graph) const {
  RunOptions options;
  options.keepsStreams = args.hasArg(OPT_trace, OPT_gantt);
  options.threads = threads;
  options.findsCriticalChain = args.hasArg(OPT_critical_chain);
  // Where one thread runs, processor time is what it takes by itself.
  std::clock_t started = std::clock();
  auto begun = std::chrono::steady_clock::now();
  Expected<Run> run = runsByTimes ? runByTimes(graph, machine, options)
                                  : runByCycles(graph, machine, options);
  if (!run)
    return run.takeError();
  double seconds = double(std::clock() - started) / CLOCKS_PER_SEC;
  if (threads > 1)
    seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun)
            .count();
  return Measured{std::move(*run), seconds};
}

void GraphRunner::printSpeed(const Measured &measured, raw_ostream &os) const {
  os << formatv("simulated in {0:f3} s{1}, {2:f1} million tokens a second\n",
                measured.seconds, threads > 1 ? "" : " of processor time",
                double(measured.run.tokens()) / 1e6 /
                    std::max(measured.seconds, 1e-9));
}

Error GraphRunner::writeJSON(OptSpecifier option, json::Value value) const {
  const Arg *file = args.getLastArg(option);
  if (!file)
    return Error::success();
  return writeFile(file->getValue(), [&](raw_ostream &os) {
    os << formatv("{0:2}", value) << "\n";
  });
}

Error GraphRunner::writeStatistics(const Graph &graph,
                                   const Measured &measured) const {
  json::Object statistics = statisticsOf(graph, measured.run);
  statistics["seconds"] = measured.seconds;
  if (Error error = writeJSON(OPT_statistics, std::move(statistics)))
    return error;
  if (const Arg *file = args.getLastArg(OPT_gantt))
    if (Error error = writeFile(file->getValue(), [&](raw_ostream &os) {
          writeGantt(graph, measured.run, os);
        }))
      return error;
  const Arg *file = args.getLastArg(OPT_trace);
  if (!file)
    return Error::success();
  auto trace = PerfettoTrace::open(file->getValue());
  if (!trace)
    return trace.takeError();
  traceRun(graph, measured.run, **trace);
  return Error::success();
}

/// A file in JSON whose tensors come through the memories of the machine.
Error GraphRunner::runFileOfTiles() {
  for (OptSpecifier id : {OPT_trace, OPT_gantt, OPT_critical_chain})
    if (const Arg *option = args.getLastArg(id))
      return makeError(option->getSpelling() +
                       " is for one run of a graph, and memory levels of the "
                       "machine make one of each tile");
  Expected<json::Object> object = readJSONFile("graph", getFile());
  if (!object)
    return object.takeError();
  auto wrong = [&](Error error) {
    return makeError("graph '" + getFile() +
                     "': " + toString(std::move(error)));
  };
  Expected<TileSizes> tiles = readTileSizes(*object);
  if (!tiles)
    return wrong(tiles.takeError());
  RunOptions options;
  options.threads = threads;
  Expected<TiledRun> run =
      runByTiles(*object, *object, *tiles, machine, options);
  if (!run)
    return wrong(run.takeError());
  if (Error error = writeJSON(OPT_statistics, statisticsOf(*run, machine)))
    return error;
  if (Error error = writeJSON(OPT_results, toJSON(run->results)))
    return error;
  return writeFile("-", [&](raw_ostream &os) { printRun(*run, machine, os); });
}

/// A file in JSON.
Error GraphRunner::runFile() {
  if (!getArguments().empty() || args.hasArg(OPT_save_result, OPT_entry))
    return makeError("'" + getFile() +
                     "' has its tensors in it: arguments, --entry and "
                     "--save-result are for functions in .mlir");
  if (!machine.memoryLevels.empty())
    return runFileOfTiles();
  Expected<Graph> graph = readGraphFile(getFile());
  if (!graph)
    return graph.takeError();
  Expected<Measured> measured = measure(*graph);
  if (!measured)
    return measured.takeError();
  auto results = resultsOf(*graph, measured->run, machine.quirks);
  if (!results)
    return results.takeError();
  if (Error error = writeStatistics(*graph, *measured))
    return error;
  if (Error error = writeJSON(OPT_results, toJSON(*results)))
    return error;
  return writeFile("-", [&](raw_ostream &os) {
    printRun(*graph, measured->run, os);
    os << "\n";
    for (const auto &[name, elements] : *results)
      os << formatv("{0} has {1} elements\n", name, elements.size());
    printSpeed(*measured, os);
  });
}

/// A graph of the dialect, of which `os` is told what its blocks did.
FailureOr<std::vector<ember::sam::StoredTensor>> GraphRunner::simulate(
    ember::sam::GraphOp op, ArrayRef<ember::sam::StoredTensor> inputs,
    ArrayRef<SmallVector<int64_t>> shapes, raw_ostream &os) const {
  FailureOr<ember::SimulatedGraph> simulated =
      ember::translateGraph(op, inputs, shapes);
  if (failed(simulated))
    return failure();
  Expected<Measured> measured = measure(simulated->graph);
  if (!measured)
    return op.emitOpError("cannot be simulated: ")
           << toString(measured.takeError());
  auto results = ember::collectResults(op, *simulated, measured->run,
                                       machine.quirks, shapes);
  if (failed(results))
    return failure();
  if (Error error = writeStatistics(simulated->graph, *measured))
    return op.emitError() << toString(std::move(error));
  printRun(simulated->graph, measured->run, os);
  os << "\n";
  printSpeed(*measured, os);
  return results;
}

/// A function of the dialect.
Error GraphRunner::runFunction() {
  if (args.hasArg(OPT_results))
    return makeError("--results is for graphs in JSON: --save-result writes a "
                     "result of '" +
                     getFile() + "'");
  auto text = ember::readFile(getFile());
  if (!text)
    return text.takeError();
  auto source =
      ember::Source::parse(std::move(*text), args.hasArg(OPT_remarks));
  if (!source)
    return source.takeError();
  StringRef entry = args.getLastArgValue(OPT_entry);
  auto function = ember::findGraphFunction((*source)->getModule(), entry);
  if (!function)
    return function.takeError();
  if (!*function)
    return makeError("'" + getFile() + "' has no sam.graph" +
                     (entry.empty() ? "" : " in '" + entry + "'"));
  auto saved = ember::getSaveRequests(args, OPT_save_result,
                                      function->getNumResults(), "results");
  if (!saved)
    return saved.takeError();
  for (const ember::SaveRequest &request : *saved)
    if (Error error = ember::checkWritable(request.path))
      return error;
  std::string listing;
  raw_string_ostream blocks(listing);
  auto results = ember::runGraphFunction(
      *function, getArguments(), nullptr,
      [&](ember::sam::GraphOp op, ArrayRef<ember::sam::StoredTensor> inputs,
          ArrayRef<SmallVector<int64_t>> shapes) {
        return simulate(op, inputs, shapes, blocks);
      });
  if (!results)
    return results.takeError();
  for (const ember::SaveRequest &request : *saved)
    if (Error error =
            ember::saveGraphValue((*results)[request.index], request.path))
      return error;
  return writeFile("-", [&](raw_ostream &os) {
    os << listing;
    for (auto [number, result] : enumerate(*results))
      ember::printGraphValue(result, number, os);
  });
}

static Error runGraph(const CommandLine &line) {
  if (line.positionals.empty())
    return makeError("no input file: give GRAPH.json, GRAPH.mlir, or - for a "
                     "GRAPH.mlir on standard input");
  Expected<GraphRunner> runner = GraphRunner::create(line);
  if (!runner)
    return runner.takeError();
  StringRef file = line.positionals.front();
  return file == "-" || file.ends_with(".mlir") ? runner->runFunction()
                                                : runner->runFile();
}

int main(int argc, char **argv) {
  ToolOptions options;
  return ember::runTool(
      {"ember-sam", "ember-sam GRAPH.json|GRAPH.mlir|- ARG... [options]",
       "Runs a graph of the Sparse Abstract Machine, cycle by cycle\n\n"
       "A GRAPH.json has its tensors in it. Of a GRAPH.mlir, one ARG per "
       "parameter: @FILE.npy for a tensor\nin any format, of which all "
       "elements are in the file, and a number for a scalar",
       options, [](raw_ostream &) {}, OPT_INPUT, OPT_UNKNOWN, OPT_help,
       OPT_version, runGraph},
      argc, argv);
}
