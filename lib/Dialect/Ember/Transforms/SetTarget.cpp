//===- SetTarget.cpp - Say in the module what its code is for -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place where a description of a processor becomes part of a program.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Ember/Transforms/Passes.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace ember;

namespace ember {
#define GEN_PASS_DEF_SETTARGET
#include "ember/Dialect/Ember/Transforms/Passes.h.inc"
} // namespace ember

TargetAttr ember::describe(const TargetInfo &target, MLIRContext *context) {
  return TargetAttr::get(
      context, target.triple, target.cpu, target.features, target.vectorBits,
      target.vectorRegisters,
      target.cacheLineBytes.value_or(GenericTarget::cacheLineBytes),
      target.secondCacheBytes.value_or(GenericTarget::secondCacheBytes),
      // No processor tells.
      GenericTarget::outstandingLines,
      target.firstCacheLines.value_or(GenericTarget::firstCacheLines),
      target.hasStreamingStores, target.storeFence, target.hasGathers);
}

TargetSpec ember::getSpec(TargetAttr target) {
  TargetSpec spec;
  spec.cpu = target.getCpu().str();
  spec.features = target.getFeatures().str();
  spec.triple = target.getTriple().str();
  // What every AArch64 processor has needs no saying.
  if (llvm::Triple(spec.triple).isAArch64() &&
      target.getVectorBits() > GenericTarget::vectorBits)
    spec.scalableBits = target.getVectorBits();
  return spec;
}

llvm::Error ember::setTarget(ModuleOp module, const TargetSpec &spec,
                             bool keep) {
  if (keep && module->hasAttr(targetAttr))
    return llvm::Error::success();
  llvm::Expected<TargetInfo> target = describeTarget(spec);
  if (!target)
    return target.takeError();
  module.getContext()->loadDialect<EmberDialect>();
  module->setAttr(targetAttr, describe(*target, module.getContext()));
  return llvm::Error::success();
}

void ember::addSetTarget(OpPassManager &manager, StringRef cpu,
                         StringRef triple, bool mayAlias) {
  SetTargetOptions target;
  target.cpu = cpu.str();
  target.triple = triple.str();
  target.keep = cpu.empty() && triple.empty();
  target.mayAlias = mayAlias;
  manager.addPass(createSetTarget(target));
}

namespace {
struct SetTarget : ember::impl::SetTargetBase<SetTarget> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

void SetTarget::runOnOperation() {
  ModuleOp module = getOperation();
  if (mayAlias)
    module->setAttr(mayAliasAttr, UnitAttr::get(&getContext()));
  if (cpu.empty() && triple.empty() && !keep) {
    module.emitError("set-target: name a processor with 'mcpu'; 'native' is "
                     "this machine's");
    return signalPassFailure();
  }
  TargetSpec spec;
  spec.cpu = cpu;
  spec.triple = triple;
  spec.features = features;
  spec.scalableBits = scalableBits;
  if (llvm::Error error = setTarget(module, spec, keep)) {
    module.emitError("set-target: ") << llvm::toString(std::move(error));
    signalPassFailure();
  }
}
