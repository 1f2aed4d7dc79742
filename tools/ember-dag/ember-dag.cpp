//===- ember-dag.cpp - Reuse in graphs of tensor operations ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a function of tensors, or a program of JSON, and says how its
// operations pass tensors to each other and how much memory traffic is left.
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/Import/FromFunction.h"
#include "ember/Analysis/EinsumGraph/Report.h"
#include "ember/Driver/Files.h"
#include "ember/Driver/OptionTable.h"
#include "ember/Driver/Source.h"
#include "ember/Driver/Tool.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace llvm::opt;
using namespace ember;

static Expected<double> getNumber(const InputArgList &args, OptSpecifier id,
                                  StringRef name, double otherwise) {
  const Arg *arg = args.getLastArg(id);
  if (!arg)
    return otherwise;
  double number;
  if (!to_float(arg->getValue(), number) || !(number >= 0) || number > 1e15)
    return makeError("--" + name + " takes a number from 0, not '" +
                     arg->getValue() + "'");
  return number;
}

/// `A=1000000x1000000:4996000`.
static Error addShape(StringRef text, einsum::FunctionOptions &options) {
  auto [name, sizes] = text.split('=');
  auto [shape, nonzeros] = sizes.split(':');
  einsum::GivenShape given;
  bool isRight = !name.empty() && !shape.empty();
  for (StringRef size : split(shape, 'x')) {
    int64_t number;
    isRight &= !size.getAsInteger(10, number) && number >= 0;
    given.sizes.push_back(isRight ? number : 0);
  }
  if (!nonzeros.empty()) {
    int64_t number;
    isRight &= !nonzeros.getAsInteger(10, number) && number > 0;
    given.nonzeros = isRight ? number : 0;
  }
  if (!isRight)
    return makeError("--shape takes NAME=SIZExSIZE or NAME=SIZExSIZE:STORED, "
                     "not '" +
                     text + "'");
  options.shapes[name] = given;
  return Error::success();
}

static Expected<mlir::func::FuncOp> findFunction(mlir::ModuleOp module,
                                                 StringRef name) {
  mlir::func::FuncOp entry;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.isExternal() || (!name.empty() && function.getName() != name))
      continue;
    if (entry)
      return makeError("there are several functions: say which by --entry");
    entry = function;
  }
  if (!entry)
    return makeError(name.empty()
                         ? "there is no function"
                         : "there is no function '" + name + "' with a body");
  return entry;
}

static Expected<einsum::Program> readProgram(const CommandLine &line) {
  if (line.positionals.size() != 1)
    return makeError(line.positionals.empty()
                         ? "no input file: give FILE.mlir or FILE.json"
                         : "more than one input file");
  StringRef path = line.positionals.front();
  const InputArgList &args = line.options;
  auto text = readFile(path);
  if (!text)
    return text.takeError();
  if (path.ends_with(".json")) {
    if (args.hasArg(OPT_shape))
      return makeError("--shape is for functions; a program of JSON has sizes");
    return einsum::parseProgram((*text)->getBuffer());
  }
  einsum::FunctionOptions options;
  options.keepsCarried = !args.hasArg(OPT_whole_function);
  for (StringRef shape : args.getAllArgValues(OPT_shape))
    if (Error error = addShape(shape, options))
      return error;
  auto source = Source::parse(std::move(*text), args.hasArg(OPT_remarks));
  if (!source)
    return source.takeError();
  auto function =
      findFunction((*source)->getModule(), args.getLastArgValue(OPT_entry));
  if (!function)
    return function.takeError();
  auto program = einsum::readFunction(*function, options);
  if (mlir::failed(program))
    return makeDiagnosedError();
  return std::move(*program);
}

static Expected<std::vector<einsum::Scheme>>
getSchemes(const InputArgList &args) {
  StringRef text = args.getLastArgValue(OPT_scheme, "all");
  if (text == "all")
    return std::vector(std::begin(einsum::allSchemes),
                       std::end(einsum::allSchemes));
  std::vector<einsum::Scheme> schemes;
  for (StringRef name : split(text, ',')) {
    const auto *scheme = find_if(einsum::allSchemes, [&](einsum::Scheme other) {
      return einsum::nameOf(other).equals_insensitive(name);
    });
    if (scheme == std::end(einsum::allSchemes))
      return makeError("there is no scheme '" + name +
                       "': there are all, SEQ-Flex, SEQ-Overflow, GOGETA-df, "
                       "GOGETA-map and Ideal");
    schemes.push_back(*scheme);
  }
  return schemes;
}

