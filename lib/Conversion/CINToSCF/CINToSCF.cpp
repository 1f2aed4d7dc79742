//===- CINToSCF.cpp - Statements to loops ---------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuiltinCode.h"

#include "ember/Conversion/CINToSCF/Passes.h"
#include "ember/Dialect/CIN/IR/CIN.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ember {
#define GEN_PASS_DEF_CONVERTCINTOSCF
#include "ember/Conversion/CINToSCF/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;
using namespace ember::cin;

namespace {
/// Emits the loops of one evaluation, in front of it.
class EvaluationLowering {
public:
  explicit EvaluationLowering(EvaluateOp evaluate)
      : evaluate(evaluate), builder(evaluate.getLoc(), evaluate) {}

  void run();

private:
  /// Compares the sizes of all dimensions that a variable is the index of.
  void checkExtents();
  /// The dimension of the function's that `dimension` is as long as.
  std::string describe(ArrayDimension dimension);
  Value size(ArrayDimension dimension);

  void emit(Operation &op);
  Value allocate(WhereOp where);
  void emit(ForallOp forall, unsigned variable);
  void emit(IfOp branch);
  void emit(WhereOp where);
  void emit(AssignOp assign);
  void emit(ReduceOp reduce);
  /// The loops of a reduction from `variable` on; what they begin with and
  /// what comes out.
  Value emitReduction(ReduceOp reduce, unsigned variable, Value before);
  /// A term of a reduction, combined with what was there before.
  Value emitTerm(ReduceOp reduce, Value before);
  Value combine(ReduceOp reduce, Value before, Value term);
  void emitAll(Block &block) {
    for (Operation &op : block)
      emit(op);
  }

  Value get(Value value) { return values.lookup(value); }
  Value index(Value value);
  SmallVector<Value> indices(OperandRange given) {
    return llvm::map_to_vector(given,
                               [&](Value value) { return index(value); });
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, value);
  }
  template <typename OpT>
  std::pair<Value, Value> bounds(OpT op, unsigned variable);

