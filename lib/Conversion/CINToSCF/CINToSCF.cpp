//===- CINToSCF.cpp - Statements to loops ---------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CountBounds.h"
#include "EvaluationLowering.h"
#include "HashWorkspace.h"
#include "MarkedWorkspace.h"

#include "ember/Conversion/CINToSCF/Passes.h"
#include "ember/Dialect/CIN/IR/CIN.h"
#include "ember/Dialect/CIN/IR/CoordinateOrder.h"
#include "ember/Dialect/CIN/Transforms/FunctionCode.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
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

void EvaluationLowering::emit(ForallOp forall, unsigned variable) {
  if (variable == forall.getVariables().size()) {
    emitAll(*forall.getBody());
    return;
  }
  if (forall.getIteration() && variable == 0) {
    emitWalk(forall);
    return;
  }
  if (compacted && forall.getVariables()[variable] == compacted.getVariable()) {
    emitCompacted(forall);
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
    bound.push_back(index(coordinate));
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
  // Coordinates of listed levels are checked where they are appended.
  auto checkLocated = [&](Fiber fiber) {
    if (!fiber.getLevel().isListed())
      levels.assertInside(fiber, value);
  };
  SmallVector<Place> places;
  forall.walk([&](AssignOp assign) {
    auto found = appended.find(assign.getArray());
    if (found == appended.end())
      return;
    SmallVector<Value> coordinates = getPlace(assign);
    auto level = llvm::find(coordinates, mine) - coordinates.begin();
    if (level == static_cast<int64_t>(coordinates.size()))
      return;
    checkLocated(
        {assign.getArray(),
         llvm::to_vector(ArrayRef(coordinates).take_front(level + 1))});
    SmallVector<Value> bound = getBound(coordinates);
    // Below an index that is computed inside, elements tell their places.
    if (static_cast<int64_t>(bound.size()) > level)
      places.push_back(
          {found->second.get(), static_cast<unsigned>(level), bound});
  });
  for (Place &place : places)
    place.code->enter(place.level, place.coordinates);
  emit(forall, variable + 1);
  for (Place &place : places)
    place.code->leave(place.level, place.coordinates);
  values.erase(mine);
}

AppendCode *EvaluationLowering::findOnlyAppend(ForallOp forall) {
  SmallVector<AssignOp> assigns(forall.getBody()->getOps<AssignOp>());
  if (assigns.size() != 1 || !isInnermost(forall))
    return nullptr;
  auto found = appended.find(assigns.front().getArray());
  if (found == appended.end())
    return nullptr;
  auto type = cast<ArrayType>(assigns.front().getArray().getType());
  SmallVector<Value> place = getPlace(assigns.front());
  bool isLast = place.back() == forall.getVariables()[0] &&
                type.getFormat().getLevels().back().isListed();
  return isLast ? found->second.get() : nullptr;
}

void EvaluationLowering::emitWalk(ForallOp forall) {
  if (forall == bounded) {
    AssignOp assign = *forall.getBody()->getOps<AssignOp>().begin();
    appended[assign.getArray()]->skip(emitVisitBound(forall));
    return;
  }
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
  splitByCases(forall, code);
  // What is appended in another order is not in the format any more.
  bool appendsInOrder = false;
  forall.walk([&](AssignOp assign) {
    appendsInOrder |= appended.contains(assign.getArray()) &&
                      isAppendedInOrder(assign, forall.getVariables()[0]);
  });
  // What a workspace has gathered is in order.
  bool isGiven = llvm::any_of(fibers, [](const Fiber &fiber) {
    return !!fiber.array.getDefiningOp<AssembleOp>();
  });
  if (appendsInOrder && isGiven)
    code.checkIncrease();
  if (!mergesInside(forall))
    chooseSearches(code);
  // One element, appended as a coordinate and a value.
  AppendCode *only = findOnlyAppend(forall);
  auto hasRoom = [&] { return only->hasRoom(); };
  auto setCondition = [&](Value condition) { only->setTentative(condition); };
  if (only && isHarmless(forall, fibers))
    code.speculate({hasRoom, setCondition});
  code.emit(size, {}, body);
}

void EvaluationLowering::emit(IfOp branch) {
  auto lowered = scf::IfOp::create(builder, get(branch.getCondition()),
                                   /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(lowered.thenBlock());
  emitAll(branch.getRegion().front());
}

/// Outside of all loops. With `isScratch`, what an iteration leaves there, the
/// next one overwrites.
Value EvaluationLowering::allocate(MemRefType type, ValueRange sizes,
                                   bool isScratch) {
  // With its attributes, before a pattern makes another one of it.
  if (std::optional<int64_t> size =
          sizes.size() == 1 ? getConstantIntValue(sizes.front()) : std::nullopt;
      size && isScratch && type.getRank() == 1) {
    type = MemRefType::get({*size}, type.getElementType());
    sizes = {};
  }
  auto memory = memref::AllocOp::create(builder, type, sizes);
  memory->setAttr(nameAttr, builder.getStringAttr("workspace"));
  if (isScratch)
    memory->setAttr(scratchAttr, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  if (lifetimeEnd)
    builder.setInsertionPoint(lifetimeEnd);
  else
    builder.setInsertionPointAfter(evaluate);
  memref::DeallocOp::create(builder, memory);
  return memory;
}

/// Whether a workspace is used anew in each iteration of a loop.
static bool isInLoop(WhereOp where) {
  for (Operation *op = where->getParentOp(); !isa<EvaluateOp>(op);
       op = op->getParentOp())
    if (auto forall = dyn_cast<ForallOp>(op))
      if (!forall.getVariables().empty())
        return true;
  return false;
}

SmallVector<Value> EvaluationLowering::sizesOf(WhereOp where) {
  SmallVector<Value> all;
  OperandRange unknown = where.getSizes();
  for (int64_t known : cast<ShapedType>(where.getWorkspaceType()).getShape()) {
    if (!ShapedType::isDynamic(known)) {
      all.push_back(constant(known));
      continue;
    }
    auto extent = unknown.front().getDefiningOp<ExtentOp>();
    unknown = unknown.drop_front();
    all.push_back(size(
        {extent.getArray(), static_cast<unsigned>(extent.getDimension())}));
  }
  return all;
}

void EvaluationLowering::makeWorkspace(WhereOp where) {
  OpBuilder::InsertionGuard guard(builder);
  goOutside();
  bool isScratch = isInLoop(where);
  Value names[] = {where.getProducers().getArgument(0),
                   where.getConsumers().getArgument(0)};
  auto type = dyn_cast<ArrayType>(where.getWorkspaceType());
  if (!type) {
    auto memory = cast<MemRefType>(where.getWorkspaceType());
    SmallVector<Value> sizes;
    for (auto [size, known] :
         llvm::zip_equal(sizesOf(where), memory.getShape()))
      if (ShapedType::isDynamic(known))
        sizes.push_back(size);
    Value allocated = allocate(memory, sizes, isScratch);
    WorkspaceCode::nameIndices(allocated, describeSizes(where));
    for (Value name : names)
      values.map(name, allocated);
    return;
  }
  auto make = [&](MemRefType memory, Value count) {
    return allocate(memory, count, isScratch);
  };
  std::unique_ptr<WorkspaceCode> workspace;
  if (hashedStores)
    workspace = std::make_unique<HashWorkspace>(
        builder, levels, type, sizesOf(where), hashedStores, make);
  else if (MarkedWorkspace::takes(where))
    workspace = std::make_unique<MarkedWorkspace>(builder, levels, type,
                                                  roomOf(where), make);
  else
    workspace =
        WorkspaceCode::create(builder, levels, type, roomOf(where), make);
  workspace->describeDimensions(describeSizes(where));
  for (Value name : names)
    levels.setStorage(name, workspace->getStorage());
  workspaces[names[0]] = std::move(workspace);
}

void EvaluationLowering::emit(WhereOp where) {
  if (bounded) {
    setExtents(where);
    emitAll(where.getConsumers().front());
    return;
  }
  if (mode == AppendCode::Mode::countRows && emitRowCount(where))
    return;
  // Of the cases of a loop around, each uses the same.
  if (ready.insert(where).second)
    makeWorkspace(where);
  Block &producers = where.getProducers().front();
  Block &consumers = where.getConsumers().front();
  emitAll(producers);
  auto found = workspaces.find(producers.getArgument(0));
  if (found == workspaces.end()) {
    emitAll(consumers);
    return;
  }
  WorkspaceCode &code = *found->second;
  code.gather();
  emitAll(consumers);
  code.clear([&] { emitAll(producers); });
}

void EvaluationLowering::emit(Operation &op) {
  builder.setLoc(op.getLoc());
  llvm::TypeSwitch<Operation *>(&op)
      .Case<ForallOp>([&](auto forall) { emit(forall, 0); })
      .Case<ApplyOp, CallOp, IfOp, WhereOp, AssignOp, ReduceOp>(
          [&](auto mine) { emit(mine); })
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
      .Case<LiteralOp>([&](auto literal) {
        values.map(
            literal.getResult(),
            arith::ConstantOp::create(builder, literal.getValue()).getResult());
      })
      .Case<StoredOp>([&](auto stored) {
        auto access = stored.getValue().template getDefiningOp<AccessOp>();
        values.map(stored.getResult(), levels.isStored(access));
      })
      .Case<ExtentOp>([&](auto extent) {
        values.map(extent.getResult(),
                   size({extent.getArray(),
                         static_cast<unsigned>(extent.getDimension())}));
      });
}

/// Whether an array is made among statements, and stored as its type says.
static bool isMade(AssembleOp assemble) {
  return assemble && isa_and_present<RegroupOp, ReserveOp>(
                         assemble.getValues().getDefiningOp());
}

Storage EvaluationLowering::describeStorage(AssembleOp assemble) {
  Storage storage;
  storage.type = assemble.getType();
  storage.name = evaluate.getNameOf(assemble);
  storage.isLocating = assemble.getLocating();
  for (auto [dimension, known] : llvm::enumerate(storage.type.getShape())) {
    if (!ShapedType::isDynamic(known)) {
      storage.sizes.push_back(constant(known));
      continue;
    }
    Value given = assemble.getSizeOf(dimension);
    // An expression of sizes may be less than nothing.
    storage.sizes.push_back(
        isa<BlockArgument>(given) || given.getDefiningOp<ExtentOp>()
            ? get(given)
            : arith::MaxSIOp::create(builder, get(given), constant(0))
                  .getResult());
  }
  return storage;
}

void EvaluationLowering::emit(AssembleOp assemble) {
  ArrayType type = assemble.getType();
  Storage storage = describeStorage(assemble);
  (assemble.getCounting() ? storage.counts : storage.values) =
      get(assemble.getValues());
  for (auto [number, level] : llvm::enumerate(type.getFormat().getLevels())) {
    if (assemble.getCounting()) {
      storage.levels.emplace_back(level.countArrays());
      continue;
    }
    storage.levels.push_back(llvm::map_to_vector(
        assemble.getLevels().slice(assemble.getFirstArrayOf(number),
                                   level.countArrays()),
        [&](Value array) { return get(array); }));
  }
  levels.setStorage(assemble, std::move(storage));
  nameParts(assemble);
  if (assemble.getEncoding())
    checkRows(assemble);
  bool isTable = type.getFormat().isDense() &&
                 (assemble.getEncoding() || assemble.getLocating());
  if (!assemble.getCounting() && !isTable && !isMade(assemble))
    checkStorage(assemble);
}

void EvaluationLowering::emit(TemporaryOp temporary) {
  auto type = cast<MemRefType>(temporary.getType());
  SmallVector<Value> sizes =
      llvm::map_to_vector(temporary.getSizes(), [&](Value size) {
        return builder.createOrFold<arith::MaxSIOp>(get(size), constant(0));
      });
  // Where a pattern finds a size constant, it makes another one, of no name.
  SmallVector<OpFoldResult> mixed =
      getMixedValues(type.getShape(), sizes, builder);
  for (OpFoldResult &size : mixed)
    if (std::optional<int64_t> known = getConstantIntValue(size))
      size = builder.getIndexAttr(*known);
  SmallVector<Value> dynamic;
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults(mixed, dynamic, shape);
  auto memory = memref::AllocOp::create(
      builder, MemRefType::get(shape, type.getElementType()), dynamic);
  memory->setAttr(nameAttr,
                  builder.getStringAttr(evaluate.getNameOf(temporary)));
  Value array = memory;
  if (memory.getType() != type)
    array = memref::CastOp::create(builder, type, memory);
  values.map(temporary.getResult(), array);
  temporaries.push_back(memory);
  std::optional<TypedAttr> initial = temporary.getInitial();
  if (!initial)
    return;
  Value first = arith::ConstantOp::create(builder, *initial);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> position;
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension) {
    Value size = this->size({temporary, static_cast<unsigned>(dimension)});
    auto loop = scf::ForOp::create(builder, constant(0), size, constant(1));
    position.push_back(loop.getInductionVar());
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  }
  memref::StoreOp::create(builder, first, memory, position);
}

void EvaluationLowering::emit(ScanOp scan) {
  builder.setLoc(scan.getLoc());
  Value lengths = get(scan.getLengths());
  std::string name = evaluate.getNameOf(scan.getLengths());
  Type wide = builder.getI64Type();
  Value count = size({scan.getLengths(), 0});
  Value ends = arith::AddIOp::create(builder, count, constant(1));
  auto type = MemRefType::get({ShapedType::kDynamic}, wide);
  Value sums = allocate(type, ends, /*isScratch=*/false);
  // Messages about segments that are not there name what the user wrote.
  sums.getDefiningOp()->setAttr(
      nameAttr, builder.getStringAttr("the offsets of " + name));
  Value zero = arith::ConstantOp::create(builder, builder.getI64IntegerAttr(0));
  auto loop = scf::ForOp::create(builder, constant(0), count, constant(1),
                                 ValueRange{zero});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value before = loop.getRegionIterArg(0);
  memref::StoreOp::create(builder, before, sums, loop.getInductionVar());
  Value length =
      memref::LoadOp::create(builder, lengths, loop.getInductionVar());
  length = emitCall(builder, *findBuiltin("convert"), length, wide);
  Value after = arith::AddIOp::create(builder, before, length);
  auto require = [&](Value value, Value least, const std::string &message) {
    Value holds =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, value, least);
    cf::AssertOp::create(builder, holds, message);
  };
  require(length, zero, "a length of " + name + " is negative");
  if (Value within = scan.getWithin()) {
    // Against what is left, which no sum of lengths can wrap around.
    Value most = arith::IndexCastOp::create(builder, wide, size({within, 0}));
    Value left = arith::SubIOp::create(builder, most, before);
    require(left, length,
            "the lengths of " + name + " add up to more than there are " +
                evaluate.getNameOf(within));
  } else {
    require(after, before,
            "the lengths of " + name + " add up to more than 64 bits hold");
  }
  scf::YieldOp::create(builder, after);
  builder.setInsertionPointAfter(loop);
  memref::StoreOp::create(builder, loop.getResult(0), sums, count);
  Value known = sums;
  if (scan.getType() != type)
    known =
        memref::CastOp::create(builder, cast<MemRefType>(scan.getType()), sums);
  values.map(scan.getResult(), known);
}

bool EvaluationLowering::emitCounts(ForallOp statement) {
  AssembleOp counted;
  statement.walk([&](AssignOp assign) {
    auto array = assign.getArray().getDefiningOp<AssembleOp>();
    if (array && array.getCounting())
      counted = array;
  });
  if (!counted)
    return false;
  builder.setLoc(statement.getLoc());
  SmallVector<Value> bounds =
      emitCountBounds(builder, levels, statement, counted);
  const Storage &storage = levels.getStorage(counted);
  Type type = getElementTypeOrSelf(storage.counts.getType());
  for (auto [level, bound] : llvm::enumerate(bounds)) {
    if (!type.isIndex())
      bound = arith::IndexCastOp::create(builder, type, bound);
    memref::StoreOp::create(builder, bound, storage.counts, constant(level));
  }
  return !bounds.empty();
}

void EvaluationLowering::emitStatement(ForallOp statement) {
  beginLoops();
  beginCompacted(statement);
  emit(*statement);
  for (auto &[array, code] : appended)
    code->finish();
}

LogicalResult EvaluationLowering::run() {
  if (failed(checkOrder()) || failed(checkCompacted()))
    return failure();
  for (auto temporary : evaluate.getRegion().getOps<TemporaryOp>())
    if (!isa<MemRefType>(temporary.getType()))
      return temporary.emitOpError()
             << "is no memory yet: run --cin-expand-temporaries first, and "
                "bufferize tensors";
  for (auto [name, operand] : llvm::zip_equal(
           evaluate.getBody()->getArguments(), evaluate->getOperands()))
    values.map(name, operand);
  for (auto assemble : evaluate.getRegion().getOps<AssembleOp>())
    if (isa<BlockArgument>(assemble.getValues()))
      emit(assemble);
  for (auto compact : evaluate.getRegion().getOps<CompactOp>())
    values.map(compact.getResult(), get(compact.getMemory()));
  for (Operation &op : evaluate.getRegion().front()) {
    if (auto temporary = dyn_cast<TemporaryOp>(op))
      emit(temporary);
    else if (isa<ApplyOp, ExtentOp, LiteralOp>(op))
      emit(op);
    auto assemble = dyn_cast<AssembleOp>(op);
    if (!assemble || isa<BlockArgument>(assemble.getValues()))
      continue;
    // Of what is made among statements, sizes are known before.
    if (isMade(assemble))
      levels.setStorage(assemble, describeStorage(assemble));
    else
      emit(assemble);
  }
  checkExtents();
  for (Operation &op : *evaluate.getBody()) {
    if (auto scan = dyn_cast<ScanOp>(op))
      emit(scan);
    else if (auto regroup = dyn_cast<RegroupOp>(op))
      emit(regroup);
    else if (auto reserve = dyn_cast<ReserveOp>(op))
      emit(reserve);
    else if (auto assemble = dyn_cast<AssembleOp>(op); isMade(assemble))
      emit(assemble);
    auto statement = dyn_cast<ForallOp>(op);
    if (!statement)
      continue;
    appended.clear();
    if (emitCounts(statement))
      continue;
    statement.walk([&](AssignOp assign) {
      auto array = assign.getArray().getDefiningOp<AssembleOp>();
      if (array && !appended.contains(array))
        appended[array] = std::make_unique<AppendCode>(builder, levels, array);
    });
    if (ForallOp rows = findRows(statement))
      emitRowBounds(statement, rows);
    else if (ForallOp apart = findRowsApart(statement))
      emitRowsApart(statement, apart);
    else
      emitStatement(statement);
  }
  for (Value memory : temporaries)
    memref::DeallocOp::create(builder, memory);
  return success();
}

namespace {
struct ConvertCINToSCF
    : public ember::impl::ConvertCINToSCFBase<ConvertCINToSCF> {
  using ConvertCINToSCFBase::ConvertCINToSCFBase;

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
      if (failed(EvaluationLowering(evaluate, countRows, mostThreads).run()))
        return signalPassFailure();
      evaluate->erase();
    }
  }
};
} // namespace
