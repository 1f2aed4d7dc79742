//===- JamSums.cpp - Add to several rows what is read once ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for a = 0 to 16 {
//     x = load out[a, 0]
//     s = for c = 0 to 8 iter(y = x) { y + v[a, c] * load table[c, 0] }
//     store s, out[a, 0]
//   }
//     ->
//   for a = 0 to 16 step 2 {
//     x0 = load out[a, 0]; x1 = load out[a + 1, 0]
//     s0, s1 = for c = 0 to 8 iter(y0 = x0, y1 = x1) {
//       t = load table[c, 0]
//       y0 + v[a, c] * t, y1 + v[a + 1, c] * t
//     }
//     store s0, out[a, 0]; store s1, out[a + 1, 0]
//   }
//
// Where indices select the rows that are added to, they are compared first:
// they have to be different ones. So are those that select what is read: only
// if they are the same ones, it is read once.
//
//===----------------------------------------------------------------------===//

#include "JammedCode.h"
#include "RowRegisters.h"
#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_JAMSUMS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// A loop of which several iterations may run at once.
class JammedLoop {
public:
  JammedLoop(scf::ForOp outer, const MemoryAliasing &aliasing)
      : outer(outer), aliasing(aliasing) {}

  /// Whether iterations that go to different rows may run at once, and gain by
  /// that.
  bool find();
  /// The most that registers have room for.
  int64_t countTogether(int64_t vectorBits, int64_t vectorRegisters);
  void jam(int64_t count);

private:
  bool collect(Operation &op, bool isInInner);
  bool collectAll();
  bool isOutside(Value value) { return outer.isDefinedOutsideOfLoop(value); }
  bool isUniform(Value value);
  bool isLookedUp(Value value);
  bool isRow(Value index);
  bool isApart(const MemoryAccess &store);
  bool stores(Value memref);
  bool findShared();
  Value loadTogether(OpBuilder &builder, Value index,
                     JammedCode::Copies copies);
  Value differ(OpBuilder &builder, ArrayRef<Value> indices, Value together);
  Value compare(OpBuilder &builder, JammedCode::Copies copies);
  void cloneSlice(OpBuilder &builder, Value value, IRMapping &copy);
  bool isForAll(memref::PrefetchOp prefetch);

  scf::ForOp outer;
  /// In the body, with nothing but arithmetic and loads in it; may be none.
  scf::ForOp inner;
  const MemoryAliasing &aliasing;
  IndexExprs exprs;
  SmallVector<MemoryAccess> accesses, stored;
  size_t operations = 0;
  /// Indices that have to differ from iteration to iteration, and those that
  /// must not.
  llvm::SetVector<Value> rows, common;
  llvm::DenseSet<Operation *> shared;
};

struct JamSums : impl::JamSumsBase<JamSums> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

bool JammedLoop::collect(Operation &op, bool isInInner) {
  ++operations;
  if (isPrefetch(op))
    return true;
  if (op.getNumRegions() != 0)
    return false;
  std::optional<MemoryAccess> access = MemoryAccess::of(&op);
  if (!access)
    return isPure(&op);
  accesses.push_back(*access);
  if (!access->isStore())
    // What is stored is not looked at again.
    return stored.empty();
  stored.push_back(*access);
  return !isInInner && isa<VectorType>(access->type);
}

/// Notes what the loop accesses; false if it does anything else.
bool JammedLoop::collectAll() {
  for (Operation &op : outer.getBody()->without_terminator()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop) {
      if (!collect(op, /*isInInner=*/false))
        return false;
      continue;
    }
    std::optional<APInt> trips = loop.getStaticTripCount();
    bool isFixed = isOutside(loop.getLowerBound()) &&
                   isOutside(loop.getUpperBound()) && isOutside(loop.getStep());
    if (inner || !stored.empty() || !trips || trips->isZero() || !isFixed)
      return false;
    inner = loop;
    for (Operation &part : loop.getBody()->without_terminator())
      if (!collect(part, /*isInInner=*/true))
        return false;
  }
  return operations <= JammedCode::kMostOperations;
}

/// Whether some store of the loop may change `memref`.
bool JammedLoop::stores(Value memref) {
  return llvm::any_of(stored, [&](const MemoryAccess &store) {
    return aliasing.alias(store.memref, memref);
  });
}

