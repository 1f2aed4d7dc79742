//===- TargetInfo.cpp - What code is generated for ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Target/Processor/TargetInfo.h"
#include "HostCaches.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include <map>
#include <mutex>

namespace ember {

/// What `vscale` counts.
static constexpr int64_t scalableUnit = 128;

/// Registers the backend of `triple`, once per process.
static void initializeBackend(const llvm::Triple &triple) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (triple.isX86()) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  } else if (triple.isAArch64()) {
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
  } else {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  }
}

/// The host's features that the name `cpu` does not tell: short, so that
/// modules which name their target stay readable.
static std::string hostFeatures(const llvm::Target &target,
                                const llvm::Triple &triple,
                                llvm::StringRef cpu) {
  using Subtarget = std::unique_ptr<llvm::MCSubtargetInfo>;
  Subtarget named(target.createMCSubtargetInfo(triple, cpu, ""));
  std::map<std::string, bool> present;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    present[feature.getKey().str()] = feature.getValue();
  llvm::SubtargetFeatures all, others;
  for (const auto &[name, isPresent] : present) {
    all.AddFeature(name, isPresent);
    if (!named || !named->checkFeatures((isPresent ? "+" : "-") + name))
      others.AddFeature(name, isPresent);
  }
  // A feature that is taken away may take others along.
  Subtarget full(target.createMCSubtargetInfo(triple, cpu, all.getString()));
  Subtarget brief(
      target.createMCSubtargetInfo(triple, cpu, others.getString()));
  bool isSame =
      full && brief && full->getFeatureBits() == brief->getFeatureBits();
  return isSame ? others.getString() : all.getString();
}

static llvm::CodeGenOptLevel codeGenLevel(unsigned optLevel) {
  switch (optLevel) {
  // At "none", the fast instruction selector of LLVM 22 folds the load of one
  // number into a blend of four on x86, which reads past the end of arrays.
  case 0:
  case 1:
    return llvm::CodeGenOptLevel::Less;
  case 2:
    return llvm::CodeGenOptLevel::Default;
  default:
    return llvm::CodeGenOptLevel::Aggressive;
  }
}

/// Whether the backend of `triple` knows the processor.
static bool isProcessorOf(const llvm::Triple &triple, llvm::StringRef cpu) {
  initializeBackend(triple);
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return false;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, "", ""));
  return subtarget && subtarget->isCPUStringValid(cpu);
}

/// The triple of `spec`: a processor that the host's architecture does not
/// have names its own. Names that several have ("generic") are the host's.
static llvm::Triple getTriple(const TargetSpec &spec, bool native) {
  if (!spec.triple.empty())
    return llvm::Triple(llvm::Triple::normalize(spec.triple));
  llvm::Triple host(llvm::sys::getProcessTriple());
  if (native || isProcessorOf(host, spec.cpu))
    return host;
  for (llvm::StringRef name :
       {"x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"}) {
    llvm::Triple triple(name);
    if (isProcessorOf(triple, spec.cpu))
      return triple;
  }
  return host;
}

bool isHostTriple(llvm::StringRef name) {
  llvm::Triple triple(name), host(llvm::sys::getProcessTriple());
  return triple.getArch() == host.getArch() && triple.getOS() == host.getOS();
}

/// What of `triple` Ember's kernels, or LLVM, are not made for; success for the
/// rest. LLVM would end the process, or write something else.
static llvm::Error checkTriple(const llvm::Triple &triple) {
  bool isPlain = triple.isArch64Bit() && triple.isLittleEndian() &&
                 triple.getEnvironment() != llvm::Triple::GNUX32 &&
                 triple.getEnvironment() != llvm::Triple::GNUILP32;
  if (!isPlain)
    return llvm::createStringError(
        "target '" + triple.str() +
        "' is none of 64-bit addresses and little-endian numbers");
  if (!triple.isOSBinFormatELF() && !triple.isOSBinFormatMachO() &&
      !triple.isOSBinFormatCOFF())
    return llvm::createStringError("target '" + triple.str() +
                                   "' has no object files of ELF, Mach-O or "
                                   "COFF");
  return llvm::Error::success();
}

