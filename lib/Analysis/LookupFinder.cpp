//===- LookupFinder.cpp - The rows that a loop looks up -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/LookupFinder.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Dialect/SLC/IR/SLC.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace ember {
using namespace mlir;

/// Scale and bias of a row, for example, stand before or behind its elements.
void Lookup::merge(const Lookup &other) {
  // Elements beside each other: where a segment begins, and where it ends.
  if (selectsElement && other.selectsElement)
    return;
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

/// The locality of a prefetch for `load`, if its stream says one. A row that is
/// not needed again passes by the caches.
static std::optional<unsigned> getLocality(Operation *load) {
  auto nontemporal = load->getAttrOfType<BoolAttr>("nontemporal");
  if (nontemporal && nontemporal.getValue())
    return 0;
  auto level = load->getAttrOfType<slc::CacheLevelAttr>(cacheLevelAttr);
  if (!level)
    return std::nullopt;
  return 4 - static_cast<unsigned>(level.getValue());
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
static constexpr uint64_t kMaxBlockRows = 16;

bool isOverBlock(scf::ForOp rows) {
  std::optional<APInt> trips = rows.getStaticTripCount();
  return trips && trips->ugt(0) && trips->ule(kMaxBlockRows) &&
         getConstantIntValue(rows.getLowerBound()) == int64_t(0) &&
         getConstantIntValue(rows.getStep()) == int64_t(1);
}

/// Whether the element behind what `load` reads is where a segment ends that
/// begins with that: the next iteration's begins there.
bool LookupFinder::isBeginOfSegment(memref::LoadOp load) {
  if (load.getIndices().size() != 1)
    return false;
  IndexExpr next = exprs.of(load.getIndices().front()) + 1;
  return llvm::any_of(loop.getBody()->getOps<memref::LoadOp>(),
                      [&](memref::LoadOp other) {
                        return other.getMemRef() == load.getMemRef() &&
                               exprs.of(other.getIndices().front()) == next;
                      });
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
    lookup.selectsElement = isLast && origins.load;
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
  // The hardware follows what one iteration after the other reads on.
  if (lookup.selectsElement && isBeginOfSegment(lookup.index))
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
  // Of a matrix, each row is one.
  auto isSame = [](memref::LoadOp first, memref::LoadOp other) {
    return first.getMemRef() == other.getMemRef() &&
           (first.getIndices().empty() ||
            first.getIndices().drop_back() == other.getIndices().drop_back());
  };
  for (auto load : loop.getBody()->getOps<memref::LoadOp>())
    if (load.getType().isIntOrIndexOrFloat() && isPositionOfLoop(load) &&
        llvm::none_of(sequences, [&](memref::LoadOp known) {
          return isSame(known, load);
        }))
      sequences.push_back(load);
  return sequences;
}

} // namespace ember
