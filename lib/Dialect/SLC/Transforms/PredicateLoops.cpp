//===- PredicateLoops.cpp - Conditions as empty ranges --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access unit traverses and does not branch. A loop that runs under a
// condition is one that traverses nothing where the condition does not hold:
//
//   scf.if %ok {                          %end = arith.select %ok, %n, %c0
//     scf.for %e = %c0 to %n {      =>    scf.for %e = %c0 to %end {
//       use %table[%i, %e]                  use %table[%i, %e]
//     }                                   }
//     after                               scf.if %ok {
//   } else {                                after
//     other                               } else {
//   }                                       other
//                                         }
//
// So padding is skipped, and a lookup is made only where its index is valid.
//
//===----------------------------------------------------------------------===//

#include "PredicateLoops.h"

#include "ember/Dialect/SLC/IR/StreamArithmetic.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ember;

namespace {
/// One condition of a nest, and the loop under it that the access unit may get.
class Condition {
public:
  Condition(scf::IfOp branch, scf::ForOp root, const NestMemory &memory)
      : branch(branch), root(root), memory(memory) {}

  /// Takes the loop out, if there is one that can be.
  std::optional<PredicatedLoop> predicate();

private:
  bool isFixed(Value value);
  bool isStreamed(Value value, unsigned depth = 0);
  bool readsTables(scf::ForOp loop);
  bool findLoop(Region &region);
  bool canMoveOut(Value value);
  void moveOut(Value value);
  bool forwardsInits();

  scf::IfOp branch;
  scf::ForOp root, loop;
  const NestMemory &memory;
};
} // namespace

/// Longer computations of a condition stay where they are.
static constexpr unsigned maxDepth = 16;

bool Condition::isFixed(Value value) {
  return !root->isAncestor(value.getParentRegion()->getParentOp());
}

/// True if the access unit can compute `value` where the condition stands.
bool Condition::isStreamed(Value value, unsigned depth) {
  if (isFixed(value))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto around = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return around && argument == around.getInductionVar();
  }
  Operation *op = value.getDefiningOp();
  if (depth == maxDepth || !isa<scf::ForOp>(op->getParentOp()))
    return false;
  auto areStreamed = [&](ValueRange operands) {
    return llvm::all_of(operands, [&](Value operand) {
      return isStreamed(operand, depth + 1);
    });
  };
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return isFixed(load.getMemref()) && load.getType().isIntOrIndex() &&
           memory.isReadOnly(load.getMemref()) &&
           areStreamed(load.getIndices());
  return slc::isStreamArithmetic(op) && areStreamed(op->getOperands());
}