/// Whether LLVM knows the processor and the features.
static llvm::Error checkNames(const llvm::MCSubtargetInfo &known,
                              llvm::StringRef cpu, llvm::StringRef features) {
  llvm::StringRef architecture = known.getTargetTriple().getArchName();
  if (!known.isCPUStringValid(cpu))
    return llvm::createStringError("unknown processor '" + cpu + "' for " +
                                   architecture);
  llvm::SubtargetFeatures listed(features);
  for (const std::string &feature : listed.getFeatures()) {
    if (!llvm::SubtargetFeatures::hasFlag(feature))
      return llvm::createStringError("feature '" + feature +
                                     "' begins with neither '+' nor '-'");
    llvm::StringRef name = llvm::SubtargetFeatures::StripFlag(feature);
    if (llvm::none_of(known.getAllProcessorFeatures(),
                      [&](const auto &row) { return name == row.Key; }))
      return llvm::createStringError("unknown feature '" + name + "' for " +
                                     architecture);
  }
  return llvm::Error::success();
}

/// Whether the processor has what code for its architecture is never without:
/// addresses, and the registers that calls pass numbers in.
static llvm::Error checkNeeds(const llvm::MCSubtargetInfo &subtarget,
                              llvm::StringRef features) {
  const llvm::Triple &triple = subtarget.getTargetTriple();
  llvm::StringRef needs, words;
  if (triple.getArch() == llvm::Triple::x86_64) {
    needs = "+64bit,+64bit-mode,-32bit-mode,-16bit-mode,+sse2";
    words = "64-bit mode and SSE2";
  } else if (triple.isAArch64()) {
    needs = "+neon";
    words = "NEON";
  }
  if (subtarget.checkFeatures(needs))
    return llvm::Error::success();
  std::string beside = (" with '" + features + "'").str();
  return llvm::createStringError("processor '" + subtarget.getCPU() + "'" +
                                 (features.empty() ? "" : beside) +
                                 " lacks what code for " +
                                 triple.getArchName() + " needs: " + words);
}

/// What SVE's registers may have: 128 to 2048 bits, a power of two.
static llvm::Error checkScalableBits(const llvm::MCSubtargetInfo &subtarget,
                                     int64_t bits) {
  if (!bits)
    return llvm::Error::success();
  if (!subtarget.getTargetTriple().isAArch64() ||
      !subtarget.checkFeatures("+sve"))
    return llvm::createStringError("processor '" + subtarget.getCPU() +
                                   "' has no vector registers of a width that "
                                   "can be chosen");
  if (bits < scalableUnit || bits > 2048 || !llvm::isPowerOf2_64(bits))
    return llvm::createStringError(
        "vector registers of " + llvm::Twine(bits) +
        " bits: SVE has powers of two from 128 to 2048");
  return llvm::Error::success();
}

/// Whether code is for the processor that this runs on.
static bool isNative(const TargetSpec &spec) {
  return spec.cpu.empty() || spec.cpu == "native";
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const TargetSpec &spec, unsigned optLevel) {
  bool native = isNative(spec);
  if (native && !spec.triple.empty() && !isHostTriple(spec.triple))
    return llvm::createStringError("the processor is to be this machine's, but "
                                   "the target '" +
                                   spec.triple + "' is another one: name its " +
                                   "processor, or 'generic'");
  llvm::Triple triple = getTriple(spec, native);
  initializeBackend(triple);
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError("no code generator for target '" +
                                   triple.str() + "': " + error);
  if (llvm::Error error = checkTriple(triple))
    return std::move(error);

  std::string cpu = native ? llvm::sys::getHostCPUName().str() : spec.cpu;
  using Subtarget = std::unique_ptr<llvm::MCSubtargetInfo>;
  Subtarget known(target->createMCSubtargetInfo(triple, "", ""));
  // A host that LLVM has no name for has features nevertheless.
  if (llvm::Error error =
          checkNames(*known, native ? "generic" : cpu, spec.features))
    return std::move(error);
  std::string features = native ? hostFeatures(*target, triple, cpu) : "";
  if (!spec.features.empty())
    features += (features.empty() ? "" : ",") + spec.features;
  Subtarget subtarget(target->createMCSubtargetInfo(triple, cpu, features));
  if (llvm::Error error = checkNeeds(*subtarget, spec.features))
    return std::move(error);
  if (llvm::Error error = checkScalableBits(*subtarget, spec.scalableBits))
    return std::move(error);

  llvm::TargetOptions options;
  // Fused multiply-adds would round differently at different levels.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, cpu, features, options, llvm::Reloc::PIC_, std::nullopt,
      codeGenLevel(optLevel)));
  if (!machine)
    return llvm::createStringError("cannot generate code for target '" +
                                   triple.str() + "'");
  return machine;
}

