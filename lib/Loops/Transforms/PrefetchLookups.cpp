//===- PrefetchLookups.cpp - Prefetch looked-up rows some lookups ahead ---===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The index of the lookup `distance` positions ahead is loaded (from the same
// indices, cut off at their end, not at the end of the segment), and the row it
// selects is prefetched, cache line by cache line. So are the indices
// themselves, and what else is read along with them: between rows from all over
// the memory, the hardware does not always notice that something is read in
// order.
//
//===----------------------------------------------------------------------===//

#include "PrefetchModel.h"
#include "ember/Analysis/LookupFinder.h"
#include "ember/Analysis/MemorySize.h"
#include "ember/Analysis/SegmentBounds.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include <numeric>

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_PREFETCHLOOKUPS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
struct PrefetchLookups : impl::PrefetchLookupsBase<PrefetchLookups> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// How many bytes an element of `type` takes in memory. Rows of others are not
/// worthwhile, and sequences are of positions.
static int64_t elementBytes(MemRefType type) {
  return *getElementBytes(type.getElementType());
}

/// About how many operations on 64 bytes of elements `block` takes.
static double countOperations(Block &block) {
  double count = 0;
  for (Operation &op : block) {
    if (auto inner = dyn_cast<scf::ForOp>(op)) {
      std::optional<APInt> trips = inner.getStaticTripCount();
      count += countOperations(*inner.getBody()) *
               (trips ? double(trips->getLimitedValue()) : 1);
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        count += countOperations(nested);
    // A step for each halving of the lanes.
    if (auto reduction = dyn_cast<vector::ReductionOp>(op))
      count += llvm::Log2_64_Ceil(std::max<int64_t>(
          reduction.getSourceVectorType().getNumElements(), 2));
    if (op.getNumResults() != 1 ||
        !isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) ||
        op.hasTrait<OpTrait::ConstantLike>())
      continue;
    Type type = op.getResult(0).getType();
    // Compares and selects.
    double each = isa<arith::MaximumFOp, arith::MinimumFOp>(op) ? 3 : 1;
    if (auto vector = dyn_cast<VectorType>(type);
        vector && vector.getElementType().isIntOrFloat())
      count += each * llvm::divideCeil(vector.getNumElements() *
                                           vector.getElementTypeBitWidth(),
                                       512);
    else if (isa<FloatType>(type))
      count += each;
  }
  return count;
}

namespace {
/// Adds the prefetches of one loop.
class PrefetchEmitter {
public:
  PrefetchEmitter(scf::ForOp loop, ArrayRef<Lookup> lookups,
                  const PrefetchModel &model);

  bool isWorthwhile(const Lookup &lookup);
  void prefetchSequence(memref::LoadOp load, int64_t bytesAhead);
  /// Prefetches rows that one index selects.
  void prefetch(MutableArrayRef<Lookup *> lookups);

private:
  Value areLarge(ArrayRef<Lookup *> lookups);
  Value isLarge(OpBuilder &builder, const Lookup &lookup);
  bool hasSizeOfRun(const Lookup &lookup);
  PrefetchPlan planOf(const Lookup &lookup);
  Value findEnd(Value indices);
  Value loadAhead(OpBuilder &builder, memref::LoadOp load, int64_t distance);
  void prefetchRow(OpBuilder builder, Lookup &lookup, Value index);
  void prefetchLines(OpBuilder &builder, const Lookup &lookup,
                     const PrefetchPlan &plan, ArrayRef<Value> start);

  scf::ForOp loop;
  const PrefetchModel &model;
  /// On 64 bytes, for each line that is looked up.
  double operations;
};
} // namespace

/// The bytes from one row of `type` to the next, if that is known.
static std::optional<int64_t> rowBytesOf(MemRefType type) {
  return getStaticBytes(type, /*first=*/1);
}

