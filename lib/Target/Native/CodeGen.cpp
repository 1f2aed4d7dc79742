//===- CodeGen.cpp - From the llvm dialect to LLVM IR, assembly, objects --===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Target/Native/CodeGen.h"
#include "SelectionDefects.h"
#include "VectorizerDefects.h"
#include "ember/Dialect/Ember/Transforms/Passes.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"

namespace ember::native {

llvm::Expected<std::string> findInstalledFile(llvm::StringRef name) {
  // Any address in the program serves to find it.
  static int anchor;
  std::string path = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  llvm::SmallString<256> folder(llvm::sys::path::parent_path(path));
  llvm::SmallString<256> beside(folder);
  llvm::sys::path::append(beside, name);
  llvm::SmallString<256> library(llvm::sys::path::parent_path(folder));
  llvm::sys::path::append(library, "lib", name);
  if (llvm::sys::fs::exists(library))
    return library.str().str();
  if (llvm::sys::fs::exists(beside))
    return beside.str().str();
  return llvm::createStringError("'" + name + "' is neither at " + library +
                                 " nor at " + beside);
}

/// Whether `module` calls functions that the queue bitcode defines.
static bool usesQueues(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return function.isDeclaration() &&
           (function.getName().starts_with("ember_data_") ||
            function.getName().starts_with("ember_token_"));
  });
}

/// Links the queue functions into `module`, so that they can be inlined.
static llvm::Error linkQueues(llvm::Module &module, llvm::StringRef path) {
  std::string file = path.str();
  if (file.empty()) {
    llvm::Expected<std::string> found = findInstalledFile("ember_queue.bc");
    if (!found)
      return found.takeError();
    file = *found;
  }
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return llvm::createStringError("cannot read '" + file +
                                   "': " + buffer.getError().message());
  auto queues = llvm::parseBitcodeFile(**buffer, module.getContext());
  if (!queues)
    return queues.takeError();
  (*queues)->setTargetTriple(module.getTargetTriple());
  (*queues)->setDataLayout(module.getDataLayout());
  // They were compiled for any processor of the architecture; a function is
  // inlined only into one with at least its own features and vector width.
  for (llvm::Function &function : **queues) {
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    function.removeFnAttr("tune-cpu");
    function.removeFnAttr("min-legal-vector-width");
  }
  if (llvm::Linker::linkModules(module, std::move(*queues),
                                llvm::Linker::Flags::LinkOnlyNeeded))
    return llvm::createStringError("cannot link '" + file +
                                   "' into the kernel");
  return llvm::Error::success();
}

/// Names the processor on every function, which is where the optimiser reads
/// it, and lets code use vectors of the width the processor prefers.
static void setProcessor(llvm::Module &module, llvm::TargetMachine &machine,
                         int64_t scalableBits) {
  std::string width =
      std::to_string(describeTarget(machine, scalableBits).vectorBits);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    if (!machine.getTargetFeatureString().empty())
      function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", width);
    if (scalableBits)
      setScalableBits(function, scalableBits);
  }
}

static bool usesScalableVectors(const llvm::Function &function) {
  auto isScalable = [](const llvm::Value &value) {
    return value.getType()->isScalableTy();
  };
  return function.getReturnType()->isScalableTy() ||
         llvm::any_of(function.args(), isScalable) ||
         llvm::any_of(llvm::instructions(function), isScalable);
}

