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

#include "MemoryAccess.h"
#include "SegmentBounds.h"
#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Dialect/SLC/IR/SLC.h"
#include "ember/Target/Native/CacheHints.h"
#include "ember/Target/Native/Passes.h"
#include "ember/Target/Native/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace ember::native {
using namespace mlir;

#define GEN_PASS_DEF_PREFETCHLOOKUPS
#include "ember/Target/Native/Passes.h.inc"

namespace {
/// A row of `table` that the index loaded by `index` selects.
struct Lookup {
  memref::LoadOp index;
  Value table;
  /// The indices of the row's first element; they may be computed in the loop.
  SmallVector<Value> start;
  /// Counters of loops inside, and where they start.
  SmallVector<std::pair<Value, Value>> counters;
  /// The loop inside that goes from row to row of a block that the index
  /// selects; null where it selects one row.
  scf::ForOp rows;
  /// How near the cache is that should keep the row: 3 is the first, 0 none.
  unsigned locality = 3;
  /// The position in the row of the first element that is read, and how many
  /// elements are from there on, if these are constants.
  std::optional<int64_t> first, length;

  /// Covers what `other`, of the same row, reads as well.
  void merge(const Lookup &other);
  int64_t countRows() {
    return rows ? rows.getStaticTripCount()->getZExtValue() : 1;
  }
};

/// Finds the lookups of one loop.
class LookupFinder {
public:
  LookupFinder(scf::ForOp loop, const MemoryAliasing &aliasing)
      : loop(loop), memory(loop, aliasing) {}

  SmallVector<Lookup> find();
  /// What is read element after element, one an iteration: indices, weights.
  SmallVector<memref::LoadOp> findSequences();

private:
  bool isPositionOfLoop(memref::LoadOp load);
  std::optional<int64_t> getFirst(const Lookup &lookup, Value index);
  std::optional<Lookup> asLookup(const MemoryAccess &access);

  scf::ForOp loop;
  NestMemory memory;
  IndexExprs exprs;
};

struct PrefetchLookups : impl::PrefetchLookupsBase<PrefetchLookups> {
  using Base::Base;
  void runOnOperation() override;

private:
  bool isWorthwhile(MemRefType table);
  Value isLarge(scf::ForOp loop, Value table);
  int64_t chooseDistance(Lookup &lookup);
  void prefetchSequence(memref::LoadOp load);
  Value findEnd(scf::ForOp loop, Value indices);
  Value loadAhead(OpBuilder &builder, Lookup &lookup);
  void prefetch(Lookup &lookup, bool isOnly);
  void prefetchLines(OpBuilder &builder, const Lookup &lookup,
                     ArrayRef<Value> start);
  int64_t bytesPerLine() {
    return lineBytes ? lineBytes : hostTarget().cacheLineBytes;
  }
};
} // namespace

/// Scale and bias of a row, for example, stand before or behind its elements.
void Lookup::merge(const Lookup &other) {
  int64_t end, otherEnd;
  bool isKnown = first && length && other.first && other.length &&
                 !llvm::AddOverflow(*first, *length, end) &&
                 !llvm::AddOverflow(*other.first, *other.length, otherEnd);
  if (isKnown) {
    first = std::min(*first, *other.first);
    length = std::max(end, otherEnd) - *first;
    return;
  }
  // All of the row, then.
  int64_t size = cast<MemRefType>(table.getType()).getShape().back();
  first = 0;
  length = ShapedType::isStatic(size) ? std::optional(size) : std::nullopt;
}

/// Whether `load` reads at the positions the loop runs through, one after the
/// other, from memory nothing in the loop writes.
bool LookupFinder::isPositionOfLoop(memref::LoadOp load) {
  if (load.getIndices().empty() ||
      !loop.isDefinedOutsideOfLoop(load.getMemRef()) ||
      !memory.isReadOnly(load.getMemRef()))
    return false;
  for (Value index : load.getIndices().drop_back())
    if (!loop.isDefinedOutsideOfLoop(index))
      return false;
  IndexExpr last = exprs.of(load.getIndices().back());
  return llvm::all_of(last.getTerms(),
                      [&](const IndexExpr::Term &term) {
                        if (term.first == loop.getInductionVar())
                          return term.second == 1;
                        return loop.isDefinedOutsideOfLoop(term.first);
                      }) &&
         last.coefficient(loop.getInductionVar()) == 1;
}

namespace {
/// What the computation of an index in a loop starts from.
struct Origins {
  memref::LoadOp load;
  SmallVector<scf::ForOp> loops;
  bool understood = true;
};
} // namespace

/// Longer computations of an index are not repeated for a prefetch.
static constexpr size_t maxComputation = 32;

