//===- WrittenArguments.cpp - Which arguments a function stores to --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows each memref argument forward: through views, casts, loop-carried
// values, branches and calls, to whatever writes. What is not understood counts
// as a write.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Target/Native/Lowering.h"
#include "ember/Target/Native/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

namespace ember::native {
using namespace mlir;

#define GEN_PASS_DEF_ANNOTATEWRITTENARGUMENTS
#include "ember/Target/Native/Passes.h.inc"

namespace {
/// The values that may be `argument` or a view of it, as they are found.
class ForwardAliases {
public:
  explicit ForwardAliases(Value argument) { values.insert(argument); }

  /// Whether anything may store through one of them.
  bool areWritten();

private:
  bool useWrites(OpOperand &use);
  bool callWrites(CallOpInterface call, OpOperand &use);
  void addReturned(OpOperand &use);
  void addRegionSuccessors(RegionBranchOpInterface branch);
  void addMemRefs(ValueRange candidates) {
    for (Value value : candidates)
      if (isa<BaseMemRefType>(value.getType()))
        values.insert(value);
  }

  llvm::SmallSetVector<Value, 8> values;
  /// The calls that were followed into a function, and which of a function's
  /// results may be one of the values.
  SmallVector<std::pair<func::FuncOp, CallOpInterface>> calls;
  SmallVector<std::pair<func::FuncOp, unsigned>> returned;
};
} // namespace

/// Follows the value into the function that is called.
bool ForwardAliases::callWrites(CallOpInterface call, OpOperand &use) {
  auto callee = dyn_cast_if_present<func::FuncOp>(call.resolveCallable());
  if (!callee || callee.isDeclaration())
    return true;
  unsigned index =
      use.getOperandNumber() - call.getArgOperands().getBeginOperandIndex();
  if (callee->hasAttr(writtenArgumentsAttr)) {
    // What its body has become may hide what it returns.
    addMemRefs(call->getResults());
    return findWrittenArguments(callee).test(index);
  }
  values.insert(callee.getArgument(index));
  calls.emplace_back(callee, call);
  for (auto [function, result] : returned)
    if (function == callee)
      addMemRefs(call->getResult(result));
  return false;
}

/// What a function returns goes on where it was called.
void ForwardAliases::addReturned(OpOperand &use) {
  auto function = use.getOwner()->getParentOfType<func::FuncOp>();
  returned.emplace_back(function, use.getOperandNumber());
  for (auto [callee, call] : calls)
    if (callee == function)
      addMemRefs(call->getResult(use.getOperandNumber()));
}

/// Values that leave a region end up in other regions' arguments and results;
/// which ones does not matter enough to tell them apart.
void ForwardAliases::addRegionSuccessors(RegionBranchOpInterface branch) {
  addMemRefs(branch->getResults());
  for (Region &region : branch->getRegions())
    for (Block &block : region)
      addMemRefs(ValueRange(block.getArguments()));
}

/// Whether a function of the runtime may store by an address that it is given
/// as an integer: those of ember/Runtime/ColumnCalls.h fill what their last
/// arguments say.
static bool storesTo(func::CallOp call, unsigned operand) {
  return llvm::StringSwitch<bool>(call.getCallee())
      .Cases({"ember_texts_to_ids", "ember_parts_to_ids",
              "ember_texts_count_parts"},
             operand + 1 == call.getNumOperands())
      .Case("ember_order_rows", operand + 2 >= call.getNumOperands())
      .Default(true);
}

/// Whether anything may store by an address.
static bool isStoredTo(Value address) {
  return llvm::any_of(address.getUses(), [](OpOperand &use) {
    if (auto cast = dyn_cast<arith::IndexCastOp>(use.getOwner()))
      return isStoredTo(cast.getResult());
    auto call = dyn_cast<func::CallOp>(use.getOwner());
    return !call || storesTo(call, use.getOperandNumber());
  });
}

bool ForwardAliases::useWrites(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto call = dyn_cast<CallOpInterface>(user))
    return callWrites(call, use);
  if (isa<ViewLikeOpInterface, arith::SelectOp>(user)) {
    addMemRefs(user->getResults());
    return false;
  }
  if (auto branch = dyn_cast<RegionBranchOpInterface>(user)) {
    RegionBranchSuccessorMapping forwarded;
    branch.getSuccessorOperandInputMapping(forwarded,
                                           RegionBranchPoint::parent());
    addMemRefs(forwarded.lookup(&use));
    return false;
  }
  if (isa<memref::PrefetchOp>(user))
    return false;
  if (isa<func::ReturnOp>(user)) {
    addReturned(use);
    return false;
  }
  if (user->hasTrait<OpTrait::IsTerminator>()) {
    if (auto branch = dyn_cast<RegionBranchOpInterface>(user->getParentOp()))
      addRegionSuccessors(branch);
    for (Block *successor : user->getSuccessors())
      addMemRefs(ValueRange(successor->getArguments()));
    return !isa<RegionBranchOpInterface>(user->getParentOp()) &&
           user->getNumSuccessors() == 0;
  }
  if (auto address = dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(user))
    return isStoredTo(address.getResult());
  // From a descriptor on, nothing tells where it goes.
  if (isa<UnrealizedConversionCastOp>(user))
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(user);
  if (!effects)
    return true;
  // An operation without an effect that yields a memref is a kind of view.
  addMemRefs(user->getResults());
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::any_of(instances, [&](const auto &instance) {
    bool reads = isa<MemoryEffects::Read>(instance.getEffect());
    return !reads && (!instance.getValue() || instance.getValue() == use.get());
  });
}

bool ForwardAliases::areWritten() {
  // The set grows while it is walked.
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses())
      if (useWrites(use))
        return true;
  return false;
}

llvm::SmallBitVector findWrittenArguments(func::FuncOp func) {
  llvm::SmallBitVector written(func.getNumArguments());
  if (auto known =
          func->getAttrOfType<DenseI64ArrayAttr>(writtenArgumentsAttr)) {
    for (int64_t index : known.asArrayRef())
      if (index >= 0 && index < int64_t(written.size()))
        written.set(index);
    return written;
  }
  for (BlockArgument argument : func.getArguments())
    if (isa<BaseMemRefType>(argument.getType()) &&
        ForwardAliases(argument).areWritten())
      written.set(argument.getArgNumber());
  return written;
}

namespace {
struct AnnotateWrittenArguments
    : impl::AnnotateWrittenArgumentsBase<AnnotateWrittenArguments> {
  void runOnOperation() override {
    // All answers are found before the first attribute is set: they depend on
    // one another.
    SmallVector<std::pair<func::FuncOp, SmallVector<int64_t>>> answers;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isDeclaration())
        continue;
      llvm::SmallBitVector written = findWrittenArguments(func);
      answers.emplace_back(func,
                           llvm::to_vector_of<int64_t>(written.set_bits()));
    }
    for (auto &[func, positions] : answers)
      func->setAttr(writtenArgumentsAttr,
                    DenseI64ArrayAttr::get(&getContext(), positions));
  }
};
} // namespace

} // namespace ember::native
