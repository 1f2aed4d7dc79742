//===- Compile.cpp - From a program to any of its stages ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which pipelines lead to which stage is in the table of levels.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Compile.h"
#include "ember/Conversion/SLCToSCF/Passes.h"
#include "ember/Dialect/Ember/Transforms/Passes.h"
#include "ember/Dialect/TMU/IR/TMU.h"
#include "ember/Driver/Files.h"
#include "ember/Driver/Manifest.h"
#include "ember/Pipelines/Pipelines.h"
#include "ember/Target/Native/CodeGen.h"
#include "ember/Target/Native/Link.h"
#include "ember/Target/Native/Lowering.h"
#include "ember/Target/Native/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace mlir;
using namespace ember;

std::string CompileOptions::toText() const {
  return formatv("target={0} O={1} vector-length={2} queue-capacity={3} "
                 "profile={4} prefetch-distance={5} unroll={6} "
                 "prefetch-lines={7} prefetch-level={8} prefetch-min-table={9} "
                 "stream-min-output={10} strip-rows={11} "
                 "parallel-programs={12} program-level={13} "
                 "leaves-loops={14} describes-lookups={15} lookup-level={16} "
                 "most-threads={17} share-loops={18} tile-bytes={19}",
                 target ? target->name : "none", optLevel, vectorLength,
                 queueCapacity.value_or(0), profileHash, prefetch.distance,
                 unroll, prefetch.lines, prefetch.level, prefetch.minTableBytes,
                 streamMinOutput, stripRows, parallelPrograms,
                 getProgramLevel(), leavesLoops, describesLookups,
                 lookupLevel ? static_cast<int>(*lookupLevel) : -1, mostThreads,
                 shareLoops, tileBytes);
}

static Error run(PassManager &manager, ModuleOp module) {
  return failed(manager.run(module)) ? makeDiagnosedError() : Error::success();
}

/// Adds the passes to `stage` from the first one on.
static void addPassesTo(const Stage &stage, OpPassManager &manager,
                        ModuleOp module, const CompileOptions &options) {
  if (!stage.from.empty())
    addPassesTo(*findStage(stage.from), manager, module, options);
  if (stage.addPasses)
    stage.addPasses(manager, module, options);
}

Error ember::lowerToStage(ModuleOp module, const Stage &stage,
                          const CompileOptions &options) {
  PassManager manager(module.getContext());
  CompileOptions used = options;
  if (stage.level == getUnitTarget().stage)
    used.target = &getUnitTarget();
  addPassesTo(stage, manager, module, used);
  return manager.empty() ? Error::success() : run(manager, module);
}

Error ember::setTarget(ModuleOp module, const CompileOptions &options) {
  if (options.mayAlias)
    module->setAttr(mayAliasAttr, UnitAttr::get(module.getContext()));
  TargetSpec target;
  target.cpu = options.cpu;
  target.triple = options.triple;
  bool isNamed = !options.cpu.empty() || !options.triple.empty();
  return setTarget(module, target, /*keep=*/!isNamed);
}

/// No processor has an access unit.
static Error refuseAccessUnit(ModuleOp module) {
  WalkResult walk = module.walk([](tmu::ProgramOp program) {
    program.emitOpError("needs a Tensor Marshaling Unit, which no processor "
                        "that code is made for has; --emit=tmu-config is what "
                        "a simulator loads");
    return WalkResult::interrupt();
  });
  return walk.wasInterrupted() ? makeDiagnosedError() : Error::success();
}