static Expected<einsum::TrafficOptions>
getTrafficOptions(const InputArgList &args) {
  einsum::TrafficOptions options;
  auto small = getNumber(args, OPT_small_dimension, "small-dimension",
                         options.smallDimension);
  if (!small)
    return small.takeError();
  options.smallDimension = *small;
  options.separatesTransposes = !args.hasArg(OPT_same_transposes);
  options.keepsMatrices = !args.hasArg(OPT_no_keep_matrices);
  options.keepsReads = !args.hasArg(OPT_no_keep_reads);
  options.countsInputs = !args.hasArg(OPT_no_inputs);
  options.countsOutputs = !args.hasArg(OPT_no_outputs);
  StringRef when = args.getLastArgValue(OPT_shared_reads, "aligned");
  if (when == "never")
    options.sharedReads = einsum::SharedReads::never;
  else if (when == "aligned")
    options.sharedReads = einsum::SharedReads::aligned;
  else if (when == "always")
    options.sharedReads = einsum::SharedReads::always;
  else
    return makeError("--shared-reads takes never, aligned or always, not '" +
                     when + "'");
  return options;
}

static Expected<einsum::DominanceOptions>
getDominance(const InputArgList &args) {
  einsum::DominanceOptions options;
  auto large = getNumber(args, OPT_large_rank, "large-rank", options.largeRank);
  if (!large)
    return large.takeError();
  auto ratio = getNumber(args, OPT_rank_ratio, "rank-ratio", options.ratio);
  if (!ratio)
    return ratio.takeError();
  auto balanced =
      getNumber(args, OPT_balanced_rank, "balanced-rank", options.balancedRank);
  if (!balanced)
    return balanced.takeError();
  return einsum::DominanceOptions{*large, *ratio, *balanced};
}

static Expected<einsum::SpatialMachine> getMachine(const InputArgList &args) {
  const Arg *file = args.getLastArg(OPT_machine);
  if (!file)
    return einsum::SpatialMachine();
  auto text = readFile(file->getValue());
  if (!text)
    return text.takeError();
  auto machine = einsum::parseMachine((*text)->getBuffer());
  if (!machine)
    return makeError(Twine(file->getValue()) + ": " +
                     toString(machine.takeError()));
  return machine;
}

using Printer = void (*)(const einsum::Report &, raw_ostream &);

static Expected<Printer> getPrinter(const InputArgList &args) {
  StringRef format = args.getLastArgValue(
      OPT_format, args.hasArg(OPT_print_einsum_dag) ? "dot" : "table");
  if (format == "table")
    return einsum::printTable;
  if (format == "json")
    return einsum::printJson;
  if (format == "dot")
    return einsum::printDot;
  if (format == "html")
    return einsum::printHtml;
  return makeError("--format takes table, json, dot or html, not '" + format +
                   "'");
}

static Error analyze(const CommandLine &line) {
  const InputArgList &args = line.options;
  auto printer = getPrinter(args);
  if (!printer)
    return printer.takeError();
  auto schemes = getSchemes(args);
  if (!schemes)
    return schemes.takeError();
  auto trafficOptions = getTrafficOptions(args);
  if (!trafficOptions)
    return trafficOptions.takeError();
  auto dominance = getDominance(args);
  if (!dominance)
    return dominance.takeError();
  auto iterations = getInteger(args, OPT_iterations, 1, 1 << 20);
  if (!iterations)
    return iterations.takeError();
  auto machine = getMachine(args);
  if (!machine)
    return machine.takeError();
  auto program = readProgram(line);
  if (!program)
    return program.takeError();
  einsum::GraphOptions graphOptions;
  graphOptions.iterations = iterations->value_or(10);
  graphOptions.loopOnly = !args.hasArg(OPT_whole_function);
  auto graph = einsum::Graph::build(std::move(*program), graphOptions);
  if (!graph)
    return graph.takeError();
  einsum::LoopOrders orders = einsum::findLoopOrders(
      *graph, einsum::analyzeReuse(*graph, *dominance), *dominance);
  einsum::Report report{*graph, orders, *machine, *dominance, {}};
  for (einsum::Scheme scheme : *schemes)
    report.traffic.push_back(
        {scheme, einsum::predictTraffic(*graph, orders, *machine, scheme,
                                        *trafficOptions)});
  return writeFile(args.getLastArgValue(OPT_output_file, "-"),
                   [&](raw_ostream &os) { (*printer)(report, os); });
}

int main(int argc, char **argv) {
  ToolOptions options;
  return runTool({"ember-dag", "ember-dag FILE.mlir|FILE.json [options]",
                  "How operations on tensors pass them to each other, and how "
                  "much memory traffic is left",
                  options, [](raw_ostream &) {}, OPT_INPUT, OPT_UNKNOWN,
                  OPT_help, OPT_version, analyze},
                 argc, argv);
}
