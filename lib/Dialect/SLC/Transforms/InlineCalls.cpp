//===- InlineCalls.cpp - Bring what a nest calls into it ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlineCalls.h"
#include "ember/Dialect/DLC/IR/DLC.h"
#include "ember/Dialect/SLC/IR/SLC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace ember;

/// A nest does not grow by more operations than these.
static constexpr size_t kMostInlined = 512;

static func::FuncOp getCallee(func::CallOp call) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
}

/// Adds the functions that `function` calls, directly or not.
static void collectCallees(func::FuncOp function,
                           llvm::SmallSetVector<Operation *, 4> &callees) {
  function.walk([&](func::CallOp call) {
    func::FuncOp callee = getCallee(call);
    if (callee && callees.insert(callee))
      collectCallees(callee, callees);
  });
}

static bool isRecursive(func::FuncOp function) {
  llvm::SmallSetVector<Operation *, 4> callees;
  collectCallees(function, callees);
  return callees.contains(function);
}

/// Counts the operations of `function`; nullopt if it holds what belongs to no
/// nest.
static std::optional<size_t> countInlinable(func::FuncOp function) {
  size_t count = 0;
  WalkResult result = function.walk([&](Operation *op) {
    ++count;
    bool isDecoupled = isa<slc::LoopOpInterface, dlc::ProgramOp>(op);
    return isDecoupled ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted() ? std::nullopt : std::optional(count);
}

static bool mayInline(func::CallOp call, func::FuncOp callee) {
  return callee && callee.isPrivate() && !callee.isDeclaration() &&
         callee.getBody().hasOneBlock() && !call.getNoInline() &&
         !callee.getNoInline() && !isRecursive(callee);
}

static void inlineCall(func::CallOp call, func::FuncOp callee) {
  OpBuilder builder(call);
  Block &body = callee.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), call.getOperands());
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  for (auto [result, returned] :
       llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(returned));
  call.erase();
}

void ember::inlineCalls(scf::ForOp root) {
  size_t left = kMostInlined;
  bool changed = true;
  while (changed) {
    changed = false;
    SmallVector<func::CallOp> calls;
    root->walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls) {
      func::FuncOp callee = getCallee(call);
      if (!mayInline(call, callee))
        continue;
      std::optional<size_t> count = countInlinable(callee);
      if (!count || *count > left)
        continue;
      left -= *count;
      inlineCall(call, callee);
      changed = true;
    }
  }
}

Operation *ember::findCallOfLoops(scf::ForOp root) {
  Operation *found = nullptr;
  root->walk([&](func::CallOp call) {
    llvm::SmallSetVector<Operation *, 4> callees;
    if (func::FuncOp callee = getCallee(call)) {
      callees.insert(callee);
      collectCallees(callee, callees);
    }
    bool hasLoops = llvm::any_of(callees, [](Operation *callee) {
      return callee
          ->walk([](Operation *op) {
            return isa<LoopLikeOpInterface, slc::LoopOpInterface,
                       dlc::ProgramOp>(op)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
    });
    if (hasLoops)
      found = call;
    return hasLoops ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}