/// The bytes that are read of a row, if that is known.
static std::optional<int64_t> readBytesOf(const Lookup &lookup) {
  auto type = cast<MemRefType>(lookup.table.getType());
  std::optional<int64_t> bytes = getElementBytes(type.getElementType());
  if (!lookup.length || !bytes)
    return std::nullopt;
  return multiplyClamped(*lookup.length, *bytes);
}

PrefetchEmitter::PrefetchEmitter(scf::ForOp loop, ArrayRef<Lookup> lookups,
                                 const PrefetchModel &model)
    : loop(loop), model(model) {
  double lines = 0;
  for (const Lookup &lookup : lookups)
    lines += double(lookup.countRows()) *
             std::max<double>(llvm::divideCeil(readBytesOf(lookup).value_or(1),
                                               model.lineBytes()),
                              1);
  operations = countOperations(*loop.getBody()) / std::max<double>(lines, 1);
}

PrefetchPlan PrefetchEmitter::planOf(const Lookup &lookup) {
  LookedUpRow row;
  row.bytes = readBytesOf(lookup);
  row.rows = lookup.countRows();
  row.operations = operations;
  std::optional<int64_t> apart =
      rowBytesOf(cast<MemRefType>(lookup.table.getType()));
  row.inWholeLines =
      apart && *apart > 0 &&
      (*apart % model.lineBytes() == 0 || model.lineBytes() % *apart == 0);
  return model.plan(row);
}

/// The sizes of what the loop looks up in: of the table, but for dimensions in
/// front whose index is the same in all iterations.
static ArrayRef<int64_t> findLookedUpShape(const Lookup &lookup,
                                           scf::ForOp loop) {
  auto type = cast<MemRefType>(lookup.table.getType());
  size_t same = 0;
  while (same + 1 < lookup.start.size() &&
         loop.isDefinedOutsideOfLoop(lookup.start[same]))
    ++same;
  return type.getShape().drop_front(same);
}

/// A table that caches hold anyway is not worth the instructions, nor is what
/// an iteration around the loop has just put in a workspace.
bool PrefetchEmitter::isWorthwhile(const Lookup &lookup) {
  Operation *made = lookup.table.getDefiningOp();
  if (made && made->hasAttr(scratchAttr))
    return false;
  auto table = cast<MemRefType>(lookup.table.getType());
  std::optional<int64_t> bytes = getElementBytes(table.getElementType());
  if (!bytes)
    return false;
  ArrayRef<int64_t> shape = findLookedUpShape(lookup, loop);
  if (ShapedType::isDynamicShape(shape))
    return true;
  if (!rowBytesOf(table))
    return false;
  for (int64_t size : shape)
    bytes = multiplyClamped(*bytes, std::max<int64_t>(size, 1));
  return *bytes >= planOf(lookup).minTableBytes;
}

