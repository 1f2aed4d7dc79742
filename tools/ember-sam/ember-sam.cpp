//===- ember-sam.cpp - Runs a graph of streams, cycle by cycle ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a graph of a Sparse Abstract Machine with its tensors, runs it on a
// described machine, and prints what its blocks did. It needs nothing of the
// compiler.
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/SAM/GraphFile.h"
#include "ember/Sim/SAM/RunReport.h"
#include "ember/Sim/Trace/PerfettoTrace.h"

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
static cl::opt<std::string> graphFile(cl::Positional, cl::desc("GRAPH.json"),
                                      cl::Required, cl::cat(category));
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

static Expected<Parameters> readMachine() {
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
                        const std::map<std::string, Elements> &results) {
  if (!statsFile.empty()) {
    json::Object statistics = statisticsOf(graph, run);
    statistics["seconds"] = seconds;
    if (Error error = writeJSON(statsFile, std::move(statistics)))
      return error;
  }
  if (!resultsFile.empty())
    if (Error error = writeJSON(resultsFile, toJSON(results)))
      return error;
  if (traceFile.empty())
    return Error::success();
  auto trace = PerfettoTrace::open(traceFile);
  if (!trace)
    return trace.takeError();
  traceRun(graph, run, **trace);
  return Error::success();
}

static Error runGraph() {
  Expected<Parameters> parameters = readMachine();
  if (!parameters)
    return parameters.takeError();
  Expected<Graph> graph = readGraphFile(graphFile);
  if (!graph)
    return graph.takeError();
  RunOptions options;
  options.keepsStreams = !traceFile.empty();
  options.findsCriticalChain = criticalChain;
  // One thread runs, so that processor time is what it takes by itself.
  std::clock_t started = std::clock();
  Expected<Run> run = engine == EngineKind::cycles
                          ? runByCycles(*graph, *parameters, options)
                          : runByTimes(*graph, *parameters, options);
  if (!run)
    return run.takeError();
  double seconds = double(std::clock() - started) / CLOCKS_PER_SEC;
  auto results = resultsOf(*graph, *run, parameters->quirks);
  if (!results)
    return results.takeError();
  if (Error error = writeFiles(*graph, *run, seconds, *results))
    return error;
  printRun(*graph, *run, outs());
  outs() << "\n";
  for (const auto &[name, elements] : *results)
    outs() << formatv("{0} has {1} elements\n", name, elements.size());
  outs() << formatv("simulated in {0:f3} s of processor time, {1:f1} million "
                    "tokens a second\n",
                    seconds,
                    double(run->tokens()) / 1e6 / std::max(seconds, 1e-9));
  return Error::success();
}

int main(int argc, char **argv) {
  InitLLVM setUp(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Runs a graph of the Sparse Abstract Machine, cycle by cycle\n");
  if (Error error = runGraph()) {
    errs() << "error: " << toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