Error ember::lowerToNative(ModuleOp module, const CompileOptions &options) {
  if (Error error = refuseAccessUnit(module))
    return error;
  PassManager manager(module.getContext());
  manager.addPass(native::createAnnotateWrittenArguments());
  ConvertSLCToSCFOptions recoupling;
  recoupling.instrument = options.instrument;
  manager.addPass(createConvertSLCToSCF(recoupling));
  QueueOptions queues;
  queues.instrument = options.instrument;
  queues.queueCapacity = options.queueCapacity.value_or(0);
  buildDLCToLLVMPipeline(manager, queues);
  native::LoweringOptions lowering;
  lowering.optLevel = options.optLevel;
  lowering.leavesLoops = options.leavesLoops;
  lowering.describesLookups = options.describesLookups;
  lowering.prefetch = options.prefetch;
  lowering.streamMinOutput = options.streamMinOutput;
  lowering.unroll = options.unroll;
  lowering.stripRows = options.stripRows;
  native::buildLoweringPipeline(manager, lowering);
  return run(manager, module);
}

/// From any level to the llvm dialect, by way of the target's stage.
static Error lowerToLLVMDialect(ModuleOp module,
                                const CompileOptions &options) {
  if (Error error =
          lowerToStage(module, *findStage(options.target->stage), options))
    return error;
  return lowerToNative(module, options);
}

/// Code of the lowered module.
static Expected<std::string> generate(ModuleOp module,
                                      native::CodeFormat format,
                                      const CompileOptions &options) {
  native::CodeGenOptions codeGen;
  codeGen.optLevel = options.optLevel;
  codeGen.unroll = options.unroll;
  return native::generateCode(module, format, codeGen);
}

Expected<std::string> ember::compileToStage(Source &source, const Stage &stage,
                                            const CompileOptions &options,
                                            bool locations) {
  ModuleOp module = source.getModule();
  if (stage.isProgram()) {
    if (Error error = lowerToStage(module, stage, options))
      return std::move(error);
    std::string text;
    raw_string_ostream os(text);
    OpPrintingFlags flags;
    if (locations)
      // In place, not as names that are defined at the end.
      flags.enableDebugInfo().useLocalScope();
    module.print(os, flags);
    os << "\n";
    return text;
  }
  if (stage.describe) {
    if (Error error =
            lowerToStage(module, *findStage(stage.describes), options))
      return std::move(error);
    return stage.describe(module);
  }
  if (Error error = lowerToLLVMDialect(module, options))
    return std::move(error);
  return generate(module, *stage.format, options);
}

Error ember::compileKernel(Source &source, const CompileOptions &options,
                           StringRef folder) {
  auto target = TargetAttr::of(source.getModule());
  Expected<TargetInfo> info = describeTarget(getSpec(target));
  if (!info)
    return info.takeError();
  if (!isHostTriple(info->triple))
    return makeError("a kernel library for " + info->triple +
                     " would need Ember's runtime for it: write an object or "
                     "assembly, with --emit=obj or --emit=asm");
  // Where arguments are memrefs, as the kernel takes them.
  if (Error error = lowerToStage(source.getModule(), getLoopStage(), options))
    return error;
  json::Array entries = describeEntries(source.getModule());
  if (entries.empty())
    return makeError("the module has no public function with a body");
  Expected<std::string> object =
      compileToStage(source, *findStage("obj"), options);
  if (!object)
    return object.takeError();
  SmallString<256> library(folder);
  sys::path::append(library, "kernel.so");
  if (Error error = native::linkObjectCode(*object, library))
    return error;

  KernelDescription description;
  description.target = options.target->name;
  description.optLevel = options.optLevel;
  description.cpu = info->cpu;
  description.features = info->allFeatures;
  description.vectorLength =
      options.vectorLength > 0
          ? options.vectorLength
          : std::max<int64_t>(target.getVectorBits() / 32, 1);
  description.queueCapacity = options.queueCapacity;
  description.remarks = source.getRemarks();
  description.decisions = source.getDecisions().getAll();
  json::Value manifest = makeManifest(description, std::move(entries));
  SmallString<256> path(folder);
  sys::path::append(path, "kernel.json");
  return writeFile(
      path, [&](raw_ostream &os) { os << formatv("{0:2}", manifest) << "\n"; });
}