/// All features of a processor that its name and extra ones give it.
static std::string getAllFeatures(const llvm::MCSubtargetInfo &subtarget) {
  llvm::SubtargetFeatures features;
  for (const auto &feature : subtarget.getEnabledProcessorFeatures())
    features.AddFeature(feature.Key);
  return features.getString();
}

TargetSpec getSimulatedCore(int64_t vectorBits) {
  TargetSpec spec;
  spec.triple = "aarch64-unknown-linux-gnu";
  spec.cpu = "neoverse-n1";
  if (vectorBits > scalableUnit) {
    spec.features = "+sve";
    spec.scalableBits = vectorBits;
  }
  return spec;
}

void setScalableBits(llvm::Function &function, int64_t scalableBits) {
  auto scale = static_cast<unsigned>(scalableBits / scalableUnit);
  function.addFnAttr(llvm::Attribute::getWithVScaleRangeArgs(
      function.getContext(), scale, scale));
}

TargetInfo describeTarget(llvm::TargetMachine &machine, int64_t scalableBits) {
  TargetInfo info;
  info.triple = machine.getTargetTriple().str();
  info.cpu = machine.getTargetCPU().str();
  info.features = machine.getTargetFeatureString().str();
  info.allFeatures = getAllFeatures(*machine.getMCSubtargetInfo());

  // The cost model answers for a function: an empty one will do.
  llvm::LLVMContext context;
  llvm::Module module("target", context);
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  llvm::Function *function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
      llvm::GlobalValue::ExternalLinkage, "probe", module);
  // For code with few vector operations LLVM prefers half of what AVX-512 has.
  // Rows are loaded, added and little else, which whole registers do faster.
  function->addFnAttr("prefer-vector-width", "512");
  if (scalableBits)
    setScalableBits(*function, scalableBits);
  llvm::TargetTransformInfo costs = machine.getTargetTransformInfo(*function);
  info.vectorBits =
      costs.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector)
          .getFixedValue();
  info.vectorRegisters =
      costs.getNumberOfRegisters(costs.getRegisterClassForType(true));
  if (unsigned line = costs.getCacheLineSize())
    info.cacheLineBytes = line;
  // Measured (docs/performance.md): no processor tells.
  if (info.cpu == "znver5")
    info.firstCacheLines = 32;
  const llvm::Triple &triple = machine.getTargetTriple();
  info.hasStreamingStores =
      triple.getArch() == llvm::Triple::x86_64 || triple.isAArch64();
  // Of AArch64's stores none is ordered with others but by what all need.
  if (triple.isX86())
    info.storeFence = "llvm.x86.sse.sfence";
  constexpr unsigned laneBits = 32;
  if (auto lanes = static_cast<unsigned>(info.vectorBits / laneBits))
    info.hasGathers = costs.isLegalMaskedGather(
        llvm::FixedVectorType::get(llvm::Type::getFloatTy(context), lanes),
        llvm::Align(laneBits / 8));
  return info;
}

llvm::Expected<TargetInfo> describeTarget(const TargetSpec &spec) {
  auto machine = createTargetMachine(spec);
  if (!machine)
    return machine.takeError();
  TargetInfo info = describeTarget(**machine, spec.scalableBits);
  if (isNative(spec))
    info.secondCacheBytes = hostSecondCacheBytes();
  return info;
}

} // namespace ember