/// Whether a value is the same in all iterations, for a given iteration of the
/// loop in it.
bool JammedLoop::isUniform(Value value) {
  if (isOutside(value))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return inner && argument == inner.getInductionVar();
  Operation *op = value.getDefiningOp();
  return isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isUniform(operand); });
}

/// Whether a value of the loop is computed from its counter by arithmetic and
/// loads of what it does not change, and from one of these.
bool JammedLoop::isLookedUp(Value value) {
  bool isLoaded = false;
  SmallVector<Value> pending = {value};
  llvm::DenseSet<Operation *> seen;
  while (!pending.empty()) {
    Value part = pending.pop_back_val();
    if (isOutside(part) || part == outer.getInductionVar())
      continue;
    Operation *op = part.getDefiningOp();
    if (!op || op->getBlock() != outer.getBody() || op->getNumRegions() != 0)
      return false;
    if (!seen.insert(op).second)
      continue;
    std::optional<MemoryAccess> access = MemoryAccess::of(op);
    if (access && stores(access->memref))
      return false;
    if (!access && !isPure(op))
      return false;
    isLoaded |= access.has_value();
    llvm::append_range(pending, op->getOperands());
  }
  return isLoaded;
}

/// Whether iterations with different values of an index have different rows:
/// such as surely differ, or are compared, which `rows` notes.
bool JammedLoop::isRow(Value index) {
  IndexExpr expr = exprs.of(index);
  Value counter = outer.getInductionVar();
  int64_t factor = expr.coefficient(counter);
  // What goes over rows one by one may be taken apart for threads as it is.
  bool isCounted = factor != 0 && llvm::isInt<32>(factor) &&
                   !isa<func::FuncOp>(outer->getParentOp()) &&
                   llvm::all_of(expr.getTerms(), [&](auto term) {
                     return term.first == counter || isOutside(term.first);
                   });
  if (isCounted)
    return true;
  if (!isLookedUp(index))
    return false;
  rows.insert(index);
  return true;
}

/// Whether all accesses of what `store` may change are of the row of their own
/// iteration.
bool JammedLoop::isApart(const MemoryAccess &store) {
  // Along the last dimension rows may overlap.
  for (Value index : store.indices.drop_back()) {
    auto isOfRow = [&](const MemoryAccess &other) {
      if (!aliasing.alias(store.memref, other.memref))
        return true;
      size_t place = llvm::find(store.indices, index) - store.indices.begin();
      return other.memref == store.memref && other.indices[place] == index;
    };
    if (!isOutside(index) && llvm::all_of(accesses, isOfRow) && isRow(index))
      return isOutside(store.memref) && (!store.mask || isOutside(store.mask));
  }
  return false;
}

/// Notes vectors that all iterations read: surely, or where indices that are
/// looked up are the same. False if that is not more than what is added to.
bool JammedLoop::findShared() {
  /// Loads by what has to be the same, and how often they are executed.
  struct Group {
    SmallVector<Operation *> loads;
    int64_t count = 0;
  };
  llvm::MapVector<SmallVector<Value>, Group> groups;
  int64_t trips = 1;
  if (inner)
    trips =
        static_cast<int64_t>(inner.getStaticTripCount()->getLimitedValue(1024));
  for (const MemoryAccess &access : accesses) {
    if (access.isStore() || !isa<VectorType>(access.type) || access.mask ||
        !isOutside(access.memref) || stores(access.memref))
      continue;
    SmallVector<Value> compared;
    bool isShared = llvm::all_of(access.indices, [&](Value index) {
      if (isUniform(index))
        return true;
      compared.push_back(index);
      return isLookedUp(index) && !rows.contains(index);
    });
    if (!isShared)
      continue;
    Group &group = groups[compared];
    group.loads.push_back(access.op);
    group.count += inner && inner->isProperAncestor(access.op) ? trips : 1;
  }
  auto least = 2 * static_cast<int64_t>(stored.size());
  int64_t count = 0;
  auto share = [&](ArrayRef<Value> compared, const Group &group) {
    common.insert_range(compared);
    shared.insert_range(group.loads);
    count += group.count;
  };
  auto *always = groups.find({});
  if (always != groups.end())
    share({}, always->second);
  if (count >= least)
    return true;
  auto *most = llvm::max_element(groups, [](const auto &a, const auto &b) {
    return a.second.count < b.second.count;
  });
  if (most != groups.end() && !most->first.empty())
    share(most->first, most->second);
  return count >= least;
}

