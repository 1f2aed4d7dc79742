//===- Simulation.cpp - Runs a program on a simulated machine -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Simulation/Simulation.h"

#include "Comparison.h"

#include "ember/Conversion/RingToTMU/Passes.h"
#include "ember/Dialect/Ember/Transforms/Passes.h"
#include "ember/Dialect/TMU/IR/TMU.h"
#include "ember/Driver/Files.h"
#include "ember/Pipelines/Pipelines.h"
#include "ember/Sim/Indirection/IndirectPrefetchEngine.h"
#include "ember/Sim/Machine/Machine.h"
#include "ember/Sim/TMU/TensorMarshalingUnit.h"
#include "ember/Simulation/GuestProcess.h"
#include "ember/Target/Native/JIT.h"
#include "ember/Target/Native/Lowering.h"
#include "ember/Target/Native/Passes.h"
#include "ember/Target/TMU/Configuration.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

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
                      target.getFirstCacheLines(), target.getStreamingStores(),
                      target.getStoreFence(), target.getGathers()));
  return Error::success();
}

/// Whether the order of additions in `module`, of the llvm dialect, is left to
/// the processor.
static bool mayReassociate(ModuleOp module) {
  WalkResult walk = module.walk([](LLVM::FastmathFlagsInterface op) {
    LLVM::FastmathFlagsAttr flags = op.getFastmathAttr();
    bool isFree = flags && bitEnumContainsAll(flags.getValue(),
                                              LLVM::FastmathFlags::reassoc);
    return isFree ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// Runs the lowered module on this processor.
static Error runHere(ModuleOp module, StringRef name, unsigned optLevel,
                     KernelArguments &arguments) {
  if (Error error = setTarget(module, TargetSpec()))
    return error;
  native::JITOptions options;
  options.codeGen.optLevel = optLevel;
  options.symbols = native::runtimeSymbols();
  auto jit = native::JIT::create(module, options);
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

/// True if some access program is what a unit loads already.
static bool configuresUnits(ModuleOp module) {
  WalkResult walk =
      module.walk([](tmu::ProgramOp) { return WalkResult::interrupt(); });
  return walk.wasInterrupted();
}

/// To the llvm dialect. `here` is the same for the comparison.
static Error lowerForCores(ModuleOp module, const SimulationOptions &options,
                           OwningOpRef<ModuleOp> &here) {
  const KernelTarget &target = *options.compile.target;
  if (configuresUnits(module))
    return makeError("the program is a configuration of access units, and the "
                     "machine's cores have none; give --unit=tmu");
  if (target.stage == "ring")
    return makeError("target '" + target.name +
                     "' is for threads of this machine; simulate target 'cpu'");
  if (Error error =
          lowerToStage(module, *findStage(target.stage), options.compile))
    return error;
  if (options.unit == SimulatedUnit::indirection) {
    here = module.clone();
    CompileOptions described = options.compile;
    described.describesLookups = true;
    if (Error error = lowerToNative(module, described))
      return error;
    return lowerToNative(*here, options.compile);
  }
  if (Error error = lowerToNative(module, options.compile))
    return error;
  here = module.clone();
  return Error::success();
}

/// Adds passes that map access programs to a unit.
static void addUnitPasses(PassManager &manager,
                          const sim::TMUParameters &parameters) {
  UnitOptions unit;
  unit.lanes = static_cast<int64_t>(parameters.lanes);
  unit.layers = static_cast<int64_t>(parameters.layers);
  unit.storage = static_cast<int64_t>(parameters.laneStorage);
  unit.requests = static_cast<int64_t>(parameters.outstanding);
  unit.chunk = static_cast<int64_t>(parameters.chunkBytes);
  unit.tokens = static_cast<int64_t>(parameters.tokenBytes);
  unit.computedQueues = parameters.computedQueues;
  buildDLCToTMUPipeline(manager, unit);
}

/// The same for cores beside units, and what these load. Here both programs
/// meet in the runtime's queues instead, unless they were given for a unit:
/// nothing else runs them.
static Error lowerForUnit(ModuleOp module, const SimulationOptions &options,
                          OwningOpRef<ModuleOp> &here,
                          std::string &configuration) {
  const Stage &separated = *findStage("dlc");
  CompileOptions parts = options.compile;
  parts.target = &getUnitTarget();
  if (!configuresUnits(module)) {
    here = module.clone();
    if (Error error = lowerToStage(*here, separated, parts))
      return error;
    if (Error error = lowerToNative(*here, options.compile))
      return error;
  }
  parts.parallelPrograms = options.machine.cores > 1;
  if (Error error = lowerToStage(module, separated, parts))
    return error;
  PassManager separation(module.getContext());
  // Stores of the unit are no operations behind this.
  separation.addPass(native::createAnnotateWrittenArguments());
  addUnitPasses(separation, options.machine.tmu);
  if (failed(separation.run(module)))
    return makeDiagnosedError();
  FailureOr<json::Value> programs = tmu::makeConfigurations(module);
  if (failed(programs))
    return makeDiagnosedError();
  configuration = formatv("{0}", *programs).str();
  PassManager manager(module.getContext());
  manager.addPass(createRingToTMU());
  if (failed(manager.run(module)))
    return makeDiagnosedError();
  return lowerToNative(module, options.compile);
}

namespace {
/// The units of all cores, and what they run.
struct Units {
  std::unique_ptr<sim::Configuration> programs;
  std::vector<std::unique_ptr<sim::AccessUnit>> units;
};
} // namespace

/// Puts `unit` beside a core of both halves of the simulation.
template <typename Unit>
static Error attach(std::unique_ptr<Unit> unit, unsigned core, StringRef kind,
                    sim::Machine &machine, GuestProcess &process,
                    Units &result) {
  if (Error error = process.attach(core, *unit))
    return error;
  machine.attach(core, *unit, kind);
  result.units.push_back(std::move(unit));
  return Error::success();
}

static Expected<Units> attachEngines(sim::Machine &machine,
                                     GuestProcess &process) {
  Units result;
  const sim::IndirectionParameters &parameters =
      machine.description().indirection;
  for (unsigned core = 0; core < process.coreCount(); ++core) {
    auto engine = std::make_unique<sim::IndirectPrefetchEngine>(
        "engine" + std::to_string(core), parameters,
        machine.unitPorts(core, /*outstanding=*/1), process.getMemory());
    if (Error error = attach(std::move(engine), core, "indirection", machine,
                             process, result))
      return std::move(error);
  }
  return std::move(result);
}

static Expected<Units> attachUnits(sim::Machine &machine, GuestProcess &process,
                                   StringRef configuration) {
  Units result;
  auto programs = sim::Configuration::parse(configuration);
  if (!programs)
    return programs.takeError();
  result.programs = std::make_unique<sim::Configuration>(std::move(*programs));
  const sim::TMUParameters &parameters = machine.description().tmu;
  for (const sim::TMUProgram &program : result.programs->programs)
    if (Error error = parameters.fits(program))
      return std::move(error);
  for (unsigned core = 0; core < process.coreCount(); ++core) {
    std::string name = "tmu" + std::to_string(core);
    auto unit = std::make_unique<sim::TensorMarshalingUnit>(
        name, parameters, machine.unitPorts(core, parameters.lines()),
        *result.programs, process.getMemory());
    if (Error error =
            attach(std::move(unit), core, "tmu", machine, process, result))
      return std::move(error);
  }
  return std::move(result);
}

namespace {
/// What is loaded into simulated cores and units.
struct Program {
  StringRef object;
  std::string entry;
  /// Of access units; empty where there are none.
  std::string configuration;
};

/// A machine with a program in it.
struct SimulatedRun {
  static Expected<std::unique_ptr<SimulatedRun>>
  create(const Program &program, const SimulationOptions &options);

  explicit SimulatedRun(const sim::MachineParameters &parameters)
      : machine(parameters) {}

  std::unique_ptr<GuestProcess> process;
  sim::Machine machine;
  Units units;
};
} // namespace

Expected<std::unique_ptr<SimulatedRun>>
SimulatedRun::create(const Program &program, const SimulationOptions &options) {
  auto process = GuestProcess::create(
      program.object, static_cast<unsigned>(options.machine.cores),
      static_cast<unsigned>(options.machine.vectorBytes));
  if (!process)
    return process.takeError();
  auto run = std::make_unique<SimulatedRun>(options.machine);
  run->process = std::move(*process);
  Expected<Units> units = Units();
  if (options.unit == SimulatedUnit::tmu)
    units = attachUnits(run->machine, *run->process, program.configuration);
  else if (options.unit == SimulatedUnit::indirection)
    units = attachEngines(run->machine, *run->process);
  if (!units)
    return units.takeError();
  run->units = std::move(*units);
  for (unsigned core = 0; core < run->process->coreCount(); ++core)
    run->machine.setProgram(core, run->process->getCore(core));
  return std::move(run);
}

namespace {
/// Files that are written while a machine runs, which they outlive.
struct Traces {
  std::unique_ptr<sim::PerfettoTrace> events;
  std::unique_ptr<sim::KonataTrace> pipeline;
};
} // namespace

static Expected<Traces> openTraces(const SimulationOptions &options) {
  Traces traces;
  const TraceOptions &trace = options.trace;
  if (!trace.events.empty()) {
    auto events = sim::PerfettoTrace::open(trace.events, trace.window);
    if (!events)
      return events.takeError();
    traces.events = std::move(*events);
  }
  if (!trace.pipeline.empty()) {
    auto pipeline = sim::KonataTrace::open(
        trace.pipeline, sim::Clock(options.machine.core.clockTicks),
        trace.window);
    if (!pipeline)
      return pipeline.takeError();
    traces.pipeline = std::move(*pipeline);
  }
  return std::move(traces);
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

/// Runs the program without time, and counts what it executes.
static Error countInstructions(const Program &program,
                               const SimulationOptions &options,
                               KernelArguments &arguments,
                               uint64_t &instructions) {
  auto run = SimulatedRun::create(program, options);
  if (!run)
    return run.takeError();
  std::vector<GuestValue> values = getGuestValues(arguments);
  GuestProcess &process = *(*run)->process;
  if (Error error =
          process.run(program.entry, values, [&] { return process.execute(); }))
    return error;
  instructions = (*run)->machine.executed();
  return (*run)->machine.takeErrors();
}

Expected<SimulationResult> ember::simulate(Source &source, Entry entry,
                                           SimulationArguments &arguments,
                                           const SimulationOptions &options,
                                           Progress &progress) {
  ModuleOp module = source.getModule();
  std::string name = entry.function.getSymName().str();
  if (Error error = isolate(module, entry.function))
    return std::move(error);
  if (Error error = setMachine(module, options))
    return std::move(error);
  OwningOpRef<ModuleOp> here;
  std::string configuration;
  bool hasPrograms = options.unit == SimulatedUnit::tmu;
  Error lowered = hasPrograms
                      ? lowerForUnit(module, options, here, configuration)
                      : lowerForCores(module, options, here);
  if (lowered)
    return std::move(lowered);
  native::CodeGenOptions codeGen;
  codeGen.optLevel = options.compile.optLevel;
  codeGen.unroll = options.compile.unroll;
  auto object =
      native::generateCode(module, native::CodeFormat::Object, codeGen);
  if (!object)
    return object.takeError();
  Program program = {*object, native::kernelEntrySymbol(name), configuration};
  Expected<Traces> traces = openTraces(options);
  if (!traces)
    return traces.takeError();
  uint64_t instructions = 0;
  if (arguments.counted)
    if (Error error = countInstructions(program, options, *arguments.counted,
                                        instructions))
      return std::move(error);
  auto set = SimulatedRun::create(program, options);
  if (!set)
    return set.takeError();
  sim::Machine &machine = (*set)->machine;
  if (traces->events)
    machine.trace(*traces->events);
  if (traces->pipeline)
    machine.trace(*traces->pipeline);

  std::optional<sim::SampledRun> sampled;
  if (options.sampling)
    sampled.emplace(machine, *options.sampling);
  auto begin = std::chrono::steady_clock::now();
  progress.begin(instructions);
  machine.listen([&](uint64_t executed) { progress.update(executed); });
  std::vector<GuestValue> values = getGuestValues(arguments.run);
  if (Error error = (*set)->process->run(program.entry, values, [&] {
        return sampled ? sampled->run() : machine.run();
      }))
    return std::move(error);
  progress.end();
  machine.drain();
  machine.endTrace();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  bool isCompared = arguments.reference && here;
  if (isCompared) {
    KernelArguments &reference = *arguments.reference;
    if (Error error = runHere(*here, name, options.compile.optLevel, reference))
      return std::move(error);
    if (Error error =
            compareValues(arguments.run, reference, mayReassociate(*here)))
      return std::move(error);
  }
  json::Object statistics = machine.statistics();
  if (sampled)
    statistics["sampled"] = sampled->toJSON();
  return SimulationResult{std::move((*set)->process), std::move(statistics),
                          seconds.count(), isCompared};
}
