//===- Compacting.cpp - Loops that store results without gaps -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One loop over the positions of the last dimension carries the place where the
// next one is stored. Where nothing that is stored can fail to be computed, it
// is stored at each position, and the place goes on only where the condition
// holds:
//
//   %selected = scf.for %e = ... iter_args(%place = %c0) -> (index) {
//     %is_kept = memref.load %mask[%e]
//     %x = memref.load %edges[%e]
//     memref.store %x, %out[%place]
//     %next = arith.addi %place, %c1
//     %after = arith.select %is_kept, %next, %place
//     scf.yield %after
//   }
//
// There is room: no place is behind the position that the loop is at.
//
//===----------------------------------------------------------------------===//

#include "EvaluationLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// Whether `index` is in bounds of a dimension wherever loops come to.
static bool isWithin(Value index, ArrayDimension dimension) {
  if (auto variable = dyn_cast<BlockArgument>(index)) {
    auto forall = dyn_cast<ForallOp>(variable.getOwner()->getParentOp());
    return forall && !forall.getRanged()[variable.getArgNumber()];
  }
  auto apply = index.getDefiningOp<ApplyOp>();
  auto number = apply
                    ? dyn_cast<AffineConstantExpr>(apply.getMap().getResult(0))
                    : AffineConstantExpr();
  auto type = cast<ShapedType>(dimension.array.getType());
  return number && number.getValue() >= 0 &&
         number.getValue() < type.getDimSize(dimension.dimension);
}

/// Whether what `op` computes, and stores in the array that `assign` assigns
/// to, may be computed where it is not wanted.
static bool isHarmlessToStore(Operation &op, AssignOp assign) {
  if (auto access = dyn_cast<AccessOp>(op))
    return isa<MemRefType>(access.getArray().getType()) &&
           llvm::all_of(llvm::enumerate(access.getIndices()), [&](auto index) {
             return isWithin(
                 index.value(),
                 {access.getArray(), static_cast<unsigned>(index.index())});
           });
  if (auto call = dyn_cast<CallOp>(op))
    return isTotal(call);
  auto isAll = [&](Block &block) {
    return llvm::all_of(block, [&](Operation &inner) {
      return isHarmlessToStore(inner, assign);
    });
  };
  if (auto forall = dyn_cast<ForallOp>(op))
    return !forall.getIteration() && isAll(*forall.getBody());
  if (auto branch = dyn_cast<IfOp>(op))
    return isAll(branch.getRegion().front());
  return isa<ApplyOp, ExtentOp, LiteralOp>(op) || &op == assign;
}

/// Whether `loop` is the outermost one, and what `assign` depends on stands
/// outside of further loops: the order that `--cin-concretize` makes.
static bool isInOrder(ForallOp loop, AssignOp assign) {
  if (loop.getVariables().size() != 1)
    return false;
  for (Operation *op = loop->getParentOp(); !isa<EvaluateOp>(op);
       op = op->getParentOp()) {
    auto around = dyn_cast<ForallOp>(op);
    if (around && !around.getVariables().empty())
      return false;
  }
  bool isGuarded = assign.getCondition() != nullptr;
  for (Operation *op = assign->getParentOp(); op != loop;
       op = op->getParentOp()) {
    if (isGuarded && isa<ForallOp, WhereOp>(op))
      return false;
    isGuarded |= isa<IfOp>(op);
  }
  return true;
}

LogicalResult EvaluationLowering::checkCompacted() {
  for (auto compact : evaluate.getRegion().getOps<CompactOp>()) {
    AssignOp assign = compact.getAssignment();
    if (!assign)
      continue;
    auto loop = cast<ForallOp>(compact.getVariable().getOwner()->getParentOp());
    std::string name = evaluate.getNameOf(compact);
    if (loop.getIteration())
      return loop.emitError()
             << "goes over what arrays in a format store, and " << name
             << ", which is stored without gaps, needs all positions: leave "
                "their formats out";
    if (!isInOrder(loop, assign))
      return assign.emitError()
             << "assigns to " << name << ", which is stored without gaps, in "
             << "loops that are in no order: run --cin-concretize first";
  }
  return success();
}

void EvaluationLowering::beginCompacted(ForallOp statement) {
  compacted = nullptr;
  for (auto compact : evaluate.getRegion().getOps<CompactOp>()) {
    AssignOp assign = compact.getAssignment();
    if (!assign || !statement->isProperAncestor(assign))
      continue;
    compacted = compact;
    // Where a condition of all positions does not hold, there is no loop.
    Value none =
        arith::ConstantOp::create(builder, builder.getI64IntegerAttr(0));
    memref::StoreOp::create(builder, none, get(compact.getCount()),
                            constant(0));
  }
}

void EvaluationLowering::emitCompacted(ForallOp forall) {
  auto [lower, upper] = bounds(forall, 0);
  auto loop = scf::ForOp::create(builder, lower, upper, constant(1),
                                 ValueRange{constant(0)});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    values.map(forall.getVariables()[0], loop.getInductionVar());
    nextPlace = loop.getRegionIterArg(0);
    Value after = emitCompacted(*forall.getBody());
    scf::YieldOp::create(builder, after);
    values.erase(forall.getVariables()[0]);
  }
  Value count = arith::IndexCastOp::create(builder, builder.getI64Type(),
                                           loop.getResult(0));
  memref::StoreOp::create(builder, count, get(compacted.getCount()),
                          constant(0));
}

Value EvaluationLowering::emitCompacted(Block &block) {
  AssignOp assign = compacted.getAssignment();
  Value after;
  for (Operation &op : block) {
    auto branch = dyn_cast<IfOp>(op);
    if (branch && branch->isProperAncestor(assign))
      after = emitCompacted(branch.getCondition(), op, [&] {
        return emitCompacted(branch.getRegion().front());
      });
    else if (&op == assign && assign.getCondition())
      after = emitCompacted(assign.getCondition(), op, [&] {
        emitStored(assign);
        return emitNextPlace();
      });
    else
      emit(op);
  }
  return after ? after : emitNextPlace();
}

Value EvaluationLowering::emitNextPlace() {
  return arith::AddIOp::create(builder, nextPlace, constant(1));
}

Value EvaluationLowering::emitCompacted(Value condition, Operation &guarded,
                                        llvm::function_ref<Value()> body) {
  Value holds = get(condition);
  if (isHarmlessToStore(guarded, compacted.getAssignment())) {
    Value after = body();
    return arith::SelectOp::create(builder, holds, after, nextPlace);
  }
  auto branch = scf::IfOp::create(builder, builder.getIndexType(), holds,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, nextPlace);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value after = body();
  scf::YieldOp::create(builder, after);
  return branch.getResult(0);
}