/// Clones what computes `value`, inside its loop, from what `mapping` replaces.
static Value cloneComputation(OpBuilder &builder, Value value, scf::ForOp loop,
                              IRMapping &mapping) {
  if (mapping.contains(value) || loop.isDefinedOutsideOfLoop(value))
    return mapping.lookupOrDefault(value);
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    mapping.map(operand, cloneComputation(builder, operand, loop, mapping));
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

/// Prefetches the first lines of the row that begins at `start`.
void PrefetchEmitter::prefetchLines(OpBuilder &builder, const Lookup &lookup,
                                    const PrefetchPlan &plan,
                                    ArrayRef<Value> start) {
  Location loc = lookup.table.getLoc();
  auto type = cast<MemRefType>(lookup.table.getType());
  int64_t bytes = elementBytes(type);
  int64_t perLine = std::max<int64_t>(1, model.lineBytes() / bytes);
  unsigned locality = lookup.locality.value_or(plan.locality);
  auto prefetchAt = [&](Value offset) {
    SmallVector<Value> indices(start);
    indices.back() =
        arith::AddIOp::create(builder, loc, indices.back(), offset);
    memref::PrefetchOp::create(builder, loc, lookup.table, indices,
                               /*isWrite=*/false, locality,
                               /*isDataCache=*/true);
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  if (lookup.length) {
    for (int64_t line = 0; line < plan.lines; ++line)
      prefetchAt(constant(line * perLine));
    // Rows that are no whole number of lines begin anywhere in one.
    int64_t first;
    if (llvm::MulOverflow(lookup.first.value_or(0), bytes, first))
      first = bytes;
    int64_t end = multiplyClamped(*lookup.length, bytes);
    int64_t alignment = std::gcd(rowBytesOf(type).value_or(bytes), first);
    int64_t lineBytes = perLine * bytes;
    if (end <= multiplyClamped(plan.lines, lineBytes) &&
        model.mayStraddle((plan.lines - 1) * lineBytes, end - 1, alignment))
      prefetchAt(constant(*lookup.length - 1));
    return;
  }
  Value size =
      memref::DimOp::create(builder, loc, lookup.table, type.getRank() - 1);
  Value last = arith::SubIOp::create(builder, loc, size, constant(1));
  prefetchAt(constant(0));
  for (int64_t line = 1; line < plan.lines; ++line)
    prefetchAt(
        arith::MinSIOp::create(builder, loc, last, constant(line * perLine)));
}

/// Prefetches what `load` reads some bytes ahead. That may be behind the end,
/// where a prefetch does nothing.
void PrefetchEmitter::prefetchSequence(memref::LoadOp load,
                                       int64_t bytesAhead) {
  Location loc = load.getLoc();
  OpBuilder builder(load);
  SmallVector<Value> position(load.getIndices());
  int64_t elements = bytesAhead / elementBytes(load.getMemRefType());
  Value ahead = arith::ConstantIndexOp::create(builder, loc,
                                               std::max<int64_t>(elements, 1));
  position.back() = arith::AddIOp::create(builder, loc, position.back(), ahead);
  memref::PrefetchOp::create(builder, loc, load.getMemRef(), position,
                             /*isWrite=*/false, /*localityHint=*/3,
                             /*isDataCache=*/true);
}

/// Whether `value` counts the iterations of a loop one by one.
static bool isCounter(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  return loop && argument == loop.getInductionVar() &&
         getConstantIntValue(loop.getStep()) == int64_t(1);
}

/// The position behind the last lookup of the loop around this one, where other
/// loops look up what follows in the same indices, in other tables. Null where
/// that is not known or there are none.
Value PrefetchEmitter::findEnd(Value indices) {
  auto outer = dyn_cast<scf::ForOp>(loop->getParentOp());
  bool isShared = llvm::any_of(indices.getUsers(), [&](Operation *user) {
    return outer && !outer->isAncestor(user) && isa<memref::LoadOp>(user);
  });
  if (!isShared || getConstantIntValue(outer.getStep()) != 1)
    return nullptr;
  IndexExprs exprs;
  auto [begin, end] =
      findSegmentBounds(loop.getLowerBound(), loop.getUpperBound(), exprs);
  if (!begin || begin.getIndices().size() != 1 ||
      !outer.isDefinedOutsideOfLoop(begin.getMemRef()))
    return nullptr;
  IndexExpr first =
      exprs.of(begin.getIndices().front()) - IndexExpr(outer.getInductionVar());
  for (auto [value, factor] : first.getTerms())
    if (!outer.isDefinedOutsideOfLoop(value))
      return nullptr;
  // A loop that does not run may have no offsets.
  OpBuilder builder(outer);
  Location loc = loop.getLoc();
  Value runs =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                            outer.getLowerBound(), outer.getUpperBound());
  auto choice = scf::IfOp::create(
      builder, loc, runs,
      [&](OpBuilder &inside, Location) {
        Value place =
            (first + IndexExpr(outer.getUpperBound())).materialize(inside, loc);
        Value offset =
            memref::LoadOp::create(inside, loc, begin.getMemRef(), place);
        if (!offset.getType().isIndex())
          offset = arith::IndexCastOp::create(inside, loc,
                                              inside.getIndexType(), offset);
        scf::YieldOp::create(inside, loc, offset);
      },
      [&](OpBuilder &inside, Location) {
        Value none = arith::ConstantIndexOp::create(inside, loc, 0);
        scf::YieldOp::create(inside, loc, none);
      });
  return choice.getResult(0);
}

/// Loads the index that is used `distance` lookups later. Behind the end of one
/// row of indices the next row begins; behind the end of all stands the last.
Value PrefetchEmitter::loadAhead(OpBuilder &builder, memref::LoadOp load,
                                 int64_t distance) {
  Location loc = load.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value memref = load.getMemRef();
  SmallVector<Value> position(load.getIndices());
  auto sizeOf = [&](int64_t dim) -> Value {
    return memref::DimOp::create(builder, loc, memref, dim);
  };
  bool isFlat = load.getMemRefType().getLayout().isIdentity() &&
                position.size() == 2 && isCounter(position.front());
  if (isFlat) {
    Value before =
        arith::MulIOp::create(builder, loc, position.front(), sizeOf(1));
    position = {arith::AddIOp::create(builder, loc, before, position.back())};
    ReassociationIndices all = {0, 1};
    memref = memref::CollapseShapeOp::create(
        builder, loc, memref, ArrayRef<ReassociationIndices>(all));
  }
  Value ahead =
      arith::AddIOp::create(builder, loc, position.back(), constant(distance));
  Value last = arith::SubIOp::create(builder, loc, sizeOf(position.size() - 1),
                                     constant(1));
  if (Value end = isFlat ? Value() : findEnd(load.getMemRef())) {
    Value lastOfLoop = arith::SubIOp::create(builder, loc, end, constant(1));
    ahead = arith::MinUIOp::create(builder, loc, ahead, lastOfLoop);
  }
  position.back() = arith::MinUIOp::create(builder, loc, ahead, last);
  return memref::LoadOp::create(builder, loc, memref, position);
}

/// The loop in the body of `loop` around `inner`, if it has as many iterations:
/// each of them prefetches one row of a block, so that prefetches are spread
/// over what is done with the block before.
static scf::ForOp findSpread(scf::ForOp loop, scf::ForOp inner) {
  Operation *child = loop.getBody()->findAncestorOpInBlock(*inner);
  auto spread = dyn_cast<scf::ForOp>(child);
  bool isAsLong = spread && isOverBlock(spread) &&
                  spread.getStaticTripCount() == inner.getStaticTripCount();
  return isAsLong ? spread : scf::ForOp();
}

/// Whether the table of `lookup` is large, computed at run time.
Value PrefetchEmitter::isLarge(OpBuilder &builder, const Lookup &lookup) {
  Location loc = loop.getLoc();
  Value table = lookup.table;
  auto type = cast<MemRefType>(table.getType());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  int64_t bytes = elementBytes(type);
  Value open;
  ArrayRef<int64_t> shape = findLookedUpShape(lookup, loop);
  int64_t first = type.getRank() - shape.size();
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (ShapedType::isStatic(size)) {
      bytes = multiplyClamped(bytes, std::max<int64_t>(size, 1));
      continue;
    }
    Value here = memref::DimOp::create(builder, loc, table, first + dim);
    open = open ? arith::MulIOp::create(builder, loc, open, here) : here;
  }
  Value least = constant(llvm::divideCeil(planOf(lookup).minTableBytes, bytes));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, open,
                               least);
}