bool JammedLoop::find() {
  std::optional<int64_t> step = getConstantIntValue(outer.getStep());
  if (outer->getNumResults() != 0 || outer.getUnsignedCmp() || !step ||
      *step <= 0 || !llvm::isInt<16>(*step) ||
      !outer.getInductionVar().getType().isIndex() || !collectAll() ||
      stored.empty())
    return false;
  for (const MemoryAccess &store : stored)
    if (!isApart(store))
      return false;
  return findShared();
}

int64_t JammedLoop::countTogether(int64_t vectorBits, int64_t vectorRegisters) {
  int64_t sums = 0;
  for (const MemoryAccess &store : stored)
    sums += registersFor(store.type, vectorBits);
  return countTogetherIn(outer, sums, vectorRegisters);
}

//===----------------------------------------------------------------------===//
// Several iterations at once
//===----------------------------------------------------------------------===//

/// Whether both hold; the first may be missing.
static Value both(OpBuilder &builder, Value first, Value second) {
  if (!first)
    return second;
  return arith::AndIOp::create(builder, second.getLoc(), first, second);
}

/// Clones what computes a value that is looked up.
void JammedLoop::cloneSlice(OpBuilder &builder, Value value, IRMapping &copy) {
  if (copy.contains(value) || isOutside(value))
    return;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneSlice(builder, operand, copy);
  builder.clone(*op, copy);
}

/// A vector of what an index is looked up from in all iterations, which lies
/// side by side; null if it does not.
Value JammedLoop::loadTogether(OpBuilder &builder, Value index,
                               JammedCode::Copies copies) {
  while (auto cast = index.getDefiningOp<arith::IndexCastOp>())
    index = cast.getIn();
  auto load = index.getDefiningOp<memref::LoadOp>();
  if (!load || getConstantIntValue(outer.getStep()) != 1 ||
      load.getIndices().empty() || !isOutside(load.getMemref()) ||
      !load.getMemRefType().isLastDimUnitStride() ||
      !llvm::all_of(load.getIndices().drop_back(),
                    [&](Value outer) { return isOutside(outer); }))
    return Value();
  IndexExpr place = exprs.of(load.getIndices().back());
  bool isInOrder = llvm::all_of(place.getTerms(), [&](auto term) {
    return term.first == outer.getInductionVar() ? term.second == 1
                                                 : isOutside(term.first);
  });
  if (!isInOrder || place.coefficient(outer.getInductionVar()) != 1)
    return Value();
  SmallVector<Value> indices;
  for (Value each : load.getIndices())
    indices.push_back(copies.front().lookupOrDefault(each));
  auto type =
      VectorType::get(static_cast<int64_t>(copies.size()), load.getType());
  return vector::LoadOp::create(builder, load.getLoc(), type, load.getMemref(),
                                indices);
}

/// Whether all bits of a vector are set.
static Value all(OpBuilder &builder, Value bits) {
  return vector::ReductionOp::create(builder, bits.getLoc(),
                                     vector::CombiningKind::AND, bits);
}

/// Whether each of a vector of integers is less than the next.
static Value increases(OpBuilder &builder, Value vector) {
  Location loc = vector.getLoc();
  auto type = cast<VectorType>(vector.getType());
  // The last one has none behind it: a number that no index is.
  Type element = type.getElementType();
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  Value end = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          type, builder.getIntegerAttr(
                    element, APInt::getSignedMaxValue(width).getSExtValue())));
  auto next = llvm::to_vector(llvm::seq<int64_t>(1, type.getNumElements() + 1));
  Value behind = vector::ShuffleOp::create(builder, loc, vector, end, next);
  return all(builder,
             arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                   vector, behind));
}