/// Follows `value` back to loads and counters of loops inside `loop`.
static void findOrigins(Value value, scf::ForOp loop, Origins &origins,
                        llvm::SmallPtrSetImpl<Operation *> &seen) {
  SmallVector<Value> pending = {value};
  while (!pending.empty() && origins.understood) {
    Value next = pending.pop_back_val();
    if (loop.isDefinedOutsideOfLoop(next))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      auto inner = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      origins.understood =
          inner && inner != loop && argument == inner.getInductionVar();
      if (origins.understood)
        origins.loops.push_back(inner);
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (!seen.insert(op).second)
      continue;
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      origins.understood = !origins.load || origins.load == load;
      origins.load = load;
      continue;
    }
    if (!isPure(op) || op->getNumRegions() != 0 || seen.size() > maxComputation)
      origins.understood = false;
    llvm::append_range(pending, op->getOperands());
  }
}

/// Adds what `loop` adds to the length of the row that is read, when the index
/// of its elements advances by `factor` with the counter of the loop.
static void addLength(Lookup &lookup, int64_t factor, scf::ForOp loop) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  bool isKnown = lookup.length && trips && step && factor > 0 &&
                 trips->getActiveBits() < 32;
  int64_t span;
  if (!isKnown || llvm::MulOverflow(factor, *step, span) ||
      llvm::MulOverflow(span, int64_t(trips->getZExtValue()) - 1, span) ||
      llvm::AddOverflow(*lookup.length, std::max<int64_t>(span, 0), span)) {
    lookup.length.reset();
    return;
  }
  lookup.length = span;
}

/// The locality of a prefetch for `load`, as its stream says. A row that is not
/// needed again passes by the caches.
static unsigned getLocality(Operation *load) {
  auto nontemporal = load->getAttrOfType<BoolAttr>("nontemporal");
  if (nontemporal && nontemporal.getValue())
    return 0;
  auto level = load->getAttrOfType<slc::CacheLevelAttr>(cacheLevelAttr);
  return level ? 4 - static_cast<unsigned>(level.getValue()) : 3;
}

/// The constant that `index` is where the loops inside of the lookup begin.
std::optional<int64_t> LookupFinder::getFirst(const Lookup &lookup,
                                              Value index) {
  IndexExpr expr = exprs.of(index);
  for (auto [counter, start] : lookup.counters) {
    std::optional<int64_t> lower = getConstantIntValue(start);
    if (!lower)
      return std::nullopt;
    expr = expr.substituted(counter, IndexExpr(*lower));
  }
  return expr.asConstant();
}

/// Blocks of more rows are followed by the hardware.
static constexpr uint64_t maxBlockRows = 16;

/// Whether `rows` runs from 0 through a few rows one by one.
static bool isOverBlock(scf::ForOp rows) {
  std::optional<APInt> trips = rows.getStaticTripCount();
  return trips && trips->ugt(0) && trips->ule(maxBlockRows) &&
         getConstantIntValue(rows.getLowerBound()) == int64_t(0) &&
         getConstantIntValue(rows.getStep()) == int64_t(1);
}

/// Describes `access` if it reads part of a row that an index of this loop
/// selects.
std::optional<Lookup> LookupFinder::asLookup(const MemoryAccess &access) {
  if (access.isStore() || !loop.isDefinedOutsideOfLoop(access.memref) ||
      access.indices.empty() || !memory.isReadOnly(access.memref))
    return std::nullopt;
  Lookup lookup;
  lookup.table = access.memref;
  lookup.locality = getLocality(access.op);
  lookup.length = access.extent(access.indices.size() - 1);
  for (auto [dim, index] : llvm::enumerate(access.indices)) {
    Origins origins;
    llvm::SmallPtrSet<Operation *, 8> seen;
    findOrigins(index, loop, origins, seen);
    bool isLast = dim + 1 == access.indices.size();
    if (!origins.understood ||
        (lookup.index && origins.load && origins.load != lookup.index))
      return std::nullopt;
    if (origins.load)
      lookup.index = origins.load;
    lookup.start.push_back(index);
    // A loop over other than the last dimension goes from row to row.
    if (!isLast && !origins.loops.empty()) {
      if (lookup.rows || origins.loops.size() != 1 ||
          !isOverBlock(origins.loops.front()))
        return std::nullopt;
      lookup.rows = origins.loops.front();
      continue;
    }
    for (scf::ForOp inner : origins.loops) {
      if (!loop.isDefinedOutsideOfLoop(inner.getLowerBound()))
        return std::nullopt;
      lookup.counters.push_back(
          {inner.getInductionVar(), inner.getLowerBound()});
      addLength(lookup, exprs.of(index).coefficient(inner.getInductionVar()),
                inner);
    }
  }
  if (!lookup.index || lookup.index->getBlock() != loop.getBody() ||
      !lookup.index.getType().isIntOrIndex() || !isPositionOfLoop(lookup.index))
    return std::nullopt;
  lookup.first = getFirst(lookup, access.indices.back());
  return lookup;
}

