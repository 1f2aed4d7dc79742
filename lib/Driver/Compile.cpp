//===- Compile.cpp - From a program to any of its stages ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipelines themselves are defined once, in lib/Pipelines; this file says
// which of them lead to which stage.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Compile.h"
#include "ember/Conversion/DLCToLLVM/Passes.h"
#include "ember/Conversion/SLCToSCF/Passes.h"
#include "ember/Driver/Files.h"
#include "ember/Driver/Manifest.h"
#include "ember/Pipelines/Pipelines.h"
#include "ember/Target/Native/CodeGen.h"
#include "ember/Target/Native/Link.h"
#include "ember/Target/Native/Lowering.h"
#include "ember/Target/Native/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace mlir;
using namespace ember;

std::optional<KernelTarget> ember::parseKernelTarget(StringRef name) {
  return llvm::StringSwitch<std::optional<KernelTarget>>(name)
      .Case("cpu", KernelTarget::CPU)
      .Case("dae-threads", KernelTarget::DAEThreads)
      .Default(std::nullopt);
}

StringRef ember::getName(KernelTarget target) {
  return target == KernelTarget::CPU ? "cpu" : "dae-threads";
}

std::optional<Stage> ember::parseStage(StringRef name) {
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Case("loops", Stage::Loops)
      .Case("scf", Stage::SCF)
      .Case("slc", Stage::SLC)
      .Case("slcv", Stage::SLCV)
      .Case("dlc", Stage::DLC)
      .Case("llvm", Stage::LLVM)
      .Case("asm", Stage::Assembly)
      .Case("obj", Stage::Object)
      .Case("lib", Stage::Library)
      .Default(std::nullopt);
}

std::string CompileOptions::toText() const {
  return formatv("target={0} O={1} vector-length={2} may-alias={3} "
                 "queue-capacity={4} profile={5} prefetch-distance={6} "
                 "unroll={7} prefetch-lines={8} prefetch-level={9} "
                 "prefetch-min-table={10} stream-min-output={11} "
                 "strip-rows={12}",
                 getName(target), optLevel, vectorLength, mayAlias,
                 queueCapacity.value_or(0), profileHash, prefetch.distance,
                 unroll, prefetch.lines, prefetch.level, prefetch.minTableBytes,
                 streamMinOutput, stripRows);
}

static Error run(PassManager &manager, ModuleOp module) {
  return failed(manager.run(module)) ? makeDiagnosedError() : Error::success();
}

Error ember::lowerToStage(ModuleOp module, Stage stage,
                          const CompileOptions &options) {
  // What is parsed is loops already.
  if (stage == Stage::Loops)
    return Error::success();
  PassManager manager(module.getContext());
  manager.addPass(native::createAnnotateWrittenArguments());
  DecouplingOptions decoupling;
  decoupling.mayAlias = options.mayAlias;
  buildSCFToSLCPipeline(manager, decoupling);
  if (stage != Stage::SLC) {
    OptimizationOptions optimization;
    optimization.optLevel = static_cast<OptimizationLevel>(options.optLevel);
    optimization.vectorLength = options.vectorLength;
    optimization.cpu = options.cpu;
    optimization.triple = options.triple;
    optimization.mayAlias = options.mayAlias;
    // A core reads through all its caches.
    if (options.target == KernelTarget::CPU)
      optimization.lookupLevel = LookupLevel::none;
    buildOptimizationPipeline(manager, optimization);
  }
  if (stage == Stage::DLC) {
    SeparationOptions separation;
    separation.optLevel = static_cast<OptimizationLevel>(options.optLevel);
    separation.profile = options.profile;
    buildSLCToDLCPipeline(manager, separation);
  }
  if (stage == Stage::SCF) {
    manager.addPass(createConvertSLCToSCF());
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCSEPass());
  }
  return run(manager, module);
}

TargetSpec ember::getTargetSpec(const CompileOptions &options) {
  TargetSpec target;
  target.cpu = options.cpu;
  target.triple = options.triple;
  return target;
}

