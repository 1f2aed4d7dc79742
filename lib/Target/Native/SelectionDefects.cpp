//===- SelectionDefects.cpp - What LLVM 22 selects wrongly ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SelectionDefects.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"
#include <numeric>

namespace ember::native {

/// No load of ordinary memory on x86 is non-temporal in effect, and LLVM 22's
/// instruction selection crashes where such a load would become part of a
/// broadcast.
static void dropNontemporalLoads(llvm::Module &module) {
  if (!module.getTargetTriple().isX86())
    return;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (llvm::isa<llvm::LoadInst>(instruction))
        instruction.setMetadata(llvm::LLVMContext::MD_nontemporal, nullptr);
}

/// A value with twice as many lanes, of which the upper ones are zeros.
static llvm::Value *padWithZeros(llvm::IRBuilder<> &builder,
                                 llvm::Value *value) {
  auto *type = llvm::cast<llvm::FixedVectorType>(value->getType());
  auto *off = llvm::Constant::getNullValue(type);
  llvm::SmallVector<int> lanes(2 * type->getNumElements());
  std::iota(lanes.begin(), lanes.end(), 0);
  return builder.CreateShuffleVector(value, off, lanes);
}

/// The same, of a mask of eight lanes, by an instruction that nothing takes for
/// a copy.
static llvm::Value *clearUpperLanes(llvm::IRBuilder<> &builder,
                                    llvm::Value *mask) {
  llvm::Value *bits = builder.CreateBitCast(mask, builder.getInt8Ty());
  llvm::Value *cleared = builder.CreateIntrinsic(
      llvm::Intrinsic::x86_bmi_bzhi_32, {},
      {builder.CreateZExt(bits, builder.getInt32Ty()), builder.getInt32(8)});
  return builder.CreateBitCast(
      builder.CreateTrunc(cleared, builder.getInt16Ty()),
      llvm::FixedVectorType::get(builder.getInt1Ty(), 16));
}

/// The same access by twice as many lanes, of which the upper half is off.
static void widenLanes(
    llvm::IntrinsicInst &access,
    llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &, llvm::Value *mask)>
        widenMask = padWithZeros) {
  llvm::IRBuilder<> builder(&access);
  bool isLoad = access.getIntrinsicID() == llvm::Intrinsic::masked_load;
  unsigned pointer = isLoad ? 0 : 1;
  llvm::Value *address = access.getArgOperand(pointer);
  llvm::Align alignment = access.getParamAlign(pointer).valueOrOne();
  llvm::Value *mask = widenMask(builder, access.getArgOperand(pointer + 1));
  if (!isLoad) {
    builder.CreateMaskedStore(padWithZeros(builder, access.getArgOperand(0)),
                              address, alignment, mask);
  } else {
    llvm::Value *otherwise = padWithZeros(builder, access.getArgOperand(2));
    llvm::Value *wide = builder.CreateMaskedLoad(otherwise->getType(), address,
                                                 alignment, mask, otherwise);
    unsigned lanes =
        llvm::cast<llvm::FixedVectorType>(access.getType())->getNumElements();
    access.replaceAllUsesWith(builder.CreateShuffleVector(
        wide, llvm::to_vector(llvm::seq<int>(0, lanes))));
  }
  access.eraseFromParent();
}

/// Calls `rewrite` for each masked load and store of a vector, with its mask.
static void forEachMasked(
    llvm::Module &module,
    llvm::function_ref<void(llvm::IntrinsicInst &, llvm::FixedVectorType &,
                            llvm::Value &mask)>
        rewrite) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!access)
        continue;
      bool isLoad = access->getIntrinsicID() == llvm::Intrinsic::masked_load;
      if (!isLoad && access->getIntrinsicID() != llvm::Intrinsic::masked_store)
        continue;
      llvm::Type *type =
          isLoad ? access->getType() : access->getArgOperand(0)->getType();
      if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
        rewrite(*access, *vector, *access->getArgOperand(isLoad ? 1 : 2));
    }
}

/// LLVM 22 ends the process where it selects instructions of AArch64 for masked
/// accesses by one lane.
static void widenSingleLanes(llvm::Module &module) {
  if (!module.getTargetTriple().isAArch64())
    return;
  forEachMasked(module, [](llvm::IntrinsicInst &access,
                           llvm::FixedVectorType &type, llvm::Value &) {
    if (type.getNumElements() == 1)
      widenLanes(access);
  });
}