SmallVector<Lookup> LookupFinder::find() {
  SmallVector<Lookup> lookups;
  if (memory.getUnknownEffect() ||
      getConstantIntValue(loop.getStep()) != int64_t(1))
    return lookups;
  loop.getBody()->walk([&](Operation *op) {
    std::optional<MemoryAccess> access = MemoryAccess::of(op);
    std::optional<Lookup> lookup =
        access ? asLookup(*access) : std::optional<Lookup>();
    if (!lookup)
      return;
    // One prefetch of a row stands for all accesses.
    auto *known = llvm::find_if(lookups, [&](const Lookup &other) {
      return other.table == lookup->table && other.index == lookup->index &&
             other.rows == lookup->rows;
    });
    if (known == lookups.end())
      lookups.push_back(std::move(*lookup));
    else
      known->merge(*lookup);
  });
  return lookups;
}

SmallVector<memref::LoadOp> LookupFinder::findSequences() {
  SmallVector<memref::LoadOp> sequences;
  llvm::SmallPtrSet<Value, 4> seen;
  for (auto load : loop.getBody()->getOps<memref::LoadOp>())
    if (load.getType().isIntOrIndexOrFloat() && isPositionOfLoop(load) &&
        seen.insert(load.getMemRef()).second)
      sequences.push_back(load);
  return sequences;
}

/// How many bits an element of `type` takes in memory.
static int64_t elementBits(MemRefType type) {
  Type element = type.getElementType();
  return element.isIndex()
             ? 64
             : std::max<int64_t>(8, type.getElementTypeBitWidth());
}

