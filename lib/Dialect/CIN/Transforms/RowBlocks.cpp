//===- RowBlocks.cpp - Loops over blocks with a scale each ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// forall e: f(x[e] * scale[e / 32])
//   becomes
// forall k in 0:n/32: s = scale[k]; forall d in 0:32: f(x[32 * k + d] * s)
// and the same for the last block, which is shorter, if there is one.
//
//===----------------------------------------------------------------------===//

#include "EncodedAccesses.h"

using namespace mlir;
using namespace ember::cin;

namespace {
/// Rewrites one loop over all elements of rows.
class BlockSplitter {
public:
  BlockSplitter(EncodedAccesses &accesses, Operation *loop, size_t example)
      : accesses(accesses), builder(accesses.getBuilder()), loop(loop),
        variable(loop->getRegion(0).getArgument(0)),
        blockLength(accesses.getAll()[example].decoder->getBlockLength()),
        fixed(EncodedAccesses::getFixedLength(accesses.getAll()[example])),
        length(accesses.getLength(accesses.getAll()[example])) {}

  void run();

private:
  /// The blocks from `lower` to `upper` with `elements` each: a value, of a
  /// reduction.
  Value build(Value lower, Value upper, Value elements);
  /// A loop over one variable.
  Operation *makeLoop(Value lower, Value upper);
  void fill(Operation *outer, Operation *inner);

  EncodedAccesses &accesses;
  RowExpressionBuilder &builder;
  Operation *loop;
  BlockArgument variable;
  int64_t blockLength;
  std::optional<int64_t> fixed;
  Value length;
};
} // namespace

Operation *BlockSplitter::makeLoop(Value lower, Value upper) {
  auto yes = builder.getDenseBoolArrayAttr({true});
  Operation *made = nullptr;
  if (auto forall = dyn_cast<ForallOp>(loop)) {
    made = ForallOp::create(builder, lower, upper, yes, forall.getNamesAttr(),
                            IterationAttr());
  } else {
    auto reduce = cast<ReduceOp>(loop);
    made = ReduceOp::create(builder, reduce.getType(), lower, upper, yes,
                            reduce.getNamesAttr(), IterationAttr(),
                            reduce.getCalleeAttr(), /*rest=*/TypedAttr(),
                            /*otherwise=*/TypedAttr());
  }
  made->getRegion(0).emplaceBlock().addArgument(builder.getIndexType(),
                                                loop->getLoc());
  return made;
}

/// The body of the loop for the element of the inner loop.
void BlockSplitter::fill(Operation *outer, Operation *inner) {
  Block &body = inner->getRegion(0).front();
  Value block = outer->getRegion(0).getArgument(0);
  builder.setInsertionPointToStart(&body);
  Value element = builder.apply(builder.dim(0) * blockLength + builder.dim(1),
                                {block, body.getArgument(0)});
  IRMapping mapping;
  mapping.map(variable, element);
  for (Operation &op : loop->getRegion(0).front())
    builder.clone(op, mapping);
  // By position: the list grows.
  std::vector<EncodedAccess> &all = accesses.getAll();
  for (size_t number = 0, end = all.size(); number != end; ++number) {
    EncodedAccess mine = all[number];
    if (!loop->isAncestor(mine.access))
      continue;
    auto access =
        cast<AccessOp>(mapping.lookup(mine.access.getResult()).getDefiningOp());
    bool isOfBlock = mine.variable == variable &&
                     mine.decoder->hasBlockScales() &&
                     !mapping.contains(mine.row);
    if (isOfBlock) {
      builder.setInsertionPoint(inner);
      Value scale = mine.decoder->blockScale(mine.row, block);
      builder.setInsertionPoint(access);
      Value number = mine.decoder->number(mine.row, element);
      Value scaled =
          builder.call("mul", {number, scale}, mine.decoder->getType());
      access.getResult().replaceAllUsesWith(scaled);
      access.erase();
      continue;
    }
    EncodedAccess cloned = mine;
    cloned.access = access;
    cloned.row = mapping.lookupOrDefault(mine.row);
    cloned.column = mapping.lookupOrDefault(mine.column);
    cloned.variable = nullptr;
    if (mine.variable && mine.variable != variable)
      cloned.variable =
          cast<BlockArgument>(mapping.lookupOrDefault(Value(mine.variable)));
    all.push_back(cloned);
  }
}

