//===- CINToSCF.cpp - Statements to loops ---------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AppendCode.h"
#include "IterationCode.h"
#include "WorkspaceCode.h"

#include "ember/Conversion/CINToSCF/Passes.h"
#include "ember/Dialect/CIN/IR/CIN.h"
#include "ember/Dialect/CIN/Transforms/BuiltinCode.h"
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
      : evaluate(evaluate), builder(evaluate.getLoc(), evaluate),
        levels(builder, [this](Value value) { return index(value); }) {}

  LogicalResult run();

private:
  /// Compares the sizes of all dimensions that a variable is the index of.
  void checkExtents();
  /// The dimension of the function's that `dimension` is as long as.
  std::string describe(ArrayDimension dimension);
  Value size(ArrayDimension dimension);

  /// An error if a loop has to walk what has no order.
  LogicalResult checkOrder();
  void emit(Operation &op);
  void emit(AssembleOp assemble);
  Value allocate(MemRefType type, ValueRange sizes);
  void emit(ForallOp forall, unsigned variable);
  /// What a loop does at a value of a variable.
  void emitValue(ForallOp forall, unsigned variable, Value value);
  /// A loop over what arrays store.
  void emitWalk(ForallOp forall);
  void emit(IfOp branch);
  void emit(WhereOp where);
  void emit(AssignOp assign);
  /// Of an array in a format.
  void emitStore(AssignOp assign, Value value);
  void emit(ReduceOp reduce);
  /// The loops of a reduction from `variable` on; what they begin with and
  /// what comes out.
  Value emitReduction(ReduceOp reduce, unsigned variable, Value before);
  /// One over what arrays store.
  Value emitWalk(ReduceOp reduce, Value before);
  /// A sum with that of `count` coordinates that are not visited.
  Value emitRest(ReduceOp reduce, Value sum, Value count);
  /// A term of a reduction, combined with what was there before.
  Value emitTerm(ReduceOp reduce, Value before);
  Value combine(ReduceOp reduce, Value before, Value term);
  /// The coordinates by which an assignment appends.
  SmallVector<Value> getPlace(AssignOp assign) {
    auto type = cast<ArrayType>(assign.getArray().getType());
    return getCoordinates(type, assign.getIndices());
  }
  /// Those of them that a loop has bound.
  SmallVector<Value> getBound(ArrayRef<Value> coordinates);
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
  LevelCode levels;
  /// By array that is appended to.
  llvm::MapVector<Value, std::unique_ptr<AppendCode>> appended;
  /// By the name that producers have for them.
  DenseMap<Value, std::unique_ptr<WorkspaceCode>> workspaces;
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
  auto type = cast<ShapedType>(dimension.array.getType());
  if (isa<ArrayType>(type))
    return levels.getStorage(dimension.array).sizes[dimension.dimension];
  if (type.isDynamicDim(dimension.dimension))
    return memref::DimOp::create(builder, get(dimension.array),
                                 dimension.dimension);
  return constant(type.getDimSize(dimension.dimension));
}

