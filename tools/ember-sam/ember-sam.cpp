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
#include "ember/Driver/Source.h"
#include "ember/Sim/SAM/GraphFile.h"
#include "ember/Sim/SAM/RunReport.h"
#include "ember/Sim/Trace/PerfettoTrace.h"
#include "ember/Simulation/SAM/GraphSimulation.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

#include <ctime>

using namespace llvm;
using namespace ember::sim;
using namespace ember::sim::sam;

enum class EngineKind { cycles, times };

static cl::OptionCategory category("Options");
static cl::opt<std::string> graphFile(cl::Positional,
                                      cl::desc("GRAPH.json|GRAPH.mlir"),
                                      cl::Required, cl::cat(category));
static cl::list<std::string>
    arguments(cl::Positional, cl::desc("[@FILE.npy or NUMBER, for .mlir]"),
              cl::cat(category));
static cl::list<std::string>
    savedResults("save-result",
                 cl::desc("Save result N of a GRAPH.mlir to a .npy file"),
                 cl::value_desc("N:FILE"), cl::cat(category));
static cl::opt<std::string>
    entry("entry", cl::desc("The function of a GRAPH.mlir, if it has several"),
          cl::value_desc("NAME"), cl::cat(category));
static cl::opt<uint64_t>
    depth("depth",
          cl::desc("How many tokens a queue holds, whatever the machine says"),
          cl::value_desc("N"), cl::cat(category));
static cl::opt<std::string> machineFile(
    "machine",
    cl::desc("queueDepth, arrayLatency and quirks (default: unbounded queues)"),
    cl::value_desc("FILE.json"), cl::cat(category));
static cl::opt<EngineKind>
    engine("engine", cl::desc("What runs the graph:"),
           cl::init(EngineKind::cycles),
           cl::values(clEnumValN(EngineKind::cycles, "cycles",
                                 "all blocks, cycle by cycle (default)"),
                      clEnumValN(EngineKind::times, "times",
                                 "streams with their times: faster, for "
                                 "unbounded queues and graphs that "
                                 "do not gallop")),
           cl::cat(category));
static cl::opt<std::string> statsFile("statistics",
                                      cl::desc("Write what each block counted"),
                                      cl::value_desc("FILE.json"),
                                      cl::cat(category));
static cl::opt<std::string>
    resultsFile("results",
                cl::desc("Write the elements of what the graph writes"),
                cl::value_desc("FILE.json"), cl::cat(category));
static cl::opt<std::string>
    traceFile("trace",
              cl::desc("Write all tokens with their cycles, for "
                       "ui.perfetto.dev"),
              cl::value_desc("FILE.json"), cl::cat(category));
static cl::opt<bool>
    criticalChain("critical-chain",
                  cl::desc("Say whose pace the length of the run is made of"),
                  cl::cat(category));

