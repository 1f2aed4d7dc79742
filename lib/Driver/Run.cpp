//===- Run.cpp - Running a function of a program --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowering, just-in-time compilation and the call under ember_invoke.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Run.h"

#include "MathLibrary.h"
#include "ember/Driver/Files.h"
#include "ember/Driver/Statistics.h"
#include "ember/Target/Native/JIT.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace mlir;
using namespace ember;

static Expected<func::FuncOp> findFunction(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> candidates;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.getSymName() == name && function.isDeclaration())
      return makeError("the function '" + name + "' has no body");
    if (function.isDeclaration())
      continue;
    if (function.getSymName() == name)
      return function;
    candidates.push_back(function);
  }
  // Private functions are there for others, unless there is nothing else.
  if (!all_of(candidates, [](func::FuncOp one) { return one.isPrivate(); }))
    erase_if(candidates, [](func::FuncOp one) { return one.isPrivate(); });
  if (candidates.empty())
    return makeError("the program has no function with a body");
  if (name.empty() && candidates.size() == 1)
    return candidates.front();
  std::string names = join(
      map_range(candidates,
                [](func::FuncOp function) { return function.getSymName(); }),
      ", ");
  if (name.empty())
    return makeError("choose a function with --entry=NAME, one of: " + names);
  return makeError("there is no function '" + name +
                   "'; the program has: " + names);
}

Expected<Entry> ember::findEntry(Source &source, StringRef name,
                                 const CompileOptions &options) {
  json::Object levels = describeLevels(source.getModule());
  if (Error error = lowerToStage(source.getModule(), getLoopStage(), options))
    return std::move(error);
  Expected<func::FuncOp> function = findFunction(source.getModule(), name);
  if (!function)
    return function.takeError();
  return Entry{*function, std::move(levels)};
}

Error ember::isolate(ModuleOp module, func::FuncOp entry) {
  for (auto function : module.getOps<func::FuncOp>())
    function.setVisibility(function == entry
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
  mlir::PassManager manager(module.getContext());
  manager.addPass(createSymbolDCEPass());
  if (failed(manager.run(module)))
    return makeDiagnosedError();
  // What the process has of another name may take other arguments, or change
  // what is not the program's.
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isDeclaration() &&
        !function.getSymName().starts_with("ember_") &&
        !isOfMathLibrary(function))
      return makeError("the function '" + function.getSymName() +
                       "' is called and has no body: give it one");
  return Error::success();
}

/// The runtime and the collector of traces, which are part of this program.
static std::vector<std::pair<StringRef, void *>> getSymbols() {
  std::vector<std::pair<StringRef, void *>> symbols(
      native::runtimeSymbols().begin(), native::runtimeSymbols().end());
#define EMBER_TRACE_FUNCTION(NAME)                                             \
  symbols.emplace_back(#NAME, reinterpret_cast<void *>(&NAME));
#include "ember/Runtime/Symbols.def"
  return symbols;
}

/// Calls the kernel between the start and the end of collecting, if asked to.
static Error call(native::KernelEntry kernel, KernelArguments &arguments,
                  const RunOptions &options, bool collect) {
  ember_error error = {};
  const char *listing = options.trace.empty() ? nullptr : options.trace.c_str();
  if (collect && ember_trace_begin(listing, &error) != EMBER_OK)
    return makeError(error.message);
  ember_configure(&options.execution);
  int32_t status = kernel(arguments.getPointers().data(), &error);
  std::string message = error.message;
  if (collect && ember_trace_end(&error) != EMBER_OK && status == EMBER_OK)
    return makeError(error.message);
  return status == EMBER_OK ? Error::success() : makeError(message);
}

Error ember::runEntry(Source &source, Entry entry, KernelArguments &arguments,
                      const RunOptions &options) {
  ModuleOp module = source.getModule();
  std::string name = entry.function.getSymName().str();
  bool collect = !options.statistics.empty() || !options.trace.empty();
  if (Error error = isolate(module, entry.function))
    return error;
  // What runs here is for this machine, whatever the program was made for.
  CompileOptions compile = options.compile;
  compile.cpu = "native";
  compile.triple = "";
  compile.instrument = collect;
  if (Error error = setTarget(module, compile))
    return error;
  if (const KernelTarget *target = compile.target)
    if (Error error = lowerToStage(module, *findStage(target->stage), compile))
      return error;
  if (Error error = lowerToNative(module, compile))
    return error;

  native::JITOptions jitOptions;
  jitOptions.codeGen.optLevel = compile.optLevel;
  std::vector<std::pair<StringRef, void *>> symbols = getSymbols();
  jitOptions.symbols = symbols;
  auto jit = native::JIT::create(module, jitOptions);
  if (!jit)
    return jit.takeError();
  auto kernel = (*jit)->lookup(name);
  if (!kernel)
    return kernel.takeError();
  if (Error error = call(*kernel, arguments, options, collect))
    return error;
  if (options.statistics.empty())
    return Error::success();
  json::Value statistics =
      makeStatistics(name, std::move(entry.levels), runtime::traceTotals());
  return writeFile(options.statistics, [&](raw_ostream &os) {
    os << formatv("{0:2}", statistics) << "\n";
  });
}
