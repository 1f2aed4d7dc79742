//===- SimplifyIteration.cpp - Less to walk for what loops visit ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Statement.h"

#include "ember/Dialect/CIN/IR/LevelOperands.h"
#include "ember/Dialect/CIN/Transforms/IterationDerivation.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember::cin {
#define GEN_PASS_DEF_SIMPLIFYITERATION
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// Whether two fibers surely store the same coordinates: arrays that share what
/// their levels are stored in.
static bool storeTheSame(const Fiber &a, const Fiber &b) {
  auto first = a.array.getDefiningOp<AssembleOp>();
  auto second = b.array.getDefiningOp<AssembleOp>();
  if (!first || !second || first.getCounting() || second.getCounting() ||
      a.coordinates != b.coordinates ||
      first.getLevels() != second.getLevels() || first.getLevels().empty())
    return false;
  return a.getFormat().getLevels() == b.getFormat().getLevels() &&
         a.getFormat().getOrder() == b.getFormat().getOrder();
}

/// The regions that may have coordinates: none has one that an operand stores
/// and another one, which stores the same, does not.
static llvm::BitVector findPossible(ArrayRef<Fiber> operands) {
  llvm::BitVector possible(1u << operands.size(), true);
  for (size_t a = 0; a < operands.size(); ++a)
    for (size_t b = a + 1; b < operands.size(); ++b) {
      if (!storeTheSame(operands[a], operands[b]))
        continue;
      for (OperandMask region = 0; region < possible.size(); ++region)
        if ((region >> a & 1) != (region >> b & 1))
          possible.reset(region);
    }
  return possible;
}

/// What a loop visits, in the fewest words; nothing where no region that may
/// have coordinates is in it.
static CoordinateSet simplify(const CoordinateSet &set,
                              ArrayRef<Fiber> operands) {
  llvm::BitVector possible = findPossible(operands);
  bool isAny = llvm::any_of(possible.set_bits(), [&](unsigned region) {
    return set.contains(region);
  });
  return isAny ? set.simplified() : CoordinateSet::none();
}

/// Whether an operation is the only statement where it stands.
static bool isOnlyStatement(Operation *statement) {
  return llvm::none_of(*statement->getBlock(), [&](Operation &op) {
    return &op != statement && isa<AssignOp, ForallOp, IfOp, WhereOp>(op);
  });
}

/// Whether nothing is lost where a loop does nothing: what is appended to has
/// to be told its ends.
static bool canDrop(ForallOp forall) {
  return !forall
              ->walk([&](AssignOp assign) {
                return isa<ArrayType>(assign.getArray().getType())
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

namespace {
/// The loops around one that goes, whose variables that one may have been the
/// last to say anything about.
class LoopsAround {
public:
  explicit LoopsAround(Operation *loop) {
    for (Operation *op = loop->getParentOp(); !isa<EvaluateOp>(op);
         op = op->getParentOp()) {
      if (!isa<ForallOp, ReduceOp>(op))
        continue;
      loops.emplace_back(op, getLevelOperands(op));
      for (BlockArgument variable : op->getRegion(0).getArguments())
        if (!getRange(variable).first)
          dimensions.emplace_back(variable,
                                  getIndexedDimensions(variable).front());
    }
  }

  /// Says what nothing says any more, once the loop is gone.
  void update();

private:
  SmallVector<std::pair<Operation *, SmallVector<Fiber>>> loops;
  SmallVector<std::pair<BlockArgument, ArrayDimension>> dimensions;
};
} // namespace

void LoopsAround::update() {
  for (auto &[variable, dimension] : dimensions) {
    if (!getIndexedDimensions(variable).empty())
      continue;
    Operation *loop = variable.getOwner()->getParentOp();
    ImplicitLocOpBuilder here(loop->getLoc(), loop);
    Type index = here.getIndexType();
    Value zero = LiteralOp::create(here, index, here.getIndexAttr(0));
    Value size =
        ExtentOp::create(here, index, dimension.array, dimension.dimension);
    setRange(variable, zero, size);
  }
  for (auto &[loop, operands] : loops) {
    if (getLevelOperands(loop) == operands)
      continue;
    IterationDerivation derivation = deriveIteration(loop);
    auto iteration =
        derivation.operands.empty()
            ? IterationAttr()
            : IterationAttr::get(loop->getContext(), derivation.set);
    if (auto forall = dyn_cast<ForallOp>(loop)) {
      forall.setIterationAttr(iteration);
      continue;
    }
    auto reduce = cast<ReduceOp>(loop);
    reduce.setIterationAttr(iteration);
    reduce.setRestAttr(derivation.rest);
  }
}

namespace {
struct SimplifyIteration
    : public ember::cin::impl::SimplifyIterationBase<SimplifyIteration> {
  void runOnOperation() override {
    SmallVector<Operation *> loops;
    getOperation()->walk<WalkOrder::PostOrder>([&](Operation *op) {
      if (isa<ForallOp, ReduceOp>(op))
        loops.push_back(op);
    });
    // Inner ones come first, so that what is dropped leaves those to come.
    for (Operation *loop : loops) {
      auto forall = dyn_cast<ForallOp>(loop);
      auto reduce = dyn_cast<ReduceOp>(loop);
      IterationAttr iteration =
          forall ? forall.getIterationAttr() : reduce.getIterationAttr();
      if (!iteration)
        continue;
      CoordinateSet set = simplify(iteration.getSet(), getLevelOperands(loop));
      auto simple = IterationAttr::get(&getContext(), set);
      if (reduce) {
        reduce.setIterationAttr(simple);
        replaceEmpty(reduce, set);
        continue;
      }
      forall.setIterationAttr(simple);
      if (!set.isEmpty() || !canDrop(forall))
        continue;
      // An empty loop is none; one that is all that another does stays.
      if (isa<EvaluateOp>(forall->getParentOp()) || !isOnlyStatement(forall)) {
        LoopsAround around(forall);
        forall.erase();
        around.update();
      }
    }
  }

  /// A reduction of nothing is what it begins with.
  void replaceEmpty(ReduceOp reduce, const CoordinateSet &set) {
    if (!set.isEmpty() || reduce.getRest())
      return;
    TypedAttr identity = reduce.getFunction().getIdentity(reduce.getType());
    if (!identity)
      return;
    OpBuilder builder(reduce);
    Value nothing =
        LiteralOp::create(builder, reduce.getLoc(), reduce.getType(), identity);
    reduce.getResult().replaceAllUsesWith(nothing);
    LoopsAround around(reduce);
    reduce.erase();
    around.update();
  }
};
} // namespace