/// Whether all of `indices` differ, which are in the vector `together`, if
/// there is one. Lists are mostly sorted, and then few comparisons say so.
Value JammedLoop::differ(OpBuilder &builder, ArrayRef<Value> indices,
                         Value together) {
  Location loc = outer.getLoc();
  auto compareAll = [&](OpBuilder &inside, arith::CmpIPredicate predicate,
                        bool isNextOnly) {
    Value holds;
    for (size_t last = 1; last < indices.size(); ++last)
      for (size_t first = isNextOnly ? last - 1 : 0; first < last; ++first)
        holds = both(inside, holds,
                     arith::CmpIOp::create(inside, loc, predicate,
                                           indices[first], indices[last]));
    return holds;
  };
  if (indices.size() == 2)
    return compareAll(builder, arith::CmpIPredicate::ne, false);
  Value increase = together ? increases(builder, together)
                            : compareAll(builder, arith::CmpIPredicate::slt,
                                         /*isNextOnly=*/true);
  auto choice = scf::IfOp::create(builder, loc, builder.getI1Type(), increase,
                                  /*withElseRegion=*/true);
  OpBuilder sorted = choice.getThenBodyBuilder();
  scf::YieldOp::create(sorted, loc, increase);
  OpBuilder unsorted = choice.getElseBodyBuilder();
  scf::YieldOp::create(unsorted, loc,
                       compareAll(unsorted, arith::CmpIPredicate::ne, false));
  return choice.getResult(0);
}

/// Whether rows differ, and what selects the rows that are read does not.
Value JammedLoop::compare(OpBuilder &builder, JammedCode::Copies copies) {
  Location loc = outer.getLoc();
  for (IRMapping &copy : copies)
    for (const auto &indices : {rows, common})
      for (Value index : indices)
        cloneSlice(builder, index, copy);
  auto isSame = [&](Value one, Value other) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, one,
                                 other);
  };
  Value holds;
  for (Value index : common) {
    if (Value together = loadTogether(builder, index, copies)) {
      Value first = vector::ExtractOp::create(builder, loc, together, 0);
      first =
          vector::BroadcastOp::create(builder, loc, together.getType(), first);
      holds = both(builder, holds, all(builder, isSame(together, first)));
      continue;
    }
    for (IRMapping &copy : copies.drop_front())
      holds = both(builder, holds,
                   isSame(copy.lookup(index), copies.front().lookup(index)));
  }
  for (Value index : rows) {
    SmallVector<Value> selected;
    for (IRMapping &copy : copies)
      selected.push_back(copy.lookup(index));
    holds =
        both(builder, holds,
             differ(builder, selected, loadTogether(builder, index, copies)));
  }
  return holds;
}

/// Whether one of iterations at once may prefetch for all: of what is read in
/// order, and where the same row is read again and again.
bool JammedLoop::isForAll(memref::PrefetchOp prefetch) {
  Value memref = prefetch.getMemref();
  if (!common.empty() && llvm::any_of(shared, [&](Operation *load) {
        return MemoryAccess::of(load)->memref == memref;
      }))
    return true;
  OperandRange indices = prefetch.getIndices();
  return exprs.of(indices.back()).coefficient(outer.getInductionVar()) == 1 &&
         llvm::all_of(indices.drop_back(),
                      [&](Value index) { return isOutside(index); });
}

void JammedLoop::jam(int64_t count) {
  JammedCode code(outer, inner);
  for (Operation *load : shared)
    code.doOnce(load);
  outer.walk([&](memref::PrefetchOp prefetch) {
    if (!isForAll(prefetch))
      return;
    // What has nothing but this prefetch in it, under a condition.
    Operation *whole = prefetch;
    auto branch = dyn_cast<scf::IfOp>(prefetch->getParentOp());
    if (branch && isPrefetch(*branch) &&
        llvm::hasSingleElement(
            branch.thenBlock()->getOps<memref::PrefetchOp>()))
      whole = branch;
    code.doLast(whole);
  });
  auto condition = [&](OpBuilder &builder, JammedCode::Copies copies) {
    return compare(builder, copies);
  };
  if (rows.empty() && common.empty())
    code.jam(count);
  else
    code.jam(count, condition);
}

void JamSums::runOnOperation() {
  auto target = TargetAttr::of(getOperation());
  int64_t bits = vectorBits ? vectorBits : target.getVectorBits();
  int64_t registers =
      vectorRegisters ? vectorRegisters : target.getVectorRegisters();
  MemoryAliasing aliasing(getOperation(), mayAlias);
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    JammedLoop jammed(loop, aliasing);
    if (!jammed.find())
      continue;
    int64_t count = jammed.countTogether(bits, registers);
    if (count == 1)
      continue;
    jammed.jam(count);
    ++this->jammed;
  }
}

} // namespace ember::loops