/// True if `candidate` looks something up: other loops are workspace loops,
/// which the access unit has no use for.
bool Condition::readsTables(scf::ForOp candidate) {
  return candidate
      .walk([&](memref::LoadOp load) {
        bool isTable =
            isFixed(load.getMemref()) && memory.isReadOnly(load.getMemref());
        return isTable ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool Condition::findLoop(Region &region) {
  if (region.empty())
    return false;
  for (auto candidate : region.front().getOps<scf::ForOp>())
    if (readsTables(candidate)) {
      loop = candidate;
      break;
    }
  return loop != nullptr;
}

/// True if `value` does not depend on the condition, or is computed from such
/// values by what may also run where the condition does not hold.
bool Condition::canMoveOut(Value value) {
  if (!branch->isAncestor(value.getParentRegion()->getParentOp()))
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getParentOp() == branch && op->getNumRegions() == 0 &&
         isPure(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
           return canMoveOut(operand);
         });
}

void Condition::moveOut(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !branch->isProperAncestor(op))
    return;
  for (Value operand : op->getOperands())
    moveOut(operand);
  op->moveBefore(branch);
}

/// True if the condition gives what the loop does and, where it does not hold,
/// what the loop starts with: its results are then the loop's.
bool Condition::forwardsInits() {
  if (branch.getNumResults() == 0)
    return true;
  bool isThen = loop->getParentRegion() == &branch.getThenRegion();
  auto taken = isThen ? branch.thenYield() : branch.elseYield();
  auto other = isThen ? branch.elseYield() : branch.thenYield();
  if (!llvm::hasSingleElement(
          (isThen ? branch.getElseRegion() : branch.getThenRegion()).front()) ||
      loop->getNextNode() != taken)
    return false;
  for (auto [given, kept] :
       llvm::zip_equal(taken.getOperands(), other.getOperands())) {
    auto result = dyn_cast<OpResult>(given);
    if (!result || result.getOwner() != loop ||
        loop.getInitArgs()[result.getResultNumber()] != kept)
      return false;
  }
  return true;
}

std::optional<PredicatedLoop> Condition::predicate() {
  if (!isStreamed(branch.getCondition()) ||
      (!findLoop(branch.getThenRegion()) && !findLoop(branch.getElseRegion())))
    return std::nullopt;
  // What the loop reads of its branch must be there without it.
  SetVector<Value> read;
  loop->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!loop->isAncestor(operand.getParentRegion()->getParentOp()))
        read.insert(operand);
  });
  if (!llvm::all_of(read, [&](Value value) { return canMoveOut(value); }) ||
      !forwardsInits())
    return std::nullopt;
  // Code before the loop comes after it then.
  for (Operation &op : *loop->getBlock()) {
    if (&op == loop)
      break;
    auto load = dyn_cast<memref::LoadOp>(op);
    bool canWait = load ? memory.isReadOnly(load.getMemref()) : isPure(&op);
    if (op.getNumRegions() != 0 || !canWait)
      return std::nullopt;
  }

  for (Value value : read)
    moveOut(value);
  OpBuilder builder(branch);
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  bool isThen = loop->getParentRegion() == &branch.getThenRegion();
  auto end =
      arith::SelectOp::create(builder, branch.getLoc(), branch.getCondition(),
                              isThen ? upper : lower, isThen ? lower : upper);
  loop.setUpperBound(end);
  if (branch.getNumResults() != 0) {
    auto taken = isThen ? branch.thenYield() : branch.elseYield();
    branch.replaceAllUsesWith(llvm::to_vector(taken.getOperands()));
  }
  loop->moveBefore(branch);
  auto isEmpty = [](Region &region) {
    return region.empty() || llvm::hasSingleElement(region.front());
  };
  if (isEmpty(branch.getThenRegion()) && isEmpty(branch.getElseRegion()))
    branch.erase();
  return PredicatedLoop{loop, end};
}

SmallVector<PredicatedLoop> ember::predicateLoops(scf::ForOp root,
                                                  const NestMemory &memory) {
  SmallVector<scf::IfOp> branches;
  root->walk([&](scf::IfOp branch) {
    Operation *parent = branch->getParentOp();
    while (parent != root && isa<scf::ForOp>(parent))
      parent = parent->getParentOp();
    if (parent == root)
      branches.push_back(branch);
  });
  SmallVector<PredicatedLoop> predicated;
  for (scf::IfOp branch : branches)
    if (auto loop = Condition(branch, root, memory).predicate())
      predicated.push_back(*loop);
  return predicated;
}

void ember::restoreCondition(const PredicatedLoop &predicated) {
  auto [loop, end] = predicated;
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto branch = scf::IfOp::create(builder, loc, loop->getResultTypes(),
                                  end.getCondition(), /*withElseRegion=*/true);
  loop->replaceAllUsesWith(branch.getResults());
  bool isThen = end.getFalseValue() == loop.getLowerBound();
  loop.setUpperBound(isThen ? end.getTrueValue() : end.getFalseValue());
  auto fill = [&](Block *block, ValueRange results) {
    if (!block->mightHaveTerminator()) {
      builder.setInsertionPointToEnd(block);
      scf::YieldOp::create(builder, loc, results);
    }
  };
  fill(isThen ? branch.elseBlock() : branch.thenBlock(), loop.getInitArgs());
  Block *taken = isThen ? branch.thenBlock() : branch.elseBlock();
  fill(taken, loop->getResults());
  loop->moveBefore(taken->getTerminator());
  if (end.use_empty())
    end.erase();
}