Value BlockSplitter::build(Value lower, Value upper, Value elements) {
  builder.setInsertionPoint(loop);
  Operation *outer = makeLoop(lower, upper);
  builder.setInsertionPointToStart(&outer->getRegion(0).front());
  Operation *inner = makeLoop(builder.index(0), elements);
  if (isa<ReduceOp>(outer))
    YieldOp::create(builder, inner->getResult(0), Value());
  fill(outer, inner);
  return isa<ReduceOp>(outer) ? outer->getResult(0) : Value();
}

void BlockSplitter::run() {
  builder.setLoc(loop->getLoc());
  accesses.enterAround();
  Value zero = builder.index(0), most = builder.index(blockLength);
  Value whole, all, rest;
  if (fixed) {
    whole = builder.index(*fixed / blockLength);
    all = builder.index((*fixed + blockLength - 1) / blockLength);
    rest = builder.index(*fixed % blockLength);
  } else {
    int64_t places = llvm::Log2_64(blockLength);
    whole = builder.shiftRight(length, places);
    all = builder.shiftRight(
        builder.apply(builder.dim(0) + (blockLength - 1), length), places);
    rest = builder.apply(builder.dim(0) % blockLength, length);
  }
  Value result = build(zero, whole, most);
  if (!fixed || *fixed % blockLength != 0) {
    Value last = build(whole, all, rest);
    if (auto reduce = dyn_cast<ReduceOp>(loop)) {
      builder.setInsertionPoint(loop);
      result = CallOp::create(builder, reduce.getType(), reduce.getCalleeAttr(),
                              ValueRange{result, last});
    }
  }
  if (result)
    loop->getResult(0).replaceAllUsesWith(result);
  llvm::erase_if(accesses.getAll(), [&](EncodedAccess &mine) {
    return loop->isAncestor(mine.access);
  });
  loop->erase();
}

/// Whether `value` is computed of `variable` by calls and maps.
static bool isComputedOf(Value value, BlockArgument variable) {
  Operation *op = value.getDefiningOp();
  return value == variable ||
         (isa_and_present<CallOp, ApplyOp>(op) &&
          llvm::any_of(op->getOperands(), [&](Value operand) {
            return isComputedOf(operand, variable);
          }));
}

/// Whether an assignment needs an index that is `variable` and no part of it.
/// What is appended, or stored without gaps, has a variable of its own for each
/// index, and of a number in digits, `i * n + e`, nothing would say that parts
/// of `e` are below `n` together.
static bool needsWhole(AssignOp assign, BlockArgument variable) {
  Value array = assign.getArray();
  if ((isa<ArrayType>(array.getType()) || array.getDefiningOp<CompactOp>()) &&
      llvm::is_contained(assign.getIndices(), variable))
    return true;
  return !assign.isCombining() &&
         llvm::any_of(assign.getIndices(), [&](Value index) {
           return index.getDefiningOp<CallOp>() &&
                  isComputedOf(index, variable);
         });
}

/// Whether a loop visits all elements of rows, one after the other.
static bool isSplittable(Operation *loop) {
  if (loop->hasAttr("iteration") || loop->getRegion(0).getNumArguments() != 1)
    return false;
  BlockArgument variable = loop->getRegion(0).getArgument(0);
  WalkResult whole = loop->walk([&](AssignOp assign) {
    return needsWhole(assign, variable) ? WalkResult::interrupt()
                                        : WalkResult::advance();
  });
  if (whole.wasInterrupted())
    return false;
  auto reduce = dyn_cast<ReduceOp>(loop);
  // Parts of a fold, which begins with its first term, are no parts of a
  // result.
  return !reduce || (!reduce.getRest() && !reduce.getOtherwise());
}

void ember::cin::splitIntoBlocks(EncodedAccesses &accesses) {
  auto isSplit = [](EncodedAccess &mine) {
    if (!mine.variable || !mine.decoder->hasBlockScales())
      return false;
    Operation *loop = mine.variable.getOwner()->getParentOp();
    return isSplittable(loop) &&
           !loop->isAncestor(mine.row.getParentBlock()->getParentOp());
  };
  std::vector<EncodedAccess> &all = accesses.getAll();
  for (auto found = llvm::find_if(all, isSplit); found != all.end();
       found = llvm::find_if(all, isSplit)) {
    Operation *loop = found->variable.getOwner()->getParentOp();
    BlockSplitter(accesses, loop, found - all.begin()).run();
  }
}