/// A workspace is as long as the dimension that it is asked to be as long as.
static ArrayDimension getOrigin(ArrayDimension dimension) {
  auto where =
      dyn_cast<WhereOp>(dimension.array.getParentBlock()->getParentOp());
  ShapedType type = cast<ShapedType>(dimension.array.getType());
  if (!where || !type.isDynamicDim(dimension.dimension))
    return dimension;
  int64_t position = llvm::count_if(
      type.getShape().take_front(dimension.dimension), ShapedType::isDynamic);
  auto extent = where.getSizes()[position].getDefiningOp<ExtentOp>();
  return {extent.getArray(), static_cast<unsigned>(extent.getDimension())};
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
  if (forall.getIteration() && variable == 0) {
    emitWalk(forall);
    return;
  }
  auto [lower, upper] = bounds(forall, variable);
  auto loop = scf::ForOp::create(builder, lower, upper, constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  emitValue(forall, variable, loop.getInductionVar());
}

SmallVector<Value> EvaluationLowering::getBound(ArrayRef<Value> coordinates) {
  SmallVector<Value> bound;
  for (Value coordinate : coordinates) {
    if (!values.contains(coordinate))
      break;
    bound.push_back(get(coordinate));
  }
  return bound;
}

void EvaluationLowering::emitValue(ForallOp forall, unsigned variable,
                                   Value value) {
  BlockArgument mine = forall.getVariables()[variable];
  values.map(mine, value);
  struct Place {
    AppendCode *code;
    unsigned level;
    SmallVector<Value> coordinates;
  };
  SmallVector<Place> places;
  forall.walk([&](AssignOp assign) {
    auto found = appended.find(assign.getArray());
    if (found == appended.end())
      return;
    SmallVector<Value> coordinates = getPlace(assign);
    auto level = llvm::find(coordinates, mine) - coordinates.begin();
    if (level != static_cast<int64_t>(coordinates.size()))
      places.push_back({found->second.get(), static_cast<unsigned>(level),
                        getBound(coordinates)});
  });
  for (Place &place : places)
    place.code->enter(place.level, place.coordinates);
  emit(forall, variable + 1);
  for (Place &place : places)
    place.code->leave(place.level, place.coordinates);
  values.erase(mine);
}

/// Whether there are no loops in a loop.
static bool isInnermost(Operation *loop) {
  return !loop->walk([&](Operation *op) {
                bool isInner = op != loop && isa<ForallOp, ReduceOp>(op);
                return isInner ? WalkResult::interrupt()
                               : WalkResult::advance();
              })
              .wasInterrupted();
}

void EvaluationLowering::emitWalk(ForallOp forall) {
  SmallVector<Fiber> fibers = getLevelOperands(forall);
  Value size = bounds(forall, 0).second;
  auto body = [&](Value coordinate, ValueRange) {
    emitValue(forall, 0, coordinate);
    return SmallVector<Value>();
  };
  auto setVariable = [&](Value coordinate) {
    values.map(forall.getVariables()[0], coordinate);
  };
  IterationCode code(builder, levels, fibers,
                     forall.getIterationAttr().getSet(), setVariable);
  // What is appended in another order is not in the format any more.
  bool appends = false;
  forall.walk([&](AssignOp assign) {
    appends |= appended.contains(assign.getArray());
  });
  if (appends)
    code.checkIncrease();
  if (isInnermost(forall))
    code.searchLonger();
  code.emit(size, {}, body);
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
Value EvaluationLowering::allocate(MemRefType type, ValueRange sizes) {
  auto memory = memref::AllocOp::create(builder, type, sizes);
  memory->setAttr(nameAttr, builder.getStringAttr("workspace"));
  memory->setAttr(scratchAttr, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(evaluate);
  memref::DeallocOp::create(builder, memory);
  return memory;
}

void EvaluationLowering::emit(WhereOp where) {
  OpBuilder::InsertionGuard guard(builder);
  OpBuilder::InsertPoint here = builder.saveInsertionPoint();
  if (before)
    builder.setInsertionPointAfter(before);
  else
    builder.setInsertionPointToStart(evaluate->getBlock());
  SmallVector<Value> sizes =
      llvm::map_to_vector(where.getSizes(), [&](Value given) {
        auto extent = given.getDefiningOp<ExtentOp>();
        return size(
            {extent.getArray(), static_cast<unsigned>(extent.getDimension())});
      });
  auto type = dyn_cast<ArrayType>(where.getWorkspaceType());
  if (!type) {
    Value memory = allocate(cast<MemRefType>(where.getWorkspaceType()), sizes);
    builder.restoreInsertionPoint(here);
    for (Region *region : {&where.getProducers(), &where.getConsumers()}) {
      values.map(region->getArgument(0), memory);
      emitAll(region->front());
    }
    return;
  }
  SmallVector<Value> all;
  ArrayRef<Value> unknown = sizes;
  for (int64_t size : type.getShape()) {
    bool isKnown = !ShapedType::isDynamic(size);
    all.push_back(isKnown ? constant(size) : unknown.front());
    unknown = isKnown ? unknown : unknown.drop_front();
  }
  Value produced = where.getProducers().getArgument(0);
  auto workspace = std::make_unique<WorkspaceCode>(
      builder, levels, type, all,
      [&](MemRefType memory, Value count) { return allocate(memory, count); });
  WorkspaceCode &code = *workspace;
  for (Region *region : {&where.getProducers(), &where.getConsumers()})
    levels.setStorage(region->getArgument(0), code.getStorage());
  workspaces[produced] = std::move(workspace);
  builder.restoreInsertionPoint(here);
  emitAll(where.getProducers().front());
  code.gather();
  emitAll(where.getConsumers().front());
}

void EvaluationLowering::emit(AssignOp assign) {
  std::optional<OpBuilder::InsertionGuard> guard;
  if (Value condition = assign.getCondition()) {
    auto branch = scf::IfOp::create(builder, get(condition),
                                    /*withElseRegion=*/false);
    guard.emplace(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  Value value = get(assign.getValue());
  if (isa<ArrayType>(assign.getArray().getType())) {
    emitStore(assign, value);
    return;
  }
  Value memref = get(assign.getArray());
  SmallVector<Value> at = indices(assign.getIndices());
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

void EvaluationLowering::emitStore(AssignOp assign, Value value) {
  Value array = assign.getArray();
  SmallVector<Value> coordinates = getPlace(assign);
  auto found = appended.find(array);
  if (found != appended.end()) {
    found->second->store(getBound(coordinates), value);
    return;
  }
  std::optional<BuiltinAttr> function = assign.getFunction();
  workspaces[array]->store(getBound(coordinates), value,
                           function ? function->getBuiltin() : nullptr);
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
  if (reduce.getIteration() && variable == 0)
    return emitWalk(reduce, before);
  auto [lower, upper] = bounds(reduce, variable);
  auto loop = scf::ForOp::create(builder, lower, upper, constant(1), before);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  values.map(reduce.getVariables()[variable], loop.getInductionVar());
  Value after = emitReduction(reduce, variable + 1, loop.getRegionIterArg(0));
  scf::YieldOp::create(builder, after);
  return loop.getResult(0);
}

Value EvaluationLowering::emitWalk(ReduceOp reduce, Value before) {
  SmallVector<Fiber> fibers = getLevelOperands(reduce);
  Value size = bounds(reduce, 0).second;
  // How many coordinates there are matters if the others count, too.
  SmallVector<Value> carried = {before};
  if (reduce.getRest())
    carried.push_back(constant(0));
  auto body = [&](Value, ValueRange values) {
    SmallVector<Value> after = {emitTerm(reduce, values.front())};
    if (reduce.getRest())
      after.push_back(levels.add(values.back(), 1));
    return after;
  };
  auto setVariable = [&](Value coordinate) {
    values.map(reduce.getVariables()[0], coordinate);
  };
  IterationCode code(builder, levels, fibers,
                     reduce.getIterationAttr().getSet(), setVariable);
  if (isInnermost(reduce))
    code.searchLonger();
  SmallVector<Value> after = code.emit(size, carried, body);
  if (!reduce.getRest())
    return after.front();
  Value left = arith::SubIOp::create(builder, size, after.back());
  return emitRest(reduce, after.front(), left);
}

Value EvaluationLowering::emitRest(ReduceOp reduce, Value sum, Value count) {
  Type type = reduce.getType();
  Value rest = arith::ConstantOp::create(builder, *reduce.getRest());
  auto call = [&](StringRef name, ValueRange operands, Type result) {
    return emitCall(builder, *findBuiltin(name), operands, result);
  };
  Value combined;
  switch (*getRepetition(*reduce.getFunction(), *reduce.getRest())) {
  case Repetition::once:
    combined = emitCall(builder, *reduce.getFunction(), {sum, rest}, type);
    break;
  case Repetition::multiple:
    rest = call("mul", {rest, call("convert", count, type)}, type);
    combined = call("add", {sum, rest}, type);
    break;
  case Repetition::power: {
    // Exponents, and whether they are odd, are exact.
    Type wide = builder.getF64Type();
    Value power =
        call("pow", {call("convert", rest, wide), call("convert", count, wide)},
             wide);
    combined = call("mul", {sum, call("convert", power, type)}, type);
    break;
  }
  }
  // None of a value that is infinite or NaN is not 0 times it.
  Value isAny = arith::CmpIOp::create(builder, arith::CmpIPredicate::sgt, count,
                                      constant(0));
  return arith::SelectOp::create(builder, isAny, combined, sum);
}

void EvaluationLowering::emit(ReduceOp reduce) {
  Constant identity = reduce.getFunction()->getIdentity();
  Value begin = arith::ConstantOp::create(
      builder, getConstant(identity, reduce.getType()));
  values.map(reduce.getResult(), emitReduction(reduce, 0, begin));
}

void EvaluationLowering::emit(Operation &op) {
  builder.setLoc(op.getLoc());
  llvm::TypeSwitch<Operation *>(&op)
      .Case<ForallOp>([&](auto forall) { emit(forall, 0); })
      .Case<IfOp, WhereOp, AssignOp, ReduceOp>([&](auto mine) { emit(mine); })
      .Case<AssembleOp>([&](auto assemble) { emit(assemble); })
      .Case<AccessOp>([&](auto access) {
        if (isa<ArrayType>(access.getArray().getType())) {
          values.map(access.getResult(), levels.load(access));
          return;
        }
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
                   size({extent.getArray(),
                         static_cast<unsigned>(extent.getDimension())}));
      });
}

void EvaluationLowering::emit(AssembleOp assemble) {
  ArrayType type = assemble.getType();
  Storage storage;
  storage.type = type;
  storage.values = get(assemble.getValues());
  storage.name = evaluate.getNameOf(assemble);
  for (auto [number, level] : llvm::enumerate(type.getFormat().getLevels()))
    storage.levels.push_back(llvm::map_to_vector(
        assemble.getLevels().slice(assemble.getFirstArrayOf(number),
                                   level.countArrays()),
        [&](Value array) { return get(array); }));
  for (auto [dimension, size] : llvm::enumerate(type.getShape()))
    storage.sizes.push_back(ShapedType::isDynamic(size)
                                ? get(assemble.getSizeOf(dimension))
                                : constant(size));
  levels.setStorage(assemble, std::move(storage));
}

LogicalResult EvaluationLowering::checkOrder() {
  auto check = [&](Operation *loop, CoordinateSet set) -> LogicalResult {
    SmallVector<Fiber> fibers = getLevelOperands(loop);
    bool isCombined = true;
    loop->walk([&](AssignOp assign) { isCombined &= !!assign.getFunction(); });
    for (const Fiber &fiber : fibers) {
      const Level &level = fiber.getLevel();
      if (level.isOrdered)
        continue;
      bool isAlone = fibers.size() == 1 && set == CoordinateSet::operand(0);
      if (isAlone && (level.isUnique || isCombined))
        continue;
      return loop->emitError()
             << "walks " << evaluate.getNameOf(fiber.array)
             << ", of which level " << fiber.depth() - 1
             << " is unordered, together with others: sort its coordinates, "
                "and leave 'unordered' out of its format";
    }
    return success();
  };
  WalkResult walk = evaluate.getRegion().walk([&](Operation *op) {
    IterationAttr iteration;
    if (auto forall = dyn_cast<ForallOp>(op))
      iteration = forall.getIterationAttr();
    else if (auto reduce = dyn_cast<ReduceOp>(op))
      iteration = reduce.getIterationAttr();
    if (iteration && failed(check(op, iteration.getSet())))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult EvaluationLowering::run() {
  if (failed(checkOrder()))
    return failure();
  for (auto [name, operand] : llvm::zip_equal(
           evaluate.getBody()->getArguments(), evaluate->getOperands()))
    values.map(name, operand);
  for (auto assemble : evaluate.getRegion().getOps<AssembleOp>())
    emit(assemble);
  checkExtents();
  for (auto statement : evaluate.getRegion().getOps<ForallOp>()) {
    appended.clear();
    statement.walk([&](AssignOp assign) {
      auto array = assign.getArray().getDefiningOp<AssembleOp>();
      if (array && !appended.contains(array))
        appended[array] = std::make_unique<AppendCode>(builder, levels, array);
    });
    before = evaluate->getPrevNode();
    emit(*statement);
    for (auto &[array, code] : appended)
      code->finish();
  }
  return success();
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
      if (failed(EvaluationLowering(evaluate).run()))
        return signalPassFailure();
      evaluate->erase();
    }
  }
};
} // namespace