void avoidSelectionCrashes(llvm::Module &module) {
  dropNontemporalLoads(module);
  widenSingleLanes(module);
}

/// The number of the only lane that is on in a constant mask.
static std::optional<unsigned> findOnlyLane(const llvm::Value *value) {
  const auto *mask = llvm::dyn_cast<llvm::Constant>(value);
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  if (!mask || !type)
    return std::nullopt;
  std::optional<unsigned> only;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    const llvm::Constant *element = mask->getAggregateElement(lane);
    if (element &&
        (element->isNullValue() || llvm::isa<llvm::UndefValue>(element)))
      continue;
    if (only || !element || !element->isOneValue())
      return std::nullopt;
    only = lane;
  }
  return only;
}

static void splitSingleLanes(llvm::Module &module) {
  const llvm::DataLayout &layout = module.getDataLayout();
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!access || access->getIntrinsicID() != llvm::Intrinsic::masked_store)
        continue;
      std::optional<unsigned> lane = findOnlyLane(access->getArgOperand(2));
      if (!lane)
        continue;
      llvm::IRBuilder<> builder(access);
      llvm::Value *element =
          builder.CreateExtractElement(access->getArgOperand(0), *lane);
      uint64_t offset = *lane * layout.getTypeStoreSize(element->getType());
      llvm::Align alignment =
          llvm::commonAlignment(access->getParamAlign(1).valueOrOne(), offset);
      llvm::StoreInst *store = builder.CreateAlignedStore(
          element,
          builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(),
                                             access->getArgOperand(1), offset),
          alignment);
      store->copyMetadata(*access);
      access->eraseFromParent();
    }
}

static void widenByteAccesses(llvm::Module &module) {
  forEachMasked(module, [](llvm::IntrinsicInst &access,
                           llvm::FixedVectorType &type, llvm::Value &mask) {
    if (type.getNumElements() == 8 && type.getScalarSizeInBits() == 8 &&
        !llvm::isa<llvm::Constant>(mask))
      widenLanes(access, clearUpperLanes);
  });
}

/// The value of which `instruction` is the negative, or null.
static llvm::Value *findNegated(llvm::Instruction &instruction) {
  using namespace llvm::PatternMatch;
  llvm::Value *negated = nullptr;
  if (match(&instruction, m_FNeg(m_Value(negated))) ||
      match(&instruction, m_FMul(m_Value(negated), m_SpecificFP(-1.0))))
    return negated;
  return nullptr;
}

/// Whether `value` is, or may become, a product and a sum in one.
static bool mayBeFused(const llvm::Value *value) {
  if (const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(value))
    return call->getIntrinsicID() == llvm::Intrinsic::fma ||
           call->getIntrinsicID() == llvm::Intrinsic::fmuladd;
  const auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
  return sum &&
         (sum->getOpcode() == llvm::Instruction::FAdd ||
          sum->getOpcode() == llvm::Instruction::FSub) &&
         sum->hasAllowContract();
}

static void fenceNegatedSums(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      llvm::Value *sum = findNegated(instruction);
      if (!sum || !mayBeFused(sum) || instruction.hasNoSignedZeros())
        continue;
      llvm::IRBuilder<> builder(&instruction);
      instruction.replaceUsesOfWith(
          sum, builder.CreateArithmeticFence(sum, sum->getType()));
    }
}

static void dropMaskedNontemporal(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
          access && (access->getIntrinsicID() == llvm::Intrinsic::masked_load ||
                     access->getIntrinsicID() == llvm::Intrinsic::masked_store))
        access->setMetadata(llvm::LLVMContext::MD_nontemporal, nullptr);
}

void avoidWrongSelections(llvm::Module &module,
                          const llvm::TargetMachine &machine) {
  if (module.getTargetTriple().isX86()) {
    splitSingleLanes(module);
    if (machine.getMCSubtargetInfo()->checkFeatures("+avx512bw,+bmi2"))
      widenByteAccesses(module);
  }
  if (module.getTargetTriple().isAArch64()) {
    fenceNegatedSums(module);
    dropMaskedNontemporal(module);
  }
}

} // namespace ember::native