  EvaluateOp evaluate;
  ImplicitLocOpBuilder builder;
  IRMapping values;
  /// Values as indices.
  DenseMap<Value, Value> casts;
  /// The operation in front of the loops of a statement; null if there is none.
  Operation *before = nullptr;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

std::string EvaluationLowering::describe(ArrayDimension dimension) {
  return "dimension " + std::to_string(dimension.dimension) + " of " +
         evaluate.getNameOf(dimension.array);
}

Value EvaluationLowering::size(ArrayDimension dimension) {
  auto type = cast<MemRefType>(dimension.array.getType());
  if (type.isDynamicDim(dimension.dimension))
    return memref::DimOp::create(builder, get(dimension.array),
                                 dimension.dimension);
  return constant(type.getDimSize(dimension.dimension));
}

/// A workspace is as long as the dimension that it is asked to be as long as.
static ArrayDimension getOrigin(ArrayDimension dimension) {
  auto where = dyn_cast<WhereOp>(dimension.array.getOwner()->getParentOp());
  ShapedType type = cast<ShapedType>(dimension.array.getType());
  if (!where || !type.isDynamicDim(dimension.dimension))
    return dimension;
  int64_t position = llvm::count_if(
      type.getShape().take_front(dimension.dimension), ShapedType::isDynamic);
  auto extent = where.getSizes()[position].getDefiningOp<ExtentOp>();
  return {cast<BlockArgument>(extent.getArray()),
          static_cast<unsigned>(extent.getDimension())};
}

void EvaluationLowering::checkExtents() {
  DenseSet<std::pair<std::pair<Value, unsigned>, std::pair<Value, unsigned>>>
      checked;
  auto check = [&](auto op) {
    for (BlockArgument variable : op.getVariables()) {
      if (op.getRanged()[variable.getArgNumber()])
        continue;
      SmallVector<ArrayDimension> dimensions =
          llvm::map_to_vector(getIndexedDimensions(variable), getOrigin);
      for (ArrayDimension other : llvm::drop_begin(dimensions)) {
        ArrayDimension first = dimensions.front();
        if (first == other)
          continue;
        bool isNew = checked
                         .insert({{first.array, first.dimension},
                                  {other.array, other.dimension}})
                         .second;
        if (!isNew)
          continue;
        Value mine = size(first), others = size(other);
        if (getConstantIntValue(mine) &&
            getConstantIntValue(mine) == getConstantIntValue(others))
          continue;
        Value isEqual = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                              mine, others);
        std::string message = "index " + op.getNameOf(variable.getArgNumber()) +
                              ": " + describe(first) + " and " +
                              describe(other) + " have different sizes";
        cf::AssertOp::create(builder, isEqual, message);
      }
    }
  };
  evaluate.getRegion().walk([&](Operation *op) {
    if (auto forall = dyn_cast<ForallOp>(op))
      check(forall);
    else if (auto reduce = dyn_cast<ReduceOp>(op))
      check(reduce);
  });
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

Value EvaluationLowering::index(Value value) {
  Value mine = get(value);
  if (mine.getType().isIndex())
    return mine;
  Value &cast = casts[mine];
  if (!cast) {
    // Once, outside of loops that use it.
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(mine);
    cast = arith::IndexCastOp::create(builder, builder.getIndexType(), mine);
  }
  return cast;
}

template <typename OpT>
std::pair<Value, Value> EvaluationLowering::bounds(OpT op, unsigned variable) {
  if (Value lower = op.getLower(variable))
    return {index(lower), index(op.getUpper(variable))};
  BlockArgument mine = op.getVariables()[variable];
  // The size that a type fixes, if there is one.
  SmallVector<ArrayDimension> dimensions = getIndexedDimensions(mine);
  for (ArrayDimension dimension : dimensions) {
    auto type = cast<ShapedType>(dimension.array.getType());
    if (!type.isDynamicDim(dimension.dimension))
      return {constant(0), constant(type.getDimSize(dimension.dimension))};
  }
  return {constant(0), size(dimensions.front())};
}

void EvaluationLowering::emit(ForallOp forall, unsigned variable) {
  if (variable == forall.getVariables().size()) {
    emitAll(*forall.getBody());
    return;
  }
  auto [lower, upper] = bounds(forall, variable);
  auto loop = scf::ForOp::create(builder, lower, upper, constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  values.map(forall.getVariables()[variable], loop.getInductionVar());
  emit(forall, variable + 1);
}

void EvaluationLowering::emit(IfOp branch) {
  auto lowered = scf::IfOp::create(builder, get(branch.getCondition()),
                                   /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(lowered.thenBlock());
  emitAll(branch.getRegion().front());
}

/// Outside of all loops: what an iteration leaves there, the next one
/// overwrites.
Value EvaluationLowering::allocate(WhereOp where) {
  OpBuilder::InsertionGuard guard(builder);
  if (before)
    builder.setInsertionPointAfter(before);
  else
    builder.setInsertionPointToStart(evaluate->getBlock());
  SmallVector<Value> sizes =
      llvm::map_to_vector(where.getSizes(), [&](Value given) {
        auto extent = given.getDefiningOp<ExtentOp>();
        return size({cast<BlockArgument>(extent.getArray()),
                     static_cast<unsigned>(extent.getDimension())});
      });
  auto memory = memref::AllocOp::create(
      builder, cast<MemRefType>(where.getWorkspaceType()), sizes);
  memory->setAttr(nameAttr, builder.getStringAttr("workspace"));
  memory->setAttr(scratchAttr, builder.getUnitAttr());
  builder.setInsertionPoint(evaluate);
  memref::DeallocOp::create(builder, memory);
  return memory;
}

void EvaluationLowering::emit(WhereOp where) {
  Value memory = allocate(where);
  for (Region *region : {&where.getProducers(), &where.getConsumers()}) {
    values.map(region->getArgument(0), memory);
    emitAll(region->front());
  }
}

void EvaluationLowering::emit(AssignOp assign) {
  std::optional<OpBuilder::InsertionGuard> guard;
  if (Value condition = assign.getCondition()) {
    auto branch = scf::IfOp::create(builder, get(condition),
                                    /*withElseRegion=*/false);
    guard.emplace(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  Value memref = get(assign.getArray());
  SmallVector<Value> at = indices(assign.getIndices());
  Value value = get(assign.getValue());
  if (std::optional<BuiltinAttr> function = assign.getFunction()) {
    Value before = memref::LoadOp::create(builder, memref, at);
    auto product = value.getDefiningOp<arith::MulFOp>();
    bool isOnlyUse = assign.getValue().hasOneUse();
    if ((*function)->name == "add" && product && isOnlyUse) {
      // Rounded once, together with the sum.
      value = math::FmaOp::create(builder, product.getLhs(), product.getRhs(),
                                  before);
    } else {
      value = emitCall(builder, **function, {before, value}, value.getType());
    }
  }
  memref::StoreOp::create(builder, value, memref, at);
}

//===----------------------------------------------------------------------===//
// Reductions that are values
//===----------------------------------------------------------------------===//

Value EvaluationLowering::combine(ReduceOp reduce, Value before, Value term) {
  Value combined =
      emitCall(builder, *reduce.getFunction(), {before, term}, term.getType());
  // Terms may be added in any order, and then a product may also be added to
  // others unrounded.
  auto mark = [&](Operation *op, arith::FastMathFlags flags) {
    auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
    arith::FastMathFlagsAttr before =
        fast ? fast.getFastMathFlagsAttr() : nullptr;
    // Casts have none.
    if (before)
      op->setAttr(fast.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(builder.getContext(),
                                                before.getValue() | flags));
  };
  if (!isa<FloatType>(term.getType()) || reduce.getFunction()->isIdempotent)
    return combined;
  mark(combined.getDefiningOp(), arith::FastMathFlags::reassoc);
  for (Operation &op : *builder.getBlock())
    mark(&op, arith::FastMathFlags::contract);
  return combined;
}

Value EvaluationLowering::emitTerm(ReduceOp reduce, Value before) {
  YieldOp yield = reduce.getYield();
  Block &body = *reduce.getBody();
  Value condition = yield.getCondition();
  if (!condition) {
    for (Operation &op : body.without_terminator())
      emit(op);
    return combine(reduce, before, get(yield.getValue()));
  }
  // What the condition needs comes first, and the rest only if it holds.
  SetVector<Operation *> first;
  if (Operation *op = condition.getDefiningOp(); op->getBlock() == &body) {
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *part) {
      return reduce->isProperAncestor(part);
    };
    (void)getBackwardSlice(condition, &first, options);
  }
  for (Operation &op : body.without_terminator())
    if (first.contains(&op))
      emit(op);
  auto branch = scf::IfOp::create(builder, before.getType(), get(condition),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  for (Operation &op : body.without_terminator())
    if (!first.contains(&op))
      emit(op);
  Value after = combine(reduce, before, get(yield.getValue()));
  scf::YieldOp::create(builder, after);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, before);
  return branch.getResult(0);
}

Value EvaluationLowering::emitReduction(ReduceOp reduce, unsigned variable,
                                        Value before) {
  if (variable == reduce.getVariables().size())
    return emitTerm(reduce, before);
  auto [lower, upper] = bounds(reduce, variable);
  auto loop = scf::ForOp::create(builder, lower, upper, constant(1), before);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  values.map(reduce.getVariables()[variable], loop.getInductionVar());
  Value after = emitReduction(reduce, variable + 1, loop.getRegionIterArg(0));
  scf::YieldOp::create(builder, after);
  return loop.getResult(0);
}

void EvaluationLowering::emit(ReduceOp reduce) {
  Constant identity = reduce.getFunction()->identity->value;
  Value begin = arith::ConstantOp::create(
      builder, getConstant(identity, reduce.getType()));
  values.map(reduce.getResult(), emitReduction(reduce, 0, begin));
}

void EvaluationLowering::emit(Operation &op) {
  builder.setLoc(op.getLoc());
  llvm::TypeSwitch<Operation *>(&op)
      .Case<ForallOp>([&](auto forall) { emit(forall, 0); })
      .Case<IfOp, WhereOp, AssignOp, ReduceOp>([&](auto mine) { emit(mine); })
      .Case<AccessOp>([&](auto access) {
        values.map(access.getResult(),
                   memref::LoadOp::create(builder, get(access.getArray()),
                                          indices(access.getIndices()))
                       .getResult());
      })
      .Case<ApplyOp>([&](auto apply) {
        SmallVector<Value> operands = indices(apply.getOperands());
        values.map(apply.getResult(),
                   affine::expandAffineExpr(builder, op.getLoc(),
                                            apply.getMap().getResult(0),
                                            operands, ValueRange()));
      })
      .Case<CallOp>([&](auto call) {
        SmallVector<Value> operands = llvm::map_to_vector(
            call.getOperands(), [&](Value value) { return get(value); });
        values.map(call.getResult(), emitCall(builder, *call.getFunction(),
                                              operands, call.getType()));
      })
      .Case<LiteralOp>([&](auto literal) {
        values.map(
            literal.getResult(),
            arith::ConstantOp::create(builder, literal.getValue()).getResult());
      })
      .Case<ExtentOp>([&](auto extent) {
        values.map(extent.getResult(),
                   size({cast<BlockArgument>(extent.getArray()),
                         static_cast<unsigned>(extent.getDimension())}));
      });
}

void EvaluationLowering::run() {
  for (auto [name, operand] : llvm::zip_equal(
           evaluate.getBody()->getArguments(), evaluate->getOperands()))
    values.map(name, operand);
  checkExtents();
  for (Operation &mine : *evaluate.getBody()) {
    before = evaluate->getPrevNode();
    emit(mine);
  }
}

namespace {
struct ConvertCINToSCF
    : public ember::impl::ConvertCINToSCFBase<ConvertCINToSCF> {
  void runOnOperation() override {
    SmallVector<EvaluateOp> evaluations;
    getOperation()->walk(
        [&](EvaluateOp evaluate) { evaluations.push_back(evaluate); });
    for (EvaluateOp evaluate : evaluations) {
      if (!evaluate.hasPureBufferSemantics()) {
        evaluate.emitOpError("is still on tensors; the pipeline 'cin-to-scf' "
                             "bufferises it first");
        return signalPassFailure();
      }
      EvaluationLowering(evaluate).run();
      evaluate->erase();
    }
  }
};
} // namespace