Error ember::lowerToNative(ModuleOp module, const CompileOptions &options,
                           bool instrument) {
  Expected<TargetInfo> info = describeTarget(getTargetSpec(options));
  if (!info)
    return info.takeError();
  PassManager manager(module.getContext());
  manager.addPass(native::createAnnotateWrittenArguments());
  ConvertSLCToSCFOptions recoupling;
  recoupling.instrument = instrument;
  manager.addPass(createConvertSLCToSCF(recoupling));
  ConvertDLCToLLVMOptions separation;
  separation.instrument = instrument;
  separation.queueCapacity = options.queueCapacity.value_or(0);
  manager.addPass(createConvertDLCToLLVM(separation));
  native::LoweringOptions lowering;
  lowering.optLevel = options.optLevel;
  lowering.mayAlias = options.mayAlias;
  lowering.vectorRegisters = info->vectorRegisters;
  lowering.vectorBits = info->vectorBits;
  lowering.cacheLineBytes = info->cacheLineBytes;
  lowering.outstandingLines = info->outstandingLines;
  lowering.prefetch = options.prefetch;
  lowering.secondCacheBytes = info->secondCacheBytes;
  lowering.streamMinOutput =
      info->hasStreamingStores ? options.streamMinOutput : 0;
  lowering.storeFence = info->storeFence;
  lowering.unroll = options.unroll;
  lowering.stripRows = options.stripRows;
  native::buildLoweringPipeline(manager, lowering);
  return run(manager, module);
}

/// From any level to the llvm dialect, by way of the target's stage.
static Error lowerToLLVMDialect(ModuleOp module,
                                const CompileOptions &options) {
  bool isDecoupled = options.target == KernelTarget::DAEThreads;
  if (Error error =
          lowerToStage(module, isDecoupled ? Stage::DLC : Stage::SCF, options))
    return error;
  return lowerToNative(module, options, /*instrument=*/false);
}

/// Code of the lowered module.
static Expected<std::string> generate(ModuleOp module, Stage stage,
                                      const CompileOptions &options) {
  auto format = stage == Stage::LLVM       ? native::CodeFormat::LLVMIR
                : stage == Stage::Assembly ? native::CodeFormat::Assembly
                                           : native::CodeFormat::Object;
  native::CodeGenOptions codeGen;
  codeGen.optLevel = options.optLevel;
  codeGen.unroll = options.unroll;
  return native::generateCode(module, getTargetSpec(options), format, codeGen);
}

Expected<std::string> ember::compileToStage(Source &source, Stage stage,
                                            const CompileOptions &options,
                                            bool locations) {
  ModuleOp module = source.getModule();
  if (stage < Stage::LLVM) {
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
  if (Error error = lowerToLLVMDialect(module, options))
    return std::move(error);
  return generate(module, stage, options);
}

Error ember::compileKernel(Source &source, const CompileOptions &options,
                           StringRef folder) {
  Expected<TargetInfo> info = describeTarget(getTargetSpec(options));
  if (!info)
    return info.takeError();
  if (!isHostTriple(info->triple))
    return makeError("a kernel library for " + info->triple +
                     " would need Ember's runtime for it: write an object or "
                     "assembly, with --emit=obj or --emit=asm");
  json::Array entries = describeEntries(source.getModule());
  if (entries.empty())
    return makeError("the module has no public function with a body");
  Expected<std::string> object = compileToStage(source, Stage::Object, options);
  if (!object)
    return object.takeError();
  SmallString<256> library(folder);
  sys::path::append(library, "kernel.so");
  if (Error error = native::linkObjectCode(*object, library))
    return error;

  KernelDescription description;
  description.target = getName(options.target);
  description.optLevel = options.optLevel;
  description.cpu = info->cpu;
  description.features = info->features;
  description.vectorLength =
      options.vectorLength > 0 ? options.vectorLength : info->lanes(32);
  description.queueCapacity = options.queueCapacity;
  description.remarks = source.getRemarks();
  json::Value manifest = makeManifest(description, std::move(entries));
  SmallString<256> path(folder);
  sys::path::append(path, "kernel.json");
  return writeFile(
      path, [&](raw_ostream &os) { os << formatv("{0:2}", manifest) << "\n"; });
}