/// Whether the run says if a table is large.
bool PrefetchEmitter::hasSizeOfRun(const Lookup &lookup) {
  return planOf(lookup).minTableBytes > 0 &&
         ShapedType::isDynamicShape(findLookedUpShape(lookup, loop));
}

/// Whether some table of `lookups` is large, computed in front of the loop.
/// Null where that is known, or where it would keep prefetches of a block from
/// being spread.
Value PrefetchEmitter::areLarge(ArrayRef<Lookup *> lookups) {
  for (const Lookup *lookup : lookups)
    if (lookup->rows || !hasSizeOfRun(*lookup))
      return nullptr;
  OpBuilder builder(loop);
  Value any;
  for (const Lookup *lookup : lookups) {
    Value large = isLarge(builder, *lookup);
    any =
        any ? arith::OrIOp::create(builder, loop.getLoc(), any, large) : large;
  }
  return any;
}

/// Prefetches the row of `lookup` that `index` selects.
void PrefetchEmitter::prefetchRow(OpBuilder builder, Lookup &lookup,
                                  Value index) {
  Location loc = lookup.index.getLoc();
  IRMapping mapping;
  mapping.map(lookup.index.getResult(), index);
  if (lookup.rows) {
    scf::ForOp spread = findSpread(loop, lookup.rows);
    if (!spread)
      spread = scf::ForOp::create(builder, loc, lookup.rows.getLowerBound(),
                                  lookup.rows.getUpperBound(),
                                  lookup.rows.getStep());
    builder.setInsertionPointToStart(spread.getBody());
    mapping.map(lookup.rows.getInductionVar(), spread.getInductionVar());
    // Of each part of what is spread, so that the index is loaded anyway.
    if (hasSizeOfRun(lookup)) {
      OpBuilder before(loop);
      auto guard = scf::IfOp::create(builder, loc, isLarge(before, lookup),
                                     /*withElseRegion=*/false);
      builder.setInsertionPointToStart(guard.thenBlock());
    }
  }
  for (auto [counter, start] : lookup.counters)
    mapping.map(counter, start);
  SmallVector<Value> start;
  for (Value value : lookup.start)
    start.push_back(cloneComputation(builder, value, loop, mapping));
  if (lookup.first)
    start.back() = arith::ConstantIndexOp::create(builder, loc, *lookup.first);
  prefetchLines(builder, lookup, planOf(lookup), start);
}