static Expected<Parameters> readMachineFile() {
  if (machineFile.empty())
    return Parameters();
  auto wrong = [](const Twine &what) {
    return createStringError("machine file '" + machineFile + "': " + what);
  };
  auto buffer = MemoryBuffer::getFile(machineFile, /*IsText=*/true);
  if (!buffer)
    return wrong(buffer.getError().message());
  Expected<json::Value> value = json::parse((*buffer)->getBuffer());
  if (!value)
    return wrong(toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  if (!object)
    return wrong("expected an object");
  Expected<Parameters> parameters = readParameters(*object);
  if (!parameters)
    return wrong(toString(parameters.takeError()));
  return parameters;
}

static Expected<Parameters> readMachine() {
  Expected<Parameters> parameters = readMachineFile();
  if (parameters && depth.getNumOccurrences())
    parameters->queueDepth = depth;
  return parameters;
}

static Error writeJSON(StringRef path, json::Value value) {
  std::error_code code;
  ToolOutputFile file(path, code, sys::fs::OF_Text);
  if (code)
    return createStringError("'" + path + "': " + code.message());
  file.os() << formatv("{0:2}", value) << "\n";
  file.keep();
  return Error::success();
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

static Error writeFiles(const Graph &graph, const Run &run, double seconds,
                        const std::map<std::string, Elements> *results) {
  if (!statsFile.empty()) {
    json::Object statistics = statisticsOf(graph, run);
    statistics["seconds"] = seconds;
    if (Error error = writeJSON(statsFile, std::move(statistics)))
      return error;
  }
  if (results && !resultsFile.empty())
    if (Error error = writeJSON(resultsFile, toJSON(*results)))
      return error;
  if (traceFile.empty())
    return Error::success();
  auto trace = PerfettoTrace::open(traceFile);
  if (!trace)
    return trace.takeError();
  traceRun(graph, run, **trace);
  return Error::success();
}

namespace {
/// A run, and what it took.
struct Measured {
  Run run;
  double seconds;
};
} // namespace

static Expected<Measured> measure(const Graph &graph,
                                  const Parameters &parameters) {
  RunOptions options;
  options.keepsStreams = !traceFile.empty();
  options.findsCriticalChain = criticalChain;
  // One thread runs, so that processor time is what it takes by itself.
  std::clock_t started = std::clock();
  Expected<Run> run = engine == EngineKind::cycles
                          ? runByCycles(graph, parameters, options)
                          : runByTimes(graph, parameters, options);
  if (!run)
    return run.takeError();
  double seconds = double(std::clock() - started) / CLOCKS_PER_SEC;
  return Measured{std::move(*run), seconds};
}

static void printSpeed(const Measured &measured) {
  outs() << formatv("simulated in {0:f3} s of processor time, {1:f1} million "
                    "tokens a second\n",
                    measured.seconds,
                    double(measured.run.tokens()) / 1e6 /
                        std::max(measured.seconds, 1e-9));
}

static Error runFileOfGraph(const Parameters &parameters) {
  if (!arguments.empty() || !savedResults.empty() || !entry.empty())
    return createStringError("'" + graphFile +
                             "' has its tensors in it: arguments, --entry and "
                             "--save-result are for functions in .mlir");
  Expected<Graph> graph = readGraphFile(graphFile);
  if (!graph)
    return graph.takeError();
  Expected<Measured> measured = measure(*graph, parameters);
  if (!measured)
    return measured.takeError();
  const Run &run = measured->run;
  auto results = resultsOf(*graph, run, parameters.quirks);
  if (!results)
    return results.takeError();
  if (Error error = writeFiles(*graph, run, measured->seconds, &*results))
    return error;
  printRun(*graph, run, outs());
  outs() << "\n";
  for (const auto &[name, elements] : *results)
    outs() << formatv("{0} has {1} elements\n", name, elements.size());
  printSpeed(*measured);
  return Error::success();
}

/// Runs a graph of the dialect, and writes what is asked for.
static FailureOr<std::vector<ember::sam::StoredTensor>>
simulateOperation(ember::sam::GraphOp op, const Parameters &parameters,
                  ArrayRef<ember::sam::StoredTensor> inputs,
                  ArrayRef<SmallVector<int64_t>> shapes) {
  FailureOr<ember::SimulatedGraph> simulated =
      ember::translateGraph(op, inputs, shapes);
  if (failed(simulated))
    return failure();
  Expected<Measured> measured = measure(simulated->graph, parameters);
  if (!measured)
    return op.emitOpError("cannot be simulated: ")
           << toString(measured.takeError());
  auto results = ember::collectResults(op, *simulated, measured->run,
                                       parameters.quirks, shapes);
  if (failed(results))
    return failure();
  if (Error error = writeFiles(simulated->graph, measured->run,
                               measured->seconds, nullptr))
    return op.emitError() << toString(std::move(error));
  printRun(simulated->graph, measured->run, outs());
  outs() << "\n";
  printSpeed(*measured);
  return results;
}

static Error saveResults(ArrayRef<ember::GraphValue> results) {
  for (StringRef request : savedResults) {
    auto [number, path] = request.split(':');
    unsigned index;
    if (number.getAsInteger(10, index) || index >= results.size() ||
        path.empty())
      return createStringError("--save-result=" + request +
                               ": expected N:FILE.npy, and N below " +
                               Twine(results.size()));
    if (Error error = saveGraphValue(results[index], path))
      return error;
  }
  return Error::success();
}

/// LLVM's parser takes what begins with @ for a file of more options, so that
/// such arguments have a space before it.
static std::vector<std::string> markFiles(ArrayRef<char *> arguments) {
  std::vector<std::string> marked;
  for (StringRef argument : arguments)
    marked.push_back((argument.starts_with("@") ? " " : "") + argument.str());
  return marked;
}

static std::vector<std::string> readArguments() {
  std::vector<std::string> read;
  for (StringRef argument : arguments)
    read.push_back(argument.ltrim(' ').str());
  return read;
}

static Error runFunctionOfGraph(const Parameters &parameters) {
  if (!resultsFile.empty())
    return createStringError("--results is for graphs in JSON: --save-result "
                             "writes a result of '" +
                             graphFile + "'");
  auto text = ember::readFile(graphFile);
  if (!text)
    return text.takeError();
  auto source = ember::Source::parse(std::move(*text), /*printRemarks=*/false);
  if (!source)
    return source.takeError();
  auto function = ember::findGraphFunction((*source)->getModule(), entry);
  if (!function)
    return function.takeError();
  if (!*function)
    return createStringError("'" + graphFile + "' has no sam.graph" +
                             (entry.empty() ? "" : " in '" + entry + "'"));
  auto results = ember::runGraphFunction(
      *function, readArguments(), nullptr,
      [&](ember::sam::GraphOp op, ArrayRef<ember::sam::StoredTensor> inputs,
          ArrayRef<SmallVector<int64_t>> shapes) {
        return simulateOperation(op, parameters, inputs, shapes);
      });
  if (!results)
    return results.takeError();
  if (Error error = saveResults(*results))
    return error;
  for (auto [number, result] : enumerate(*results))
    printGraphValue(result, number, outs());
  return Error::success();
}

static Error runGraph() {
  Expected<Parameters> parameters = readMachine();
  if (!parameters)
    return parameters.takeError();
  return StringRef(graphFile).ends_with(".mlir")
             ? runFunctionOfGraph(*parameters)
             : runFileOfGraph(*parameters);
}

int main(int argc, char **argv) {
  InitLLVM setUp(argc, argv);
  cl::HideUnrelatedOptions(category);
  std::vector<std::string> marked = markFiles(ArrayRef(argv, argc));
  SmallVector<const char *> line;
  for (const std::string &argument : marked)
    line.push_back(argument.c_str());
  cl::ParseCommandLineOptions(
      argc, line.data(),
      "Runs a graph of the Sparse Abstract Machine, cycle by cycle\n");
  if (Error error = runGraph()) {
    // Diagnostics of operations have been printed.
    if (std::string text = toString(std::move(error)); !text.empty())
      errs() << "error: " << text << "\n";
    return 1;
  }
  return 0;
}
