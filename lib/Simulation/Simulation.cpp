//===- Simulation.cpp - Runs a program on a simulated machine -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Simulation/Simulation.h"

#include "Comparison.h"

#include "ember/Dialect/Ember/Transforms/Passes.h"
#include "ember/Driver/Files.h"
#include "ember/Sim/Machine/Machine.h"
#include "ember/Simulation/GuestProcess.h"
#include "ember/Target/Native/JIT.h"
#include "ember/Target/Native/Lowering.h"

#include <chrono>

using namespace llvm;
using namespace mlir;
using namespace ember;

/// Puts the machine's cores on the module, as what it is compiled for.
static Error setMachine(ModuleOp module, const SimulationOptions &options) {
  if (options.compile.mayAlias)
    module->setAttr(mayAliasAttr, UnitAttr::get(module.getContext()));
  const sim::MachineParameters &machine = options.machine;
  auto vectorBits = static_cast<int64_t>(machine.vectorBytes * 8);
  if (Error error = setTarget(module, getSimulatedCore(vectorBits)))
    return error;
  TargetAttr target = TargetAttr::of(module);
  module->setAttr(
      targetAttr,
      TargetAttr::get(module.getContext(), target.getTriple(), target.getCpu(),
                      target.getFeatures(), target.getVectorBits(),
                      target.getVectorRegisters(), sim::lineBytes,
                      static_cast<int64_t>(machine.l2.size),
                      static_cast<int64_t>(machine.l1d.mshrs),
                      target.getStreamingStores(), target.getStoreFence()));
  return Error::success();
}

/// Runs the lowered module on this processor.
static Error runHere(ModuleOp module, StringRef name, unsigned optLevel,
                     KernelArguments &arguments) {
  OwningOpRef<ModuleOp> copy(module.clone());
  if (Error error = setTarget(*copy, TargetSpec()))
    return error;
  native::JITOptions options;
  options.codeGen.optLevel = optLevel;
  options.symbols = native::runtimeSymbols();
  auto jit = native::JIT::create(*copy, options);
  if (!jit)
    return jit.takeError();
  auto kernel = (*jit)->lookup(name);
  if (!kernel)
    return kernel.takeError();
  ember_error error = {};
  if ((*kernel)(arguments.getPointers().data(), &error) != EMBER_OK)
    return makeError(error.message);
  return Error::success();
}

static std::vector<GuestValue> getGuestValues(KernelArguments &arguments) {
  std::vector<GuestValue> values;
  SmallVector<void *> pointers = arguments.getPointers();
  size_t parameters = arguments.getParameters().size();
  auto add = [&](const KernelValue &value) {
    GuestValue mine;
    mine.name = value.label;
    mine.words = {static_cast<int64_t *>(pointers[values.size()]),
                  value.words.size()};
    mine.isMemRef = value.isMemRef();
    mine.isResult = values.size() >= parameters;
    if (value.array)
      mine.bytes = static_cast<uint64_t>(value.array->getNumBytes());
    values.push_back(std::move(mine));
  };
  llvm::for_each(arguments.getParameters(), add);
  llvm::for_each(arguments.getResults(), add);
  return values;
}

Expected<SimulationResult> ember::simulate(Source &source, Entry entry,
                                           KernelArguments &arguments,
                                           KernelArguments *reference,
                                           const SimulationOptions &options) {
  ModuleOp module = source.getModule();
  std::string name = entry.function.getSymName().str();
  if (Error error = isolate(module, entry.function))
    return std::move(error);
  if (Error error = setMachine(module, options))
    return std::move(error);
  const KernelTarget &target = *options.compile.target;
  if (findStage(target.stage)->isDecoupled || target.stage == "ring")
    return makeError("target '" + target.name +
                     "' is for threads of this machine; simulate target 'cpu'");
  if (Error error =
          lowerToStage(module, *findStage(target.stage), options.compile))
    return std::move(error);
  if (Error error = lowerToNative(module, options.compile))
    return std::move(error);
  native::CodeGenOptions codeGen;
  codeGen.optLevel = options.compile.optLevel;
  codeGen.unroll = options.compile.unroll;
  auto object =
      native::generateCode(module, native::CodeFormat::Object, codeGen);
  if (!object)
    return object.takeError();
  auto process = GuestProcess::create(
      *object, static_cast<unsigned>(options.machine.cores),
      static_cast<unsigned>(options.machine.vectorBytes));
  if (!process)
    return process.takeError();
  sim::Machine machine(options.machine);
  for (unsigned core = 0; core < (*process)->coreCount(); ++core)
    machine.setProgram(core, (*process)->getCore(core));

  auto begin = std::chrono::steady_clock::now();
  std::vector<GuestValue> values = getGuestValues(arguments);
  if (Error error = (*process)->run(native::kernelEntrySymbol(name), values,
                                    [&] { return machine.run(); }))
    return std::move(error);
  machine.drain();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  if (reference) {
    if (Error error =
            runHere(module, name, options.compile.optLevel, *reference))
      return std::move(error);
    if (Error error = compareValues(arguments, *reference))
      return std::move(error);
  }
  return SimulationResult{std::move(*process), machine.statistics(),
                          seconds.count()};
}