/// A table that caches hold anyway is not worth the instructions.
bool PrefetchLookups::isWorthwhile(MemRefType table) {
  if (!table.getElementType().isIntOrIndexOrFloat())
    return false;
  if (!table.hasStaticShape())
    return true;
  return table.getNumElements() >= minTableBytes * 8 / elementBits(table);
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

/// Prefetches each line of the row that begins at `start`.
void PrefetchLookups::prefetchLines(OpBuilder &builder, const Lookup &lookup,
                                    ArrayRef<Value> start) {
  Location loc = lookup.table.getLoc();
  auto type = cast<MemRefType>(lookup.table.getType());
  int64_t perLine =
      std::max<int64_t>(1, bytesPerLine() * 8 / elementBits(type));
  auto prefetchAt = [&](Value offset) {
    SmallVector<Value> indices(start);
    indices.back() =
        arith::AddIOp::create(builder, loc, indices.back(), offset);
    memref::PrefetchOp::create(builder, loc, lookup.table, indices,
                               /*isWrite=*/false, lookup.locality,
                               /*isDataCache=*/true);
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  if (lookup.length) {
    int64_t end = std::min(*lookup.length, maxRowLines * perLine);
    for (int64_t offset = 0; offset < end; offset += perLine)
      prefetchAt(constant(offset));
    // Rows that are no whole number of lines begin anywhere in one.
    if (end == *lookup.length && end % perLine != 0 && (end - 1) % perLine != 0)
      prefetchAt(constant(end - 1));
    return;
  }
  Value size =
      memref::DimOp::create(builder, loc, lookup.table, type.getRank() - 1);
  Value end = arith::MinSIOp::create(builder, loc, size,
                                     constant(maxRowLines * perLine));
  auto lines =
      scf::ForOp::create(builder, loc, constant(0), end, constant(perLine));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(lines.getBody());
  prefetchAt(lines.getInductionVar());
}

/// Rows of many lines, and blocks of many rows, need fewer on their way to keep
/// the memory busy.
int64_t PrefetchLookups::chooseDistance(Lookup &lookup) {
  if (distance > 0)
    return distance;
  int64_t rows = lookup.countRows();
  auto atLeast = [&](int64_t count) {
    return std::max<int64_t>(count / rows, 1);
  };
  auto type = cast<MemRefType>(lookup.table.getType());
  if (!lookup.length || *lookup.length <= 0)
    return atLeast(16);
  int64_t elements = std::max<int64_t>(bytesAhead, 1) * 8 / elementBits(type);
  return std::clamp<int64_t>(elements / *lookup.length / rows, atLeast(8), 16);
}

/// Prefetches what `load` reads some bytes ahead. That may be behind the end,
/// where a prefetch does nothing.
void PrefetchLookups::prefetchSequence(memref::LoadOp load) {
  Location loc = load.getLoc();
  OpBuilder builder(load);
  SmallVector<Value> position(load.getIndices());
  int64_t elements = sequenceBytes * 8 / elementBits(load.getMemRefType());
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

/// The position behind the last lookup of the loop around `loop`, where other
/// loops look up what follows in the same indices, in other tables. Null where
/// that is not known or there are none.
Value PrefetchLookups::findEnd(scf::ForOp loop, Value indices) {
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

/// Loads the index that is used some lookups later. Behind the end of one row
/// of indices the next row begins; behind the end of all stands the last.
Value PrefetchLookups::loadAhead(OpBuilder &builder, Lookup &lookup) {
  memref::LoadOp load = lookup.index;
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
  Value ahead = arith::AddIOp::create(builder, loc, position.back(),
                                      constant(chooseDistance(lookup)));
  Value last = arith::SubIOp::create(builder, loc, sizeOf(position.size() - 1),
                                     constant(1));
  auto loop = cast<scf::ForOp>(load->getParentOp());
  if (Value end = isFlat ? Value() : findEnd(loop, load.getMemRef())) {
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

/// Whether `table`, which has an open number of rows of a known length, is
/// large enough, computed in front of `loop`. Null where it does not matter:
/// rows that begin anywhere in a cache line are read across two of them at a
/// time, which is slow even from the second cache.
Value PrefetchLookups::isLarge(scf::ForOp loop, Value table) {
  auto type = cast<MemRefType>(table.getType());
  int64_t bits = elementBits(type);
  for (int64_t size : type.getShape().drop_front()) {
    if (ShapedType::isDynamic(size) || size <= 0 ||
        llvm::MulOverflow(bits, size, bits))
      return nullptr;
  }
  int64_t line = bytesPerLine() * 8;
  bool inWholeLines = bits % line == 0 || line % bits == 0;
  if (!type.isDynamicDim(0) || !inWholeLines || minTableBytes <= 0)
    return nullptr;
  OpBuilder builder(loop);
  Location loc = table.getLoc();
  Value rows = memref::DimOp::create(builder, loc, table, 0);
  Value least = arith::ConstantIndexOp::create(
      builder, loc, llvm::divideCeil(minTableBytes * 8, bits));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, rows,
                               least);
}

/// `isOnly`: in its loop. Several share the index that is loaded ahead, which
/// conditions would keep apart.
void PrefetchLookups::prefetch(Lookup &lookup, bool isOnly) {
  memref::LoadOp load = lookup.index;
  auto loop = cast<scf::ForOp>(load->getParentOp());
  Location loc = load.getLoc();
  OpBuilder builder(load->getContext());
  builder.setInsertionPointAfter(load);
  Value large = isOnly && !lookup.rows ? isLarge(loop, lookup.table) : Value();
  if (large) {
    auto guard =
        scf::IfOp::create(builder, loc, large, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(guard.thenBlock());
  }
  IRMapping mapping;
  mapping.map(load.getResult(), loadAhead(builder, lookup));
  if (lookup.rows) {
    scf::ForOp spread = findSpread(loop, lookup.rows);
    if (!spread)
      spread = scf::ForOp::create(builder, loc, lookup.rows.getLowerBound(),
                                  lookup.rows.getUpperBound(),
                                  lookup.rows.getStep());
    builder.setInsertionPointToStart(spread.getBody());
    mapping.map(lookup.rows.getInductionVar(), spread.getInductionVar());
  }
  for (auto [counter, start] : lookup.counters)
    mapping.map(counter, start);
  SmallVector<Value> start;
  for (Value value : lookup.start)
    start.push_back(cloneComputation(builder, value, loop, mapping));
  if (lookup.first)
    start.back() = arith::ConstantIndexOp::create(builder, loc, *lookup.first);
  prefetchLines(builder, lookup, start);
}

void PrefetchLookups::runOnOperation() {
  MemoryAliasing aliasing(getOperation(), /*mayAlias=*/false);
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    LookupFinder finder(loop, aliasing);
    SmallVector<Lookup> found = finder.find();
    llvm::erase_if(found, [&](const Lookup &lookup) {
      return !isWorthwhile(cast<MemRefType>(lookup.table.getType()));
    });
    // Before rows are: those loads of indices are no sequences.
    if (!found.empty() && sequenceBytes > 0)
      for (memref::LoadOp load : finder.findSequences())
        prefetchSequence(load);
    for (Lookup &lookup : found)
      prefetch(lookup, found.size() == 1);
    lookups += found.size();
  }
}

} // namespace ember::native