/// Code generation would end the process on what the processor lacks.
static llvm::Error refuseScalableVectors(const llvm::Module &module,
                                         const llvm::TargetMachine &machine) {
  const llvm::Triple &triple = machine.getTargetTriple();
  const char *feature = triple.isAArch64() ? "+sve"
                        : triple.isRISCV() ? "+v"
                                           : nullptr;
  if (feature && machine.getMCSubtargetInfo()->checkFeatures(feature))
    return llvm::Error::success();
  std::string lacking = ("processors of " + triple.getArchName()).str();
  if (feature)
    lacking = ("processor '" + machine.getTargetCPU() + "'").str();
  for (const llvm::Function &function : module)
    if (usesScalableVectors(function))
      return llvm::createStringError(
          "'" + function.getName() +
          "' uses vectors of scalable length, which " + lacking + " do" +
          (feature ? "es" : "") + " not have");
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<llvm::Module>>
translateToLLVMIR(mlir::ModuleOp source, llvm::LLVMContext &context,
                  llvm::TargetMachine &machine, const CodeGenOptions &options) {
  mlir::registerBuiltinDialectTranslation(*source.getContext());
  mlir::registerLLVMDialectTranslation(*source.getContext());
  std::unique_ptr<llvm::Module> module =
      mlir::translateModuleToLLVMIR(source, context, "ember");
  if (!module)
    return llvm::createStringError(
        "the module cannot be translated to LLVM IR");
  module->setTargetTriple(machine.getTargetTriple());
  module->setDataLayout(machine.createDataLayout());
  if (llvm::Error error = refuseScalableVectors(*module, machine))
    return std::move(error);
  if (usesQueues(*module))
    if (llvm::Error error = linkQueues(*module, options.queueBitcode))
      return std::move(error);
  llvm::internalizeModule(*module, [](const llvm::GlobalValue &value) {
    return value.getName().starts_with("ember_kernel_");
  });
  setProcessor(*module, machine, getSpec(TargetAttr::of(source)).scalableBits);
  avoidSelectionCrashes(*module);
  return std::move(module);
}

/// Vectors of processors that there are.
static constexpr int64_t mostPackedBits = 512;

void optimizeLLVMIR(llvm::Module &module, llvm::TargetMachine &machine,
                    unsigned optLevel, bool unroll, bool packsScalars) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = optLevel >= 2;
  tuning.SLPVectorization = packsScalars && optLevel >= 2;
  tuning.LoopUnrolling = unroll;
  tuning.LoopInterleaving = unroll;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
        passes.addPass(SkipEndlessLoops());
      });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::OptimizationLevel level = levels[std::min(optLevel, 3u)];
  llvm::ModulePassManager passes =
      optLevel == 0 ? builder.buildO0DefaultPipeline(level)
                    : builder.buildPerModuleDefaultPipeline(level);
  // Says which masks are constants.
  if (optLevel == 0)
    passes.addPass(
        llvm::createModuleToFunctionPassAdaptor(llvm::InstSimplifyPass()));
  passes.run(module, modules);
  avoidWrongSelections(module, machine);
}

llvm::Error emitCode(llvm::Module &module, llvm::TargetMachine &machine,
                     CodeFormat format, llvm::raw_pwrite_stream &stream) {
  if (format == CodeFormat::LLVMIR) {
    module.print(stream, nullptr);
    return llvm::Error::success();
  }
  if (format == CodeFormat::Bitcode) {
    llvm::WriteBitcodeToFile(module, stream);
    return llvm::Error::success();
  }
  llvm::legacy::PassManager passes;
  auto fileType = format == CodeFormat::Assembly
                      ? llvm::CodeGenFileType::AssemblyFile
                      : llvm::CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, fileType))
    return llvm::createStringError("the target cannot write this kind of file");
  passes.run(module);
  return llvm::Error::success();
}

llvm::Expected<std::string> generateCode(mlir::ModuleOp source,
                                         CodeFormat format,
                                         const CodeGenOptions &options) {
  TargetAttr target = TargetAttr::of(source);
  auto machine = createTargetMachine(getSpec(target), options.optLevel);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  auto module = translateToLLVMIR(source, context, **machine, options);
  if (!module)
    return module.takeError();
  // LLVM's search for them takes minutes where lanes of vectors as wide as
  // simulated ones are inserted.
  bool packsScalars = target.getVectorBits() <= mostPackedBits;
  optimizeLLVMIR(**module, **machine, options.optLevel, options.unroll,
                 packsScalars);
  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream stream(code);
  if (llvm::Error error = emitCode(**module, **machine, format, stream))
    return std::move(error);
  return std::string(code.data(), code.size());
}

} // namespace ember::native