void PrefetchEmitter::prefetch(MutableArrayRef<Lookup *> lookups) {
  memref::LoadOp load = lookups.front()->index;
  OpBuilder builder(load->getContext());
  builder.setInsertionPointAfter(load);
  if (Value large = areLarge(lookups)) {
    auto guard = scf::IfOp::create(builder, load.getLoc(), large,
                                   /*withElseRegion=*/false);
    builder.setInsertionPointToStart(guard.thenBlock());
  }
  for (Lookup *lookup : lookups) {
    Value index = loadAhead(builder, load, planOf(*lookup).distance);
    prefetchRow(builder, *lookup, index);
  }
}

void PrefetchLookups::runOnOperation() {
  auto target = TargetAttr::of(getOperation());
  PrefetchMemory memory;
  memory.lineBytes = lineBytes ? lineBytes : target.getCacheLineBytes();
  memory.outstandingLines =
      outstandingLines ? outstandingLines : target.getOutstandingLines();
  memory.firstCacheLines =
      firstCacheLines ? firstCacheLines : target.getFirstCacheLines();
  memory.secondCacheBytes =
      secondCacheBytes ? secondCacheBytes : target.getSecondCacheBytes();
  PrefetchSettings settings;
  settings.distance = distance;
  settings.lines = lines;
  settings.level = level;
  settings.minTableBytes = minTableBytes;
  PrefetchModel model(memory, settings);

  auto aliasing = MemoryAliasing::forHints(getOperation());
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    LookupFinder finder(loop, aliasing);
    SmallVector<Lookup> found = finder.find();
    PrefetchEmitter emitter(loop, found, model);
    llvm::erase_if(found, [&](const Lookup &lookup) {
      return !emitter.isWorthwhile(lookup);
    });
    // Before rows are: those loads of indices are no sequences.
    if (!found.empty() && sequenceBytes > 0)
      for (memref::LoadOp load : finder.findSequences())
        emitter.prefetchSequence(load, sequenceBytes);
    llvm::MapVector<Operation *, SmallVector<Lookup *>> byIndex;
    for (Lookup &lookup : found)
      byIndex[lookup.index].push_back(&lookup);
    for (auto &[index, lookups] : byIndex)
      emitter.prefetch(lookups);
    this->lookups += found.size();
  }
}

} // namespace ember::loops
